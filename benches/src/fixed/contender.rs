//! The interface of a measured collection of fixed capacity.

use super::workload::Operation;

/// Members with scores, in fixed memory.
///
/// Each contender implements every operation in the best way that its public API allows without a
/// copy of its elements, also if that is a scan: at these sizes a scan may be fast enough. Members
/// are unique; the workload never inserts one twice, since some contenders would hold it twice.
pub trait Contender: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// Returns whether it can do an operation. If not, the tables show a dash, and the methods that
    /// it needs are never called.
    fn offers(operation: Operation) -> bool;

    /// Returns an empty value.
    fn new() -> Self;

    /// Inserts a new member; there is room.
    fn insert(&mut self, member: u32, score: u32);

    /// Removes and returns the first element by `(score, member)`.
    fn pop_first(&mut self) -> Option<(u32, u32)>;

    /// Returns the score of a member.
    fn score(&self, member: u32) -> Option<u32>;

    /// Returns the number of elements before a member by `(score, member)`.
    fn rank(&self, member: u32) -> Option<usize>;

    // The defaults below are for contenders that do not support the operation.

    /// Updates the score of a member, which is present.
    fn update(&mut self, _member: u32, _score: u32) {}

    /// Removes a member, and returns its score.
    fn remove(&mut self, _member: u32) -> Option<u32> {
        None
    }

    /// Visits the first `n` elements in order.
    fn first(&self, _n: usize, _visit: impl FnMut(u32, u32)) {}
}
