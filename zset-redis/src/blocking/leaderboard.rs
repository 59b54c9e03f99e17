//! [`Leaderboard`]: a board that blocks the calling thread.

mod read;
mod submit;

use std::fmt;
use std::time::Duration;

use super::{Connect, Pool};
use crate::Error;
use crate::leaderboard::board::{Board, Policy};
use crate::operation::Operation;

/// A board of members and their scores on the server, highest score first: [`zset_std::Leaderboard`]
/// for many machines, over a [`Pool`] of connections.
///
/// Members are strings or bytes. Each method is one round trip. The [module](crate::leaderboard)
/// explains scores, order, and what a failover can lose.
///
/// # Examples
///
/// ```no_run
/// use zset_redis::blocking::{Leaderboard, Pool};
/// use zset_std::Ties;
///
/// let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
/// let board = Leaderboard::new(pool, "weekly");
/// board.submit("ann", 120)?;
/// board.submit("bob", 85)?;
/// board.submit("ann", 100)?; // her best stays
///
/// for line in board.top(10, Ties::Competition)? {
///     println!("{} {} {}", line.number, String::from_utf8_lossy(&line.member), line.score);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Leaderboard<M: Connect = redis::Client> {
    pool: Pool<M>,
    board: Board,
}

impl<M: Connect> Leaderboard<M> {
    /// Makes a board that keeps the best score of each member; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Leaderboard`].
    pub fn new(pool: Pool<M>, name: &str) -> Self {
        Leaderboard { pool, board: Board::new(name, Policy::Best) }
    }

    /// Makes a board that keeps the latest score of each member; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Leaderboard`].
    pub fn latest(pool: Pool<M>, name: &str) -> Self {
        Leaderboard { pool, board: Board::new(name, Policy::Latest) }
    }

    /// Makes a board that adds up the scores of each member; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Leaderboard`].
    pub fn sum(pool: Pool<M>, name: &str) -> Self {
        Leaderboard { pool, board: Board::new(name, Policy::Sum) }
    }

    /// Returns the board with a hashed name: the server stores a hash of the name, keyed with
    /// `secret`, instead of the name. **O(n)** for n bytes of the secret.
    ///
    /// It is for names that contain a user or a token. Members and scores are stored as they are.
    /// All machines use the same secret: with another one, it is another board. [Hashed
    /// keys](crate#hashed-keys) has more.
    pub fn hashed_keys(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.board.hash_keys(secret.as_ref());
        self
    }

    /// Returns the board with another deadline for each call; the default is one second. **O(1)**.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.board.deadline = deadline;
        self
    }

    /// Returns the board with a bound: it keeps only the best `max_len` members. **O(1)**.
    ///
    /// When the board is full, a new member that ranks above the last one evicts it; a new member that
    /// ranks below is rejected. The board keeps no record of an evicted member. A member whose score
    /// drops stays. A board that already has more members keeps them until [`trim_to`](Self::trim_to).
    pub fn with_max_len(mut self, max_len: u64) -> Self {
        self.board.max_len = Some(max_len);
        self
    }

    /// Returns the board with an index of its distinct scores, which the next submission builds.
    /// **O(1)**.
    ///
    /// The index changes only the time of dense standings: O(log n) on the server, and without it O(d
    /// log n) for d distinct higher scores, some microseconds for each, in which the server runs
    /// nothing else. So it is for boards with more than a few thousand distinct scores. It takes a
    /// sorted set of all distinct scores, O(d log n) once on the server to build it, and O(log n) for
    /// each later submission. All clients maintain it, whether or not they were made with it.
    pub fn with_dense_standings(mut self) -> Self {
        self.board.has_dense_standings = true;
        self
    }

    fn run<T>(&self, operation: Operation<T>) -> Result<T, Error> {
        operation.run_blocking(&self.pool, self.board.deadline)
    }
}

impl<M: Connect> Clone for Leaderboard<M> {
    fn clone(&self) -> Self {
        Leaderboard { pool: self.pool.clone(), board: self.board.clone() }
    }
}

impl<M: Connect> fmt::Debug for Leaderboard<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaderboard").field("board", &self.board).finish_non_exhaustive()
    }
}
