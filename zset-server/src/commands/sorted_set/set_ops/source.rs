//! [`Source`]: an operand of a union, an intersection or a difference.

use zset_core::{Member, Score, ZSet};

use crate::keyspace::{Keyspace, Set, Value, WrongType};

/// A sorted set, a plain set, or a missing key, which counts as empty.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'a> {
    Missing,
    Set(&'a Set),
    SortedSet(&'a ZSet),
}

impl<'a> Source<'a> {
    pub(super) fn find(keyspace: &'a Keyspace, key: &[u8]) -> Result<Self, WrongType> {
        match keyspace.value(key) {
            None => Ok(Source::Missing),
            Some(Value::Set(set)) => Ok(Source::Set(set)),
            Some(Value::SortedSet(set)) => Ok(Source::SortedSet(set)),
            Some(_) => Err(WrongType),
        }
    }

    pub(super) fn len(self) -> usize {
        match self {
            Source::Missing => 0,
            Source::Set(set) => set.len(),
            Source::SortedSet(set) => set.len(),
        }
    }

    /// Returns the score of a member; members of a plain set have score 1. **O(1)**.
    pub(super) fn score(self, member: &[u8]) -> Option<Score> {
        match self {
            Source::Missing => None,
            Source::Set(set) => set.contains(member).then(|| Score::from(1)),
            Source::SortedSet(set) => set.score(member),
        }
    }

    pub(super) fn contains(self, member: &[u8]) -> bool {
        self.score(member).is_some()
    }

    /// Returns the elements, in order unless the set is plain.
    pub(super) fn iter(self) -> impl Iterator<Item = (Member<'a>, Score)> {
        let (plain, sorted) = match self {
            Source::Missing => (None, None),
            Source::Set(set) => (Some(set), None),
            Source::SortedSet(set) => (None, Some(set)),
        };
        let plain = plain.into_iter().flatten();
        let plain = plain.map(|member| (Member::from(&**member), Score::from(1)));
        plain.chain(sorted.into_iter().flatten())
    }
}
