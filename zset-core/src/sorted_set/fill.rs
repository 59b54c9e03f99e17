//! Filling an empty set, a leaf at a time: no element is searched for, and the spans of the index change
//! once for each leaf.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::hash::{BuildHasher, Hash};
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::{FromSortedError, SortedSet, hash_of};
use crate::TryReserveError;
use crate::handle::{Handle, LEAF_CAPACITY};
use crate::reserve::infallible;

/// A set that is being filled with elements that ascend by `(score, member)`.
pub(crate) struct Filling<M, S, H = DefaultHashBuilder> {
    set: SortedSet<M, S, H>,
    /// The next elements, as many as fit into a leaf.
    leaf: ArrayVec<(M, S), LEAF_CAPACITY>,
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> Filling<M, S, H> {
    /// Makes an empty set, with room for this many members in the dict.
    pub(crate) fn new(hasher: H, capacity: usize) -> Result<Self, TryReserveError> {
        let mut set = SortedSet::with_hasher(hasher);
        set.reserve_dict(capacity)?;
        Ok(Filling { set, leaf: ArrayVec::new() })
    }

    /// Appends an element, which is an error if it does not come after all others. That its member is
    /// there already may be found later.
    pub(crate) fn try_push(
        &mut self,
        member: M,
        score: S,
    ) -> Result<Result<(), FromSortedError>, TryReserveError> {
        let before = match self.leaf.last() {
            Some((last, last_score)) => Some((last, *last_score)),
            None => self.set.last(),
        };
        if before.is_some_and(|(last, last_score)| (last_score, last) >= (score, &member)) {
            let index = self.set.len() + self.leaf.len();
            // A member that is twice before this one comes first.
            let flushed = self.flush()?;
            return Ok(flushed.and(Err(FromSortedError::NotAscending { index })));
        }
        self.leaf.push((member, score));
        if self.leaf.is_full() { self.flush() } else { Ok(Ok(())) }
    }

    /// Returns the set, or the error that a member is there twice.
    pub(crate) fn finish(
        mut self,
    ) -> Result<Result<SortedSet<M, S, H>, FromSortedError>, TryReserveError> {
        Ok(self.flush()?.map(|()| self.set))
    }

    /// Moves the next elements into a leaf of the set.
    fn flush(&mut self) -> Result<Result<(), FromSortedError>, TryReserveError> {
        let first_index = self.set.len();
        let SortedSet { list, dict, hasher, .. } = &mut self.set;
        let leaf = list.try_push_leaf(self.leaf.take())?;
        let members = &list.leaf(leaf).members[..list.len() - first_index];
        // The entries of the dict lie anywhere. In a loop that does little else, the processor waits
        // for many of them at once.
        let hashes: ArrayVec<u64, LEAF_CAPACITY> =
            members.iter().map(|member| hasher.hash_one(member)).collect();
        for (index, (member, hash)) in members.iter().zip(hashes).enumerate() {
            let is_same = |other| list.get(other).is_some_and(|other| other.member == member);
            let handle = Handle::new(leaf, index as u8);
            if !dict.try_insert_new(hash, handle, is_same, hash_of(list, hasher))? {
                let index = first_index + index;
                return Ok(Err(FromSortedError::DuplicateMember { index }));
            }
        }
        Ok(Ok(()))
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Makes a set of elements in any order, as insertions one by one would.
    pub(super) fn from_unsorted(mut elements: Vec<(M, S)>, hasher: H) -> Self {
        keep_last_scores(&mut elements, &hasher);
        elements.sort_unstable_by(|(a, a_score), (b, b_score)| (a_score, a).cmp(&(b_score, b)));
        let mut filling = infallible(Filling::new(hasher, elements.len()));
        for element in elements {
            filling.leaf.push(element);
            if filling.leaf.is_full() {
                _ = infallible(filling.flush());
            }
        }
        _ = infallible(filling.flush());
        filling.set
    }
}

/// Leaves one element of each member: the first, with the score of the last.
fn keep_last_scores<M: Hash + Eq, S: Copy>(elements: &mut Vec<(M, S)>, hasher: &impl BuildHasher) {
    let mut places = HashTable::with_capacity(elements.len());
    let mut kept = 0;
    for place in 0..elements.len() {
        let (member, score) = &elements[place];
        let is_same = |&other: &usize| elements[other].0 == *member;
        match places.entry(hasher.hash_one(member), is_same, |_| unreachable!("there is room")) {
            Entry::Occupied(entry) => elements[*entry.get()].1 = *score,
            Entry::Vacant(entry) => {
                entry.insert(kept);
                elements.swap(kept, place);
                kept += 1;
            }
        }
    }
    elements.truncate(kept);
}
