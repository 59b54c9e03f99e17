//! Replies that several commands make.

use zset_core::Score;

use crate::resp::Replies;

/// What is shown of each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Member,
    MemberAndScore,
}

/// Writes elements, as the commands of ranges do.
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

/// Begins what [`elements`] writes; so many calls of [`element`] have to follow.
pub(super) fn begin(replies: &mut Replies, shown: Shown, len: usize) {
    match shown {
        Shown::Member => replies.array(len),
        Shown::MemberAndScore => replies.pairs(len),
    }
}

/// Writes one of them.
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

/// Writes a score, or that there is none.
pub(super) fn score(replies: &mut Replies, score: Option<Score>) {
    match score {
        Some(score) => replies.score(score),
        None => replies.null(),
    }
}
