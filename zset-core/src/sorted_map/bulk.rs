//! Operations on whole maps: building from sorted input, appending, shrinking.

use core::hash::{BuildHasher, Hash};

use super::{Pair, SortedMap};
use crate::SortedSet;
use crate::sorted_set::FromSortedError;

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher + Default> SortedMap<K, V, S, H> {
    /// Creates a map from elements in ascending order of `(score, key)`. **O(n)**.
    ///
    /// Leaves are filled completely, so the map uses as little memory as possible.
    ///
    /// # Errors
    ///
    /// [`FromSortedError`] with the rank of the first element that is out of order or repeats a key.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::sorted_set::FromSortedError;
    /// use zset_core::SortedMap;
    ///
    /// let map: SortedMap<_, _, _> = SortedMap::from_sorted_iter([("b", 'x', 1), ("a", 'y', 2)])?;
    /// assert_eq!(map.rank("a"), Some(1));
    ///
    /// let error = SortedMap::<_, _, _>::from_sorted_iter([("a", 'x', 2), ("b", 'y', 1)]).unwrap_err();
    /// assert_eq!(error, FromSortedError::NotAscending { rank: 1 });
    /// # Ok::<(), FromSortedError>(())
    /// ```
    #[track_caller]
    pub fn from_sorted_iter<I>(elements: I) -> Result<Self, FromSortedError>
    where
        I: IntoIterator<Item = (K, V, S)>,
    {
        let pairs = elements.into_iter().map(|(key, value, score)| (Pair { key, value }, score));
        Ok(SortedMap { set: SortedSet::from_sorted_iter(pairs)? })
    }
}

impl<K: Ord + Hash, V, S: Ord + Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Moves all elements of `other` into this map, leaving `other` empty. **O(m log n)** for m
    /// moved elements.
    ///
    /// If a key is in both maps, the value and the score of `other` win, as in `BTreeMap::append`. An
    /// equal key is always that of this map.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out. Elements not yet moved are lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedMap;
    ///
    /// let mut map = SortedMap::from([("a", 'x', 1), ("b", 'y', 2)]);
    /// map.append(&mut SortedMap::from([("b", 'z', 9)]));
    /// assert!(map.iter().eq([(&"a", &'x', 1), (&"b", &'z', 9)]));
    /// ```
    #[track_caller]
    pub fn append<H2>(&mut self, other: &mut SortedMap<K, V, S, H2>) {
        self.extend(other.drain());
    }
}

impl<K: Hash, V, S: Copy, H: BuildHasher> SortedMap<K, V, S, H> {
    /// Frees unused memory. **O(n)**.
    ///
    /// The elements move into completely filled leaves, so the map temporarily needs twice its
    /// memory.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; the map is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut map = zset_core::SortedMap::with_capacity(10_000);
    /// map.insert("a", 'x', 1);
    /// map.shrink_to_fit();
    /// assert!(map.allocation_size() < 1000);
    /// ```
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        self.set.shrink_to_fit();
    }
}
