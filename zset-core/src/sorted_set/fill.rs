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
use crate::skiplist::AT_ONCE;
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
    #[inline]
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
            let rank = self.set.len() + self.next.len();
            let flushed = self.flush()?;
            return Ok(flushed.and(Err(FromSortedError::NotAscending { rank })));
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
        let first_rank = self.set.len();
        let SortedSet { list, dict, hasher, .. } = &mut *self.set;
        let leaf = list.try_push_leaf(self.next.drain(..))?;
        let members = &list.leaf(leaf).members[..list.len() - first_rank];
        let mut hashes = Hashes::new();
        for start in (0..members.len()).step_by(AT_ONCE) {
            hash_next(&members[start..], hasher, &mut hashes);
            for (index, &hash) in (start..).zip(&hashes) {
                let is_same = |other| list.member(other) == Some(&members[index]);
                let handle = Handle::new(leaf, index as u8);
                if !dict.try_insert_new(hash, handle, is_same, hash_of(list, hasher))? {
                    let rank = first_rank + index;
                    return Ok(Err(FromSortedError::DuplicateMember { rank }));
                }
            }
        }
        Ok(Ok(()))
    }
}

/// The hashes of the next members of a leaf.
///
/// Their dict entries are at random locations. If the hashes are computed first, the look-ups do not
/// depend on each other, and their cache misses overlap.
type Hashes = ArrayVec<usize, AT_ONCE>;

/// Computes the hashes of the next members of a leaf. (Returned, they would take stack space twice.)
fn hash_next<M: Hash>(members: &[M], hasher: &impl BuildHasher, into: &mut Hashes) {
    into.clear();
    into.extend(members.iter().take(AT_ONCE).map(|member| hash_one(hasher, member)));
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Fills an empty set as insertions one at a time would; `combine` merges the old and the new score of
    /// a repeated member.
    pub(crate) fn try_fill_unsorted(
        &mut self,
        elements: impl Iterator<Item = (M, S)>,
        mut combine: impl FnMut(S, S) -> S,
    ) -> Result<(), TryReserveError> {
        self.try_fill_repeating(elements, |(_, old), (_, new)| {
            let score = combine(*old, new);
            // If the scores are equal, the old one stays, as with an insertion.
            if *old != score {
                *old = score;
            }
        })
    }

    /// Fills an empty set with elements in any order; `merge` combines elements with the same member.
    pub(crate) fn try_fill_repeating(
        &mut self,
        mut elements: impl Iterator<Item = (M, S)>,
        merge: impl FnMut(&mut (M, S), (M, S)),
    ) -> Result<(), TryReserveError> {
        let distinct = try_distinct(&mut elements, &self.hasher, merge)?;
        self.try_fill_distinct(distinct)
    }

    /// Fills an empty set with elements that have distinct members, in any order.
    pub(crate) fn try_fill_distinct(
        &mut self,
        mut elements: Vec<(M, S)>,
    ) -> Result<(), TryReserveError> {
        elements.sort_unstable_by(|(a, a_score), (b, b_score)| (a_score, a).cmp(&(b_score, b)));
        self.reserve_dict(elements.len())?;
        let mut elements = elements.into_iter();
        while elements.len() > 0 {
            let leaf = self.list.try_push_leaf(elements.by_ref().take(LEAF_CAPACITY))?;
            let (members, mut hashes) = (self.list.leaf(leaf).members, Hashes::new());
            for start in (0..members.len()).step_by(AT_ONCE) {
                hash_next(&members[start..], &self.hasher, &mut hashes);
                for (slot, &hash) in (start as u8..).zip(&hashes) {
                    self.dict.try_reserve_one(hash, hash_of(&self.list, &self.hasher))?;
                    self.dict.insert(hash, Handle::new(leaf, slot));
                }
            }
        }
        Ok(())
    }
}

/// Collects one element per member; `merge` combines elements with the same member.
#[cfg_attr(target_os = "none", inline(never))]
fn try_distinct<M: Hash + Eq, S: Eq + Copy>(
    elements: &mut impl Iterator<Item = (M, S)>,
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
pub(crate) fn try_collect<T>(elements: impl Iterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
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
        let mut set = Self::default();
        infallible(set.try_fill_unsorted(elements.into_iter(), |_, new| new));
        set
    }
}
