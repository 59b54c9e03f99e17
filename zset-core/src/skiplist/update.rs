//! Changing the score of an element within its leaf, without a descent.

use super::SkipList;
use super::search::{Place, position_in};

impl<M: Ord, S: Ord + Copy> SkipList<M, S> {
    /// Changes the score of the element at a place if the element stays in its leaf; returns whether it
    /// does.
    ///
    /// Only the order of the leaf changes: the element keeps its handle, and no span changes.
    #[inline]
    pub(crate) fn reorder_in_leaf(&mut self, place: Place, score: S) -> bool {
        let leaf = self.leaf(place.leaf);
        let last = leaf.len() - 1;
        // With a score between its neighbours' scores, the element keeps its position.
        if place.position > 0 && place.position < last {
            let slot_at = |position| leaf.order()[position] as usize;
            let before = leaf.scores[slot_at(place.position - 1)];
            let after = leaf.scores[slot_at(place.position + 1)];
            if before < score && score < after {
                let slot = slot_at(place.position);
                self.leaves.set_score(place.leaf, slot, score);
                return true;
            }
        }
        let (member, old) = leaf.at(place.position);
        let key = (score, member);
        let comes_before = |position| {
            let (member, score) = leaf.at(position);
            (score, member) < key
        };
        // The first element of a leaf is recorded in the index, and elements past its ends are in other
        // leaves. With a single leaf there is neither an index nor another leaf.
        let stays = self.levels == 0
            || (place.position > 0
                && comes_before(0)
                && place.position < last
                && !comes_before(last));
        if !stays {
            return false;
        }
        let position = position_in(leaf, score, |other| other < member);
        // The element itself, with its old score, was counted among the lower ones.
        let to = if old < score { position.saturating_sub(1) } else { position };
        self.leaves.reorder(place.leaf, place.position, to.min(last), score);
        true
    }

    /// Changes the score of the element at a place, and moves it to another position in the same leaf.
    ///
    /// `position` is the result of `search` while the element is still at its old position.
    pub(crate) fn reorder_to(&mut self, place: Place, position: usize, score: S) {
        let to = if position > place.position { position - 1 } else { position };
        self.leaves.reorder(place.leaf, place.position, to, score);
        if place.position == 0 || to == 0 {
            let first = self.leaf(place.leaf).at(0).1;
            self.update_spans(place.leaf, 0, Some(first));
        }
    }
}
