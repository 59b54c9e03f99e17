//! How elements of equal score are ordered: [`TieOrder`] and [`Unordered`].

use alloc::string::String;
use core::borrow::Borrow;

/// What a member of a [`SortedSet`](crate::SortedSet) or a key of a
/// [`SortedMap`](crate::SortedMap) has to be: a type with an order, or [`Unordered`].
///
/// Elements of equal score are ordered by it. It cannot be implemented for other types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order",
    label = "elements of equal score are ordered by member",
    note = "implement `Ord`, or wrap it: elements of `Unordered<{Self}>` with equal scores keep \
            their order of insertion"
)]
pub trait TieOrder: Eq + sealed::Ties {}

impl<T: Ord> TieOrder for T {}
impl<T: Eq> TieOrder for Unordered<T> {}

pub(crate) mod sealed {
    use super::Unordered;

    /// The methods of [`TieOrder`](super::TieOrder), which only this crate calls.
    pub trait Ties: Sized {
        /// Returns whether this member, which is there already, comes before another one that gets
        /// the same score.
        fn precedes(&self, later: &Self) -> bool;

        /// Sorts elements by score and member.
        fn sort<V, S: Ord>(elements: &mut [((Self, V), S)]);
    }

    impl<T: Ord> Ties for T {
        #[inline]
        fn precedes(&self, later: &Self) -> bool {
            self < later
        }

        fn sort<V, S: Ord>(elements: &mut [((Self, V), S)]) {
            elements.sort_unstable_by(|((a, _), a_score), ((b, _), b_score)| {
                (a_score, a).cmp(&(b_score, b))
            });
        }
    }

    impl<T: Eq> Ties for Unordered<T> {
        #[inline]
        fn precedes(&self, _: &Self) -> bool {
            true
        }

        fn sort<V, S: Ord>(elements: &mut [((Self, V), S)]) {
            elements.sort_by(|(_, a), (_, b)| a.cmp(b));
        }
    }
}

/// A member or key without an order: elements of equal score are in the order in which they got
/// that score.
///
/// It makes a [`SortedSet`](crate::SortedSet) a queue with priorities that is first in, first out
/// among equals, of members that are only `Hash + Eq`. An element whose score changes comes after
/// all others of its new score; one that gets the score it has keeps its position.
///
/// Look-ups take a `&T`, and a `&str` if `T` is `String`. Building a set from many elements sorts
/// them stably, which takes memory for up to as many elements again, and aborts if there is none.
///
/// # Examples
///
/// ```
/// use std::cmp::Reverse;
/// use zset_core::{SortedSet, Unordered};
///
/// let mut jobs = SortedSet::new();
/// for (job, priority) in [("write", 1), ("test", 2), ("read", 2), ("commit", 1)] {
///     jobs.insert(Unordered(job), Reverse(priority));
/// }
/// assert_eq!(jobs.pop_first(), Some((Unordered("test"), Reverse(2))));
/// // After `read`, which has priority 2 for longer.
/// jobs.update(&"commit", Reverse(2));
/// let order: Vec<_> = jobs.iter().map(|(job, _)| job.0).collect();
/// assert_eq!(order, ["read", "commit", "write"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unordered<T>(pub T);

impl<T> Borrow<T> for Unordered<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}

impl Borrow<str> for Unordered<String> {
    fn borrow(&self) -> &str {
        &self.0
    }
}
