//! Inserting one element.
//!
//! An insertion has four steps:
//! 1. The key is hashed and looked up (`find`). If it is present, only its score changes
//!    (`change`).
//! 2. `search_to_insert` returns a target: the position of the new element (`find`).
//! 3. Room is made, first in the dict, then in the leaf: `make_room` turns the target into a
//!    vacancy (`transfer`).
//! 4. `put` fills the vacancy, and the handle of the element is added to the dict.
//!
//! If one of the first three fails or panics, the core has the same elements in the same order. The
//! last one cannot fail, and runs no user code.

use core::hash::{BuildHasher, Hash};
use core::mem;

use super::dict::Hashed;
use super::find::{Element, Target, before};
use super::leaf::Handle;
use super::{Core, Lookup, Owned};
use crate::{Increment, IncrementError, InsertError, TieOrder};

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

/// Inserting by key. On an error, a call returns what it was given, and nothing changes.
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
}

/// Inserting at a position.
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
        let reserved =
            if self.dict.has_room(token) { Ok(()) } else { self.dict.try_grow(token, &self.nodes) };
        match reserved.and_then(|()| self.make_room(target, &score)) {
            Ok(vacancy) => {
                let handle = self.nodes.put(&vacancy, pair, score);
                self.dict.insert(token, handle);
                Ok(handle)
            }
            Err(error) => Err(InsertError { element: (pair, score), error }),
        }
    }
}
