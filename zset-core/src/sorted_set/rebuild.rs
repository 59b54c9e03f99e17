//! Rebuilding: all elements of a set, and of a list whose elements it takes over, go into full leaves
//! of a new list.
//!
//! The place of each element in the new list is known beforehand. So all that may fail or panic comes
//! first, comparisons and hashes and allocations, while nobody has lost anything; then the elements
//! are moved, which runs nobody's code.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hash};

use super::{SortedSet, try_collect};
use crate::dict::Dict;
use crate::handle::{Handle, LEAF_CAPACITY};
use crate::{SkipList, TryReserveError};

/// The order of the elements in the new list.
struct Plan {
    /// The hash of each one's member.
    hashes: Vec<u64>,
    /// Whether each comes from the list that is taken over.
    is_others: Vec<bool>,
}

impl Plan {
    fn try_with_capacity(capacity: usize) -> Result<Self, TryReserveError> {
        let mut plan = Plan { hashes: Vec::new(), is_others: Vec::new() };
        plan.hashes.try_reserve_exact(capacity)?;
        plan.is_others.try_reserve_exact(capacity)?;
        Ok(plan)
    }

    fn push(&mut self, hash: u64, is_others: bool) {
        self.hashes.push(hash);
        self.is_others.push(is_others);
    }

    /// Makes the dict of the new list.
    fn try_dict(&self) -> Result<Dict, TryReserveError> {
        let mut dict = Dict::new();
        let hash_of = |handle| self.hashes[rank_of(handle)];
        dict.try_reserve(self.hashes.len(), hash_of)?;
        for (rank, &hash) in self.hashes.iter().enumerate() {
            let segment = dict.try_reserve_one(hash, hash_of)?;
            dict.insert(segment, hash, handle_at(rank));
        }
        Ok(dict)
    }
}

/// Returns the handle of the element of this rank in a list of full leaves made in order.
fn handle_at(rank: usize) -> Handle {
    Handle::new((rank / LEAF_CAPACITY) as u32, (rank % LEAF_CAPACITY) as u8)
}

fn rank_of(handle: Handle) -> usize {
    handle.leaf() as usize * LEAF_CAPACITY + handle.slot() as usize
}

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements into full leaves. On an error or a panic the set is as it was.
    pub(super) fn try_rebuild(&mut self) -> Result<(), TryReserveError> {
        let mut plan = Plan::try_with_capacity(self.len())?;
        self.list.iter().for_each(|(member, _)| plan.push(self.hasher.hash_one(member), false));
        let prepared = self.try_prepare(&plan)?;
        self.carry_out(&plan, prepared, &mut self.list.empty());
        Ok(())
    }

    /// Makes an empty list with room for what the plan says, and the dict that it will have.
    fn try_prepare(&self, plan: &Plan) -> Result<(SkipList<M, S>, Dict), TryReserveError> {
        let mut list = self.list.empty();
        list.try_reserve_full_leaves(plan.hashes.len())?;
        Ok((list, plan.try_dict()?))
    }

    /// Moves the elements of both lists into the one prepared.
    fn carry_out(
        &mut self,
        plan: &Plan,
        (mut list, dict): (SkipList<M, S>, Dict),
        other: &mut SkipList<M, S>,
    ) {
        let mut ours = self.take_list().into_iter();
        let empty = other.empty();
        let mut others = core::mem::replace(other, empty).into_iter();
        for is_others in plan.is_others.chunks(LEAF_CAPACITY) {
            let first = handle_at(list.len());
            let leaf = list.try_push_leaf(is_others.iter().map(|&is_others| {
                let next = if is_others { others.next() } else { ours.next() };
                next.expect("the plan has each element once")
            }));
            debug_assert_eq!(leaf, Ok(first.leaf()), "room was reserved for full leaves in order");
        }
        (self.list, self.dict) = (list, dict);
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements of a list of unique members into the set, where they replace equal ones.
    ///
    /// On an error both are as they were; on a panic too, or some of the elements that would be
    /// replaced are gone from the set.
    pub(super) fn try_merge(&mut self, other: &mut SkipList<M, S>) -> Result<(), TryReserveError> {
        let rank = |member| Some(self.list.rank_of(self.place(member)?));
        let mut replaced = try_collect(other.iter().filter_map(|(member, _)| rank(member)))?;
        replaced.sort_unstable();
        replaced.dedup();
        let plan = self.try_plan_merge(other, &replaced)?;
        let prepared = self.try_prepare(&plan)?;
        for &rank in replaced.iter().rev() {
            self.take_next(self.list.place_at(rank));
        }
        self.carry_out(&plan, prepared, other);
        Ok(())
    }

    /// Plans the order of both lists' elements together, without the set's of these ranks.
    fn try_plan_merge(
        &self,
        other: &SkipList<M, S>,
        replaced: &[usize],
    ) -> Result<Plan, TryReserveError> {
        let mut plan = Plan::try_with_capacity(self.len() - replaced.len() + other.len())?;
        let is_kept = |rank| replaced.binary_search(&rank).is_err();
        let mut ours = self.list.iter().enumerate().filter(|&(rank, _)| is_kept(rank));
        let mut others = other.iter();
        let mut our_next = ours.next().map(|(_, element)| element);
        let mut other_next = others.next();
        loop {
            match (our_next, other_next) {
                (Some((member, score)), other)
                    if other.is_none_or(|(m, s)| (score, member) <= (s, m)) =>
                {
                    plan.push(self.hasher.hash_one(member), false);
                    our_next = ours.next().map(|(_, element)| element);
                }
                (_, Some((member, _))) => {
                    plan.push(self.hasher.hash_one(member), true);
                    other_next = others.next();
                }
                (_, None) => return Ok(plan),
            }
        }
    }
}
