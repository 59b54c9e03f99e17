//! Filling an empty set one leaf at a time: no searches, and one update of the index per leaf.
//!
//! A leaf is added to the list before its members are added to the dict, and their `Hash` and `Eq` run
//! in between. No caller has access to the set yet: on a panic or an error, it is dropped.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::hash::{BuildHasher, Hash};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::{FromSortedError, SortedSet, hash_of};
use crate::dict::{hash_one, no_rehash};
use crate::handle::{Handle, LEAF_CAPACITY, MAX_LEAVES};
use crate::reserve::{infallible, table_error};
use crate::{DefaultHashBuilder, TryReserveError};

/// A set being filled with elements that ascend by `(score, member)`. After an error, the set must not be
/// used.
pub(crate) struct Filling<'a, M, S, H = DefaultHashBuilder> {
    set: &'a mut SortedSet<M, S, H>,
    /// Elements not yet moved to the set, up to the capacity of a leaf.
    next: Vec<(M, S)>,
}

impl<'a, M: Ord + Hash, S: Ord + Copy, H: BuildHasher> Filling<'a, M, S, H> {
    /// Starts to fill an empty set, with room for this many members in the dict.
    pub(crate) fn new(
        set: &'a mut SortedSet<M, S, H>,
        capacity: usize,
    ) -> Result<Self, TryReserveError> {
        set.reserve_dict(capacity)?;
        Ok(Filling { set, next: Vec::new() })
    }

    /// Appends an element, which must come after all others. A repeated member may be detected only up
    /// to a leaf later. If there are several errors, the first is returned.
    pub(crate) fn try_push(
        &mut self,
        member: M,
        score: S,
    ) -> Result<Result<(), FromSortedError>, TryReserveError> {
        let before = match self.next.last() {
            Some((last, last_score)) => Some((last, *last_score)),
            None => self.set.last(),
        };
        if before.is_some_and(|(last, last_score)| (last_score, last) >= (score, &member)) {
            let index = self.set.len() + self.next.len();
            let flushed = self.flush()?;
            return Ok(flushed.and(Err(FromSortedError::NotAscending { index })));
        }
        self.next.try_reserve(1)?;
        self.next.push((member, score));
        if self.next.len() == LEAF_CAPACITY { self.flush() } else { Ok(Ok(())) }
    }

    /// Appends the buffered elements. Returns an error if a member repeats.
    pub(crate) fn finish(mut self) -> Result<Result<(), FromSortedError>, TryReserveError> {
        self.flush()
    }

    /// Moves the buffered elements to a leaf of the set.
    fn flush(&mut self) -> Result<Result<(), FromSortedError>, TryReserveError> {
        let first_index = self.set.len();
        let SortedSet { list, dict, hasher, .. } = &mut *self.set;
        let leaf = list.try_push_leaf(self.next.drain(..))?;
        let members = &list.leaf(leaf).members[..list.len() - first_index];
        let mut hashes = Hashes::new();
        hash_all(members, hasher, &mut hashes);
        for (index, (member, &hash)) in members.iter().zip(&hashes).enumerate() {
            let is_same = |other| list.member(other) == Some(member);
            let handle = Handle::new(leaf, index as u8);
            if !dict.try_insert_new(hash, handle, is_same, hash_of(list, hasher))? {
                let index = first_index + index;
                return Ok(Err(FromSortedError::DuplicateMember { index }));
            }
        }
        Ok(Ok(()))
    }
}

/// The hashes of the members of a leaf.
///
/// Their dict entries are at random locations. If the hashes are computed first, the look-ups do not
/// depend on each other, and their cache misses overlap.
type Hashes = ArrayVec<usize, LEAF_CAPACITY>;

/// Appends the hashes of the members of a leaf. (Returned, they would take stack space twice.)
fn hash_all<M: Hash>(members: &[M], hasher: &impl BuildHasher, into: &mut Hashes) {
    into.extend(members.iter().map(|member| hash_one(hasher, member)));
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Creates the set that insertions one at a time would produce; `combine` merges the old and the
    /// new score of a repeated member.
    pub(crate) fn try_from_unsorted(
        elements: impl Iterator<Item = (M, S)>,
        hasher: H,
        mut combine: impl FnMut(S, S) -> S,
    ) -> Result<Self, TryReserveError> {
        Self::try_from_repeating(elements, hasher, |(_, old), (_, new)| {
            let score = combine(*old, new);
            // If the scores are equal, the old one stays, as with an insertion.
            if *old != score {
                *old = score;
            }
        })
    }

    /// Creates a set from elements in any order; `merge` combines elements with the same member.
    pub(crate) fn try_from_repeating(
        elements: impl Iterator<Item = (M, S)>,
        hasher: H,
        merge: impl FnMut(&mut (M, S), (M, S)),
    ) -> Result<Self, TryReserveError> {
        let distinct = try_distinct(elements, &hasher, merge)?;
        Self::try_from_distinct(distinct, hasher)
    }

    /// Creates a set from elements with distinct members in any order.
    pub(crate) fn try_from_distinct(
        mut elements: Vec<(M, S)>,
        hasher: H,
    ) -> Result<Self, TryReserveError> {
        elements.sort_unstable_by(|(a, a_score), (b, b_score)| (a_score, a).cmp(&(b_score, b)));
        let mut set = Self::with_hasher(hasher);
        set.reserve_dict(elements.len())?;
        let SortedSet { list, dict, hasher, .. } = &mut set;
        let mut elements = elements.into_iter();
        while elements.len() > 0 {
            let leaf = list.try_push_leaf(elements.by_ref().take(LEAF_CAPACITY))?;
            let mut leaf_hashes = Hashes::new();
            hash_all(list.leaf(leaf).members, hasher, &mut leaf_hashes);
            for (slot, &hash) in (0..).zip(&leaf_hashes) {
                dict.try_reserve_one(hash, hash_of(list, hasher))?;
                dict.insert(hash, Handle::new(leaf, slot));
            }
        }
        Ok(set)
    }
}

/// Collects one element per member; `merge` combines elements with the same member.
fn try_distinct<M: Hash + Eq, S: Eq + Copy>(
    elements: impl Iterator<Item = (M, S)>,
    hasher: &impl BuildHasher,
    mut merge: impl FnMut(&mut (M, S), (M, S)),
) -> Result<Vec<(M, S)>, TryReserveError> {
    let expected = elements.size_hint().0;
    if expected > MAX_LEAVES * LEAF_CAPACITY {
        return Err(TryReserveError::CapacityOverflow);
    }
    let mut distinct: Vec<(M, S)> = Vec::new();
    // The index in `distinct` of each member's element.
    let mut indexes: HashTable<u32> = HashTable::new();
    distinct.try_reserve(expected)?;
    indexes.try_reserve(expected, no_rehash).map_err(table_error)?;
    for (member, score) in elements {
        let hash = hasher.hash_one(&member);
        indexes
            .try_reserve(1, |&index| hasher.hash_one(&distinct[index as usize].0))
            .map_err(table_error)?;
        let is_same = |&index: &u32| distinct[index as usize].0 == member;
        match indexes.entry(hash, is_same, no_rehash) {
            Entry::Occupied(index) => {
                merge(&mut distinct[*index.get() as usize], (member, score));
            }
            Entry::Vacant(vacant) => {
                if distinct.len() >= MAX_LEAVES * LEAF_CAPACITY {
                    return Err(TryReserveError::CapacityOverflow);
                }
                vacant.insert(distinct.len() as u32);
                try_push(&mut distinct, (member, score))?;
            }
        }
    }
    Ok(distinct)
}

/// Collects elements. Returns an error if allocation fails, whereas `collect` would abort.
pub(super) fn try_collect<T>(elements: impl Iterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut collected = Vec::new();
    collected.try_reserve(elements.size_hint().0)?;
    for element in elements {
        try_push(&mut collected, element)?;
    }
    Ok(collected)
}

#[inline]
fn try_push<T>(elements: &mut Vec<T>, element: T) -> Result<(), TryReserveError> {
    elements.try_reserve(1)?;
    elements.push(element);
    Ok(())
}

/// If a member repeats, its last score wins, as with insertions one at a time, but much faster.
/// **O(n log n)**.
///
/// Uses memory for a copy of all distinct elements while sorting them.
///
/// # Panics
///
/// Panics if memory or 32-bit handles run out.
impl<M, S, H> FromIterator<(M, S)> for SortedSet<M, S, H>
where
    M: Ord + Hash,
    S: Ord + Copy,
    H: BuildHasher + Default,
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (M, S)>>(elements: I) -> Self {
        infallible(Self::try_from_unsorted(elements.into_iter(), H::default(), |_, new| new))
    }
}
