//! Rebuilding: moving all elements of a set, and possibly of another list, to full leaves of a new
//! list.
//!
//! The handle of each element in the new list is known beforehand. Everything that may fail or panic
//! (comparisons, hashes, allocations) therefore comes first, before any element moves. The elements are
//! then moved without running user code. Members that the set already has are dropped last.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use super::SortedSet;
use super::fill::try_collect;
use crate::arena::NONE;
use crate::dict::Dict;
use crate::handle::{Handle, LEAF_CAPACITY};
use crate::reserve::try_box;
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

/// A set on the heap, as the stacks of microcontrollers are small.
type Boxed<M, S, H> = Box<[SortedSet<M, S, H>; 1]>;

impl Plan {
    fn try_with_capacity(capacity: usize) -> Result<Self, TryReserveError> {
        let mut plan = Plan { hashes: Vec::new(), is_others: Vec::new() };
        plan.hashes.try_reserve_exact(capacity)?;
        plan.is_others.try_reserve_exact(capacity)?;
        Ok(plan)
    }

    #[inline]
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

/// Fills an empty dict with the handles of a list of full leaves, given the hashes of its members in order.
pub(super) fn try_fill_dict<M, S: Copy>(
    dict: &mut Dict,
    hashes: &[usize],
) -> Result<(), TryReserveError> {
    let leaves = FullLeaves::try_new::<M, S>(hashes.len())?;
    let hash_of = |handle| hashes[leaves.rank_of(handle)];
    dict.try_reserve(hashes.len(), hash_of)?;
    for (rank, &hash) in hashes.iter().enumerate() {
        dict.try_reserve_one(hash, hash_of)?;
        dict.insert(hash, leaves.handle_at(rank));
    }
    Ok(())
}

impl<M, S: Copy, H> SortedSet<M, S, H> {
    /// Allocates an empty set that continues this one's sequence of heights.
    ///
    /// Not inlined, so that it leaves nothing on the stack.
    #[inline(never)]
    pub(super) fn try_boxed_empty<H2>(
        &self,
        hasher: H2,
    ) -> Result<Boxed<M, S, H2>, TryReserveError> {
        let list = self.list.empty();
        try_box(SortedSet { list, dict: Dict::new(), hasher, visited_ends: [NONE; 2] })
    }

    /// Exchanges the elements of two sets whose members have the same hashes.
    pub(super) fn swap_elements<H2>(&mut self, other: &mut SortedSet<M, S, H2>) {
        core::mem::swap(&mut self.list, &mut other.list);
        core::mem::swap(&mut self.dict, &mut other.dict);
        self.visited_ends = [NONE; 2];
        other.visited_ends = [NONE; 2];
    }
}

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements to full leaves. On an error or panic, the set is unchanged.
    pub(super) fn try_rebuild(&mut self) -> Result<(), TryReserveError> {
        let mut plan = Plan::try_with_capacity(self.len())?;
        self.list.iter().for_each(|(member, _)| plan.push(self.hash(member), false));
        let mut new = self.try_prepare(&plan)?;
        self.carry_out(&plan, &mut new[0], &mut self.list.empty(), &[], &mut Vec::new());
        Ok(())
    }

    /// Allocates a set for a plan: its list is empty, and its dict has the future handles.
    fn try_prepare(&self, plan: &Plan) -> Result<Boxed<M, S, ()>, TryReserveError> {
        let mut new = self.try_boxed_empty(())?;
        new[0].list.try_reserve_full_leaves(plan.hashes.len())?;
        try_fill_dict::<M, S>(&mut new[0].dict, &plan.hashes)?;
        Ok(new)
    }

    /// Exchanges the set for the prepared one, and moves its elements and those of another list there. Those
    /// at its ranks `shared` move to `left_out` instead, which must have room for them.
    fn carry_out(
        &mut self,
        plan: &Plan,
        prepared: &mut SortedSet<M, S, ()>,
        other: &mut SkipList<M, S>,
        shared: &[usize],
        left_out: &mut Vec<(M, S)>,
    ) {
        self.swap_elements(prepared);
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
        let mut ours = prepared.list.emptied();
        let mut ids = SkipList::<M, S>::full_leaf_ids(plan.hashes.len());
        for is_others in plan.is_others.chunks(LEAF_CAPACITY) {
            let leaf = self.list.try_push_leaf(is_others.iter().map(|&is_others| {
                let next = if is_others { next_of_others() } else { ours.next() };
                next.expect("the plan has each element once")
            }));
            assert_eq!(leaf.ok(), ids.next(), "room was reserved, and for full leaves in order");
        }
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements of another set into this one if there are enough of them to merge; returns
    /// whether it did. Otherwise, or on an error, the other set is unchanged.
    ///
    /// Members in both sets get the other set's score. On error, some of them may have it already.
    ///
    /// Neither this nor the functions below are inlined, so that none keeps the stack space of another.
    #[inline(never)]
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
        let shared = self.try_shared_ranks(&other.list)?;
        if !is_worth(self.len(), other.len() - shared.len()) {
            return Ok(false);
        }
        self.try_update_shared(&shared, &other.list)?;
        self.try_merge_except(&shared, other)?;
        Ok(true)
    }

    /// Returns the ranks of another list's members that the set has too.
    #[inline(never)]
    fn try_shared_ranks(&self, other: &SkipList<M, S>) -> Result<Vec<usize>, TryReserveError> {
        let ranks = other.iter().enumerate();
        try_collect(ranks.filter_map(|(rank, (member, _))| self.contains(member).then_some(rank)))
    }

    /// Gives the members at these ranks of another list, which are in the set too, their scores there.
    fn try_update_shared(
        &mut self,
        ranks: &[usize],
        other: &SkipList<M, S>,
    ) -> Result<(), TryReserveError> {
        let (mut handles, mut next_rank) = (other.all_handles(), 0);
        for &rank in ranks {
            let Some(handle) = handles.nth(rank - next_rank) else { break };
            next_rank = rank + 1;
            let (member, score) = other.element_at(handle);
            if let Some(Element { mut handle, .. }) = self.element(member) {
                self.set_score(self.hash(member), &mut handle, score)?;
            }
        }
        Ok(())
    }

    /// Moves all elements of another set into this one, except those at its ranks `shared`, whose members
    /// are in the set already.
    #[inline(never)]
    fn try_merge_except<H2>(
        &mut self,
        shared: &[usize],
        other: &mut SortedSet<M, S, H2>,
    ) -> Result<(), TryReserveError> {
        let plan = self.try_plan_merge(&other.list, shared)?;
        let mut new = self.try_prepare(&plan)?;
        // Members that are in the set already. They are dropped last.
        let mut left_out = Vec::new();
        left_out.try_reserve_exact(shared.len())?;
        self.carry_out(&plan, &mut new[0], &mut other.list, shared, &mut left_out);
        // The other list is emptied, but its index is not up to date.
        other.clear();
        Ok(())
    }

    /// Plans the merged order of both lists, without the other list's elements at the ranks `shared`.
    #[inline(never)]
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
