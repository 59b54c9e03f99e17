//! [`Hashed`]: the dict of a set or a map, and the methods that find, insert and change elements by
//! key.

use arrayvec::ArrayVec;
use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::hint::black_box;
use core::iter::{Fuse, FusedIterator};
use core::mem;
use equivalent::Equivalent;

use super::arena::NONE;
use super::dict::{Dict, hash_one};
use super::leaf::{End, Handle, Leaves};
use super::search::{Position, Target, before};
use super::{Clear, Core, Lookup, Nodes, Owned};
use crate::{Increment, IncrementError, InsertError, TieOrder, TryReserveError};

/// The number of elements from which on the dict exceeds the nearest caches, and `visit` pays off.
const VISITED_LEN: usize = 1 << 16;

/// A dict with its hasher.
#[derive(Clone)]
pub(crate) struct Hashed<H> {
    pub(crate) tables: Dict,
    pub(crate) hasher: H,
    /// A handle to be kept up to date, or `Handle::NONE`.
    watched: Handle,
    /// The leaf at each end whose keys were last visited.
    visited_ends: [u32; 2],
}

/// The result of a look-up.
pub(crate) struct Element<'a, K, V, S> {
    pub(crate) handle: Handle,
    pub(crate) pair: &'a (K, V),
    pub(crate) score: &'a S,
}

impl<H> Hashed<H> {
    pub(crate) const fn new(hasher: H) -> Self {
        Hashed { tables: Dict::new(), hasher, watched: Handle::NONE, visited_ends: [NONE; 2] }
    }

    /// Exchanges the handles for those of another dict whose keys have the same hashes.
    pub(crate) fn exchange(&mut self, tables: &mut Dict) {
        mem::swap(&mut self.tables, tables);
        self.visited_ends = [NONE; 2];
    }
}

impl<H: BuildHasher> Hashed<H> {
    /// Looks up all keys of a leaf, only to bring their dict entries into the cache.
    ///
    /// Pops remove the elements of a leaf one after the other, and each pop waits for its key's
    /// dict entry, which is at a random location. In a loop that only looks them up, the cache
    /// misses overlap.
    fn visit<K: Hash, V>(&self, pairs: &[(K, V)]) {
        for (key, _) in pairs {
            let hash = hash_one(&self.hasher, key);
            // Compared with a handle, since its memory is read only then.
            let is_none = |handle| (handle == Handle::NONE).then_some(());
            black_box(self.tables.find(hash, is_none));
        }
    }
}

impl<H> Clear for Hashed<H> {
    fn clear(&mut self) {
        self.tables.clear();
        self.visited_ends = [NONE; 2];
    }
}

impl<K: Hash, H: BuildHasher> Lookup<K> for Hashed<H> {
    type Token = usize;

    fn try_reserve<V, S: Clone>(
        core: &mut Core<K, V, S, Self>,
        additional: usize,
    ) -> Result<(), TryReserveError> {
        core.try_reserve_dict(additional)
    }

    fn try_rebuild<V, S: Clone>(core: &mut Core<K, V, S, Self>) -> Result<(), TryReserveError> {
        core.try_rebuild_hashed()
    }

    /// Makes room in the dict for a key with this hash.
    #[inline]
    fn try_reserve_one<V, S: Clone>(
        core: &mut Core<K, V, S, Self>,
        hash: usize,
    ) -> Result<(), TryReserveError> {
        if core.dict.tables.has_room(hash) { Ok(()) } else { core.grow_dict(hash) }
    }

    #[inline]
    fn token(&self, handle: Handle, key: &K) -> usize {
        self.tables.token(handle, || hash_one(&self.hasher, key))
    }

    #[inline]
    fn insert(&mut self, hash: usize, handle: Handle) {
        self.tables.insert(hash, handle);
    }

    #[inline]
    fn relocate(&mut self, hash: usize, from: Handle, to: Handle) {
        self.tables.replace(hash, from, to);
        if self.watched == from {
            self.watched = to;
        }
    }

    #[inline]
    fn forget(&mut self, hash: usize, handle: Handle) {
        self.tables.remove(hash, handle);
    }

    #[inline]
    fn is_watching(&self) -> bool {
        self.watched != Handle::NONE
    }

    #[inline]
    fn prepare_pop<V>(&mut self, len: usize, end: End, leaf: u32, pairs: &[(K, V)]) {
        if len >= VISITED_LEN && self.visited_ends[end as usize] != leaf {
            self.visited_ends[end as usize] = leaf;
            self.visit(pairs);
        }
    }
}

/// Clears a core when dropped, for a core that is inconsistent until then.
pub(crate) struct ClearOnDrop<'a, K, V, S, D: Clear>(pub(crate) &'a mut Core<K, V, S, D>);

impl<K, V, S, D: Clear> Drop for ClearOnDrop<'_, K, V, S, D> {
    fn drop(&mut self) {
        self.0.clear();
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

/// Exchanges nothing. One function, so that all changes of a score alone share their code.
fn keep_pair<K, V, S>(_: &mut Nodes<K, V, S>, _: Handle) {}

/// The result of [`insert_max`](crate::SortedSet::insert_max) or
/// [`insert_min`](crate::SortedSet::insert_min).
///
/// For a set, `T` is a score. For a [`SortedMap`](crate::SortedMap), it is a value with a score.
///
/// # Examples
///
/// ```
/// use zset_core::{Insertion, SortedSet};
///
/// let mut best = SortedSet::from([("ann", 120)]);
/// match best.insert_max("ann", 95) {
///     Insertion::Inserted => println!("a first score"),
///     Insertion::Updated(old) => println!("better than {old}"),
///     Insertion::Unchanged(rejected) => assert_eq!(rejected, 95),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Insertion<T> {
    /// The member was not in the collection.
    Inserted,
    /// The member's score was replaced by the given one. Holds the old score; in a map, the old
    /// value and score.
    Updated(T),
    /// The member kept its score. Holds the score passed in; in a map, the value and the score
    /// passed in.
    Unchanged(T),
}

impl<T> Insertion<T> {
    /// Converts the value in the result.
    pub(crate) fn map<U>(self, convert: impl FnOnce(T) -> U) -> Insertion<U> {
        match self {
            Insertion::Inserted => Insertion::Inserted,
            Insertion::Updated(old) => Insertion::Updated(convert(old)),
            Insertion::Unchanged(rejected) => Insertion::Unchanged(convert(rejected)),
        }
    }
}

impl<T> Insertion<T> {
    /// Returns whether the call changed anything. **O(1)**.
    pub const fn is_changed(&self) -> bool {
        !matches!(self, Insertion::Unchanged(_))
    }
}

/// Looking up.
impl<K, V, S, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Returns the hash of a key.
    #[inline]
    pub(crate) fn hash<Q: Hash + ?Sized>(&self, key: &Q) -> usize {
        hash_one(&self.dict.hasher, key)
    }

    /// Returns the element of a key.
    #[inline]
    pub(crate) fn element<Q>(&self, key: &Q) -> Option<Element<'_, K, V, S>>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        // A hash is not worth its time if there are no elements.
        if self.nodes.len == 0 { None } else { self.find(self.hash(key), key) }
    }

    /// Returns the element of a key with this hash.
    #[inline]
    pub(crate) fn find<Q>(&self, hash: usize, key: &Q) -> Option<Element<'_, K, V, S>>
    where
        Q: Equivalent<K> + ?Sized,
    {
        // Returned by the comparison, since getting the leaf again takes a tenth of a look-up.
        self.dict.tables.find(hash, |handle| {
            let (pairs, scores) = self.nodes.leaves.columns(handle.leaf());
            let pair = pairs.get(handle.slot() as usize)?;
            if !key.equivalent(&pair.0) {
                return None;
            }
            Some(Element { handle, pair, score: scores.get(handle.slot() as usize)? })
        })
    }

    /// Returns the position of the element of a key.
    #[inline]
    pub(crate) fn position<Q>(&self, key: &Q) -> Option<Position>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        Some(self.nodes.position_of(self.element(key)?.handle))
    }

    #[inline]
    pub(crate) fn rank<Q>(&self, key: &Q) -> Option<usize>
    where
        Q: Hash + Equivalent<K> + ?Sized,
    {
        Some(self.nodes.rank_of(self.position(key)?))
    }
}

/// The number of members that are hashed before the first of them is looked up.
const BATCH: usize = 16;

/// What [`Scores`] looks members up in.
pub trait LookUp<Q> {
    /// The result for a member.
    type Found;

    /// Returns the hash of a member.
    fn hash(&self, member: &Q) -> usize;

    /// Returns the result for a member with this hash.
    fn find(&self, hash: usize, member: Q) -> Self::Found;
}

/// An iterator over the scores of members, returned by
/// [`SortedSet::scores`](crate::SortedSet::scores) and the methods of that name of
/// [`SortedMap`](crate::SortedMap) and `ZSet`.
///
/// It is double-ended and exact-size if the iterator over the members is. A batch of members is
/// hashed first, then looked up, so it takes up to a batch from their iterator ahead of time.
pub struct Scores<C: LookUp<I::Item>, I: Iterator> {
    set: C,
    members: Fuse<I>,
    /// The remaining results of the last batch from the front.
    front: Batch<C::Found>,
    /// The same from the back, the last one first.
    back: Batch<C::Found>,
}

type Batch<T> = arrayvec::IntoIter<T, BATCH>;

impl<C: LookUp<I::Item>, I: Iterator> Scores<C, I> {
    pub(crate) fn new(set: C, members: impl IntoIterator<IntoIter = I>) -> Self {
        let [front, back] = [ArrayVec::new(), ArrayVec::new()].map(ArrayVec::into_iter);
        Scores { set, members: members.into_iter().fuse(), front, back }
    }
}

/// Looks up the next members. The look-ups do not depend on each other, so their cache misses
/// overlap.
#[inline]
fn look_up<C: LookUp<Q>, Q>(set: &C, members: impl Iterator<Item = Q>) -> Batch<C::Found> {
    let members = members.take(BATCH);
    let batch: ArrayVec<_, BATCH> = members.map(|member| (set.hash(&member), member)).collect();
    let found = batch.into_iter().map(|(hash, member)| set.find(hash, member));
    found.collect::<ArrayVec<_, BATCH>>().into_iter()
}

impl<C: LookUp<I::Item>, I: Iterator> Iterator for Scores<C, I> {
    type Item = C::Found;

    fn next(&mut self) -> Option<C::Found> {
        if self.front.len() == 0 {
            self.front = look_up(&self.set, self.members.by_ref());
        }
        self.front.next().or_else(|| self.back.next_back())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (low, high) = self.members.size_hint();
        let found = self.front.len() + self.back.len();
        (low.saturating_add(found), high.and_then(|high| high.checked_add(found)))
    }
}

impl<C: LookUp<I::Item>, I: DoubleEndedIterator> DoubleEndedIterator for Scores<C, I> {
    fn next_back(&mut self) -> Option<C::Found> {
        if self.back.len() == 0 {
            self.back = look_up(&self.set, self.members.by_ref().rev());
        }
        self.back.next().or_else(|| self.front.next_back())
    }
}

impl<C: LookUp<I::Item>, I: ExactSizeIterator> ExactSizeIterator for Scores<C, I> {}

impl<C: LookUp<I::Item>, I: Iterator> FusedIterator for Scores<C, I> {}

impl<C: LookUp<I::Item>, I: Iterator> fmt::Debug for Scores<C, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scores").finish_non_exhaustive()
    }
}

/// Removing, and room in the dict.
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

    /// Returns the dict, and a function from a handle to the hash of its key, with which it
    /// rehashes.
    ///
    /// If a handle is stale, which requires an inconsistent `Hash`, an arbitrary hash will do.
    #[inline]
    pub(crate) fn dict_to_change(&mut self) -> (&mut Dict, impl Fn(Handle) -> usize) {
        let Core { nodes, dict: Hashed { tables: dict, hasher, .. } } = self;
        (dict, |handle| nodes.key(handle).map_or(0, |key| hash_one(hasher, key)))
    }

    /// Reserves memory in the dict only, for `additional` more keys.
    ///
    /// That is sufficient when a core is built: the leaves grow without copying, so reserving their
    /// memory in advance saves nothing.
    pub(crate) fn try_reserve_dict(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let (dict, hash_of) = self.dict_to_change();
        dict.try_reserve(additional, hash_of)
    }

    #[cold]
    fn grow_dict(&mut self, hash: usize) -> Result<(), TryReserveError> {
        let Core { nodes, dict: Hashed { tables: dict, hasher, .. } } = self;
        if let Some(capacity) = dict.doubled() {
            // Keys are next to each other in a leaf, but scattered in the order of the old table.
            let mut grown = Dict::try_with_table(capacity.max(nodes.len))?;
            nodes.for_each_key(|handle, key| grown.insert(hash_one(hasher, key), handle));
            *dict = grown;
            return Ok(());
        }
        let (dict, hash_of) = self.dict_to_change();
        dict.try_reserve_one(hash, hash_of)
    }
}

/// Inserting and changing. On an error, a call returns what it was given, and nothing changes.
impl<K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Inserts a key, or replaces the value and the score of an equal one; returns the old ones.
    pub(crate) fn try_insert(
        &mut self,
        key: K,
        value: V,
        score: S,
    ) -> Result<Option<(V, S)>, InsertError<Owned<K, V, S>>> {
        let mut pair = (key, value);
        let hash = self.hash(&pair.0);
        let Some(Element { mut handle, .. }) = self.find(hash, &pair.0) else {
            return self.insert_new(hash, (pair, score)).map(|_| None);
        };
        match self.set_value_and_score(hash, &mut handle, &mut pair.1, score) {
            Ok(old) => {
                // Dropped here so that what is returned is dropped too if this panics.
                drop(pair.0);
                Ok(Some((pair.1, old)))
            }
            Err(error) => Err(error.map(|score| (pair, score))),
        }
    }

    /// Inserts a key, or replaces an equal one, its value and its score; returns the old ones.
    pub(crate) fn try_replace(
        &mut self,
        key: K,
        value: V,
        score: S,
    ) -> Result<Option<Owned<K, V, S>>, InsertError<Owned<K, V, S>>> {
        let mut pair = (key, value);
        let hash = self.hash(&pair.0);
        let Some(Element { mut handle, .. }) = self.find(hash, &pair.0) else {
            return self.insert_new(hash, (pair, score)).map(|_| None);
        };
        match self.set_score_and(hash, &mut handle, score, |nodes, handle| {
            mem::swap(nodes.element_mut(handle).0, &mut pair);
        }) {
            Ok(old) => Ok(Some((pair, old))),
            Err(error) => Err(error.map(|score| (pair, score))),
        }
    }

    /// Inserts a key. If there is an equal one, replaces its value and its score if `is_better`
    /// returns true for the new score and the old one.
    pub(crate) fn try_insert_if(
        &mut self,
        key: K,
        value: V,
        score: S,
        is_better: impl FnOnce(&S, &S) -> bool,
    ) -> Result<Insertion<(V, S)>, InsertError<Owned<K, V, S>>> {
        let mut pair = (key, value);
        let hash = self.hash(&pair.0);
        let Some(Element { mut handle, score: old, .. }) = self.find(hash, &pair.0) else {
            return self.insert_new(hash, (pair, score)).map(|_| Insertion::Inserted);
        };
        if !is_better(&score, old) {
            // Dropped here so that what is returned is dropped too if this panics.
            drop(pair.0);
            return Ok(Insertion::Unchanged((pair.1, score)));
        }
        match self.set_value_and_score(hash, &mut handle, &mut pair.1, score) {
            Ok(old) => {
                // As above.
                drop(pair.0);
                Ok(Insertion::Updated((pair.1, old)))
            }
            Err(error) => Err(error.map(|score| (pair, score))),
        }
    }

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

    /// Adds to the score of a key, which is inserted with the score zero and this value if there is
    /// no equal one; returns the sum.
    #[inline]
    pub(crate) fn try_increment(
        &mut self,
        key: K,
        value: impl FnOnce() -> V,
        by: S::By,
    ) -> Result<S, IncrementError<S::Error>>
    where
        S: Increment,
    {
        let hash = self.hash(&key);
        let found = self.find(hash, &key).map(|found| (found.handle, *found.score));
        let old = found.map_or(S::ZERO, |(_, old)| old);
        let new = old.checked_increment(by).map_err(IncrementError::Score)?;
        let changed = if let Some((mut handle, _)) = found {
            self.set_score(hash, &mut handle, new).map(drop).map_err(|error| error.error)
        } else {
            let element = ((key, value()), new);
            self.insert_new(hash, element).map(drop).map_err(|error| error.error)
        };
        changed.map(|()| new).map_err(IncrementError::Full)
    }

    /// Inserts an element whose key is not present yet.
    #[inline]
    pub(crate) fn insert_new(
        &mut self,
        hash: usize,
        element: Owned<K, V, S>,
    ) -> Result<Handle, InsertError<Owned<K, V, S>>> {
        let ((key, _), score) = &element;
        let target = self.nodes.search_to_insert(score, before(key));
        self.insert_at(target, hash, element)
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

    /// Like `set_score`, and exchanges the value of the element with the given one.
    #[inline]
    pub(crate) fn set_value_and_score(
        &mut self,
        hash: usize,
        handle: &mut Handle,
        value: &mut V,
        score: S,
    ) -> Result<S, InsertError<S>> {
        if const { size_of::<V>() == 0 } {
            // All values are alike, and sets need only one function for changes of a score.
            return self.set_score(hash, handle, score);
        }
        self.set_score_and(hash, handle, score, |nodes, handle| {
            mem::swap(&mut nodes.element_mut(handle).0.1, value);
        })
    }

    /// Like `set_score`, and calls `exchange` to exchange the pair of the element, or its value.
    ///
    /// `exchange` is called together with the change of the score: after everything that may fail,
    /// and before anything is dropped. If user code panics, both are done, or neither.
    #[inline]
    fn set_score_and(
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
        // The element moves to another leaf. Everything that may fail comes first: hashing the
        // element that will fill its slot, and making room in the other leaf.
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
        // Merging may move the element again.
        let (_, other_first) = Watch::new(self, handle).core.rebalance(removal);
        // Before the old score is returned, which leaks if this panics later.
        drop((first, other_first));
        Ok(old)
    }

    /// Replaces the score of the element at a handle if it stays in its leaf, and returns the old
    /// one; otherwise returns its position, its target, and the score and `exchange`.
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

    /// Panics with a description if an invariant is violated.
    pub(crate) fn check(&self) {
        self.nodes.check();
        let dict = &self.dict.tables;
        assert_eq!(dict.len(), self.nodes.len, "dict and leaves differ in length");
        let is_small = matches!(self.nodes.leaves, Leaves::Small(_));
        assert!(is_small || dict.has_table(), "blocks and a dict without a table");
        dict.check(|handle| self.nodes.key(handle).map_or(0, |key| self.hash(key)));
        for (pair, _) in self.nodes.iter() {
            let found = self.element(&pair.0).expect("a key of a leaf is not in the dict");
            assert!(core::ptr::eq(found.pair, pair), "a key is repeated");
        }
    }
}
