//! Operations on many elements at once: filling an empty core, splitting a range off, and merging
//! another core into this one.
//!
//! A core is filled one leaf at a time, without searches, and with one update of the index per
//! leaf. Each leaf is added before its keys are hashed and added to the dict. If `Hash` or `Eq`
//! panics, the dict is incomplete. That is harmless, because no caller has access to the core yet:
//! on a panic or an error, the core is dropped.
//!
//! A merge moves the elements of both cores to full leaves, so the handle of each is known
//! beforehand. Everything that may fail or panic (comparisons, hashes, allocations) therefore
//! happens before the first of these moves, and no user code runs between them. Elements of the
//! other core whose keys were already present are dropped last.

use alloc::vec::Vec;
use arrayvec::ArrayVec;
use core::error::Error;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::mem;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

use super::dict::{Dict, Hashed, hash_of, hash_one, no_rehash};
use super::find::{Element, RankedRange};
use super::leaf::{Handle, LEAF_CAPACITY, MAX_HANDLES};
use super::{Clear, Core, Nodes, Owned};
use crate::reserve::{push_reserved, table_error, try_push};
use crate::ties::sealed::Ties;
use crate::{TieOrder, TryReserveError};

/// The error of input that is not sorted or repeats a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FromSortedError {
    /// The element at this 0-based rank does not come after the previous one.
    NotAscending {
        /// The 0-based rank of the element.
        rank: usize,
    },
    /// The member at this 0-based rank repeats an earlier one, whose score is not higher.
    DuplicateMember {
        /// The 0-based rank of the element.
        rank: usize,
    },
}

impl fmt::Display for FromSortedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FromSortedError::NotAscending { rank } => {
                write!(f, "element {rank} is out of order")
            }
            FromSortedError::DuplicateMember { rank } => {
                write!(f, "member of element {rank} repeats an earlier one")
            }
        }
    }
}

impl Error for FromSortedError {}

/// A core being filled with elements that ascend by `(score, key)`. After an error, it must not be
/// used.
pub(crate) struct Filling<'a, K, V, S, H> {
    core: &'a mut Core<K, V, S, Hashed<H>>,
    /// Elements not yet moved to the core, up to the capacity of a leaf.
    next: Vec<((K, V), S)>,
}

impl<'a, K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Filling<'a, K, V, S, H> {
    /// Starts to fill an empty core, with room for this many keys in the dict.
    pub(crate) fn new(
        core: &'a mut Core<K, V, S, Hashed<H>>,
        capacity: usize,
    ) -> Result<Self, TryReserveError> {
        core.try_reserve_dict(capacity)?;
        Ok(Filling { core, next: Vec::new() })
    }

    /// Appends an element, which must come after all others. A repeated key may be detected only by
    /// a later call, at most one leaf later. If there are several errors, the first is returned.
    #[inline]
    pub(crate) fn try_push(
        &mut self,
        pair: (K, V),
        score: S,
    ) -> Result<Result<(), FromSortedError>, TryReserveError> {
        let before = match self.next.last() {
            Some((last, last_score)) => Some((last, last_score)),
            None => self.core.nodes.last(),
        };
        let is_after = |(last, last_score): (&(K, V), &S)| {
            *last_score < score || *last_score == score && last.0.precedes(&pair.0)
        };
        if !before.is_none_or(is_after) {
            let rank = self.core.nodes.len() + self.next.len();
            let flushed = self.flush()?;
            return Ok(flushed.and(Err(FromSortedError::NotAscending { rank })));
        }
        self.next.try_reserve(1)?;
        self.next.push((pair, score));
        if self.next.len() == LEAF_CAPACITY { self.flush() } else { Ok(Ok(())) }
    }

    /// Appends the buffered elements. Returns an error if a key repeats.
    pub(crate) fn finish(mut self) -> Result<Result<(), FromSortedError>, TryReserveError> {
        self.flush()
    }

    /// Moves the buffered elements to a leaf of the core.
    fn flush(&mut self) -> Result<Result<(), FromSortedError>, TryReserveError> {
        if self.next.is_empty() {
            return Ok(Ok(()));
        }
        let first_rank = self.core.nodes.len();
        let Core { nodes, dict: Hashed { tables, hasher, .. } } = &mut *self.core;
        let first = (first_rank > 0).then(|| self.next[0].1.clone());
        let leaf = nodes.try_push_leaf(first, self.next.drain(..))?;
        let pairs = &nodes.leaf(leaf).pairs[..nodes.len() - first_rank];
        for (index, hash) in hashes(pairs, hasher).into_iter().enumerate() {
            let is_same = |other| nodes.key(other) == Some(&pairs[index].0);
            let handle = Handle::new(leaf, index as u8);
            if !tables.try_insert_new(hash, handle, is_same, hash_of(hasher, nodes))? {
                let rank = first_rank + index;
                return Ok(Err(FromSortedError::DuplicateMember { rank }));
            }
        }
        Ok(Ok(()))
    }
}

/// Returns the hashes of the keys of a leaf.
///
/// Their dict entries are at random locations. If the hashes are computed first, the look-ups do
/// not depend on each other, and their cache misses overlap.
fn hashes<K: Hash, V>(
    pairs: &[(K, V)],
    hasher: &impl BuildHasher,
) -> ArrayVec<usize, LEAF_CAPACITY> {
    pairs.iter().map(|(key, _)| hash_one(hasher, key)).collect()
}

impl<K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Fills an empty core with elements in any order; `merge` combines elements with the same key.
    pub(crate) fn try_fill_unsorted(
        &mut self,
        mut elements: impl Iterator<Item = ((K, V), S)>,
        merge: impl FnMut(&mut ((K, V), S), ((K, V), S)),
    ) -> Result<(), TryReserveError> {
        let (distinct, times) = try_distinct(&mut elements, &self.dict.hasher, merge)?;
        self.try_fill_by_time(distinct, &times)
    }

    /// Fills an empty core with elements that have distinct keys, in any order.
    pub(crate) fn try_fill_distinct(
        &mut self,
        elements: Vec<((K, V), S)>,
    ) -> Result<(), TryReserveError> {
        self.try_fill_by_time(elements, &K::Times::default())
    }

    /// Like `try_fill_distinct`, given when the score of each element was set; see
    /// [`Ties::try_sort`](crate::ties::sealed::Ties::try_sort).
    fn try_fill_by_time(
        &mut self,
        mut elements: Vec<((K, V), S)>,
        times: &K::Times,
    ) -> Result<(), TryReserveError> {
        K::try_sort(&mut elements, times)?;
        self.try_reserve_dict(elements.len())?;
        let mut elements = elements.into_iter();
        while elements.len() > 0 {
            let Core { nodes, dict: Hashed { tables, hasher, .. } } = self;
            let first = (nodes.len() > 0).then(|| elements.as_slice()[0].1.clone());
            let leaf = nodes.try_push_leaf(first, elements.by_ref().take(LEAF_CAPACITY))?;
            for (slot, hash) in (0..).zip(hashes(nodes.leaf(leaf).pairs, hasher)) {
                tables.try_reserve_one(hash, hash_of(hasher, nodes))?;
                tables.insert(hash, Handle::new(leaf, slot));
            }
        }
        Ok(())
    }
}

/// Elements with distinct keys, and the times at which their scores were set.
type Distinct<K, V, S> = (Vec<Owned<K, V, S>>, <K as Ties>::Times);

/// Collects one element per key; `merge` combines elements with the same key.
fn try_distinct<K: TieOrder + Hash, V, S>(
    elements: &mut impl Iterator<Item = ((K, V), S)>,
    hasher: &impl BuildHasher,
    mut merge: impl FnMut(&mut ((K, V), S), ((K, V), S)),
) -> Result<Distinct<K, V, S>, TryReserveError> {
    let expected = elements.size_hint().0;
    if expected > MAX_HANDLES {
        return Err(TryReserveError::CapacityOverflow);
    }
    let (mut distinct, mut times) = (Vec::<((K, V), S)>::new(), K::Times::default());
    // For each key, the index of its element in `distinct`.
    let mut indexes: HashTable<u32> = HashTable::new();
    distinct.try_reserve(expected)?;
    indexes.try_reserve(expected, no_rehash).map_err(table_error)?;
    for (time, (pair, score)) in elements.enumerate() {
        let hash = hasher.hash_one(&pair.0);
        indexes
            .try_reserve(1, |&index| hasher.hash_one(&distinct[index as usize].0.0))
            .map_err(table_error)?;
        let is_same = |&index: &u32| distinct[index as usize].0.0 == pair.0;
        match indexes.entry(hash, is_same, no_rehash) {
            Entry::Occupied(index) => {
                let index = *index.get() as usize;
                merge(&mut distinct[index], (pair, score));
                K::try_note(&mut times, index, time)?;
            }
            Entry::Vacant(vacant) => {
                if distinct.len() >= MAX_HANDLES {
                    return Err(TryReserveError::CapacityOverflow);
                }
                vacant.insert(distinct.len() as u32);
                K::try_note(&mut times, distinct.len(), time)?;
                try_push(&mut distinct, (pair, score))?;
            }
        }
    }
    Ok((distinct, times))
}

/// Two cores are merged if the new elements number at least `1 / MERGED_SHARE` of those in the core
/// that receives them. Per element of either core, a merge costs about a third of an insertion.
const MERGED_SHARE: usize = 2;

/// Clears a core when dropped. Until then, the core may be inconsistent.
struct ClearOnDrop<'a, K, V, S, D: Clear>(&'a mut Core<K, V, S, D>);

impl<K, V, S, D: Clear> Drop for ClearOnDrop<'_, K, V, S, D> {
    fn drop(&mut self) {
        self.0.clear();
    }
}

/// The order of the elements in the new leaves.
struct Order<S> {
    /// The hash of each element's key.
    hashes: Vec<usize>,
    /// Whether each element comes from the other core.
    is_others: Vec<bool>,
    /// Copies of the first scores of all leaves but the first one.
    firsts: Vec<S>,
}

/// Nodes without elements, and a dict with the handles that the elements will have.
struct Prepared<K, V, S> {
    nodes: Nodes<K, V, S>,
    tables: Dict,
}

impl<S: Clone> Order<S> {
    fn try_with_capacity(capacity: usize) -> Result<Self, TryReserveError> {
        let mut order = Order { hashes: Vec::new(), is_others: Vec::new(), firsts: Vec::new() };
        order.hashes.try_reserve_exact(capacity)?;
        order.is_others.try_reserve_exact(capacity)?;
        order.firsts.try_reserve_exact(capacity / LEAF_CAPACITY)?;
        Ok(order)
    }

    #[inline]
    fn push(&mut self, hash: usize, score: &S, is_others: bool) {
        if !self.hashes.is_empty() && self.hashes.len() % LEAF_CAPACITY == 0 {
            push_reserved(&mut self.firsts, score.clone());
        }
        push_reserved(&mut self.hashes, hash);
        push_reserved(&mut self.is_others, is_others);
    }
}

impl<K, V, S> Prepared<K, V, S> {
    /// Allocates memory for full leaves of elements with these hashes, and fills the dict. The new
    /// nodes continue the sequence of heights of `nodes`.
    fn try_new(nodes: &Nodes<K, V, S>, hashes: &[usize]) -> Result<Self, TryReserveError> {
        let mut new = nodes.empty();
        new.try_reserve_full_leaves(hashes.len())?;
        Ok(Prepared { nodes: new, tables: Dict::try_of_full_leaves(hashes)? })
    }
}

impl<K: Hash, V, S: Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Replaces the nodes and the dict with the prepared ones, and moves the old elements and those
    /// of `other` there. The elements of `other` at the ranks `shared` move to `left_out` instead,
    /// which must have room for them.
    fn carry_out(
        &mut self,
        order: Order<S>,
        prepared: &mut Prepared<K, V, S>,
        other: &mut Nodes<K, V, S>,
        shared: &[usize],
        left_out: &mut Vec<((K, V), S)>,
    ) {
        mem::swap(&mut self.nodes, &mut prepared.nodes);
        self.dict.exchange(&mut prepared.tables);
        let mut shared = shared.iter().peekable();
        let (mut others, mut rank) = (other.emptied(), 0);
        let mut next_of_others = || loop {
            let element = others.next()?;
            let is_shared = shared.next_if_eq(&&rank).is_some();
            rank += 1;
            if !is_shared {
                return Some(element);
            }
            left_out.push(element);
        };
        let mut ours = prepared.nodes.emptied();
        let mut firsts = order.firsts.into_iter();
        for (id, is_others) in (0..).zip(order.is_others.chunks(LEAF_CAPACITY)) {
            let first = if id > 0 { firsts.next() } else { None };
            let elements = is_others.iter().map(|&is_others| {
                let next = if is_others { next_of_others() } else { ours.next() };
                next.expect("the order has each element once")
            });
            let leaf = self.nodes.try_push_leaf(first, elements);
            assert_eq!(leaf, Ok(id), "room was reserved, and for full leaves in order");
        }
        // Every element left in `other` is also in `self`. The call in this assertion moves them to
        // `left_out`.
        assert!(next_of_others().is_none(), "the order has each element once");
    }

    /// Moves a range to an empty core whose hasher computes the same hashes. On an error, nothing
    /// changes.
    pub(crate) fn try_split_off(
        &mut self,
        range: RankedRange,
        upper: &mut Self,
    ) -> Result<(), TryReserveError> {
        if range.len == 0 {
            return Ok(());
        }
        let Core { nodes, dict } = upper;
        nodes.heights = self.nodes.heights.clone();
        if range.len == self.nodes.len() {
            mem::swap(&mut self.nodes, nodes);
            self.dict.exchange(&mut dict.tables);
        } else {
            // The new leaves will be full, so the handles of their elements are known before any
            // element moves.
            self.try_cut_to(nodes, range, |hashes| {
                dict.exchange(&mut Dict::try_of_full_leaves(hashes)?);
                Ok(())
            })?;
        }
        Ok(())
    }
}

impl<K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Moves all elements of another core into this one, one at a time. If both have a key, this
    /// core keeps its own key, and gives it the value and the score from the other core.
    ///
    /// On an error, elements not yet moved may be lost.
    pub(crate) fn try_extend<H2>(
        &mut self,
        other: &mut Core<K, V, S, Hashed<H2>>,
    ) -> Result<(), TryReserveError> {
        self.try_reserve_dict(other.nodes.len().div_ceil(2))?;
        // The other core must be cleared even if user code panics.
        let other = ClearOnDrop(other);
        for ((key, value), score) in other.0.nodes.emptied() {
            self.try_insert(key, value, score)?;
        }
        Ok(())
    }

    /// Like `try_extend`, but moves all elements to full leaves if that pays off; returns whether
    /// it did. Otherwise, or on an error, the other core is unchanged.
    ///
    /// On an error, some keys that are in both may already have the other core's score.
    pub(crate) fn try_merge<H2>(
        &mut self,
        other: &mut Core<K, V, S, Hashed<H2>>,
    ) -> Result<bool, TryReserveError> {
        let is_worth = |own: usize, new: usize| {
            new >= own / MERGED_SHARE && own.saturating_add(new) > LEAF_CAPACITY
        };
        let (len, other_len) = (self.nodes.len(), other.nodes.len());
        if !is_worth(len, other_len) {
            return Ok(false);
        }
        let shared = self.try_shared_ranks(&other.nodes)?;
        // Unordered keys of equal score are in the order in which their scores were set. For shared
        // keys, a merge would get this order wrong.
        let is_reordered = !K::IS_ORDERED && !shared.is_empty();
        if is_reordered || !is_worth(len, other_len - shared.len()) {
            return Ok(false);
        }
        self.try_update_shared(&shared, &other.nodes)?;
        self.try_merge_except(&shared, other)?;
        Ok(true)
    }

    /// Returns the ranks in `other` of the keys that this core also has.
    fn try_shared_ranks(&self, other: &Nodes<K, V, S>) -> Result<Vec<usize>, TryReserveError> {
        let mut ranks = Vec::new();
        for (rank, ((key, _), _)) in other.iter().enumerate() {
            if self.element(key).is_some() {
                try_push(&mut ranks, rank)?;
            }
        }
        Ok(ranks)
    }

    /// Copies the scores of shared keys from other nodes to this core, given the ranks of the keys
    /// in the other nodes.
    fn try_update_shared(
        &mut self,
        ranks: &[usize],
        other: &Nodes<K, V, S>,
    ) -> Result<(), TryReserveError> {
        let (mut handles, mut next_rank) = (other.all_handles(), 0);
        for &rank in ranks {
            let Some(handle) = handles.nth(rank - next_rank) else { break };
            next_rank = rank + 1;
            let ((key, _), score) = other.element_at(handle);
            if let Some(Element { mut handle, .. }) = self.element(key) {
                self.set_score(self.hash(key), &mut handle, score.clone())?;
            }
        }
        Ok(())
    }

    /// Moves all elements of another core into this one. Of the elements at its ranks `shared`,
    /// whose keys this core already has, only the values move.
    fn try_merge_except<H2>(
        &mut self,
        shared: &[usize],
        other: &mut Core<K, V, S, Hashed<H2>>,
    ) -> Result<(), TryReserveError> {
        let order = self.try_merged_order(&other.nodes, shared)?;
        let mut new = Prepared::try_new(&self.nodes, &order.hashes)?;
        let mut left_out = Vec::new();
        left_out.try_reserve_exact(shared.len())?;
        self.carry_out(order, &mut new, &mut other.nodes, shared, &mut left_out);
        // The elements of `other` have been taken, but its index and dict still refer to them.
        other.clear();
        if size_of::<V>() > 0 {
            for ((key, value), _) in &mut left_out {
                if let Some(Element { handle, .. }) = self.element(key) {
                    mem::swap(&mut self.nodes.element_mut(handle).0.1, value);
                }
            }
        }
        Ok(())
    }

    /// Returns the merged order of both cores, without the elements of the other core at the ranks
    /// `shared`.
    fn try_merged_order(
        &self,
        other: &Nodes<K, V, S>,
        shared: &[usize],
    ) -> Result<Order<S>, TryReserveError> {
        let mut order = Order::try_with_capacity(self.nodes.len() + other.len() - shared.len())?;
        let mut shared = shared.iter().peekable();
        let mut others = other
            .iter()
            .enumerate()
            .filter_map(|(rank, element)| shared.next_if_eq(&&rank).is_none().then_some(element));
        let mut ours = self.nodes.iter();
        let (mut our_next, mut other_next) = (ours.next(), others.next());
        loop {
            match (our_next, other_next) {
                (Some(((key, _), score)), other)
                    if other
                        .is_none_or(|((k, _), s)| score < s || score == s && key.precedes(k)) =>
                {
                    order.push(self.hash(key), score, false);
                    our_next = ours.next();
                }
                (_, Some(((key, _), score))) => {
                    order.push(self.hash(key), score, true);
                    other_next = others.next();
                }
                (_, None) => return Ok(order),
            }
        }
    }
}
