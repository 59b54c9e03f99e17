//! The interface of a measured leaderboard.

use super::workload::Operation;

/// Members by their scores, highest first, and equal scores by member, ascending.
///
/// Each contender implements every operation in the best way that its public API allows, and all of
/// them hash members with `hashbrown::DefaultHashBuilder`.
pub trait Board: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [Operation] = &[];

    /// Builds a board from members and their scores.
    fn load(members: &[(u64, u64)]) -> Self;

    /// Submits a score; each member keeps its best one. Returns whether this score is now the
    /// member's.
    fn submit(&mut self, member: u64, score: u64) -> bool;

    /// Returns the standing of a member, counted from 1. Members with equal scores share a
    /// standing, and the next standings are skipped accordingly.
    fn standing(&self, member: u64) -> Option<usize>;

    /// Visits `n` lines after the first `offset`: line number, member, score.
    fn page(&self, offset: usize, n: usize, each: impl FnMut(usize, u64, u64));

    /// Visits the line of a member and `n` lines on each side.
    fn around(&self, member: u64, n: usize, each: impl FnMut(usize, u64, u64));
}
