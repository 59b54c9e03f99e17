//! Removing one element.
//!
//! A removal has three steps: `prepare` returns a [`Departure`], `depart` removes the element, and
//! `rebalance` merges small nodes (`transfer`). Only the first and the last step may run user code.
//! The position of the element is known, and spans are updated along the parent pointers, so no
//! scores are compared.

use core::hash::{BuildHasher, Hash};
use core::mem;
use equivalent::Equivalent;

use super::dict::Hashed;
use super::find::{Position, RankedRange};
use super::leaf::{End, Handle};
use super::transfer::Removal;
use super::{Core, Lookup, Owned};

/// Removal by key.
impl<K: Hash, V, S: Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    pub(crate) fn remove<Q>(&mut self, key: &Q) -> Option<((K, V), S)>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let hash = self.hash(key);
        let handle = self.find(hash, key)?.handle;
        let mut position = self.nodes.position_of(handle);
        Some(self.take_at(&mut position, hash))
    }
}

/// Removal at an end, at a position and in a range.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Removes the element at this end.
    ///
    /// Like `take_at`, but faster: the leaf is the first or the last child in each block above it,
    /// so no block is searched for it.
    #[expect(clippy::inline_always, reason = "one function for both ends takes a tenth more")]
    #[inline(always)]
    pub(crate) fn pop(&mut self, end: End) -> Option<Owned<K, V, S>> {
        if self.nodes.len == 0 {
            return None;
        }
        let position = match end {
            End::First => self.nodes.start(),
            End::Last => self.nodes.last_position(),
        };
        let pairs = self.nodes.leaf(position.leaf).pairs;
        self.dict.prepare_pop(self.nodes.len, end, position.leaf, pairs);
        let token = self.token_at(position);
        let departure = self.prepare(position);
        self.dict.forget(token, departure.handle);
        let (element, left, parent) = self.take_element(&departure);
        self.nodes.shorten(end, parent);
        self.settle(Removal { position, left });
        Some(element)
    }

    pub(crate) fn remove_by_rank(&mut self, rank: usize) -> Option<Owned<K, V, S>> {
        (rank < self.nodes.len).then(|| self.take(self.nodes.position_at(rank)))
    }

    #[inline]
    pub(crate) fn take(&mut self, mut position: Position) -> Owned<K, V, S> {
        let token = self.token_at(position);
        self.take_at(&mut position, token)
    }

    /// Removes the elements of a range one by one, and returns how many were removed. If user code
    /// panics, the elements not yet removed stay.
    ///
    /// Succeeds without free memory, unless clones of scores need it: a shrink that cannot allocate
    /// is skipped.
    pub(crate) fn take_range(&mut self, range: RankedRange) -> usize {
        let mut next = range.start;
        for _ in 0..range.len {
            let Some(position) = self.nodes.at_element(next) else { break };
            next = position;
            self.take_at(&mut next, self.token_at(position));
        }
        range.len
    }

    /// Removes the first element from a position on that `is_taken` accepts, and moves the position
    /// past all visited elements. Frees no memory.
    pub(crate) fn take_next_if(
        &mut self,
        next: &mut Position,
        mut is_taken: impl FnMut(&K, &mut V, &S) -> bool,
    ) -> Option<Owned<K, V, S>> {
        loop {
            let position = self.nodes.at_element(*next)?;
            // Advance first: if the closure panics, iteration continues with the next element.
            *next = Position { index: position.index + 1, ..position };
            let handle = self.nodes.handle_at(position);
            let ((key, value), score) = self.nodes.element_mut(handle);
            if is_taken(key, value, score) {
                let token = self.token_at(position);
                *next = position;
                return Some(KeepMemory::new(self).core.take_at(next, token));
            }
        }
    }
}

/// An element about to be removed, and the one that will fill its slot.
#[must_use]
pub(crate) struct Departure<S, T> {
    position: Position,
    /// The handle of the element to remove.
    handle: Handle,
    /// The handle of the last slot of the leaf and the token of the element there, unless this is
    /// the element to remove.
    filler: Option<(Handle, T)>,
    /// The new first score of the leaf, if the removal changes the one in the index.
    new_first: Option<S>,
}

/// The steps of a removal.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Returns the token of the element at a position.
    #[inline]
    fn token_at(&self, position: Position) -> D::Token {
        let leaf = self.nodes.leaf(position.leaf);
        let slot = leaf.slot_at(position.index);
        self.dict.token(Handle::new(position.leaf, slot), &leaf.pairs[slot as usize].0)
    }

    /// Removes the element at a position, and moves the position to the next element. `token` is
    /// that of the element to remove.
    ///
    /// If user code panics, the core is unchanged or the element is removed, and the position is
    /// valid.
    #[inline]
    pub(crate) fn take_at(&mut self, position: &mut Position, token: D::Token) -> Owned<K, V, S> {
        let departure = self.prepare(*position);
        self.dict.forget(token, departure.handle);
        let (element, removal, first) = self.depart(departure);
        let (next, other_first) = self.settle(removal);
        *position = next;
        // If these scores were dropped on return, a panic in their drop would leak the element.
        drop((first, other_first));
        element
    }

    /// Prepares `depart` without changing the core. Runs user code, which may panic.
    #[expect(clippy::inline_always, reason = "a call takes 5 % of a removal")]
    #[inline(always)]
    pub(crate) fn prepare(&self, position: Position) -> Departure<S, D::Token> {
        let leaf = self.nodes.leaf(position.leaf);
        let handle = Handle::new(position.leaf, leaf.slot_at(position.index));
        let last = Handle::new(position.leaf, leaf.len() as u8 - 1);
        let filler = (handle != last)
            .then(|| (last, self.dict.token(last, &leaf.pairs[last.slot() as usize].0)));
        let is_separated =
            position.index == 0 && position.leaf != self.nodes.head && leaf.len() > 1;
        let new_first = is_separated.then(|| leaf.at(1).1.clone());
        Departure { position, handle, filler, new_first }
    }

    /// Removes an element from the nodes. Its handle must already be removed from the dict.
    ///
    /// Also returns a score that was removed from the index. The caller must drop it last, because
    /// its drop may panic.
    #[inline]
    pub(crate) fn depart(
        &mut self,
        departure: Departure<S, D::Token>,
    ) -> (Owned<K, V, S>, Removal, Option<S>) {
        let position = departure.position;
        let (element, left, parent) = self.take_element(&departure);
        let first = self.nodes.update_spans(position.leaf, parent, -1, departure.new_first);
        (element, Removal { position, left }, first)
    }

    /// Removes an element from its leaf; returns it, the number of elements left there, and the
    /// parent of the leaf, whose spans must be updated.
    #[expect(clippy::inline_always, reason = "a call takes 8 % of a removal")]
    #[inline(always)]
    fn take_element(&mut self, departure: &Departure<S, D::Token>) -> (Owned<K, V, S>, u8, u32) {
        let &Departure { position, handle, ref filler, .. } = departure;
        let (element, left, parent) = self.nodes.leaves.remove(position.leaf, position.index);
        if let Some((from, token)) = *filler {
            self.dict.relocate(token, from, handle);
        }
        self.nodes.len -= 1;
        (element, left, parent)
    }

    /// Merges small nodes after a removal, and frees memory if few elements are left. Returns the
    /// updated position of the next element, and a score that was removed from the index, which the
    /// caller must drop last.
    #[inline]
    fn settle(&mut self, removal: Removal) -> (Position, Option<S>) {
        if self.nodes.is_balanced(&removal) {
            return (removal.position, None);
        }
        let (position, first) = self.rebalance_small(removal);
        (self.shrink_if_sparse(position), first)
    }
}

/// While this guard exists, removals free no memory. Its drop lets them free memory again, even
/// after a panic.
struct KeepMemory<'a, K, V, S, D> {
    core: &'a mut Core<K, V, S, D>,
    shrink_bits: u8,
}

impl<'a, K, V, S, D> KeepMemory<'a, K, V, S, D> {
    fn new(core: &'a mut Core<K, V, S, D>) -> Self {
        let shrink_bits = mem::take(&mut core.nodes.shrink_bits);
        KeepMemory { core, shrink_bits }
    }
}

impl<K, V, S, D> Drop for KeepMemory<'_, K, V, S, D> {
    fn drop(&mut self) {
        self.core.nodes.shrink_bits = self.shrink_bits;
    }
}
