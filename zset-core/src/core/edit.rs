//! Changing one element.
//!
//! Inserting takes three steps: `search` returns a [`Target`], `make_room` turns it into a
//! [`Vacancy`], and `put` fills it. Only the first two may fail or run user code.
//!
//! Removing takes three as well: `prepare_take` returns a [`Departure`], `depart` turns it into a
//! [`Removal`], and `rebalance` then merges small nodes. Only the first and the last may run user
//! code. An element is removed at its position, and spans are updated along the parent pointers: a
//! removal needs no comparisons.

use super::arena::NONE;
use super::index::{Child, MIN_CHILDREN};
use super::leaf::{End, Handle, LEAF_CAPACITY, LeafRef};
use super::range::RankedRange;
use super::search::{Path, Position, Target, before};
use super::{Core, Lookup, Nodes};
use crate::small::descent;
use crate::{TieOrder, TryReserveError};

/// A target whose leaf has room for the element. Valid until the next insertion.
#[must_use]
pub(crate) struct Vacancy<S>(pub(crate) Target<S>);

/// An element about to be removed, and the one that will fill its slot.
#[must_use]
pub(crate) struct Departure<S, T> {
    pub(super) position: Position,
    /// The handle of the element to remove.
    handle: Handle,
    /// The last slot of the leaf with its element's token, unless that slot is the one to remove.
    filler: Option<(Handle, T)>,
    /// The first score of the leaf after the removal, if it changes.
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

impl<K, V, S: Copy, D: Lookup<K>> Core<K, V, S, D> {
    /// Makes room for one more element in the leaf of a target, or moves the target to a leaf with
    /// room.
    ///
    /// If it returns an error, the core is unchanged. If hashing a key panics, the core has the
    /// same elements in the same order.
    #[inline]
    pub(crate) fn make_room(&mut self, target: Target<S>) -> Result<Vacancy<S>, TryReserveError> {
        self.make_room_sparing(NONE, target)
    }

    /// Like `make_room`, but keeps a departure from another leaf valid: no element of that leaf
    /// moves.
    #[inline]
    pub(crate) fn make_room_beside(
        &mut self,
        departure: &Departure<S, D::Token>,
        target: Target<S>,
    ) -> Result<Vacancy<S>, TryReserveError> {
        self.make_room_sparing(departure.position.leaf, target)
    }

    /// Like `make_room`, but never moves elements of the leaf `spared`.
    #[expect(
        clippy::inline_always,
        reason = "a call for each insertion takes 3 % more instructions"
    )]
    #[inline(always)]
    fn make_room_sparing(
        &mut self,
        spared: u32,
        target: Target<S>,
    ) -> Result<Vacancy<S>, TryReserveError> {
        if self.nodes.leaf(target.position.leaf).len() < LEAF_CAPACITY {
            self.nodes.leaves.try_reserve_small(1)?;
            return Ok(Vacancy(target));
        }
        let position = self.make_room_in_full(spared, target.position, target.score)?;
        // The path may no longer lead to the position.
        Ok(Vacancy(Target { position, path: Path::UNKNOWN, ..target }))
    }

    #[cold]
    fn make_room_in_full(
        &mut self,
        spared: u32,
        position: Position,
        score: S,
    ) -> Result<Position, TryReserveError> {
        let is_end = position.leaf == self.nodes.tail && position.index == LEAF_CAPACITY
            || position.leaf == self.nodes.head && position.index == 0;
        if !is_end {
            if let Some(position) = self.share(spared, position) {
                return Ok(position);
            }
        }
        match self.nodes.try_reserve_leaf(position.leaf) {
            Ok(height) if is_end => Ok(self.nodes.add_end(position, score, height)),
            Ok(height) => Ok(self.split_leaf(position, height)),
            // No memory for a leaf: other leaves may have room.
            Err(TryReserveError::AllocError) => {
                self.shift(spared, position).ok_or(TryReserveError::AllocError)
            }
            Err(error) => Err(error),
        }
    }

    /// Moves the upper half of a full leaf to a new one.
    fn split_leaf(&mut self, position: Position, height: u32) -> Position {
        let at = LEAF_CAPACITY / 2;
        let (new, moved) = self.hand_over_to_new(position.leaf, LEAF_CAPACITY - at);
        let child = Child { id: new, first: self.nodes.leaf(new).at(0).1, span: moved as u32 };
        self.nodes.link_after(position.leaf, child, height);
        self.hand_over(position.leaf, LEAF_CAPACITY - at - moved, new, End::First);
        if position.index <= at {
            position
        } else {
            Position { leaf: new, index: position.index - at }
        }
    }

    /// Removes the elements of a range one by one, which allocates nothing; returns how many were
    /// removed.
    pub(crate) fn take_range(&mut self, range: RankedRange) -> usize {
        let mut next = range.start;
        for _ in 0..range.len {
            let Some(position) = self.nodes.at_element(next) else { break };
            let (pair, _) = self.nodes.leaf(position.leaf).at(position.index);
            let token = self.dict.token_in_leaf(&pair.0);
            (_, next) = self.take_at(position, token);
        }
        range.len
    }

    /// Removes the element at a position; returns it and the position of the next element. `token`
    /// is that of the element.
    ///
    /// If hashing a key panics, the core is unchanged or the element is removed.
    #[inline]
    pub(crate) fn take_at(
        &mut self,
        position: Position,
        token: D::Token,
    ) -> (((K, V), S), Position) {
        let departure = self.prepare_take(position);
        self.dict.forget(token, departure.handle);
        let (element, removal) = self.depart(departure);
        (element, self.rebalance(removal))
    }

    /// Prepares `depart`. It leaves the core unchanged, but may run user code, which may panic.
    #[cfg_attr(
        not(target_os = "none"),
        expect(clippy::inline_always, reason = "a call takes 5 % of a removal"),
        inline(always)
    )]
    pub(crate) fn prepare_take(&self, position: Position) -> Departure<S, D::Token> {
        self.departure(self.nodes.leaf(position.leaf), position)
    }

    /// Like `prepare_take`, given the leaf.
    #[expect(clippy::inline_always, reason = "a view of a leaf takes 40 bytes of stack")]
    #[inline(always)]
    fn departure(
        &self,
        leaf: LeafRef<'_, (K, V), S>,
        position: Position,
    ) -> Departure<S, D::Token> {
        let slot = leaf.slot_at(position.index);
        let last = leaf.len() - 1;
        let filler = (usize::from(slot) != last).then(|| {
            (Handle::new(position.leaf, last as u8), self.dict.token_in_leaf(&leaf.pairs[last].0))
        });
        let new_first = (position.index == 0 && last > 0).then(|| leaf.at(1).1);
        Departure { position, handle: Handle::new(position.leaf, slot), filler, new_first }
    }

    /// Removes an element. The dict must already have dropped its handle.
    #[expect(clippy::needless_pass_by_value, reason = "an element departs once")]
    #[expect(
        clippy::inline_always,
        reason = "a position returned through memory takes 1 % more instructions"
    )]
    #[inline(always)]
    pub(crate) fn depart(&mut self, departure: Departure<S, D::Token>) -> (((K, V), S), Removal) {
        let Departure { position, new_first, .. } = departure;
        let (element, left, parent) = self.take_element(&departure);
        // The only leaf has no index above it.
        if parent != NONE {
            self.nodes.update_spans_above(position.leaf, parent, -1, new_first);
        }
        (element, Removal { position, left })
    }

    /// Removes an element from its leaf; returns it, the number of elements left there, and the
    /// parent of the leaf, whose spans must be updated.
    #[cfg_attr(
        not(target_os = "none"),
        expect(clippy::inline_always, reason = "a call takes 8 % of a removal"),
        inline(always)
    )]
    fn take_element(&mut self, departure: &Departure<S, D::Token>) -> (((K, V), S), u8, u32) {
        let &Departure { position, handle, filler, .. } = departure;
        let (element, left, parent) = self.nodes.leaves.remove(position.leaf, position.index);
        if let Some((from, token)) = filler {
            self.dict.relocate_in_leaf(token, from, handle);
        }
        self.nodes.len -= 1;
        (element, left, parent)
    }

    /// Removes the element at this end.
    ///
    /// Like `take`, but the index of an element at an end of a leaf is known at compile time, and
    /// the path to it needs no search.
    #[expect(clippy::inline_always, reason = "one function for both ends takes a tenth more")]
    #[inline(always)]
    pub(crate) fn pop(&mut self, end: End) -> Option<((K, V), S)> {
        if self.nodes.len == 0 {
            return None;
        }
        let position = match end {
            End::First => self.nodes.start(),
            End::Last => self.nodes.last_position(),
        };
        let leaf = self.nodes.leaf(position.leaf);
        self.dict.prepare_pop(self.nodes.len, end, position.leaf, leaf.pairs);
        let token = self.dict.token_in_leaf(&leaf.at(position.index).0.0);
        let departure = self.departure(leaf, position);
        self.dict.forget(token, departure.handle);
        let (element, left, parent) = self.take_element(&departure);
        self.nodes.shorten(end, parent, departure.new_first);
        self.rebalance(Removal { position, left });
        Some(element)
    }

    pub(crate) fn remove_by_rank(&mut self, rank: usize) -> Option<((K, V), S)> {
        (rank < self.nodes.len).then(|| self.take(self.nodes.position_at(rank)))
    }

    /// Removes the element at a position.
    #[inline]
    pub(crate) fn take(&mut self, position: Position) -> ((K, V), S) {
        let ((key, _), _) = self.nodes.leaf(position.leaf).at(position.index);
        self.take_at(position, self.dict.token_in_leaf(key)).0
    }

    /// Removes the next element from a position on that `is_taken` accepts, and moves the position
    /// past all visited elements.
    pub(crate) fn take_next_if(
        &mut self,
        next: &mut Position,
        mut is_taken: impl FnMut(&K, &mut V, S) -> bool,
    ) -> Option<((K, V), S)> {
        loop {
            let position = self.nodes.at_element(*next)?;
            // After a panic in the closure, iteration continues with the next element.
            *next = Position { index: position.index + 1, ..position };
            let handle = self.nodes.handle_at(position);
            let score = self.nodes.score(handle);
            let (key, value) = self.nodes.pair_mut(handle);
            if is_taken(key, value, score) {
                let token = self.dict.token_in_leaf(key);
                // If a hash panics after the removal, the next element is at this position.
                *next = position;
                let (element, following) = self.take_at(position, token);
                *next = following;
                return Some(element);
            }
        }
    }
}

impl<K, V, S: Copy> Nodes<K, V, S> {
    /// Adds an empty leaf at the end where the position is: before the first leaf or after the
    /// last.
    ///
    /// The full leaf is unchanged: ascending and descending loads produce full leaves, and no
    /// element moves.
    pub(crate) fn add_end(&mut self, position: Position, score: S, height: u32) -> Position {
        let leaf = self.leaves.blocks().insert();
        let child = Child { id: leaf, first: score, span: 0 };
        if position.index == 0 {
            self.link_before_head(child, height);
        } else {
            self.link_after(position.leaf, child, height);
        }
        Position { leaf, index: 0 }
    }

    /// Draws the height of a new leaf next to another, and reserves memory for it and for the
    /// blocks that it may split.
    pub(crate) fn try_reserve_leaf(&mut self, beside: u32) -> Result<u32, TryReserveError> {
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

    /// Inserts a pair with the score of a vacancy, and returns its handle.
    #[expect(clippy::needless_pass_by_value, reason = "a vacancy is filled once")]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn put(&mut self, vacancy: Vacancy<S>, pair: (K, V)) -> Handle {
        let Vacancy(Target { position: Position { leaf, index }, score, path }) = vacancy;
        let slot = self.leaves.insert(leaf, index, pair, score);
        self.len += 1;
        self.is_appended_to = leaf == self.tail && index == slot as usize;
        if path == Path::UNKNOWN || index == 0 {
            self.update_spans(leaf, 1, (index == 0).then_some(score));
        } else {
            let mut id = self.top;
            for level in (1..=self.levels.into()).rev() {
                let block = self.blocks.get_mut(id);
                let child = path.index_on(level);
                block.spans[child] += 1;
                id = block.children[child];
            }
        }
        Handle::new(leaf, slot)
    }

    /// Appends a leaf of up to 64 elements that are in order and come after all others, which is
    /// not checked. Returns its id. Each element is in the slot of its index.
    #[inline]
    pub(crate) fn try_push_leaf(
        &mut self,
        elements: impl ExactSizeIterator<Item = ((K, V), S)>,
    ) -> Result<u32, TryReserveError> {
        let len = elements.len();
        if len == 0 {
            return Ok(self.tail);
        }
        if self.len > 0 {
            return self.try_append_leaf(elements);
        }
        self.leaves.try_reserve_small(len)?;
        for (index, (pair, score)) in elements.enumerate() {
            self.leaves.insert(self.tail, index, pair, score);
        }
        self.len = len;
        Ok(self.tail)
    }

    #[inline]
    fn try_append_leaf(
        &mut self,
        elements: impl Iterator<Item = ((K, V), S)>,
    ) -> Result<u32, TryReserveError> {
        let height = self.try_reserve_leaf(self.tail)?;
        let leaf = self.leaves.blocks().insert();
        self.leaves.blocks().get_mut(leaf).extend_sorted(elements);
        let new = self.leaf(leaf);
        let (first, len) = (new.at(0).1, new.len());
        self.link_after(self.tail, Child { id: leaf, first, span: 0 }, height);
        self.update_spans(leaf, i32::from(len as u8), None);
        self.len += len;
        Ok(leaf)
    }
}

impl<K: TieOrder, V, S: Ord + Copy> Nodes<K, V, S> {
    /// Changes the score of the element at a position if the element stays in its leaf; returns
    /// whether it does.
    ///
    /// Only the order of the leaf changes: the element keeps its handle, and no span changes.
    #[inline]
    pub(crate) fn reorder_in_leaf(&mut self, position: Position, score: S) -> bool {
        let Position { leaf: id, index } = position;
        let leaf = self.leaf(id);
        let last = leaf.len() - 1;
        // With a score between its neighbours' scores, the element keeps its position.
        if index > 0 && index < last {
            let slot_at = |index| leaf.order()[index] as usize;
            let before = leaf.scores[slot_at(index - 1)];
            let after = leaf.scores[slot_at(index + 1)];
            if before < score && score < after {
                let slot = slot_at(index);
                self.leaves.set_score(id, slot, score);
                return true;
            }
        }
        let ((key, _), old) = leaf.at(index);
        let comes_before = |index| {
            let ((other, _), other_score) = leaf.at(index);
            other_score < score || other_score == score && other.precedes(key)
        };
        // The first element of a leaf is recorded in the index, and elements past its ends are in
        // other leaves. With a single leaf there is neither an index nor another leaf.
        let stays = self.levels == 0
            || (index > 0 && comes_before(0) && index < last && !comes_before(last));
        if !stays {
            return false;
        }
        let after = descent::index_in(leaf, score, before(key));
        // The element itself, with its old score, was counted among those before.
        let to = if old <= score { after.saturating_sub(1) } else { after };
        self.leaves.reorder(id, index, to.min(last), score);
        true
    }

    /// Changes the score of the element at a position to that of a target in the same leaf, and
    /// moves it there.
    ///
    /// The target is the result of a search while the element still has its old score.
    pub(crate) fn reorder_to(&mut self, position: Position, target: &Target<S>) {
        let Position { leaf, index } = position;
        let after = target.position.index;
        let to = if after > index { after - 1 } else { after };
        self.leaves.reorder(leaf, index, to, target.score);
        if index == 0 || to == 0 {
            let first = self.leaf(leaf).at(0).1;
            self.update_spans(leaf, 0, Some(first));
        }
    }
}
