//! Taking elements off the front of a sorted set for as long as they are due.

use std::hash::Hash;

use zset_core::SortedSet;

/// Removes and returns the first element, if `is_due` says so of its score.
pub(crate) fn pop_first_if<M: Hash, S: Copy>(
    set: &mut SortedSet<M, S>,
    is_due: impl FnOnce(S) -> bool,
) -> Option<(M, S)> {
    let (_, score) = set.first()?;
    if is_due(score) { set.pop_first() } else { None }
}
