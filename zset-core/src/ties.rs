//! How elements of equal score are ordered: [`TieOrder`] and [`Unordered`].

use core::borrow::Borrow;
use equivalent::Equivalent;

/// The bound on members of a [`SortedSet`](crate::SortedSet) and keys of a
/// [`SortedMap`](crate::SortedMap): a type with an order, or [`Unordered`].
///
/// Elements of equal score are ordered by it. It cannot be implemented for other types.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no order",
    label = "elements of equal score are ordered by member",
    note = "implement `Ord`, or wrap it: elements of `Unordered<{Self}>` with equal scores are in \
            the order in which their scores were set"
)]
pub trait TieOrder: Eq + sealed::Ties {}

#[diagnostic::do_not_recommend]
impl<T: Ord> TieOrder for T {}
impl<T: Eq> TieOrder for Unordered<T> {}

pub(crate) mod sealed {
    use alloc::vec::Vec;

    use super::Unordered;
    use crate::TryReserveError;
    use crate::reserve::{try_collect, try_push};

    /// The methods of [`TieOrder`](super::TieOrder), which only this crate calls.
    pub trait Ties: Sized {
        /// True if the type has an order. Otherwise, elements of equal score are in the order in
        /// which their scores were set.
        const IS_ORDERED: bool;

        /// The times when the scores of elements were set; `()` if the type has an order.
        type Times: Default;

        /// Records when the score of the element at `index` was set. `index` is at most the number
        /// of recorded times.
        fn try_note(
            times: &mut Self::Times,
            index: usize,
            time: usize,
        ) -> Result<(), TryReserveError>;

        /// Returns whether this member, which is in the set, comes before `later`, which gets the
        /// same score.
        fn precedes(&self, later: &Self) -> bool;

        /// Sorts elements by score and member or, without an order, by when their scores were set.
        /// If no times are recorded, they were set in the order of the slice.
        fn try_sort<V, S: Ord>(
            elements: &mut [((Self, V), S)],
            times: &Self::Times,
        ) -> Result<(), TryReserveError>;
    }

    #[diagnostic::do_not_recommend]
    impl<T: Ord> Ties for T {
        const IS_ORDERED: bool = true;

        type Times = ();

        #[inline]
        fn try_note((): &mut (), _: usize, _: usize) -> Result<(), TryReserveError> {
            Ok(())
        }

        #[inline]
        fn precedes(&self, later: &Self) -> bool {
            self < later
        }

        fn try_sort<V, S: Ord>(
            elements: &mut [((Self, V), S)],
            (): &(),
        ) -> Result<(), TryReserveError> {
            elements.sort_unstable_by(|((a, _), a_score), ((b, _), b_score)| {
                (a_score, a).cmp(&(b_score, b))
            });
            Ok(())
        }
    }

    impl<T: Eq> Ties for Unordered<T> {
        const IS_ORDERED: bool = false;

        type Times = Vec<usize>;

        fn try_note(
            times: &mut Vec<usize>,
            index: usize,
            time: usize,
        ) -> Result<(), TryReserveError> {
            if let Some(noted) = times.get_mut(index) {
                *noted = time;
                return Ok(());
            }
            try_push(times, time)
        }

        #[inline]
        fn precedes(&self, _: &Self) -> bool {
            true
        }

        /// Sorts indexes, because a stable sort of the elements would need much stack, and abort if
        /// allocation fails.
        fn try_sort<V, S: Ord>(
            elements: &mut [((Self, V), S)],
            times: &Vec<usize>,
        ) -> Result<(), TryReserveError> {
            let mut sources: Vec<usize> = try_collect(0..elements.len())?;
            let time = |source: usize| times.get(source).copied().unwrap_or(source);
            sources.sort_unstable_by(|&a, &b| {
                (&elements[a].1, time(a)).cmp(&(&elements[b].1, time(b)))
            });
            for index in 0..elements.len() {
                // Each earlier index has swapped its element with the one at its source. Follow the
                // sources to find where the element for this index is now.
                let mut source = sources[index];
                while source < index {
                    source = sources[source];
                }
                elements.swap(index, source);
            }
            Ok(())
        }
    }
}

/// A member or key without an order: elements of equal score are in the order in which their scores
/// were set.
///
/// It turns a [`SortedSet`](crate::SortedSet) into a priority queue whose members are only
/// `Hash + Eq`. Among equal priorities, [`pop_first`](crate::SortedSet::pop_first) is first in,
/// first out, and [`pop_last`](crate::SortedSet::pop_last) is last in, first out. For a queue that
/// pops the highest priority first, and equal ones in order of arrival, use
/// [`Reverse`](core::cmp::Reverse) scores and `pop_first`. An element whose score is set, even to
/// its current one, comes after all others of that score. When sets are merged, the elements of the
/// other set come later.
///
/// A look-up takes a `&T`, and a `&str` or a slice if `T` borrows as one. Other types that are
/// [`Equivalent`] to `T` are wrapped in [`UnorderedRef`].
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
/// // The highest priority, and the first that has it.
/// assert_eq!(jobs.pop_first(), Some((Unordered("test"), Reverse(2))));
/// // After `read`, which has had priority 2 for longer.
/// jobs.set_score("commit", Reverse(2));
/// let order: Vec<_> = jobs.iter().map(|(job, _)| job.0).collect();
/// assert_eq!(order, ["read", "commit", "write"]);
/// ```
///
/// Ranges of members need an order:
///
/// ```compile_fail
/// # use zset_core::{SortedSet, Unordered};
/// let set = SortedSet::from([(Unordered(1), 0), (Unordered(2), 0)]);
/// set.range_by_member(&0, &1..&2);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Unordered<T>(pub T);

impl<T> Borrow<T> for Unordered<T> {
    fn borrow(&self) -> &T {
        &self.0
    }
}

/// Lets `entry_ref` convert a borrowed member.
impl<'a, T: From<&'a Q>, Q: ?Sized> From<&'a Q> for Unordered<T> {
    fn from(member: &'a Q) -> Self {
        Unordered(member.into())
    }
}

impl<T: Borrow<str>> Borrow<str> for Unordered<T> {
    fn borrow(&self) -> &str {
        self.0.borrow()
    }
}

impl<T: Borrow<[U]>, U> Borrow<[U]> for Unordered<T> {
    fn borrow(&self) -> &[U] {
        self.0.borrow()
    }
}

/// Looks up an [`Unordered<T>`](Unordered) by anything that is [`Equivalent`] to a `T`.
///
/// # Examples
///
/// ```
/// use std::path::{Path, PathBuf};
/// use zset_core::{SortedSet, Unordered, UnorderedRef};
///
/// let mut sizes = SortedSet::from([(Unordered(PathBuf::from("/var/log")), 512)]);
/// let log = UnorderedRef(Path::new("/var/log"));
/// assert_eq!(sizes.score(&log), Some(&512));
/// let same = log; // it is `Copy`
/// assert_eq!((sizes.rank(&log), sizes.remove(&same)), (Some(0), Some(512)));
/// ```
#[derive(Debug, Hash)]
pub struct UnorderedRef<'a, Q: ?Sized>(pub &'a Q);

impl<Q: ?Sized> Clone for UnorderedRef<'_, Q> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q: ?Sized> Copy for UnorderedRef<'_, Q> {}

impl<Q: Equivalent<T> + ?Sized, T> Equivalent<Unordered<T>> for UnorderedRef<'_, Q> {
    fn equivalent(&self, member: &Unordered<T>) -> bool {
        self.0.equivalent(&member.0)
    }
}

/// Serializes like the inner value.
#[cfg(feature = "serde")]
impl<T: serde::Serialize> serde::Serialize for Unordered<T> {
    fn serialize<R: serde::Serializer>(&self, serializer: R) -> Result<R::Ok, R::Error> {
        self.0.serialize(serializer)
    }
}

#[cfg(feature = "serde")]
impl<'de, T: serde::Deserialize<'de>> serde::Deserialize<'de> for Unordered<T> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(deserializer).map(Unordered)
    }
}
