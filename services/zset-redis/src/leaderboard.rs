//! Boards of members and their scores: [`Leaderboard`], and the types that it returns.
//!
//! A board has the same order, built-in policies and ways to number ties ([`Ties`]) as a
//! [`zset_std::Leaderboard`]. Members are bytes.
//!
//! # Scores
//!
//! Scores are [`Score`]s, i.e. `f64`s other than NaN; integers are exact up to 2^53. A
//! [`PackedScore`](zset_std::PackedScore) packs several numbers into one score, e.g. gold, silver
//! and bronze medals, or points and the time of the result.
//!
//! ```no_run
//! use zset_redis::Leaderboard;
//! use zset_redis::blocking::Pool;
//! use zset_std::{Latest, PackedScore, Ties};
//!
//! let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
//! let medals = Leaderboard::with_policy(pool, "paris", Latest);
//! let layout = PackedScore::with_digits([3, 3, 3])?; // gold, silver, bronze
//! medals.submit("USA", layout.pack([40, 44, 42])?)?;
//! medals.submit("CHN", layout.pack([40, 27, 24])?)?;
//! for line in medals.top(3, Ties::Competition)? {
//!     println!("{} {:?} {:?}", line.number, line.member, layout.unpack(line.score)?);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order
//!
//! The highest score comes first. Members with equal scores are in ascending order of their bytes,
//! as in zset-std. `ZREVRANGE` would return ties in descending order, so the server stores negated
//! scores: `ZRANGE board:{name}:scores 0 -1 WITHSCORES` prints the board in its order, with each
//! score negated.
//!
//! # Keys and settings
//!
//! A board has the key `board:{name}:scores` and, if it has an index, the key
//! `board:{name}:distinct`. Both are in one slot of a cluster, and never expire. The policy and the
//! bound are not stored on the server. Each client applies its own settings, so all clients of a
//! board should use the same ones. The index, which [`with_dense_standings`] requests, is stored,
//! and all clients maintain it.
//!
//! # What a failover can lose
//!
//! Replication is asynchronous: a primary replies before its replicas have received the write. If
//! the primary fails and a replica takes over, the writes that the replica has not received are
//! lost, usually those of the last few milliseconds. With `min-replicas-to-write 1`, a primary
//! refuses writes unless a replica is within `min-replicas-max-lag`, so only the submissions of
//! that time can be lost. Each script is replicated as one transaction, so the new primary has an
//! earlier state of the board, never half of a submission. Under the policies best and latest,
//! submitting a lost score again restores it. Under the policy sum, it is unknown which submissions
//! were lost, so submitting a score again could count it twice. The same holds after
//! [`Failure::Timeout`].
//!
//! [`with_dense_standings`]: Leaderboard::with_dense_standings

use std::fmt;
use std::time::Duration;

use redis::Value;
use zset_std::zset_core::Score;
use zset_std::{Best, Latest, Sum, Ties};

#[cfg(doc)]
use crate::blocking::Pool;
use crate::connection::Caller;
use crate::key::FixedNames;
use crate::operation::{self, operations, read};
use crate::script::{Call, MOST, Script, scripts};
use crate::settings::settings;
use crate::{Connection, Failure, LeaderboardError};
use sealed::Named;

type Operation<'a, T> = operation::Operation<'a, T, LeaderboardError>;

/// A board of members and their scores on the server, highest score first:
/// [`zset_std::Leaderboard`] for many machines.
///
/// Members are strings or bytes. `C` is the connection, as for a [limiter](crate::Keyed): over a
/// [`Pool`] calls block, over an asynchronous connection they are awaited. Clones share the
/// connection. Each call is usually one round trip, and returns a [`LeaderboardError`] if the
/// server fails. The [module](crate::leaderboard) explains scores, order, and what a failover can
/// lose.
///
/// # Examples
///
#[cfg_attr(feature = "tokio", doc = "```no_run")]
#[cfg_attr(not(feature = "tokio"), doc = "```ignore")]
/// use zset_redis::Leaderboard;
/// use zset_std::Ties;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let board = Leaderboard::new(client.get_connection_manager().await?, "weekly");
/// board.submit("ann", 120).await?;
/// board.submit("bob", 85).await?;
/// board.submit("ann", 100).await?; // her best stays
///
/// for line in board.top(10, Ties::Competition).await? {
///     println!("{} {} {}", line.number, String::from_utf8_lossy(&line.member), line.score);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Leaderboard<C: Connection> {
    caller: Caller<C>,
    board: Board,
}

impl<C: Connection> Leaderboard<C> {
    /// Makes a board that keeps the best score of each member; its keys contain `name`. **O(1)**.
    pub fn new(connection: C, name: &str) -> Self {
        Leaderboard::with_policy(connection, name, Best)
    }

    /// Makes a board with a policy: [`Latest`] or [`Sum`]; its keys contain `name`. **O(1)**.
    pub fn with_policy<K: ServerPolicy>(connection: C, name: &str, _: K) -> Self {
        let board = Board {
            names: FixedNames::new("board", name, &["scores", "distinct"]),
            policy: K::NAME,
            max_len: None,
            has_dense_standings: false,
            deadline: Duration::from_secs(1),
        };
        Leaderboard { caller: Caller::new(connection), board }
    }

    settings! {
        "board", board;
        /// Returns the board with a hashed name: the server stores a hash of the name, keyed with
        /// `secret`, instead of the name. **O(n)** for n bytes of the secret.
        ///
        /// Use it if the name contains a user or a token. Members and scores are stored as they
        /// are. All machines must use the same secret: another secret means another board. See
        /// [hashed keys](crate#hashed-keys).
        with_hashed_keys
        with_deadline
    }

    /// Returns the board with a bound: it keeps only the best `max_len` members. **O(1)**.
    ///
    /// When the board is full, a new member that ranks above the last one evicts it; a new member
    /// that ranks below is rejected. The board keeps no record of an evicted member. A member whose
    /// score drops stays. A board that already has more members keeps them until
    /// [`trim_to`](Self::trim_to).
    pub fn with_max_len(mut self, max_len: u64) -> Self {
        self.board.max_len = Some(max_len);
        self
    }

    /// Returns the board with an index of its distinct scores, which the next submission builds.
    /// **O(1)**.
    ///
    /// The index only makes dense standings faster: O(log n) on the server instead of O(d log n)
    /// for d distinct higher scores, which is some microseconds for each, during which the server
    /// runs nothing else. It pays for boards with more than a few thousand distinct scores. It is a
    /// sorted set of all distinct scores; building it takes O(d log n) once on the server, and
    /// maintaining it O(log n) for each later submission. All clients maintain it, whether or not
    /// they use this method.
    pub fn with_dense_standings(mut self) -> Self {
        self.board.has_dense_standings = true;
        self
    }
}

operations! {
    LeaderboardError:
    impl<C> Leaderboard<C> {
        /// Submits a score: it combines with the member's current one by the board's policy.
        ///
        /// **O(log n)** on the server. A new member of a full board either evicts the last one or
        /// is rejected; see [`with_max_len`](Self::with_max_len).
        ///
        /// # Errors
        ///
        /// [`LeaderboardError::NanScore`] if the sum is not a number; the score is unchanged.
        pub fn submit(
            &self,
            member: &(impl AsRef<[u8]> + ?Sized),
            score: impl Into<Score>,
        ) -> Operation<Submission> {
            self.board.submit(self.board.policy, member.as_ref(), score.into())
        }

        /// Adds to the score of a member, whatever the policy; an absent member starts from zero.
        /// **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// Like [`submit`](Self::submit).
        pub fn increment(
            &self,
            member: &(impl AsRef<[u8]> + ?Sized),
            by: impl Into<Score>,
        ) -> Operation<Submission> {
            self.board.submit(Sum::NAME, member.as_ref(), by.into())
        }

        /// Removes a member and returns its score. **O(log n)** on the server.
        pub fn remove(&self, member: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Option<Score>> {
            self.board.call(&scripts::REMOVE).argument(member.as_ref()).read(read_score)
        }

        /// Removes all but the first `n` members and returns how many it removed.
        ///
        /// **O(m + log n)** on the server for m members removed.
        pub fn trim_to(&self, n: u64) -> Operation<u64> {
            self.board.call(&scripts::TRIM_TO).number(n.min(MOST)).value()
        }

        /// Removes all members.
        ///
        /// **O(1)** on the server, which frees them in the background.
        pub fn clear(&self) -> Operation<()> {
            self.board.call(&scripts::CLEAR).value::<u64>().map(drop)
        }

        /// Returns the score of a member. **O(1)** on the server.
        pub fn score(&self, member: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Option<Score>> {
            self.board.call(&scripts::SCORE).argument(member.as_ref()).read(read_score)
        }

        /// Returns the 0-based rank of a member, highest score first. **O(log n)** on the server.
        pub fn rank(&self, member: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Option<u64>> {
            self.board.standing(member.as_ref(), Ties::Ordinal).read(|reply| match read(reply)? {
                Some(0) => Err(Failure::UnexpectedReply.into()),
                number => Ok(number.map(|number: u64| number - 1)),
            })
        }

        /// Returns the standing of a member, starting from 1.
        ///
        /// **O(log n)** on the server; under [`Ties::Dense`], O(d log n) for d distinct higher
        /// scores, unless the board has an [index](Self::with_dense_standings) of them.
        pub fn standing(
            &self,
            member: &(impl AsRef<[u8]> + ?Sized),
            ties: Ties,
        ) -> Operation<Option<u64>> {
            self.board.standing(member.as_ref(), ties).value()
        }

        /// Returns the line of a member with up to `n` lines on each side, fewer at the ends, or
        /// `None` if the member is not on the board.
        ///
        /// **O(log n + m)** on the server for m lines, plus the cost of
        /// [`standing`](Self::standing).
        pub fn around(
            &self,
            member: &(impl AsRef<[u8]> + ?Sized),
            n: u64,
            ties: Ties,
        ) -> Operation<Option<Vec<Standing>>> {
            let call = self.board.call(&scripts::AROUND).argument(member.as_ref());
            call.number(n.min(MOST)).argument(text(ties)).read(move |reply| match reply {
                Value::Nil => Ok(None),
                reply => numbered(reply, ties).map(Some),
            })
        }

        /// Returns up to `n` lines, skipping the first `offset`; none past the end.
        ///
        /// **O(log n + m)** on the server for m lines, plus the cost of
        /// [`standing`](Self::standing).
        pub fn page(&self, offset: u64, n: u64, ties: Ties) -> Operation<Vec<Standing>> {
            self.board.page(offset, n, ties)
        }

        /// Returns the first `n` lines.
        ///
        /// **O(log n + m)** on the server for m lines.
        pub fn top(&self, n: u64, ties: Ties) -> Operation<Vec<Standing>> {
            self.board.page(0, n, ties)
        }

        /// Returns the number of members with at least this score. **O(log n)** on the server.
        pub fn count_at_least(&self, score: impl Into<Score>) -> Operation<u64> {
            self.board.call(&scripts::COUNT_AT_LEAST).argument(negated(score.into())).value()
        }

        /// Returns the number of members. **O(1)** on the server.
        pub fn len(&self) -> Operation<u64> {
            self.board.call(&scripts::LEN).value()
        }

        /// Returns whether there are no members. **O(1)** on the server.
        pub fn is_empty(&self) -> Operation<bool> {
            self.board.call(&scripts::LEN).value::<u64>().map(|len| len == 0)
        }
    }
}

impl<C: Connection> Leaderboard<C> {
    async fn run<T>(&self, operation: Operation<'_, T>) -> Result<T, LeaderboardError> {
        self.caller.run(operation, self.board.deadline).await
    }
}

impl<C: Connection> fmt::Debug for Leaderboard<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaderboard").field("board", &self.board).finish_non_exhaustive()
    }
}

/// A policy that the server applies: [`Best`], [`Latest`] or [`Sum`].
pub trait ServerPolicy: Named {}

mod sealed {
    pub trait Named {
        /// The name of the policy in the script.
        const NAME: &'static str;
    }
}

impl<K: Named> ServerPolicy for K {}

impl Named for Best {
    const NAME: &'static str = "best";
}

impl Named for Latest {
    const NAME: &'static str = "latest";
}

impl Named for Sum {
    const NAME: &'static str = "sum";
}

/// The keys and the settings of a board.
#[derive(Clone, Debug)]
struct Board {
    names: FixedNames,
    /// The name of the policy.
    policy: &'static str,
    max_len: Option<u64>,
    has_dense_standings: bool,
    deadline: Duration,
}

impl Board {
    fn call(&self, script: &'static Script) -> Call<LeaderboardError> {
        Call::new(script, self.names.all.to_vec())
    }

    fn submit(&self, policy: &str, member: &[u8], score: Score) -> Operation<'static, Submission> {
        let max_len = self.max_len.map_or(String::new(), |max_len| max_len.to_string());
        let call = self.call(&scripts::SUBMIT).argument(policy).argument(member);
        let call = call.argument(negated(score)).argument(max_len);
        call.number(self.has_dense_standings).read(Submission::read)
    }

    fn standing(&self, member: &[u8], ties: Ties) -> Call<LeaderboardError> {
        self.call(&scripts::STANDING).argument(member).argument(text(ties))
    }

    fn page(&self, offset: u64, n: u64, ties: Ties) -> Operation<'static, Vec<Standing>> {
        if n == 0 || offset > MOST {
            return Operation::known(Vec::new());
        }
        let last = offset.saturating_add(n - 1).min(MOST);
        let call = self.call(&scripts::PAGE).number(offset).number(last);
        call.argument(text(ties)).read(move |reply| numbered(reply, ties))
    }
}

scripts! {
    "leaderboard", "board":
    SUBMIT writing "submit",
    REMOVE freeing "remove",
    TRIM_TO freeing "trim_to",
    CLEAR freeing "clear",
    SCORE reading "score",
    STANDING reading "standing",
    PAGE reading "page",
    AROUND reading "around",
    COUNT_AT_LEAST reading "count_at_least",
    LEN reading "len"
}

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

/// The result of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Submission {
    /// The member's previous score, if it was on the board.
    pub old: Option<Score>,
    /// The member's new score, or `None` if a full board rejected it.
    pub new: Option<Score>,
    /// The entry evicted or rejected by the size bound: the last member, or the submitted one if
    /// `new` is `None`.
    pub dropped: Option<(Vec<u8>, Score)>,
}

/// The old score, the new score, and the dropped member with its score.
type Outcome = (Option<f64>, Option<f64>, Option<Vec<u8>>, Option<f64>);

impl Submission {
    /// Returns whether the board has changed. **O(1)**.
    pub fn is_changed(&self) -> bool {
        self.old != self.new
    }

    fn read(reply: Value) -> Result<Submission, LeaderboardError> {
        if reply == Value::BulkString(b"NaN".into()) {
            return Err(LeaderboardError::NanScore);
        }
        let (old, new, member, score) = read::<Outcome>(reply)?;
        let score = score.map(turned).transpose()?;
        Ok(Submission {
            old: old.map(turned).transpose()?,
            new: new.map(turned).transpose()?,
            dropped: member.zip(score),
        })
    }
}

/// Reads lines. The reply has the number of the first line, from which the others follow.
fn numbered(reply: Value, ties: Ties) -> Result<Vec<Standing>, LeaderboardError> {
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

/// Returns a score as it is stored: negated, so that rank 0 is the highest score and members with
/// equal scores are in ascending order.
fn negated(score: Score) -> String {
    let score = -score.get();
    // Negating zero results in -0, whose sign the server would keep.
    if score == 0.0 { "0".to_owned() } else { score.to_string() }
}

/// Reads a stored score.
fn turned(stored: f64) -> Result<Score, Failure> {
    Score::new(-stored).map_err(|_| Failure::UnexpectedReply)
}

fn read_score(reply: Value) -> Result<Option<Score>, LeaderboardError> {
    Ok(read::<Option<f64>>(reply)?.map(turned).transpose()?)
}

fn text(ties: Ties) -> &'static str {
    match ties {
        Ties::Dense => "dense",
        Ties::Competition => "competition",
        Ties::Ordinal => "ordinal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_stored_as_strings_that_read_back_negated() {
        let stored = |score: f64| negated(Score::new(score).unwrap());
        assert_eq!(stored(0.0), "0");
        assert_eq!(stored(9_007_199_254_740_991.0), "-9007199254740991");
        assert_eq!(stored(f64::NEG_INFINITY), "inf");
        for score in [0.1, -1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY] {
            let read = turned(stored(score).parse().unwrap());
            assert_eq!(read.unwrap(), Score::new(score).unwrap());
        }
    }
}
