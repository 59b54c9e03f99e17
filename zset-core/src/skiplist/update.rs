//! Changing the score of an element within its leaf, without a descent.

use super::SkipList;
use super::position::Position;
use super::search::{Target, before, index_in};

impl<M: Ord, S: Ord + Copy> SkipList<M, S> {
    /// Changes the score of the element at a position if the element stays in its leaf; returns whether
    /// it does.
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
        let (member, old) = leaf.at(index);
        let key = (score, member);
        let comes_before = |index| {
            let (member, score) = leaf.at(index);
            (score, member) < key
        };
        // The first element of a leaf is recorded in the index, and elements past its ends are in other
        // leaves. With a single leaf there is neither an index nor another leaf.
        let stays = self.levels == 0
            || (index > 0 && comes_before(0) && index < last && !comes_before(last));
        if !stays {
            return false;
        }
        let after = index_in(leaf, score, before(member));
        // The element itself, with its old score, was counted among the lower ones.
        let to = if old < score { after.saturating_sub(1) } else { after };
        self.leaves.reorder(id, index, to.min(last), score);
        true
    }

    /// Changes the score of the element at a position to that of a target in the same leaf, and moves
    /// it there.
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
