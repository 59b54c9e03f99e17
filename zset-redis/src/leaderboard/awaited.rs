//! [`Leaderboard`]: a board to be awaited.

mod read;
mod submit;

use std::fmt;
use std::time::Duration;

use redis::aio::ConnectionLike;

use super::board::{Board, Policy};
use crate::Error;
use crate::operation::Operation;
use crate::run::Link;

/// A board of members and their scores on the server, highest score first: [`zset_std::Leaderboard`]
/// for many machines.
///
/// Members are strings or bytes. `C` is a connection that can be cloned: a
/// [`MultiplexedConnection`](redis::aio::MultiplexedConnection), a
/// [`ConnectionManager`](redis::aio::ConnectionManager), or a connection to a cluster. Clones share the
/// connection. Each method is one round trip. The [module](crate::leaderboard) explains scores, order,
/// and what a failover can lose.
///
/// # Examples
///
/// ```no_run
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
pub struct Leaderboard<C> {
    link: Link<C>,
    board: Board,
}

impl<C> Leaderboard<C> {
    /// Makes a board that keeps the best score of each member; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Leaderboard`].
    pub fn new(connection: C, name: &str) -> Self {
        Leaderboard { link: Link::new(connection), board: Board::new(name, Policy::Best) }
    }

    /// Makes a board that keeps the latest score of each member; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Leaderboard`].
    pub fn latest(connection: C, name: &str) -> Self {
        Leaderboard { link: Link::new(connection), board: Board::new(name, Policy::Latest) }
    }

    /// Makes a board that adds up the scores of each member; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Leaderboard`].
    pub fn sum(connection: C, name: &str) -> Self {
        Leaderboard { link: Link::new(connection), board: Board::new(name, Policy::Sum) }
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
}

impl<C: ConnectionLike + Clone> Leaderboard<C> {
    async fn run<T>(&self, operation: Operation<T>) -> Result<T, Error> {
        operation.run(&self.link, self.board.deadline).await
    }
}

impl<C> fmt::Debug for Leaderboard<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leaderboard").field("board", &self.board).finish_non_exhaustive()
    }
}
