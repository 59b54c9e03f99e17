//! Boards of members and their scores: [`Leaderboard`], [the one that
//! blocks](crate::blocking::Leaderboard), and what they return.
//!
//! They are [`zset_std::Leaderboard`] on a server: the same policies, the same order, the same three
//! ways to number ties ([`Ties`](zset_std::Ties)), the same results.
//!
//! # Scores
//!
//! Scores are [`Score`](zset_std::zset_core::Score)s, i.e. `f64`s other than NaN: integers are exact up
//! to 2^53. Several numbers fit into one score with a [`PackedScore`](zset_std::PackedScore), e.g.
//! gold, silver and bronze medals, or points and the time of the result.
//!
//! ```no_run
//! use zset_redis::blocking::{Leaderboard, Pool};
//! use zset_std::{PackedScore, Ties};
//!
//! let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
//! let medals = Leaderboard::latest(pool, "paris");
//! let layout = PackedScore::decimal([3, 3, 3])?; // gold, silver, bronze
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
//! The highest score comes first. Members with equal scores are in ascending order of their bytes, as
//! in zset-std and unlike `ZREVRANGE`, whose order of ties is descending. For that the server stores
//! scores negated, so `ZRANGE board:{name}:scores 0 -1 WITHSCORES` prints the board in its order, with
//! scores times -1.
//!
//! # Keys and settings
//!
//! A board has one or two keys, `board:{name}:scores` and `board:{name}:distinct`, in one slot of a
//! cluster. They never expire. The policy and the bound are not stored: each client applies its own, so
//! all clients of a board should be made in the same way. The index of [`with_dense_standings`] is
//! stored, and all clients maintain it.
//!
//! # What a failover can lose
//!
//! A server replicates asynchronously: it replies to a client before its replicas have the write. If it
//! fails and a replica becomes the primary, the writes of the last moments are lost: those of the
//! replication lag, usually milliseconds. `min-replicas-to-write 1` with `min-replicas-max-lag` bounds
//! the lag, since a server that has no replica within it then refuses writes. So at most the
//! submissions of that time are lost. Each script is replicated
//! as one transaction, so what remains is a board as it was some moments before, never half of a
//! submission. Submitting a lost score again restores it under the policies best and latest; a sum
//! cannot know what it has lost. After [`Error::Timeout`], too, it is unknown whether a submission
//! counts, so repeat those of a sum only if counting one twice is acceptable.
//!
//! [`with_dense_standings`]: crate::blocking::Leaderboard::with_dense_standings
//! [`Error::Timeout`]: crate::Error::Timeout

#[cfg(feature = "tokio")]
mod awaited;
pub(crate) mod board;
mod scripts;
mod standing;

#[cfg(feature = "tokio")]
pub use awaited::Leaderboard;
pub use standing::{Standing, Submission};
