//! Rebuilding: moving all elements of a set, and possibly of another list, to full leaves of a new
//! list.
//!
//! The handle of each element in the new list is known beforehand. Everything that may fail or panic
//! (comparisons, hashes, allocations) therefore comes first, before any element moves. The elements are
//! then moved without running user code. Members that the set already has are dropped last.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use super::fill::try_collect;
use crate::dict::Dict;
use crate::handle::{Handle, LEAF_CAPACITY};
use crate::skiplist::Element;
use crate::{SkipList, TryReserveError};

/// A list is merged if its new elements are at least `1 / MERGED_SHARE` as many as those of the set.
/// Per element of either, a merge costs about a third of an insertion.
const MERGED_SHARE: usize = 2;

/// The order of the elements in the new list.
struct Plan {
    /// The hash of each element's member.
    hashes: Vec<usize>,
    /// Whether each element comes from the other list.
    is_others: Vec<bool>,
}

/// The memory reserved for a rebuild.
struct Prepared<M, S> {
    list: SkipList<M, S>,
    dict: Dict,
    /// Receives the elements of the other list whose members are in the set already.
    left_out: Vec<(M, S)>,
}

impl Plan {
    fn try_with_capacity(capacity: usize) -> Result<Self, TryReserveError> {
        let mut plan = Plan { hashes: Vec::new(), is_others: Vec::new() };
        plan.hashes.try_reserve_exact(capacity)?;
        plan.is_others.try_reserve_exact(capacity)?;
        Ok(plan)
    }

    fn push(&mut self, hash: usize, is_others: bool) {
        self.hashes.push(hash);
        self.is_others.push(is_others);
    }
}

/// Where the elements of a list of full leaves are, if its memory is reserved at once.
struct FullLeaves {
    /// The ids of the leaves, which ascend.
    ids: Vec<u32>,
}

impl FullLeaves {
    fn try_new<M, S: Copy>(len: usize) -> Result<Self, TryReserveError> {
        Ok(FullLeaves { ids: try_collect(SkipList::<M, S>::full_leaf_ids(len))? })
    }

    /// Returns the handle of the element at this rank.
    fn handle_at(&self, rank: usize) -> Handle {
        Handle::new(self.ids[rank / LEAF_CAPACITY], (rank % LEAF_CAPACITY) as u8)
    }

    fn rank_of(&self, handle: Handle) -> usize {
        let leaf = self.ids.binary_search(&handle.leaf()).expect("the leaf is in the list");
        leaf * LEAF_CAPACITY + handle.slot() as usize
    }
}

/// Creates the dict for a list of full leaves in order, given the hashes of its members.
pub(super) fn try_dict<M, S: Copy>(hashes: &[usize]) -> Result<Dict, TryReserveError> {
    let leaves = FullLeaves::try_new::<M, S>(hashes.len())?;
    let mut dict = Dict::new();
    let hash_of = |handle| hashes[leaves.rank_of(handle)];
    dict.try_reserve(hashes.len(), hash_of)?;
    for (rank, &hash) in hashes.iter().enumerate() {
        dict.try_reserve_one(hash, hash_of)?;
        dict.insert(hash, leaves.handle_at(rank));
    }
    Ok(dict)
}

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements to full leaves. On an error or panic, the set is unchanged.
    pub(super) fn try_rebuild(&mut self) -> Result<(), TryReserveError> {
        let mut plan = Plan::try_with_capacity(self.len())?;
        self.list.iter().for_each(|(member, _)| plan.push(self.hash(member), false));
        let prepared = self.try_prepare(&plan, &[])?;
        self.carry_out(&plan, prepared, self.list.empty(), &[]);
        Ok(())
    }

    /// Reserves all memory needed to carry out a plan.
    fn try_prepare(
        &self,
        plan: &Plan,
        shared: &[usize],
    ) -> Result<Prepared<M, S>, TryReserveError> {
        let (mut list, mut left_out) = (self.list.empty(), Vec::new());
        list.try_reserve_full_leaves(plan.hashes.len())?;
        left_out.try_reserve_exact(shared.len())?;
        Ok(Prepared { list, dict: try_dict::<M, S>(&plan.hashes)?, left_out })
    }

    /// Moves the elements of both lists to the new one, except those of the other list at the ranks
    /// `shared`.
    fn carry_out(
        &mut self,
        plan: &Plan,
        prepared: Prepared<M, S>,
        other: SkipList<M, S>,
        shared: &[usize],
    ) {
        let Prepared { mut list, dict, mut left_out } = prepared;
        let mut shared = shared.iter().peekable();
        let mut others = other.into_iter().enumerate().filter_map(|(rank, element)| {
            if shared.next_if_eq(&&rank).is_none() {
                return Some(element);
            }
            left_out.push(element);
            None
        });
        let mut ours = self.take_list().into_iter();
        let mut ids = SkipList::<M, S>::full_leaf_ids(plan.hashes.len());
        for is_others in plan.is_others.chunks(LEAF_CAPACITY) {
            let leaf = list.try_push_leaf(is_others.iter().map(|&is_others| {
                let next = if is_others { others.next() } else { ours.next() };
                next.expect("the plan has each element once")
            }));
            assert_eq!(leaf.ok(), ids.next(), "room was reserved, and for full leaves in order");
        }
        (self.list, self.dict) = (list, dict);
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements of another set into this one if there are enough of them to merge; returns
    /// whether it did. Otherwise, or on an error, the other set is unchanged.
    ///
    /// Members in both sets get the other set's score. On error, some of them may have it already.
    pub(super) fn try_merge<H2>(
        &mut self,
        other: &mut SortedSet<M, S, H2>,
    ) -> Result<bool, TryReserveError> {
        let is_worth = |own: usize, new: usize| {
            new >= own / MERGED_SHARE && own.saturating_add(new) > LEAF_CAPACITY
        };
        if !is_worth(self.len(), other.len()) {
            return Ok(false);
        }
        let shared = self.try_update_shared(&other.list)?;
        if !is_worth(self.len(), other.len() - shared.len()) {
            return Ok(false);
        }
        let plan = self.try_plan_merge(&other.list, &shared)?;
        let prepared = self.try_prepare(&plan, &shared)?;
        self.carry_out(&plan, prepared, other.take_list(), &shared);
        Ok(true)
    }

    /// Updates the scores of the set's members that are in the other list too, and returns their ranks
    /// there.
    fn try_update_shared(&mut self, other: &SkipList<M, S>) -> Result<Vec<usize>, TryReserveError> {
        let mut shared = Vec::new();
        for (rank, (member, score)) in other.iter().enumerate() {
            let hash = self.hash(member);
            if let Some(Element { mut handle, .. }) = self.find(hash, member) {
                shared.try_reserve(1)?;
                shared.push(rank);
                self.set_score(hash, &mut handle, score)?;
            }
        }
        Ok(shared)
    }

    /// Plans the merged order of both lists, without the other list's elements at the ranks `shared`.
    fn try_plan_merge(
        &self,
        other: &SkipList<M, S>,
        shared: &[usize],
    ) -> Result<Plan, TryReserveError> {
        let mut plan = Plan::try_with_capacity(self.len() + other.len() - shared.len())?;
        let mut shared = shared.iter().peekable();
        let mut others = other
            .iter()
            .enumerate()
            .filter_map(|(rank, element)| shared.next_if_eq(&&rank).is_none().then_some(element));
        let mut ours = self.list.iter();
        let (mut our_next, mut other_next) = (ours.next(), others.next());
        loop {
            match (our_next, other_next) {
                (Some((member, score)), other)
                    if other.is_none_or(|(m, s)| (score, member) <= (s, m)) =>
                {
                    plan.push(self.hash(member), false);
                    our_next = ours.next();
                }
                (_, Some((member, _))) => {
                    plan.push(self.hash(member), true);
                    other_next = others.next();
                }
                (_, None) => return Ok(plan),
            }
        }
    }
}
