//! The iterator over entries.

use core::fmt;
use core::iter::FusedIterator;

use super::{Listpack, Storage, Value, decode, next, previous};

/// An iterator over the entries of a listpack, double-ended. Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_core::listpack::Value;
///
/// let mut list = zset_core::Listpack::with_storage([0; 64])?;
/// list.try_push_back(1)?;
/// list.try_push_back(2)?;
/// let mut entries = list.iter();
/// assert_eq!(entries.next_back(), Some(Value::Integer(2)));
/// assert_eq!(entries.next(), Some(Value::Integer(1)));
/// assert_eq!(entries.next(), None);
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone)]
pub struct Iter<'a> {
    bytes: &'a [u8],
    front: usize,
    back: usize,
}

impl<'a> Iter<'a> {
    /// Creates an iterator over the entries between two offsets.
    pub(super) fn new(bytes: &'a [u8], front: usize, back: usize) -> Self {
        Iter { bytes, front, back }
    }
}

impl<'a, B: Storage> IntoIterator for &'a Listpack<B> {
    type Item = Value<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = Value<'a>;

    fn next(&mut self) -> Option<Value<'a>> {
        if self.front >= self.back {
            return None;
        }
        let (value, _) = decode(&self.bytes[self.front..])?;
        self.front = next(self.bytes, self.front)?;
        Some(value)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // The shortest entry has 2 bytes, and a single entry may take all the remaining bytes.
        let bytes = self.back - self.front;
        (usize::from(bytes > 0), Some(bytes / 2))
    }
}

impl DoubleEndedIterator for Iter<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.back = previous(self.bytes, self.back)?;
        decode(&self.bytes[self.back..]).map(|(value, _)| value)
    }
}

impl FusedIterator for Iter<'_> {}

impl fmt::Debug for Iter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
