//! Lookups by member, score or rank.

use zset_std::Ties;
use zset_std::zset_core::Score;

use super::{Connect, Leaderboard};
use crate::Error;
use crate::leaderboard::Standing;

impl<M: Connect> Leaderboard<M> {
    /// Returns the score of a member.
    ///
    /// One round trip, **O(1)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// let is_known = board.score("ann")?.is_some();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn score<Q: AsRef<[u8]> + ?Sized>(&self, member: &Q) -> Result<Option<Score>, Error> {
        self.run(self.board.score(member.as_ref()))
    }

    /// Returns the number of lines before that of a member: 0 for the first.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// if board.rank("ann")? == Some(0) {
    ///     println!("ann is first");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn rank<Q: AsRef<[u8]> + ?Sized>(&self, member: &Q) -> Result<Option<u64>, Error> {
        self.run(self.board.rank(member.as_ref()))
    }

    /// Returns the standing of a member, starting from 1.
    ///
    /// One round trip, **O(log n)** on the server; under [`Ties::Dense`], O(d log n) for d distinct
    /// higher scores, unless the board has an [index](Self::with_dense_standings) of them.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// use zset_std::Ties;
    ///
    /// let standing = board.standing("ann", Ties::Competition)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn standing<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        ties: Ties,
    ) -> Result<Option<u64>, Error> {
        self.run(self.board.standing(member.as_ref(), ties))
    }

    /// Returns the line of a member with up to `n` lines on each side, fewer at the ends, or `None` if
    /// the member is not on the board.
    ///
    /// One round trip, **O(log n + m)** on the server for m lines, and what
    /// [`standing`](Self::standing) takes.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// use zset_std::Ties;
    ///
    /// let lines = board.around("ann", 2, Ties::Ordinal)?.unwrap_or_default();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn around<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        n: u64,
        ties: Ties,
    ) -> Result<Option<Vec<Standing>>, Error> {
        self.run(self.board.around(member.as_ref(), n, ties))
    }

    /// Returns up to `n` lines, skipping the first `offset`; none past the end.
    ///
    /// One round trip, **O(log n + m)** on the server for m lines, and what
    /// [`standing`](Self::standing) takes.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// use zset_std::Ties;
    ///
    /// let third_page = board.page(20, 10, Ties::Dense)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn page(&self, offset: u64, n: u64, ties: Ties) -> Result<Vec<Standing>, Error> {
        match self.board.page(offset, n, ties) {
            Some(operation) => self.run(operation),
            None => Ok(Vec::new()),
        }
    }

    /// Returns the first `n` lines.
    ///
    /// One round trip, **O(log n + m)** on the server for m lines.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// use zset_std::Ties;
    ///
    /// for line in board.top(10, Ties::Competition)? {
    ///     println!("{} {:?} {}", line.number, line.member, line.score);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn top(&self, n: u64, ties: Ties) -> Result<Vec<Standing>, Error> {
        self.page(0, n, ties)
    }

    /// Returns the percentile rank of a member: the percentage of members with lower scores, counting
    /// half of those with equal scores, including the member itself.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// if board.percentile("ann")?.is_some_and(|percentile| percentile > 90.0) {
    ///     println!("among the best");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn percentile<Q: AsRef<[u8]> + ?Sized>(&self, member: &Q) -> Result<Option<f64>, Error> {
        self.run(self.board.percentile(member.as_ref()))
    }

    /// Returns the number of members with at least this score.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// let qualified = board.count_at_least(100)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count_at_least(&self, score: impl Into<Score>) -> Result<u64, Error> {
        self.run(self.board.count_at_least(score.into()))
    }

    /// Returns the number of members.
    ///
    /// One round trip, **O(1)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// println!("{} members", board.len()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> Result<u64, Error> {
        self.run(self.board.len())
    }

    /// Returns whether there are no members.
    ///
    /// One round trip, **O(1)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// if board.is_empty()? {
    ///     println!("no members");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }
}
