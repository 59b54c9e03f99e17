//! Lookups by member, score or rank.

use redis::aio::ConnectionLike;
use zset_std::Ties;
use zset_std::zset_core::Score;

use super::Leaderboard;
use crate::Error;
use crate::leaderboard::Standing;

impl<C: ConnectionLike + Clone> Leaderboard<C> {
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let is_known = board.score("ann").await?.is_some();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn score<Q: AsRef<[u8]> + ?Sized>(&self, member: &Q) -> Result<Option<Score>, Error> {
        self.run(self.board.score(member.as_ref())).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if board.rank("ann").await? == Some(0) {
    ///     println!("ann is first");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn rank<Q: AsRef<[u8]> + ?Sized>(&self, member: &Q) -> Result<Option<u64>, Error> {
        self.run(self.board.rank(member.as_ref())).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::Ties;
    ///
    /// let standing = board.standing("ann", Ties::Competition).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn standing<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        ties: Ties,
    ) -> Result<Option<u64>, Error> {
        self.run(self.board.standing(member.as_ref(), ties)).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::Ties;
    ///
    /// let lines = board.around("ann", 2, Ties::Ordinal).await?.unwrap_or_default();
    /// # Ok(())
    /// # }
    /// ```
    pub async fn around<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        n: u64,
        ties: Ties,
    ) -> Result<Option<Vec<Standing>>, Error> {
        self.run(self.board.around(member.as_ref(), n, ties)).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::Ties;
    ///
    /// let third_page = board.page(20, 10, Ties::Dense).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn page(&self, offset: u64, n: u64, ties: Ties) -> Result<Vec<Standing>, Error> {
        match self.board.page(offset, n, ties) {
            Some(operation) => self.run(operation).await,
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// use zset_std::Ties;
    ///
    /// for line in board.top(10, Ties::Competition).await? {
    ///     println!("{} {:?} {}", line.number, line.member, line.score);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn top(&self, n: u64, ties: Ties) -> Result<Vec<Standing>, Error> {
        self.page(0, n, ties).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if board.percentile("ann").await?.is_some_and(|percentile| percentile > 90.0) {
    ///     println!("among the best");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn percentile<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
    ) -> Result<Option<f64>, Error> {
        self.run(self.board.percentile(member.as_ref())).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let qualified = board.count_at_least(100).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn count_at_least(&self, score: impl Into<Score>) -> Result<u64, Error> {
        self.run(self.board.count_at_least(score.into())).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// println!("{} members", board.len().await?);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn len(&self) -> Result<u64, Error> {
        self.run(self.board.len()).await
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
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// if board.is_empty().await? {
    ///     println!("no members");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len().await? == 0)
    }
}
