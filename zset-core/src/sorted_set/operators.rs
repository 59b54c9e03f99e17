//! The operators `&a | &b`, `&a & &b`, `&a - &b` and `&a ^ &b`, as in `BTreeSet`.

use core::hash::{BuildHasher, Hash};
use core::ops::{BitAnd, BitOr, BitXor, Sub};

use super::SortedSet;
use super::fill::try_collect;
use crate::TryReserveError;
use crate::reserve::infallible;

/// Creates a set from clones of distinct elements.
fn try_copy<'a, M, S, H>(
    elements: impl Iterator<Item = (&'a M, S)>,
) -> Result<SortedSet<M, S, H>, TryReserveError>
where
    M: Ord + Hash + Clone + 'a,
    S: Ord + Copy,
    H: BuildHasher + Default,
{
    let copies = try_collect(elements.map(|(member, score)| (member.clone(), score)))?;
    let mut set = SortedSet::default();
    set.try_fill_distinct(copies)?;
    Ok(set)
}

macro_rules! operator {
    ($(#[$doc:meta])* $trait:ident, $method:ident, $operation:ident) => {
        $(#[$doc])*
        ///
        /// # Panics
        ///
        /// Panics if memory or 32-bit handles run out.
        impl<M, S, H> $trait<&SortedSet<M, S, H>> for &SortedSet<M, S, H>
        where
            M: Ord + Hash + Clone,
            S: Ord + Copy,
            H: BuildHasher + Default,
        {
            type Output = SortedSet<M, S, H>;

            #[track_caller]
            fn $method(self, other: &SortedSet<M, S, H>) -> SortedSet<M, S, H> {
                infallible(try_copy(self.$operation(other)))
            }
        }
    };
}

operator! {
    /// Clones the elements of the [`union`](SortedSet::union) into a new set. **O(n + m)**.
    ///
    /// An equal member is always that of the first set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a | &b, SortedSet::from([("x", 1), ("y", 2), ("z", 3)]));
    /// ```
    BitOr, bitor, union
}

operator! {
    /// Clones the elements of the [`intersection`](SortedSet::intersection) into a new set. **O(n)**.
    ///
    /// An equal member is always that of the first set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a & &b, SortedSet::from([("y", 2)]));
    /// ```
    BitAnd, bitand, intersection
}

operator! {
    /// Clones the elements of the [`difference`](SortedSet::difference) into a new set. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a - &b, SortedSet::from([("x", 1)]));
    /// ```
    Sub, sub, difference
}

operator! {
    /// Clones the elements of the [`symmetric_difference`](SortedSet::symmetric_difference) into a new
    /// set. **O(n + m)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::SortedSet;
    ///
    /// let a = SortedSet::from([("x", 1), ("y", 2)]);
    /// let b = SortedSet::from([("y", 9), ("z", 3)]);
    /// assert_eq!(&a ^ &b, SortedSet::from([("x", 1), ("z", 3)]));
    /// ```
    BitXor, bitxor, symmetric_difference
}
