//! Submitting scores, and removing members.

use zset_std::zset_core::Score;

use super::{Connect, Leaderboard};
use crate::Error;
use crate::leaderboard::Submission;

impl<M: Connect> Leaderboard<M> {
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
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// let submission = board.submit("ann", 120)?;
    /// println!("{:?} became {:?}", submission.old, submission.new);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn submit<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        score: impl Into<Score>,
    ) -> Result<Submission, Error> {
        self.run(self.board.submit(member.as_ref(), score.into()))
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
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// board.increment("ann", -7)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn increment<Q: AsRef<[u8]> + ?Sized>(
        &self,
        member: &Q,
        by: impl Into<Score>,
    ) -> Result<Submission, Error> {
        self.run(self.board.increment(member.as_ref(), by.into()))
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
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// if let Some(score) = board.remove("ann")? {
    ///     println!("ann leaves with {score}");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove<Q: AsRef<[u8]> + ?Sized>(&self, member: &Q) -> Result<Option<Score>, Error> {
        self.run(self.board.remove(member.as_ref()))
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
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// board.trim_to(100)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn trim_to(&self, n: u64) -> Result<u64, Error> {
        self.run(self.board.trim_to(n))
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
    /// # use zset_redis::blocking::{Leaderboard, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let board = Leaderboard::new(Pool::new(client), "weekly");
    /// board.clear()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&self) -> Result<(), Error> {
        self.run(self.board.clear())
    }
}
