//! Changing one element.
//!
//! Inserting takes three steps: a search returns a [`Target`], `make_room` turns it into a
//! [`Vacancy`], and `put` fills it. Only the first two may fail or run user code.
//!
//! Removing takes three as well: `prepare` returns a [`Departure`], `depart` turns it into a
//! [`Removal`], and `rebalance` then merges small nodes. Only the first and the last may run user
//! code. An element is removed at its position, and spans are updated along the parent pointers: a
//! removal needs no comparisons.

use core::mem;

use super::arena::NONE;
use super::index::{Child, MIN_CHILDREN};
use super::leaf::{End, Handle, LEAF_CAPACITY};
use super::search::{Position, RankedRange, Target, before, index_in};
use super::{Core, Lookup, Nodes, Owned};
use crate::{InsertError, TieOrder, TryReserveError};

/// A target whose leaf has room for the element. Valid until the next insertion.
#[must_use]
pub(crate) struct Vacancy {
    target: Target,
    /// Whether the leaf has shared with a neighbour, so that a departure from there is stale.
    has_shared: bool,
}

impl Vacancy {
    pub(crate) fn target(&self) -> Target {
        self.target
    }

    pub(crate) fn has_shared(&self) -> bool {
        self.has_shared
    }
}

/// An element about to be removed, and the one that will fill its slot.
#[must_use]
pub(crate) struct Departure<S, T> {
    position: Position,
    /// The handle of the element to remove.
    handle: Handle,
    /// The last slot of the leaf with its element's token, unless that slot is the one to remove.
    filler: Option<(Handle, T)>,
    /// The first score of the leaf after the removal, if the index stores another one.
    new_first: Option<S>,
}

/// A removal from a leaf that may now be empty. `rebalance` must follow.
#[must_use = "`rebalance` must follow"]
pub(crate) struct Removal {
    /// The position of the next element.
    pub(super) position: Position,
    /// The number of elements left in the leaf.
    pub(super) left: u8,
}

/// Inserting.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Inserts an element at a target. The token is that of its key; with a dict, no key is equal.
    /// On an error, returns the element.
    #[inline]
    pub(crate) fn insert_at(
        &mut self,
        target: Target,
        token: D::Token,
        (pair, score): Owned<K, V, S>,
    ) -> Result<Handle, InsertError<Owned<K, V, S>>> {
        let reserved = D::try_reserve_one(self, token);
        match reserved.and_then(|()| self.make_room(target, &score)) {
            Ok(vacancy) => {
                let handle = self.nodes.put(&vacancy, pair, score);
                self.dict.insert(token, handle);
                Ok(handle)
            }
            Err(error) => Err(InsertError { element: (pair, score), error }),
        }
    }

    /// Makes room for one more element, with this score, in the leaf of a target, or moves the
    /// target to a leaf with room.
    ///
    /// If it returns an error, the core is unchanged. If hashing a key or cloning a score panics,
    /// the core has the same elements in the same order.
    #[inline]
    pub(crate) fn make_room(
        &mut self,
        target: Target,
        score: &S,
    ) -> Result<Vacancy, TryReserveError> {
        if self.nodes.leaf(target.position.leaf).len() == LEAF_CAPACITY {
            return self.make_room_in_full(target.position, score);
        }
        self.nodes.leaves.try_reserve_small(1)?;
        Ok(Vacancy { target, has_shared: false })
    }

    #[cold]
    fn make_room_in_full(
        &mut self,
        position: Position,
        score: &S,
    ) -> Result<Vacancy, TryReserveError> {
        let is_end = position.leaf == self.nodes.tail && position.index == LEAF_CAPACITY
            || position.leaf == self.nodes.head && position.index == 0;
        let shared = if is_end { None } else { self.share(position) };
        let position = if let Some(position) = shared {
            position
        } else {
            let height = self.nodes.try_reserve_leaf(position.leaf)?;
            if is_end {
                self.nodes.add_end(position, score, height)
            } else {
                self.split_leaf(position, height)
            }
        };
        // The path may no longer lead to the position.
        Ok(Vacancy { target: Target { position, path: None }, has_shared: shared.is_some() })
    }
}

/// Removing.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Removes the element at a position, and moves the position to the next element. `token` is
    /// that of the element.
    ///
    /// If user code panics, the core is unchanged or the element is removed, and the position is
    /// valid.
    #[inline]
    pub(crate) fn take_at(&mut self, position: &mut Position, token: D::Token) -> Owned<K, V, S> {
        let departure = self.prepare(*position);
        self.dict.forget(token, departure.handle);
        let (element, removal, first) = self.depart(departure);
        let (next, other_first) = self.rebalance(removal);
        *position = next;
        // Before the element is returned, which leaks if this panics later.
        drop((first, other_first));
        element
    }

    /// Prepares `depart`. It leaves the core unchanged, but may run user code, which may panic.
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

    /// Removes an element. The dict must already have dropped its handle.
    ///
    /// Also returns a score that the index no longer holds. Its `drop` may panic, so it must come
    /// last.
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

    /// Removes the element at this end.
    ///
    /// Like `take_at`, but the index of an element at an end of a leaf is known at compile time,
    /// and the path to it needs no search.
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
        self.rebalance(Removal { position, left });
        Some(element)
    }

    /// Returns the token of the element at a position.
    #[inline]
    fn token_at(&self, position: Position) -> D::Token {
        let leaf = self.nodes.leaf(position.leaf);
        let slot = leaf.slot_at(position.index);
        self.dict.token(Handle::new(position.leaf, slot), &leaf.pairs[slot as usize].0)
    }

    /// Removes the element at a position.
    #[inline]
    pub(crate) fn take(&mut self, mut position: Position) -> Owned<K, V, S> {
        let token = self.token_at(position);
        self.take_at(&mut position, token)
    }

    pub(crate) fn remove_by_rank(&mut self, rank: usize) -> Option<Owned<K, V, S>> {
        (rank < self.nodes.len).then(|| self.take(self.nodes.position_at(rank)))
    }

    /// Removes the elements of a range one by one, and returns how many were removed. If user code
    /// panics, the rest of them stay.
    ///
    /// It needs no memory unless clones of scores do: a shrink that cannot allocate is skipped.
    pub(crate) fn take_range(&mut self, range: RankedRange) -> usize {
        let mut next = range.start;
        for _ in 0..range.len {
            let Some(position) = self.nodes.at_element(next) else { break };
            next = position;
            self.take_at(&mut next, self.token_at(position));
        }
        range.len
    }

    /// Removes the next element from a position on that `is_taken` accepts, and moves the position
    /// past all visited elements. Frees no memory.
    pub(crate) fn take_next_if(
        &mut self,
        next: &mut Position,
        mut is_taken: impl FnMut(&K, &mut V, &S) -> bool,
    ) -> Option<Owned<K, V, S>> {
        loop {
            let position = self.nodes.at_element(*next)?;
            // After a panic in the closure, iteration continues with the next element.
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

/// Keeps removals from freeing memory until it is dropped, even if user code panics.
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

impl<K, V, S> Nodes<K, V, S> {
    /// Adds an empty leaf at the end where the position is: before the first leaf or after the
    /// last. It is for an element with this score.
    ///
    /// The full leaf is unchanged: ascending and descending loads produce full leaves, and no
    /// element moves.
    fn add_end(&mut self, position: Position, score: &S, height: u32) -> Position
    where
        S: Clone,
    {
        let is_first = position.index == 0;
        let first = if is_first { self.leaf(position.leaf).at(0).1 } else { score }.clone();
        let leaf = self.leaves.blocks().insert();
        let child = Child { id: leaf, span: 0, first };
        if is_first {
            self.link_before_head(child, height);
        } else {
            self.link_after(position.leaf, child, height);
        }
        Position { leaf, index: 0 }
    }

    /// Draws the height of a new leaf next to another, and reserves memory for it and for the
    /// blocks that it may split.
    fn try_reserve_leaf(&mut self, beside: u32) -> Result<u32, TryReserveError> {
        let height = self.heights.draw();
        let (mut level, mut splits) = (0, 0);
        let mut parent = self.leaf(beside).parent;
        while parent != NONE {
            let block = self.blocks.get(parent);
            level += 1;
            let may_be_cut = height > level && block.len() >= 2 * MIN_CHILDREN;
            if !block.is_full() && !may_be_cut {
                break;
            }
            (parent, splits) = (block.parent, splits + 1);
        }
        // There is no index yet, or the top may split.
        let new_top = usize::from(parent == NONE);
        self.blocks.try_reserve(splits + new_top)?;
        self.leaves.try_blocks(1)?;
        Ok(height)
    }

    /// Inserts an element at a vacancy, and returns its handle.
    #[inline]
    pub(crate) fn put(&mut self, vacancy: &Vacancy, pair: (K, V), score: S) -> Handle {
        let Target { position: Position { leaf, index }, path } = vacancy.target;
        let slot = self.leaves.insert(leaf, index, pair, score);
        self.len += 1;
        self.is_appended_to = leaf == self.tail && index == slot as usize;
        if let Some(path) = path {
            let mut id = self.top;
            for level in (1..=self.levels.into()).rev() {
                let block = self.blocks.get_mut(id);
                let child = path.index_on(level);
                block.spans[child] += 1;
                id = block.children[child];
            }
        } else {
            self.update_spans(leaf, self.leaf(leaf).parent, 1, None);
        }
        Handle::new(leaf, slot)
    }

    /// Appends a leaf of up to 64 elements that are in order and come after all others, which is
    /// not checked. Returns its id. Each element is in the slot of its index.
    ///
    /// `first` is a copy of the score of its first element, if there are elements before.
    #[inline]
    pub(crate) fn try_push_leaf(
        &mut self,
        first: Option<S>,
        elements: impl ExactSizeIterator<Item = Owned<K, V, S>>,
    ) -> Result<u32, TryReserveError> {
        let len = elements.len();
        let Some(first) = first else {
            self.leaves.try_reserve_small(len)?;
            for (index, (pair, score)) in elements.enumerate() {
                self.leaves.insert(self.tail, index, pair, score);
            }
            self.len = len;
            return Ok(self.tail);
        };
        let height = self.try_reserve_leaf(self.tail)?;
        let id = self.leaves.blocks().insert();
        self.leaves.blocks().get_mut(id).extend_sorted(elements);
        self.link_after(self.tail, Child { id, span: 0, first }, height);
        self.update_spans(id, self.leaf(id).parent, i32::from(len as u8), None);
        self.len += len;
        Ok(id)
    }
}

/// Changing a score within a leaf. Each returns the old score, or the new one if the element does
/// not stay.
impl<K: TieOrder, V, S: Ord + Clone> Nodes<K, V, S> {
    /// Changes the score of the element at a position if the element stays in its leaf.
    ///
    /// Only the order of the leaf changes: the element keeps its handle, and no span changes.
    #[inline]
    pub(crate) fn reorder_in_leaf(&mut self, position: Position, score: S) -> Result<S, S> {
        let Position { leaf: id, index } = position;
        let leaf = self.leaf(id);
        let last = leaf.len() - 1;
        // With a score between its neighbours' scores, the element keeps its position.
        if index > 0 && index < last {
            let slot_at = |index| leaf.order()[index] as usize;
            let [before, after] = [index - 1, index + 1].map(|i| &leaf.scores[slot_at(i)]);
            if *before < score && score < *after {
                let slot = slot_at(index);
                return Ok(mem::replace(self.leaves.score_mut(id, slot), score));
            }
        }
        let ((key, _), old) = leaf.at(index);
        let comes_before = |index| {
            let ((other, _), other_score) = leaf.at(index);
            *other_score < score || *other_score == score && other.precedes(key)
        };
        // The first element of a leaf is recorded in the index, and elements past its ends are in
        // other leaves. With a single leaf there is neither an index nor another leaf.
        let stays = self.levels == 0
            || (index > 0 && comes_before(0) && index < last && !comes_before(last));
        if !stays {
            return Err(score);
        }
        let after = index_in(leaf, &score, before(key));
        // The element itself, with its old score, was counted among those before.
        let to = if *old <= score { after.saturating_sub(1) } else { after };
        Ok(self.leaves.reorder(id, index, to.min(last), score))
    }

    /// Changes the score of the element at a handle and a position, and moves it to a target in the
    /// same leaf; returns the old score.
    ///
    /// The target is the result of a search while the element still has its old score. `exchange`
    /// is called between the clones of scores, which may panic, and the change.
    pub(crate) fn reorder_to(
        &mut self,
        handle: Handle,
        position: Position,
        target: Target,
        score: S,
        exchange: impl FnOnce(&mut Self, Handle),
    ) -> S {
        let Position { leaf: id, index } = position;
        let after = target.position.index;
        let to = if after > index { after - 1 } else { after };
        let leaf = self.leaf(id);
        let parent = leaf.parent;
        let new_first =
            (to == 0).then(|| score.clone()).or_else(|| (index == 0).then(|| leaf.at(1).1.clone()));
        exchange(self, handle);
        let old = self.leaves.reorder(id, index, to, score);
        if new_first.is_some() {
            let _old_first = self.update_spans(id, parent, 0, new_first);
        }
        old
    }
}
