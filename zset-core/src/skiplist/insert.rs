//! Inserting: making room if the leaf is full, then adding the element.

use super::index::{Block, Child, MIN_CHILDREN};
use super::leaf::BlockLeaf;
use super::search::{Path, Place};
use super::{Handle, NONE, Relocate, SkipList};
use crate::TryReserveError;
use crate::handle::LEAF_CAPACITY;

impl<M, S: Copy> SkipList<M, S> {
    /// Ensures that the leaf of a place has room for one more element with this score, and returns the
    /// updated place. The next insertion must be at that place.
    ///
    /// If it returns an error, or `relocate.token` panics, the list is unchanged.
    #[inline]
    pub(crate) fn make_room<R: Relocate<M>>(
        &mut self,
        place: Place,
        path: &mut Path,
        score: S,
        relocate: &mut R,
    ) -> Result<Place, TryReserveError> {
        self.make_room_sparing(NONE, place, path, score, relocate)
    }

    /// Like `make_room`, but never moves elements of the leaf `spared`, which must not be the leaf of
    /// the place.
    #[expect(
        clippy::inline_always,
        reason = "a call for each insertion takes 3 % more instructions"
    )]
    #[inline(always)]
    pub(crate) fn make_room_sparing<R: Relocate<M>>(
        &mut self,
        spared: u32,
        place: Place,
        path: &mut Path,
        score: S,
        relocate: &mut R,
    ) -> Result<Place, TryReserveError> {
        if self.leaf(place.leaf).len() < LEAF_CAPACITY {
            self.leaves.try_reserve_small(1)?;
            return Ok(place);
        }
        path.clear();
        self.make_room_in_full(spared, place, score, relocate)
    }

    #[cold]
    fn make_room_in_full<R: Relocate<M>>(
        &mut self,
        spared: u32,
        place: Place,
        score: S,
        relocate: &mut R,
    ) -> Result<Place, TryReserveError> {
        let is_end = place.leaf == self.tail && place.position == LEAF_CAPACITY
            || place.leaf == self.head && place.position == 0;
        if is_end {
            return self.add_end(place, score);
        }
        match self.share(spared, place, relocate) {
            Some(place) => Ok(place),
            None => self.split_leaf(place, relocate),
        }
    }

    /// Adds an empty leaf at the end of the list at which the place is.
    ///
    /// The full leaf is unchanged: ascending and descending loads produce full leaves, and no element
    /// moves.
    fn add_end(&mut self, place: Place, score: S) -> Result<Place, TryReserveError> {
        self.try_reserve_leaf()?;
        let child = Child { id: NONE, first: score, span: 0 };
        let leaf = if place.position == 0 {
            self.add_leaf_before(place.leaf, BlockLeaf::new(), child)
        } else {
            self.add_leaf_after(place.leaf, BlockLeaf::new(), child)
        };
        Ok(Place { leaf, position: 0 })
    }

    /// Moves the upper half of a full leaf to a new one.
    fn split_leaf<R: Relocate<M>>(
        &mut self,
        place: Place,
        relocate: &mut R,
    ) -> Result<Place, TryReserveError> {
        self.try_reserve_leaf()?;
        let at = LEAF_CAPACITY / 2;
        let handover = self.prepare_handover(place.leaf, at..LEAF_CAPACITY, relocate);

        let leaf = self.leaves.blocks().get_mut(place.leaf);
        let new = leaf.split(at..LEAF_CAPACITY, &handover.plan);
        let child =
            Child { id: NONE, first: new.as_ref().at(0).1, span: new.as_ref().len() as u32 };
        let new_leaf = self.add_leaf_after(place.leaf, new, child);
        handover.tell(place.leaf, new_leaf, 0, relocate);
        Ok(if place.position <= at {
            place
        } else {
            Place { leaf: new_leaf, position: place.position - at }
        })
    }

    /// Reserves memory for a new leaf and the index above it.
    fn try_reserve_leaf(&mut self) -> Result<(), TryReserveError> {
        self.blocks.try_reserve(self.levels as usize + 1)?;
        self.leaves.try_blocks(1).map(drop)
    }

    /// Inserts an element at a place returned by `make_room`.
    #[inline]
    pub(crate) fn put(&mut self, place: Place, path: &Path, member: M, score: S) -> Handle {
        let slot = self.leaves.insert(place.leaf, place.position, member, score);
        self.len += 1;
        self.is_appended_to = place.leaf == self.tail && place.position == slot as usize;
        if path.len() == self.levels as usize && place.position > 0 {
            for &(id, index) in path {
                self.blocks.get_mut(id).spans[index as usize] += 1;
            }
        } else {
            self.update_spans(place.leaf, 1, (place.position == 0).then_some(score));
        }
        Handle::new(place.leaf, slot)
    }

    /// Appends a leaf of up to 64 elements that are in order and come after all others, which is not
    /// checked. Returns its id. Each element is in the slot of its position.
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
        for (position, (member, score)) in elements.enumerate() {
            self.leaves.insert(self.tail, position, member, score);
        }
        self.len = len;
        Ok(self.tail)
    }

    /// Not inlined: with large members the leaf takes a lot of stack space, which a small list does not
    /// need.
    #[inline(never)]
    fn try_append_leaf(
        &mut self,
        elements: impl Iterator<Item = (M, S)>,
    ) -> Result<u32, TryReserveError> {
        self.try_reserve_leaf()?;
        let new = BlockLeaf::from_sorted(elements);
        let (first, len) = (new.as_ref().at(0).1, new.as_ref().len());
        let leaf = self.add_leaf_after(self.tail, new, Child { id: NONE, first, span: 0 });
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
    fn add_leaf_after(&mut self, leaf: u32, mut new: BlockLeaf<M, S>, child: Child<S>) -> u32 {
        new.backward = leaf;
        new.forward = self.leaf(leaf).forward;
        let forward = new.forward;
        let id = self.leaves.blocks().insert(new);
        self.leaves.set_forward(leaf, id);
        self.leaves.set_backward(forward, id);
        if self.tail == leaf {
            self.tail = id;
        }
        let parent = self.parent_of_leaf(leaf);
        let block = self.blocks.get_mut(parent);
        let index = block.index_of(leaf);
        block.spans[index] -= child.span;
        self.add_child(parent, index + 1, Child { id, ..child });
        id
    }

    /// Links an empty leaf before the first.
    fn add_leaf_before(&mut self, leaf: u32, mut new: BlockLeaf<M, S>, child: Child<S>) -> u32 {
        new.forward = leaf;
        let id = self.leaves.blocks().insert(new);
        self.leaves.set_backward(leaf, id);
        self.head = id;
        let parent = self.parent_of_leaf(leaf);
        self.add_child(parent, 0, Child { id, ..child });
        id
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
        let mut block = Block::new(NONE);
        block.insert(0, child);
        self.top = self.blocks.insert(block);
        self.levels += 1;
        self.set_parent(self.levels, child.id, self.top);
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
    fn add_child(&mut self, mut parent: u32, mut index: usize, mut child: Child<S>) {
        let height = self.heights.draw();
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

            let mut right = block.split_off(cut);
            if index >= cut {
                right.insert(index - cut, child);
            } else {
                block.insert(index, child);
            }
            let left = Child { id: parent, first: block.firsts[0], span: block.span() };
            let above = block.parent;
            let mut entry = Child { id: NONE, first: right.firsts[0], span: right.span() };
            entry.id = self.blocks.insert(right);
            self.set_parent(level, child.id, parent);
            self.adopt(level, entry.id);

            if above == NONE {
                self.add_top(left);
            }
            parent = self.blocks.get(left.id).parent;
            let block = self.blocks.get_mut(parent);
            index = block.index_of(left.id);
            block.spans[index] = left.span;
            index += 1;
            child = entry;
            level += 1;
        }
    }

    /// Sets the parent of all children of a block on this level.
    pub(super) fn adopt(&mut self, level: u32, parent: u32) {
        let block = self.blocks.get(parent);
        let (children, len) = (block.children, block.len());
        children[..len].iter().for_each(|&child| self.set_parent(level, child, parent));
    }
}
