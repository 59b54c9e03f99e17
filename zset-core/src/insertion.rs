//! [`Insertion`]: what a conditional insertion did.

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
///     Insertion::Unchanged(current) => assert_eq!(current, 120),
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Insertion<T> {
    /// The member was not in the collection.
    Inserted,
    /// The member's score was replaced by the given one. Holds the old score; in a map, the old
    /// value and score.
    Updated(T),
    /// The member kept its score. Holds that score; in a map, the value passed in and that score.
    Unchanged(T),
}

#[cfg(feature = "alloc")]
impl<T> Insertion<T> {
    /// Converts what the result holds.
    pub(crate) fn map<U>(self, convert: impl FnOnce(T) -> U) -> Insertion<U> {
        match self {
            Insertion::Inserted => Insertion::Inserted,
            Insertion::Updated(old) => Insertion::Updated(convert(old)),
            Insertion::Unchanged(current) => Insertion::Unchanged(convert(current)),
        }
    }
}

impl<T> Insertion<T> {
    /// Returns whether the call changed anything. **O(1)**.
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
