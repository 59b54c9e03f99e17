//! Converting between places and ranks: up from a place, adding the spans before it, or down to the
//! place of a rank.

use super::search::Place;
use super::{Handle, NONE, SkipList};

impl<M, S: Copy> SkipList<M, S> {
    /// Returns the number of elements before a place.
    ///
    /// It follows the parent pointers, so it needs no comparisons.
    #[inline]
    pub(crate) fn rank_of(&self, place: Place) -> usize {
        let mut rank = place.position;
        let (mut id, mut parent) = (place.leaf, self.leaf(place.leaf).parent);
        while parent != NONE {
            let block = self.blocks.get(parent);
            rank += block.span_before(block.index_of(id));
            (id, parent) = (parent, block.parent);
        }
        rank
    }

    /// Returns the place of the element at a handle.
    #[inline]
    pub(crate) fn place_of(&self, handle: Handle) -> Place {
        let position = self.leaf(handle.leaf()).position_of(handle.slot());
        Place { leaf: handle.leaf(), position }
    }

    /// Returns the handle of the element at a place.
    pub(crate) fn handle_at(&self, place: Place) -> Handle {
        Handle::new(place.leaf, self.leaf(place.leaf).order()[place.position])
    }

    /// Returns the same place as a position in the leaf of the next element; `None` at the end.
    #[inline]
    pub(crate) fn at_element(&self, place: Place) -> Option<Place> {
        let leaf = self.leaf(place.leaf);
        if place.position < leaf.len() {
            return Some(place);
        }
        (leaf.forward != NONE).then_some(Place { leaf: leaf.forward, position: 0 })
    }

    /// Returns the place before the element at this rank, or the end.
    pub(crate) fn place_at(&self, rank: usize) -> Place {
        if rank >= self.len {
            return self.end();
        }
        let mut left = rank as u32;
        let mut id = if self.levels == 0 { self.head } else { self.top };
        for _ in 0..self.levels {
            let block = self.blocks.get(id);
            let mut index = 0;
            while left >= block.spans[index] {
                left -= block.spans[index];
                index += 1;
            }
            id = block.children[index];
        }
        Place { leaf: id, position: left as usize }
    }

    /// Returns the place before the first element.
    pub(crate) fn start(&self) -> Place {
        Place { leaf: self.head, position: 0 }
    }

    /// Returns the place after the last element.
    pub(crate) fn end(&self) -> Place {
        Place { leaf: self.tail, position: self.leaf(self.tail).len() }
    }

    /// Returns the place of the last element of a nonempty list.
    pub(crate) fn last_place(&self) -> Place {
        Place { leaf: self.tail, position: self.leaf(self.tail).len().wrapping_sub(1) }
    }
}
