//! Inserting one element.
//!
//! An insertion has four steps:
//! 1. The key is hashed and looked up (`find`). If it is present, its element is updated instead
//!    (`change`).
//! 2. `search_to_insert` returns a target: the position for the new element (`find`).
//! 3. Room is made, first in the dict, then in the leaf: `make_room` turns the target into a
//!    vacancy (`transfer`).
//! 4. `put` fills the vacancy, and the handle of the element is added to the dict.
//!
//! If one of the first three steps fails or panics, the core has the same elements in the same
//! order. The last step cannot fail, and runs no user code.

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

/// Insertion by key. On an error, the core has the same elements as before.
impl<K: TieOrder + Hash, V, S: Ord + Clone, H: BuildHasher> Core<K, V, S, Hashed<H>> {
    /// Inserts a key, or replaces the value and the score of an equal key; returns the old ones.
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
                // The key is dropped before the return, so a panic in its drop cannot leak the
                // value and the score.
                drop(pair.0);
                Ok(Some((pair.1, old)))
            }
            Err(error) => Err(error.map(|score| (pair, score))),
        }
    }

    /// Inserts a key, or replaces an equal key, its value and its score; returns the old ones.
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
            // The key is dropped before the return, so a panic in its drop cannot leak the value
            // and the score.
            drop(pair.0);
            return Ok(Insertion::Unchanged((pair.1, score)));
        }
        match self.set_value_and_score(hash, &mut handle, &mut pair.1, score) {
            Ok(old) => {
                // The key is dropped before the return, so a panic in its drop cannot leak the
                // value and the score.
                drop(pair.0);
                Ok(Insertion::Updated((pair.1, old)))
            }
            Err(error) => Err(error.map(|score| (pair, score))),
        }
    }

    /// Adds to the score of a key, and returns the sum. A missing key counts as zero, and is
    /// inserted with this value.
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

/// Insertion at a position.
impl<K, V, S: Clone, D: Lookup<K>> Core<K, V, S, D> {
    /// Inserts an element at a target, given the token of its key. With a dict, the key must not be
    /// present. On an error, returns the element.
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
