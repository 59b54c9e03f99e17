//! [`Sample`]: decides whether a reply to a ZRANDMEMBER command is possible.

use std::collections::{BTreeMap, BTreeSet};

use super::command::Command;
use super::process::{Kind, Reply};
use super::score::is_same_score;

/// A set with its scores as strings.
pub(crate) type Elements = BTreeMap<Vec<u8>, Vec<u8>>;

/// A ZRANDMEMBER command on a set with these elements.
pub(crate) struct Sample {
    elements: Elements,
    /// The requested number of members. If it is negative, members may repeat.
    count: Option<i64>,
    with_scores: bool,
}

impl Sample {
    /// Returns the key if the command is ZRANDMEMBER.
    pub(crate) fn key(command: &Command) -> Option<&[u8]> {
        let key = command.words().get(1).filter(|_| command.name() == "ZRANDMEMBER");
        key.map(Vec::as_slice)
    }

    pub(crate) fn new(command: &Command, elements: Elements) -> Sample {
        let count = command.words().get(2);
        let count = count.and_then(|count| String::from_utf8_lossy(count).parse().ok());
        Sample { elements, count, with_scores: command.words().len() > 3 }
    }

    /// Returns whether a reply in RESP3 is possible. The reply must not be an error.
    pub(crate) fn could_be(&self, reply: &Reply<'_>, kind: Kind) -> bool {
        let Some(count) = self.count else {
            return match reply {
                Reply::Text(_, member) => self.elements.contains_key(*member),
                _ => self.elements.is_empty() && *reply == Reply::Line(b'_', b""),
            };
        };
        let Reply::List(b'*', parts) = reply else { return false };
        let mut seen = BTreeSet::new();
        parts.len() == self.len(count)
            && parts.iter().all(|part| {
                let Some(member) = self.member(part, kind) else { return false };
                seen.insert(member) || count < 0
            })
    }

    fn len(&self, count: i64) -> usize {
        let len = usize::try_from(count.unsigned_abs()).expect("64 bits");
        match count {
            _ if self.elements.is_empty() => 0,
            ..0 => len,
            _ => len.min(self.elements.len()),
        }
    }

    /// Returns the member in a part of the reply, or `None` if the set lacks it or its score
    /// differs.
    fn member<'a>(&self, part: &Reply<'a>, kind: Kind) -> Option<&'a [u8]> {
        let (member, score) = match part {
            Reply::Text(_, member) if !self.with_scores => (member, None),
            Reply::List(b'*', pair) if self.with_scores => match pair[..] {
                [Reply::Text(_, ref member), Reply::Line(b',', score)] => (member, Some(score)),
                _ => return None,
            },
            _ => return None,
        };
        let ours = self.elements.get(*member)?;
        score.is_none_or(|score| is_same_score(ours, score, kind)).then_some(*member)
    }
}
