//! [`Cursor`]: the end of a page.

use crate::Timestamp;

/// A position in a timeline, at the last entry of a page; the entry may no longer exist.
///
/// Cursors are ordered by time, then by id. Every entry of the next page is less than the cursor.
///
/// # Examples
///
/// ```
/// use zset_std::timeline::Cursor;
/// use zset_std::{Timeline, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut feed = Timeline::from([("a", at(1)), ("b", at(2)), ("c", at(2))]);
/// let mut cursor = Cursor::from(feed.latest(1).last().unwrap());
/// assert_eq!(cursor, Cursor { at: at(2), id: "c" });
/// feed.remove("c");
///
/// cursor = Cursor::from(feed.before(&cursor, 1).last().unwrap());
/// assert_eq!(cursor.id, "b");
/// assert!(feed.before(&cursor, 1).eq([(&"a", at(1))]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(::serde::Serialize, ::serde::Deserialize))]
pub struct Cursor<Id> {
    /// When the entry was posted.
    pub at: Timestamp,
    /// The entry's id.
    pub id: Id,
}

/// Creates the cursor of an entry as returned by the iterators of a [`Timeline`](super::Timeline).
impl<Id: Clone> From<(&Id, Timestamp)> for Cursor<Id> {
    fn from((id, at): (&Id, Timestamp)) -> Self {
        Cursor { at, id: id.clone() }
    }
}
