//! Whole sets at once: building from sorted input, appending, shrinking.

use core::error::Error;
use core::fmt;
use core::hash::{BuildHasher, Hash};

use super::fill::Filling;
use super::{ClearOnDrop, SortedSet};
use crate::reserve::infallible;

/// The error of input that is not sorted or repeats a member.
///
/// # Examples
///
/// ```
/// use zset_core::SortedSet;
/// use zset_core::sorted_set::FromSortedError;
///
/// let repeated = SortedSet::<_, _>::from_sorted_iter([("a", 1), ("a", 2)]);
/// assert_eq!(repeated.unwrap_err(), FromSortedError::DuplicateMember { rank: 1 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FromSortedError {
    /// The element at this 0-based rank does not come after the previous one.
    NotAscending {
        /// The rank.
        rank: usize,
    },
    /// The member at this 0-based rank repeats an earlier one, which has a lower score.
    DuplicateMember {
        /// The rank.
        rank: usize,
    },
}

impl fmt::Display for FromSortedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FromSortedError::NotAscending { rank } => {
                write!(f, "element {rank} is out of order")
            }
            FromSortedError::DuplicateMember { rank } => {
                write!(f, "member of element {rank} repeats an earlier one")
            }
        }
    }
}

impl Error for FromSortedError {}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher + Default> SortedSet<M, S, H> {
    /// Creates a set from elements that ascend by `(score, member)`. **O(n)**.
    ///
    /// All leaves are full, so the set uses the least memory possible.
    ///
    /// # Errors
    ///
    /// [`FromSortedError`] with the rank of the first element that is out of order or repeats a
    /// member.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::sorted_set::FromSortedError;
    /// use zset_core::SortedSet;
    ///
    /// let set: SortedSet<_, _> = SortedSet::from_sorted_iter([("b", 1), ("a", 2)])?;
    /// assert_eq!(set.rank("a"), Some(1));
    ///
    /// let error = SortedSet::<_, _>::from_sorted_iter([("a", 2), ("b", 1)]).unwrap_err();
    /// assert_eq!(error, FromSortedError::NotAscending { rank: 1 });
    /// # Ok::<(), FromSortedError>(())
    /// ```
    #[track_caller]
    pub fn from_sorted_iter<I>(elements: I) -> Result<Self, FromSortedError>
    where
        I: IntoIterator<Item = (M, S)>,
    {
        let elements = elements.into_iter();
        let mut set = Self::with_hasher(H::default());
        let mut filling = infallible(Filling::new(&mut set, elements.size_hint().0));
        for (member, score) in elements {
            infallible(filling.try_push(member, score))?;
        }
        infallible(filling.finish())?;
        Ok(set)
    }
}

impl<M: Ord + Hash, S: Ord + Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Moves all elements of `other` into this set, leaving `other` empty. **O(m log n)** for the m
    /// members of `other`; **O(n + m)** if at least n / 2 of them are new.
    ///
    /// A member that is in both sets gets its score from `other`, as with `BTreeMap::append`. An equal
    /// member is always that of this set.
    ///
    /// Sets of similar size are merged into newly allocated memory. This temporarily doubles memory
    /// use, and releases reserved memory. If the allocation fails, the elements are inserted one at a
    /// time.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out. Elements not yet moved are then lost.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let mut set = SortedSet::from([("a", 1), ("b", 2)]);
    /// let mut other = SortedSet::from([("b", 9), ("c", 3)]);
    /// set.append(&mut other);
    /// assert!(other.is_empty());
    /// assert!(set.iter().eq([(&"a", 1), (&"c", 3), (&"b", 9)]));
    /// ```
    #[track_caller]
    pub fn append<H2>(&mut self, other: &mut SortedSet<M, S, H2>) {
        if matches!(self.try_merge(other), Ok(true)) {
            return;
        }
        infallible(self.reserve_dict(other.len().div_ceil(2)));
        // User code may panic.
        let other = ClearOnDrop(other);
        for (member, score) in other.0.list.emptied() {
            self.insert(member, score);
        }
    }
}

impl<M: Hash, S: Copy, H: BuildHasher> SortedSet<M, S, H> {
    /// Shrinks the capacity of the set as much as possible. **O(n)**.
    ///
    /// The elements move to full leaves in newly allocated memory, which temporarily doubles memory
    /// use.
    ///
    /// # Panics
    ///
    /// Panics if that allocation fails; the set is unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::SortedSet::with_capacity(10_000);
    /// set.insert("a", 1);
    /// set.shrink_to_fit();
    /// assert!(set.allocation_size() < 1000);
    /// ```
    #[track_caller]
    pub fn shrink_to_fit(&mut self) {
        infallible(self.try_rebuild());
    }
}
