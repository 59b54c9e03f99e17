//! Replies shared by several commands.

use zset_core::{Score, ZSet};

use crate::command::{Context, Replied};
use crate::keyspace::Value;
use crate::resp::Replies;

/// What to write for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Member,
    MemberAndScore,
}

/// Writes elements in the format of the range commands.
pub(super) fn elements<M: AsRef<[u8]>>(
    replies: &mut Replies,
    shown: Shown,
    elements: impl ExactSizeIterator<Item = (M, Score)>,
) {
    begin(replies, shown, elements.len());
    for each in elements {
        element(replies, shown, each);
    }
}

/// Begins what [`elements`] writes; exactly `len` calls of [`element`] must follow.
pub(super) fn begin(replies: &mut Replies, shown: Shown, len: usize) {
    match shown {
        Shown::Member => replies.array(len),
        Shown::MemberAndScore => replies.pairs(len),
    }
}

/// Writes a single element.
pub(super) fn element(
    replies: &mut Replies,
    shown: Shown,
    (member, score): (impl AsRef<[u8]>, Score),
) {
    match shown {
        Shown::Member => replies.bulk(member.as_ref()),
        Shown::MemberAndScore => {
            replies.pair();
            replies.bulk(member.as_ref());
            replies.score(score);
        }
    }
}

/// Writes a score, or null.
pub(super) fn score(replies: &mut Replies, score: Option<Score>) {
    match score {
        Some(score) => replies.score(score),
        None => replies.null(),
    }
}

/// Stores a set at a key and replies with the number of its members.
pub(super) fn store(context: &mut Context<'_>, key: &[u8], set: ZSet) -> Replied {
    let len = set.len();
    context.state.keyspace.set(key, Value::SortedSet(set));
    context.count(len)
}
