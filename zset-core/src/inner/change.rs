//! Changing the score of one element, alone or together with its value.
//!
//! If the new score keeps the element in its leaf, the element also keeps its slot, and only the
//! order of the leaf changes. Otherwise, the element is taken from its leaf as in a removal
//! (`remove`), and put into another leaf as in an insertion (`transfer`).

use core::hash::{BuildHasher, Hash};
use core::mem;
use equivalent::Equivalent;

use super::dict::Hashed;
use super::find::{Element, Position, Target, before, index_in};
use super::leaf::Handle;
use super::{Core, Nodes};
use crate::{InsertError, TieOrder, TryReserveError};

/// Changing a score by key or by handle. On an error, the element keeps its score.
impl<K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Calls `change` with the value and the score of a key, and stores the score that it returns;
    /// returns the old score.
    #[inline]
    pub(crate) fn try_change<Q, E: From<TryReserveError>>(
        &mut self,
        key: &Q,
        change: impl FnOnce(&mut V, &S) -> Result<S, E>,
    ) -> Result<Option<S>, E>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        let hash = self.hash(key);
        let Some(Element { mut handle, .. }) = self.find(hash, key) else { return Ok(None) };
        let ((_, value), old) = self.nodes.element_mut(handle);
        let new = change(value, old)?;
        self.set_score(hash, &mut handle, new).map(Some).map_err(|error| error.error.into())
    }

    /// Replaces the score of the element at a handle, and updates the handle if the element moves;
    /// returns the old score.
    #[inline]
    pub(crate) fn set_score(
        &mut self,
        hash: usize,
        handle: &mut Handle,
        score: S,
    ) -> Result<S, InsertError<S>> {
        self.set_score_and(hash, handle, score, keep_pair)
    }

    /// Like `set_score`, but also swaps the value of the element with the given one.
    #[inline]
    pub(crate) fn set_value_and_score(
        &mut self,
        hash: usize,
        handle: &mut Handle,
        value: &mut V,
        score: S,
    ) -> Result<S, InsertError<S>> {
        if const { size_of::<V>() == 0 } {
            // Zero-sized values need no swap. Calling `set_score` lets sets share one function for
            // all changes of a score.
            return self.set_score(hash, handle, score);
        }
        self.set_score_and(hash, handle, score, |nodes, handle| {
            mem::swap(&mut nodes.element_mut(handle).0.1, value);
        })
    }

    /// Like `set_score`, but also calls `exchange`, which may swap the pair of the element or its
    /// value.
    ///
    /// `exchange` is called after everything that may fail, and before anything is dropped. If user
    /// code panics, the exchange and the change of the score are either both done, or neither is.
    #[inline]
    pub(super) fn set_score_and(
        &mut self,
        hash: usize,
        handle: &mut Handle,
        score: S,
        exchange: impl FnOnce(&mut Nodes<K, V, S>, Handle),
    ) -> Result<S, InsertError<S>> {
        let in_leaf = self.set_score_in_leaf(*handle, score, exchange);
        let (position, target, score, exchange) = match in_leaf {
            Ok(old) => return Ok(old),
            Err(elsewhere) => elsewhere,
        };
        // The element moves to another leaf. Everything that may fail or panic comes first: hashing
        // the key of the element that will fill the vacated slot, and making room in the other
        // leaf.
        let mut departure = self.prepare(position);
        let vacancy = match Watch::new(self, handle).core.make_room(target, &score) {
            Ok(vacancy) => vacancy,
            Err(error) => return Err(InsertError { element: score, error }),
        };
        if vacancy.has_shared() {
            let (position, target) = (self.nodes.position_of(*handle), vacancy.target());
            if position.leaf == target.position.leaf {
                return Ok(self.nodes.reorder_to(*handle, position, target, score, exchange));
            }
            departure = self.prepare(position);
        }
        exchange(&mut self.nodes, *handle);
        self.dict.tables.replace(hash, *handle, Handle::NONE);
        let ((pair, old), removal, first) = self.depart(departure);
        *handle = self.nodes.put(&vacancy, pair, score);
        self.dict.tables.replace(hash, Handle::NONE, *handle);
        // Merging leaves may move the element again, so watch its handle.
        let (_, other_first) = Watch::new(self, handle).core.rebalance(removal);
        // If these scores were dropped on return, a panic in their drop would leak the old score.
        drop((first, other_first));
        Ok(old)
    }

    /// Replaces the score of the element at a handle if the element stays in its leaf, and returns
    /// the old score. Otherwise returns its position, its target, and the unused `score` and
    /// `exchange`.
    #[inline]
    fn set_score_in_leaf<F: FnOnce(&mut Nodes<K, V, S>, Handle)>(
        &mut self,
        handle: Handle,
        score: S,
        exchange: F,
    ) -> Result<S, (Position, Target, S, F)> {
        let nodes = &mut self.nodes;
        let old = nodes.leaves.score_mut(handle.leaf(), handle.slot().into());
        if K::IS_ORDERED && *old == score {
            let old = mem::replace(old, score);
            exchange(nodes, handle);
            return Ok(old);
        }
        let position = nodes.position_of(handle);
        let score = match nodes.reorder_in_leaf(position, score) {
            Ok(old) => {
                exchange(nodes, handle);
                return Ok(old);
            }
            Err(score) => score,
        };
        let ((key, _), _) = nodes.element_at(handle);
        let (found, path) = nodes.search(&score, before(key));
        let target = Target { position: found, path: Some(path) };
        if found.leaf == position.leaf {
            return Ok(nodes.reorder_to(handle, position, target, score, exchange));
        }
        Err((position, target, score, exchange))
    }
}

/// Keeps a handle up to date while elements move, even if user code panics.
struct Watch<'a, K, V, S, H> {
    core: &'a mut Core<K, V, S, Hashed<H>>,
    handle: &'a mut Handle,
}

impl<'a, K, V, S, H> Watch<'a, K, V, S, H> {
    fn new(core: &'a mut Core<K, V, S, Hashed<H>>, handle: &'a mut Handle) -> Self {
        core.dict.watched = *handle;
        Watch { core, handle }
    }
}

impl<K, V, S, H> Drop for Watch<'_, K, V, S, H> {
    fn drop(&mut self) {
        *self.handle = mem::replace(&mut self.core.dict.watched, Handle::NONE);
    }
}

/// Exchanges nothing. It is a function, not a closure, so that all calls of `set_score` share their
/// code.
fn keep_pair<K, V, S>(_: &mut Nodes<K, V, S>, _: Handle) {}

/// Changing a score within a leaf.
impl<K: TieOrder, V, S: Ord + Clone> Nodes<K, V, S> {
    /// Changes the score of the element at a position if its leaf alone shows that the element
    /// stays there. Returns the old score or, if nothing changed, the new one as an error.
    ///
    /// Only the order of the leaf changes: the element keeps its handle, and no span changes.
    #[inline]
    pub(crate) fn reorder_in_leaf(&mut self, position: Position, score: S) -> Result<S, S> {
        let Position { leaf: id, index } = position;
        let leaf = self.leaf(id);
        let last = leaf.len() - 1;
        // If the new score is between the scores of its neighbours, the element keeps its position.
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
        // The element stays in its leaf if it is not the first, and the change moves it neither
        // before the first element nor after the last. In the only leaf of a core, it always stays.
        let stays = self.levels == 0 || (index > 0 && comes_before(0) && !comes_before(last));
        if !stays {
            return Err(score);
        }
        let after = index_in(leaf, &score, before(key));
        // If the new score is not lower, `index_in` counted the element itself with its old score,
        // so subtract 1.
        let to = if *old <= score { after.saturating_sub(1) } else { after };
        Ok(self.leaves.reorder(id, index, to.min(last), score))
    }

    /// Changes the score of the element at a handle and a position, and moves it to a target in the
    /// same leaf; returns the old score.
    ///
    /// The target must come from a search made while the element had its old score. `exchange` is
    /// called after scores are cloned, which may panic, and before the change.
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
