//! Submitting scores, and removing members.

use redis::aio::ConnectionLike;
use zset_std::zset_core::Score;

use super::Leaderboard;
use crate::Error;
use crate::leaderboard::Submission;

impl<C: ConnectionLike + Clone> Leaderboard<C> {
    /// Submits a score: it combines with the member's current one by the board's policy.
    ///
    /// One round trip, **O(log n)** on the server. A new member of a full board either evicts the last
    /// one or is rejected; see [`with_max_len`](Self::with_max_len).
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, or [`Error::NanScore`] if a sum is not a number; the member then
    /// keeps its score.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// let submission = board.submit("ann", 120).await?;
    /// println!("{:?} became {:?}", submission.old, submission.new);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn submit<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        score: impl Into<Score>,
    ) -> Result<Submission, Error> {
        self.run(self.board.submit(member.as_ref(), score.into())).await
    }

    /// Adds to the score of a member, whatever the policy; an absent member starts from zero.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// Like [`submit`](Self::submit).
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # async fn example(
    /// #     board: zset_redis::Leaderboard<redis::aio::ConnectionManager>,
    /// # ) -> Result<(), zset_redis::Error> {
    /// board.increment("ann", -7).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn increment<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        by: impl Into<Score>,
    ) -> Result<Submission, Error> {
        self.run(self.board.increment(member.as_ref(), by.into())).await
    }

    /// Removes a member and returns its score.
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
    /// if let Some(score) = board.remove("ann").await? {
    ///     println!("ann leaves with {score}");
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn remove<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
    ) -> Result<Option<Score>, Error> {
        self.run(self.board.remove(member.as_ref())).await
    }

    /// Removes all but the first `n` members and returns how many it removed.
    ///
    /// One round trip, **O(m + log n)** on the server for m members removed.
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
    /// board.trim_to(100).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn trim_to(&self, n: u64) -> Result<u64, Error> {
        self.run(self.board.trim_to(n)).await
    }

    /// Removes all members.
    ///
    /// One round trip, **O(1)** on the server, which frees them in the background.
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
    /// board.clear().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn clear(&self) -> Result<(), Error> {
        self.run(self.board.clear()).await
    }
}
