//! What must be offered to be measured as a leaderboard.

use super::workload::Operation;

/// Members by their scores, highest first, and equal scores by member, ascending.
///
/// Each contender does every operation in the best way that its public API has, and members are
/// hashed by `hashbrown::DefaultHashBuilder` in all of them.
pub trait Board: Sized {
    /// What the tables call it.
    const NAME: &'static str;

    /// What takes linear time.
    const LINEAR: &'static [Operation] = &[];

    /// Makes a board of members and their scores.
    fn load(members: &[(u64, u64)]) -> Self;

    /// Submits a score; the best one of each member counts. Returns whether it counts.
    fn submit(&mut self, member: u64, score: u64) -> bool;

    /// Returns the standing of a member, from 1; those with equal scores share one, and then as
    /// many are left out.
    fn standing(&self, member: u64) -> Option<usize>;

    /// Visits `n` lines after the first `offset`: the number of the line, the member, the score.
    fn page(&self, offset: usize, n: usize, each: impl FnMut(usize, u64, u64));

    /// Visits the line of a member and `n` on each side.
    fn around(&self, member: u64, n: usize, each: impl FnMut(usize, u64, u64));
}
