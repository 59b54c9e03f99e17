//! The standard traits.

use core::hash::Hash;
use core::iter::Rev;

use zset_core::sorted_set::IntoIter;

use super::{Posts, Timeline};
use crate::Timestamp;

impl<Id> Default for Timeline<Id> {
    fn default() -> Self {
        Self::new()
    }
}

/// Two timelines are equal if they have the same posts at the same times, regardless of their caps.
/// **O(n)**.
impl<Id: PartialEq> PartialEq for Timeline<Id> {
    fn eq(&self, other: &Self) -> bool {
        self.posts == other.posts
    }
}

impl<Id: Eq> Eq for Timeline<Id> {}

/// Posts each entry in order; those that are too old are dropped.
impl<Id: Ord + Hash> Extend<(Id, Timestamp)> for Timeline<Id> {
    #[track_caller]
    fn extend<I: IntoIterator<Item = (Id, Timestamp)>>(&mut self, posts: I) {
        for (id, at) in posts {
            self.post(id, at);
        }
    }
}

/// Creates a timeline without caps. If an id repeats, the last time wins.
impl<Id: Ord + Hash> FromIterator<(Id, Timestamp)> for Timeline<Id> {
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (Id, Timestamp)>>(posts: I) -> Self {
        let mut timeline = Timeline::new();
        timeline.extend(posts);
        timeline
    }
}

impl<Id: Ord + Hash, const N: usize> From<[(Id, Timestamp); N]> for Timeline<Id> {
    #[track_caller]
    fn from(posts: [(Id, Timestamp); N]) -> Self {
        posts.into_iter().collect()
    }
}

/// Iterates newest first, like [`Timeline::iter`].
impl<Id> IntoIterator for Timeline<Id> {
    type Item = (Id, Timestamp);
    type IntoIter = Rev<IntoIter<Id, Timestamp>>;

    fn into_iter(self) -> Self::IntoIter {
        self.posts.into_iter().rev()
    }
}

impl<'a, Id> IntoIterator for &'a Timeline<Id> {
    type Item = (&'a Id, Timestamp);
    type IntoIter = Posts<'a, Id>;

    fn into_iter(self) -> Posts<'a, Id> {
        self.iter()
    }
}
