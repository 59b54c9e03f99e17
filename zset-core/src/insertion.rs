//! [`Insertion`]: what a conditional insertion did.

/// What `insert_max` or `insert_min` did, as [`SortedSet::insert_max`](crate::SortedSet::insert_max).
///
/// In a set `T` is a score. In a [`SortedMap`](crate::SortedMap) it is a value with a score.
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
///     Insertion::Unchanged(current) => assert_eq!(current, 120),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Insertion<T> {
    /// The member is new.
    Inserted,
    /// The member was there, and has the given score now. Holds what was replaced: the old score, in a
    /// map after the old value.
    Updated(T),
    /// The member was there, and its score is not replaced by the given one. Holds the score that stays,
    /// in a map after the value that was given.
    Unchanged(T),
}

impl<T> Insertion<T> {
    /// Returns whether anything has changed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut best = zset_core::SortedSet::from([("ann", 120)]);
    /// assert!(best.insert_max("ann", 130).is_changed());
    /// assert!(!best.insert_max("ann", 125).is_changed());
    /// ```
    pub const fn is_changed(&self) -> bool {
        !matches!(self, Insertion::Unchanged(_))
    }
}
