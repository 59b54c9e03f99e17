//! [`Standing`] and [`Submission`]: what a board returns.

use redis::Value;
use zset_std::Ties;
use zset_std::zset_core::Score;

use super::board::turned;
use crate::Error;
use crate::operation::read;

/// A line of a board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Standing {
    /// The standing, starting from 1.
    pub number: u64,
    /// The member.
    pub member: Vec<u8>,
    /// Its score.
    pub score: Score,
}

/// What a submission did to a board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Submission {
    /// The member's previous score, if it was on the board.
    pub old: Option<Score>,
    /// The member's new score, or `None` if a full board rejected it.
    pub new: Option<Score>,
    /// The entry evicted or rejected by the size bound: the last member, or the submitted one if `new`
    /// is `None`.
    pub dropped: Option<(Vec<u8>, Score)>,
}

/// The old and the new score, and the entry dropped.
type Reply = (Option<f64>, Option<f64>, Option<Vec<u8>>, Option<f64>);

impl Submission {
    /// Returns whether the board has changed. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = zset_redis::redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// assert!(board.submit("ann", 7)?.is_changed());
    /// assert!(!board.submit("ann", 5)?.is_changed()); // 7 is better
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_changed(&self) -> bool {
        self.old != self.new
    }

    pub(super) fn read(reply: Value) -> Result<Submission, Error> {
        if reply == Value::BulkString(b"NaN".into()) {
            return Err(Error::NanScore);
        }
        let (old, new, member, score) = read::<Reply>(reply)?;
        let score = score.map(turned).transpose()?;
        Ok(Submission {
            old: old.map(turned).transpose()?,
            new: new.map(turned).transpose()?,
            dropped: member.zip(score),
        })
    }
}

/// Reads lines, of which the reply numbers only the first.
pub(super) fn numbered(reply: Value, ties: Ties) -> Result<Vec<Standing>, Error> {
    let (first_rank, first_number, entries) = read::<(u64, u64, Vec<Value>)>(reply)?;
    let mut lines = Vec::<Standing>::with_capacity(entries.len() / 2);
    let mut entries = entries.into_iter();
    let mut rank = first_rank;
    while let (Some(member), Some(score)) = (entries.next(), entries.next()) {
        let score = turned(read(score)?)?;
        let number = match (lines.last(), ties) {
            (None, _) => first_number,
            (Some(last), Ties::Dense | Ties::Competition) if last.score == score => last.number,
            (Some(last), Ties::Dense) => last.number.saturating_add(1),
            (Some(_), Ties::Competition | Ties::Ordinal) => rank.saturating_add(1),
        };
        lines.push(Standing { number, member: read(member)?, score });
        rank = rank.saturating_add(1);
    }
    Ok(lines)
}
