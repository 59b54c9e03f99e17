//! The iterators of a [`SortedSet`], and the look-ups of [`Scores`](super::Scores).

use core::fmt;
use core::hash::{BuildHasher, Hash};
use equivalent::Equivalent;

use super::SortedSet;
use crate::inner::LookUp;
use crate::inner::find::Position;
use crate::inner::front::{front_extract_if, front_into_iter, front_iter, front_owning};
use crate::inner::iter;
use crate::skiplist::{element, taken};

/// An iterator over elements in order, lowest score first: all of them or a range.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**; `nth` and `nth_back`, and so
/// `skip` and `step_by`, are **O(log n)**. `len`, `size_hint`, `count` and `last` are at most
/// **O(log n)**.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
///
/// let set: SortedSet<u32, u32> = (0..10_000).map(|i| (i, i)).collect();
/// // O(log n), rather than 9,000 steps.
/// let page: Vec<_> = set.iter().skip(9_000).take(2).collect();
/// assert_eq!(page, [(&9_000, &9_000), (&9_001, &9_001)]);
/// ```
pub struct Iter<'a, M, S>(pub(crate) iter::Iter<'a, M, (), S>);

front_iter!(Iter<M, S>, (&'a M, &'a S), element);

/// An owning iterator over elements, lowest score first. Each step is **O(1)**.
pub struct IntoIter<M, S>(pub(crate) iter::IntoIter<M, (), S>);

front_into_iter!(IntoIter<M, S>, <M, S>, (M, S), taken, element);

front_owning!(IntoIter<M, S>);

/// An iterator over removed elements, lowest score first. Each step is **O(1)**.
///
/// Returned by `drain` and the `drain_by_*` methods. The elements leave the set as soon as the
/// iterator is created: those not yet returned are dropped or leaked with it.
pub struct Drain<'a, M, S>(pub(crate) iter::Drain<'a, M, (), S>);

front_into_iter!(Drain<'_, M, S>, <M, S>, (M, S), taken, element, elements);

/// An iterator that removes elements, returned by [`SortedSet::extract_if`].
pub struct ExtractIf<'a, M, S, H, F> {
    pub(super) set: &'a mut SortedSet<M, S, H>,
    pub(super) extracted: F,
    /// The position of the next element to pass to `extracted`.
    pub(super) next: Position,
}

front_extract_if!(
    <M, S, H, F>, [M: Hash, H: BuildHasher, S: Clone, F: FnMut(&M, &S) -> bool], (M, S), taken,
    set, extracted(member, (), score) => extracted(member, score)
);

impl<M: fmt::Debug, S: fmt::Debug, H, F> fmt::Debug for ExtractIf<'_, M, S, H, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExtractIf").field("set", &self.set).finish_non_exhaustive()
    }
}

impl<'a, 'q, M, S, H, Q> LookUp<&'q Q> for &'a SortedSet<M, S, H>
where
    H: BuildHasher,
    Q: Hash + Equivalent<M> + ?Sized,
{
    type Found = Option<&'a S>;

    #[inline]
    fn hash(&self, member: &&'q Q) -> usize {
        self.core.hash(*member)
    }

    #[inline]
    fn find(&self, hash: usize, member: &'q Q) -> Option<&'a S> {
        self.core.find_map(hash, member, |found| found.score)
    }
}
