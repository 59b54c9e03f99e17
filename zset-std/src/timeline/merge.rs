//! [`MergedTimelines`]: several timelines read as one.
//!
//! This is a k-way merge by selection: a heap holds the next entry of each timeline, and the
//! greatest of these entries is the next one overall (Knuth, The Art of Computer Programming,
//! volume 3, 5.4.1).

use alloc::collections::BinaryHeap;
use alloc::collections::binary_heap::PeekMut;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};
use core::fmt;
use core::iter::FusedIterator;

use super::{Cursor, Posts, Timeline};
use crate::Timestamp;

/// Several timelines read as one, newest first: the feeds that a user follows.
///
/// An entry that is in several timelines, with the same id and the same time, is returned once,
/// attributed to the first of them. An id posted at different times in different timelines is
/// returned once for each time.
///
/// It borrows the timelines and copies no entries, so create a new one for each page.
///
/// # Examples
///
/// ```
/// use zset_std::timeline::Cursor;
/// use zset_std::{MergedTimelines, Timeline, Timestamp};
///
/// let at = Timestamp::from_nanos;
/// let mut ann = Timeline::from([("hello", at(1)), ("rain", at(3))]);
/// let bob = Timeline::from([("rain", at(3)), ("sun", at(2)), ("tea", at(4))]);
///
/// let page: Vec<_> = MergedTimelines::new([&ann, &bob]).latest(2).collect();
/// assert_eq!(page.iter().map(|post| (*post.id, post.timeline)).collect::<Vec<_>>(),
///            [("tea", 1), ("rain", 0)]);
/// let cursor = Cursor::from(page[1]);
/// ann.post("snow", at(5));
/// let page = MergedTimelines::new([&ann, &bob]).before(&cursor, 2);
/// assert!(page.map(|post| *post.id).eq(["sun", "hello"]));
/// ```
pub struct MergedTimelines<'a, Id> {
    timelines: Vec<&'a Timeline<Id>>,
}

impl<'a, Id> MergedTimelines<'a, Id> {
    /// Creates a merge of these timelines. **O(k)** for k timelines.
    pub fn new(timelines: impl IntoIterator<Item = &'a Timeline<Id>>) -> Self {
        MergedTimelines { timelines: timelines.into_iter().collect() }
    }
}

impl<'a, Id: Ord> MergedTimelines<'a, Id> {
    /// Returns all entries, newest first. Lazy; **O(k)** to start and O(log k) per step, for k
    /// timelines.
    pub fn iter(&self) -> MergedPosts<'a, Id> {
        self.merge(usize::MAX, Timeline::iter)
    }

    /// Returns the `n` newest entries, newest first, or all if there are fewer. Lazy; **O(k)** to
    /// start and O(log k) per step, for k timelines.
    pub fn latest(&self, n: usize) -> MergedPosts<'a, Id> {
        self.merge(n, Timeline::iter)
    }

    /// Returns the next page: the `n` newest entries older than a cursor, newest first. Lazy;
    /// **O(k log n)** to start and O(log k) per step, for k timelines.
    ///
    /// As with [`Timeline::before`], pages neither skip nor repeat an entry whose time does not
    /// change.
    pub fn before(&self, cursor: &Cursor<Id>, n: usize) -> MergedPosts<'a, Id> {
        self.merge(n, |timeline| timeline.before(cursor, usize::MAX))
    }

    /// Returns the entries at or after a time, newest first. Lazy; **O(k log n)** to start and
    /// O(log k) per step, for k timelines.
    pub fn since(&self, at: Timestamp) -> MergedPosts<'a, Id> {
        self.merge(usize::MAX, |timeline| timeline.since(at))
    }

    fn merge(
        &self,
        n: usize,
        posts: impl Fn(&'a Timeline<Id>) -> Posts<'a, Id>,
    ) -> MergedPosts<'a, Id> {
        // Collect into a vector, since building a heap from a vector takes only O(k).
        let heads: Vec<_> = self
            .timelines
            .iter()
            .enumerate()
            .filter_map(|(timeline, followed)| Head::of(timeline, posts(followed)))
            .collect();
        MergedPosts { heads: heads.into(), last: None, remaining: n }
    }
}

/// Iterates newest first, like [`MergedTimelines::iter`].
impl<'a, Id: Ord> IntoIterator for &MergedTimelines<'a, Id> {
    type Item = MergedPost<'a, Id>;
    type IntoIter = MergedPosts<'a, Id>;

    fn into_iter(self) -> MergedPosts<'a, Id> {
        self.iter()
    }
}

impl<'a, Id> FromIterator<&'a Timeline<Id>> for MergedTimelines<'a, Id> {
    fn from_iter<I: IntoIterator<Item = &'a Timeline<Id>>>(timelines: I) -> Self {
        MergedTimelines::new(timelines)
    }
}

impl<Id> Clone for MergedTimelines<'_, Id> {
    fn clone(&self) -> Self {
        MergedTimelines { timelines: self.timelines.clone() }
    }
}

impl<Id> Default for MergedTimelines<'_, Id> {
    fn default() -> Self {
        MergedTimelines::new([])
    }
}

impl<Id: fmt::Debug> fmt::Debug for MergedTimelines<'_, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MergedTimelines").field(&self.timelines).finish()
    }
}

/// An entry of [`MergedTimelines`].
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MergedPost<'a, Id> {
    /// The time of the post.
    pub at: Timestamp,
    /// The id of the post.
    pub id: &'a Id,
    /// The 0-based index of the first merged timeline that has this entry.
    pub timeline: usize,
}

impl<Id> Clone for MergedPost<'_, Id> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Id> Copy for MergedPost<'_, Id> {}

/// Creates the cursor of an entry, for the page after it.
impl<Id: Clone> From<MergedPost<'_, Id>> for Cursor<Id> {
    fn from(post: MergedPost<'_, Id>) -> Self {
        Cursor { at: post.at, id: post.id.clone() }
    }
}

/// An iterator over entries of [`MergedTimelines`], newest first.
///
/// It is lazy. Each step is **O(log k)** for k timelines, plus O(log k) for each further timeline
/// with the same entry.
pub struct MergedPosts<'a, Id> {
    heads: BinaryHeap<Head<'a, Id>>,
    last: Option<(Timestamp, &'a Id)>,
    remaining: usize,
}

/// The next entry of a timeline, and the entries after it.
struct Head<'a, Id> {
    post: MergedPost<'a, Id>,
    rest: Posts<'a, Id>,
}

impl<'a, Id> Head<'a, Id> {
    fn of(timeline: usize, mut rest: Posts<'a, Id>) -> Option<Self> {
        let (id, at) = rest.next()?;
        Some(Head { post: MergedPost { at, id, timeline }, rest })
    }

    /// The head with the greatest key is next. Of equal entries, that of the first timeline has the
    /// greatest key.
    fn key(&self) -> (Timestamp, &Id, Reverse<usize>) {
        (self.post.at, self.post.id, Reverse(self.post.timeline))
    }
}

impl<'a, Id: Ord> Iterator for MergedPosts<'a, Id> {
    type Item = MergedPost<'a, Id>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.remaining == 0 {
            return None;
        }
        loop {
            let mut head = self.heads.peek_mut()?;
            let post = head.post;
            if let Some((id, at)) = head.rest.next() {
                (head.post.id, head.post.at) = (id, at);
            } else {
                PeekMut::pop(head);
            }
            if self.last != Some((post.at, post.id)) {
                self.last = Some((post.at, post.id));
                self.remaining -= 1;
                return Some(post);
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // At least as many entries follow as remain in the longest timeline, minus one, which may
        // repeat `last`.
        let lens = self.heads.iter().map(|head| 1 + head.rest.len());
        let least = lens.clone().max().unwrap_or(0).saturating_sub(self.last.is_some().into());
        let most = lens.fold(0, usize::saturating_add);
        (least.min(self.remaining), Some(most.min(self.remaining)))
    }
}

impl<Id: Ord> FusedIterator for MergedPosts<'_, Id> {}

impl<Id> Clone for MergedPosts<'_, Id> {
    fn clone(&self) -> Self {
        MergedPosts { heads: self.heads.clone(), ..*self }
    }
}

impl<Id: Ord + fmt::Debug> fmt::Debug for MergedPosts<'_, Id> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl<Id> Clone for Head<'_, Id> {
    fn clone(&self) -> Self {
        Head { post: self.post, rest: self.rest.clone() }
    }
}

impl<Id: Ord> PartialEq for Head<'_, Id> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<Id: Ord> Eq for Head<'_, Id> {}

impl<Id: Ord> PartialOrd for Head<'_, Id> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<Id: Ord> Ord for Head<'_, Id> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
