//! Inserting, in three steps: `search` returns a [`Target`], `make_room` turns it into a [`Vacancy`],
//! and `put` fills it. Only the first two may fail or run user code.

use super::index::{Child, MIN_CHILDREN};
use super::leaf::End;
use super::position::Position;
use super::remove::Departure;
use super::search::{Target, Way};
use super::{Handle, NONE, NoDict, Relocate, SkipList};
use crate::TryReserveError;
use crate::handle::LEAF_CAPACITY;
use crate::reserve::infallible;

/// A target whose leaf has room for the element. Valid until the next insertion.
#[must_use]
pub(crate) struct Vacancy<S>(Target<S>);

impl<M: Ord, S: Ord + Copy> SkipList<M, S> {
    /// Inserts an element after all elements equal to it. **O(log n)**.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_insert`](Self::try_insert).
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::new();
    /// list.insert("b", 1);
    /// list.insert("a", 1);
    /// assert_eq!(list.first(), Some((&"a", 1)));
    /// ```
    #[track_caller]
    pub fn insert(&mut self, member: M, score: S) {
        infallible(self.try_insert(member, score));
    }

    /// Like [`insert`](Self::insert), but returns an error instead of panicking. **O(log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The list is unchanged, and the member
    /// is dropped.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::new();
    /// assert_eq!(list.try_insert("a", 1), Ok(()));
    /// ```
    pub fn try_insert(&mut self, member: M, score: S) -> Result<(), TryReserveError> {
        let target = self.search_to_insert(score, |other| *other <= member);
        let vacancy = self.make_room(target, &mut NoDict)?;
        self.put(vacancy, member);
        Ok(())
    }
}

impl<M, S: Copy> SkipList<M, S> {
    /// Makes room for one more element in the leaf of a target, or moves the target to a leaf with room.
    ///
    /// If it returns an error, the list is unchanged. If `relocate.token` panics, the list has the same
    /// elements in the same order.
    #[inline]
    pub(crate) fn make_room<R: Relocate<M>>(
        &mut self,
        target: Target<S>,
        relocate: &mut R,
    ) -> Result<Vacancy<S>, TryReserveError> {
        self.make_room_sparing(NONE, target, relocate)
    }

    /// Like `make_room`, but keeps a departure from another leaf valid: no element of that leaf moves.
    #[inline]
    pub(crate) fn make_room_beside<R: Relocate<M>>(
        &mut self,
        departure: &Departure<R::Token>,
        target: Target<S>,
        relocate: &mut R,
    ) -> Result<Vacancy<S>, TryReserveError> {
        self.make_room_sparing(departure.position.leaf, target, relocate)
    }

    /// Like `make_room`, but never moves elements of the leaf `spared`.
    #[expect(
        clippy::inline_always,
        reason = "a call for each insertion takes 3 % more instructions"
    )]
    #[inline(always)]
    fn make_room_sparing<R: Relocate<M>>(
        &mut self,
        spared: u32,
        target: Target<S>,
        relocate: &mut R,
    ) -> Result<Vacancy<S>, TryReserveError> {
        if self.leaf(target.position.leaf).len() < LEAF_CAPACITY {
            self.leaves.try_reserve_small(1)?;
            return Ok(Vacancy(target));
        }
        let position = self.make_room_in_full(spared, target.position, target.score, relocate)?;
        // The way may no longer lead to the position.
        Ok(Vacancy(Target { position, way: Way::UNKNOWN, ..target }))
    }

    #[cold]
    fn make_room_in_full<R: Relocate<M>>(
        &mut self,
        spared: u32,
        position: Position,
        score: S,
        relocate: &mut R,
    ) -> Result<Position, TryReserveError> {
        let is_end = position.leaf == self.tail && position.index == LEAF_CAPACITY
            || position.leaf == self.head && position.index == 0;
        if !is_end {
            if let Some(position) = self.share(spared, position, relocate) {
                return Ok(position);
            }
        }
        match self.try_reserve_leaf(position.leaf) {
            Ok(height) if is_end => Ok(self.add_end(position, score, height)),
            Ok(height) => Ok(self.split_leaf(position, height, relocate)),
            // No memory for a leaf: other leaves may have room.
            Err(TryReserveError::AllocError) => {
                self.shift(spared, position, relocate).ok_or(TryReserveError::AllocError)
            }
            Err(error) => Err(error),
        }
    }

    /// Appends an element that comes after all others, which is not checked. No element moves.
    pub(crate) fn try_push_last(&mut self, member: M, score: S) -> Result<Handle, TryReserveError> {
        let mut position = self.end();
        if position.index < LEAF_CAPACITY {
            self.leaves.try_reserve_small(1)?;
        } else {
            let height = self.try_reserve_leaf(position.leaf)?;
            position = self.add_end(position, score, height);
        }
        Ok(self.put(Vacancy(Target { position, score, way: Way::UNKNOWN }), member))
    }

    /// Adds an empty leaf at the end where the position is: before the first leaf or after the last.
    ///
    /// The full leaf is unchanged: ascending and descending loads produce full leaves, and no element
    /// moves.
    fn add_end(&mut self, position: Position, score: S, height: u32) -> Position {
        let leaf = self.leaves.blocks().insert();
        let child = Child { id: leaf, first: score, span: 0 };
        if position.index == 0 {
            self.link_before_head(child, height);
        } else {
            self.link_after(position.leaf, child, height);
        }
        Position { leaf, index: 0 }
    }

    /// Moves the upper half of a full leaf to a new one.
    fn split_leaf<R: Relocate<M>>(
        &mut self,
        position: Position,
        height: u32,
        relocate: &mut R,
    ) -> Position {
        let at = LEAF_CAPACITY / 2;
        let (new, moved) = self.hand_over_to_new(position.leaf, LEAF_CAPACITY - at, relocate);
        let child = Child { id: new, first: self.leaf(new).at(0).1, span: moved as u32 };
        self.link_after(position.leaf, child, height);
        self.hand_over(position.leaf, LEAF_CAPACITY - at - moved, new, End::First, relocate);
        if position.index <= at {
            position
        } else {
            Position { leaf: new, index: position.index - at }
        }
    }

    /// Draws the height of a new leaf beside another, and reserves memory for it and for the blocks
    /// that it may split.
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

    /// Inserts a member with the score of a vacancy, and returns its handle.
    #[expect(clippy::needless_pass_by_value, reason = "a vacancy is filled once")]
    #[cfg_attr(not(target_os = "none"), inline)]
    pub(crate) fn put(&mut self, vacancy: Vacancy<S>, member: M) -> Handle {
        let Vacancy(Target { position: Position { leaf, index }, score, way }) = vacancy;
        let slot = self.leaves.insert(leaf, index, member, score);
        self.len += 1;
        self.is_appended_to = leaf == self.tail && index == slot as usize;
        if way == Way::UNKNOWN || index == 0 {
            self.update_spans(leaf, 1, (index == 0).then_some(score));
        } else {
            let mut id = self.top;
            for level in (1..=self.levels.into()).rev() {
                let block = self.blocks.get_mut(id);
                let child = way.index_on(level);
                block.spans[child] += 1;
                id = block.children[child];
            }
        }
        Handle::new(leaf, slot)
    }

    /// Appends a leaf of up to 64 elements that are in order and come after all others, which is not
    /// checked. Returns its id. Each element is in the slot of its index.
    #[inline]
    pub(crate) fn try_push_leaf(
        &mut self,
        elements: impl ExactSizeIterator<Item = (M, S)>,
    ) -> Result<u32, TryReserveError> {
        let len = elements.len();
        if len == 0 {
            return Ok(self.tail);
        }
        if self.len > 0 {
            return self.try_append_leaf(elements);
        }
        self.leaves.try_reserve_small(len)?;
        for (index, (member, score)) in elements.enumerate() {
            self.leaves.insert(self.tail, index, member, score);
        }
        self.len = len;
        Ok(self.tail)
    }

    #[inline]
    fn try_append_leaf(
        &mut self,
        elements: impl Iterator<Item = (M, S)>,
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

    /// Adds to the spans above a leaf, and updates first scores if the leaf has a new one.
    pub(super) fn update_spans(&mut self, leaf: u32, by: i32, mut first: Option<S>) {
        let (mut id, mut parent) = (leaf, self.leaf(leaf).parent);
        while parent != NONE {
            let block = self.blocks.get_mut(parent);
            let index = block.index_of(id);
            block.spans[index] = block.spans[index].wrapping_add_signed(by);
            if let Some(score) = first {
                block.firsts[index] = score;
                first = if index == 0 { first } else { None };
            }
            (id, parent) = (parent, block.parent);
        }
    }

    /// Links a new leaf after another from which it took its elements (as many as `child.span`).
    fn link_after(&mut self, leaf: u32, child: Child<S>, height: u32) {
        let forward = self.leaf(leaf).forward;
        self.leaves.set_forward(child.id, forward);
        self.leaves.set_backward(child.id, leaf);
        self.leaves.set_forward(leaf, child.id);
        self.leaves.set_backward(forward, child.id);
        if self.tail == leaf {
            self.tail = child.id;
        }
        let parent = self.parent_of_leaf(leaf);
        let block = self.blocks.get_mut(parent);
        let index = block.index_of(leaf);
        block.spans[index] -= child.span;
        self.add_child(parent, index + 1, child, height);
    }

    /// Links an empty leaf before the first.
    fn link_before_head(&mut self, child: Child<S>, height: u32) {
        let head = self.head;
        self.leaves.set_forward(child.id, head);
        self.leaves.set_backward(child.id, NONE);
        self.leaves.set_backward(head, child.id);
        self.head = child.id;
        let parent = self.parent_of_leaf(head);
        self.add_child(parent, 0, child, height);
    }

    /// Returns the block above a leaf, creating it if there is no index.
    fn parent_of_leaf(&mut self, leaf: u32) -> u32 {
        if self.levels == 0 {
            let first = self.leaf(leaf).at(0).1;
            self.add_top(Child { id: leaf, first, span: self.len as u32 });
        }
        self.leaf(leaf).parent
    }

    /// Adds a top block with one child.
    fn add_top(&mut self, child: Child<S>) {
        self.top = self.blocks.insert();
        let block = self.blocks.get_mut(self.top);
        block.parent = NONE;
        block.insert(0, child);
        self.levels += 1;
        self.set_parent(u32::from(self.levels), child.id, self.top);
    }

    /// Sets the parent of a child of a block on this level.
    pub(super) fn set_parent(&mut self, level: u32, id: u32, parent: u32) {
        if level == 1 {
            self.leaves.set_parent(id, parent);
        } else {
            self.blocks.get_mut(id).parent = parent;
        }
    }

    /// Inserts a new leaf into its level-1 block, and splits blocks: on every level below the leaf's
    /// height, so that the leaf starts a block, and wherever a block is full.
    ///
    /// ```text
    /// a leaf x of height 2:    [ ... a b c d ... ]   ->   [ ... a b ]  [ x c d ... ]
    /// ```
    ///
    /// Blocks keep at least `MIN_CHILDREN` children: a split too close to an end is skipped or, in a
    /// full block, shifted.
    fn add_child(&mut self, mut parent: u32, mut index: usize, mut child: Child<S>, height: u32) {
        let mut level = 1;
        loop {
            let block = self.blocks.get_mut(parent);
            let (low, high) = (MIN_CHILDREN, block.len().saturating_sub(MIN_CHILDREN));
            let cut = if block.is_full() {
                index.clamp(low, high)
            } else if height > level && (low..=high).contains(&index) {
                index
            } else {
                block.insert(index, child);
                self.set_parent(level, child.id, parent);
                return;
            };

            let (left, new) = (parent, self.blocks.insert());
            let (block, right) = self.blocks.get_two_mut(left, new);
            block.move_children(cut..block.len(), right, 0);
            if index >= cut {
                right.insert(index - cut, child);
            } else {
                block.insert(index, child);
            }
            let (inserted, span) = (child.id, block.span());
            child = Child { id: new, first: right.firsts[0], span: right.span() };
            self.set_parent(level, inserted, left);
            self.adopt(level, new);

            let block = self.blocks.get(left);
            if block.parent == NONE {
                self.add_top(Child { id: left, first: block.firsts[0], span });
            }
            parent = self.blocks.get(left).parent;
            let block = self.blocks.get_mut(parent);
            index = block.index_of(left);
            block.spans[index] = span;
            index += 1;
            level += 1;
        }
    }

    /// Sets the parent of all children of a block on this level.
    pub(super) fn adopt(&mut self, level: u32, parent: u32) {
        for index in 0..self.blocks.get(parent).len() {
            self.set_parent(level, self.blocks.get(parent).children[index], parent);
        }
    }
}
