//! Boards: members by score, highest first.
//!
//! ```
//! use zset_std::{Leaderboard, Ties};
//!
//! // Gold, silver, bronze: a tuple needs no packing.
//! let mut medals = Leaderboard::new();
//! for (country, won) in [("FRA", (16, 26, 22)), ("NED", (15, 7, 12)), ("USA", (40, 44, 42))] {
//!     medals.submit(country, won);
//! }
//! assert_eq!(medals.standing("NED", Ties::Competition), Some(3));
//! assert!(medals.top(1).map(|standing| *standing.member).eq(["USA"]));
//! ```
//!
//! The types are a [`Leaderboard`](crate::Leaderboard), a
//! [`WindowedLeaderboard`](crate::WindowedLeaderboard) and a [`PackedScore`](crate::PackedScore):
//! [which one for what](crate#which-type).
//!
//! # What a second score does
//!
//! A board keeps the [`Best`](crate::Best), the [`Latest`](crate::Latest) or the
//! [`Sum`](crate::Sum) of a member's scores: [`new`](crate::Leaderboard::new) keeps the best,
//! [`with_policy`](crate::Leaderboard::with_policy) takes another policy. For scores of which the
//! lowest is best, such as lap times, use [`Reverse`](std::cmp::Reverse).
//!
//! # Ties
//!
//! Members with equal scores are listed in ascending order of the members, or, if they are
//! [`Unordered`](zset_core::Unordered), in the order in which they reached the score.
//! [`Ties`](crate::Ties) determines how they are numbered:
//!
//! | scores | `Ordinal` | `Competition` | `Dense` |
//! |---:|---:|---:|---:|
//! | 120 | 1 | 1 | 1 |
//! | 100 | 2 | 2 | 2 |
//! | 100 | 3 | 2 | 2 |
//! | 85 | 4 | 4 | 3 |
//!
//! If scores have a part that only orders ties, such as a time,
//! [`ties_by`](crate::leaderboard::Standings::ties_by) numbers by the other part.
//!
//! # Today and this week
//!
//! A [`WindowedLeaderboard`](crate::WindowedLeaderboard) divides time into buckets. Each bucket has
//! a board, and one more board merges them all. A bucket expires as a whole. Its scores then no
//! longer count in the merged board.
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{Buckets, Timestamp, WindowedLeaderboard};
//!
//! const DAY: Duration = Duration::from_secs(86_400);
//! let day = |n: u32| Timestamp::ZERO.saturating_add(DAY * n);
//!
//! // Seven days, the current one among them.
//! let mut week = WindowedLeaderboard::new(Buckets::new(DAY, 7)?);
//! week.submit("ann", 90, day(0));
//! week.submit("ann", 50, day(1));
//! week.submit("bob", 70, day(1));
//!
//! assert_eq!(week.current().score("ann"), Some(&50));
//! assert_eq!(week.merged().score("ann"), Some(&90));
//! # Ok::<(), zset_std::windowed_leaderboard::BucketsError>(())
//! ```
//!
//! # Scores for a server
//!
//! In process, use a tuple. A server's score is one `f64`: a [`PackedScore`](crate::PackedScore)
//! gives each number a field of fixed width, so the order is right, and a number that would
//! overflow into the next field is an error.
//!
//! # Memory, threads, storage
//!
//! A board grows with each new member. With [`with_max_len`](crate::Leaderboard::with_max_len) it
//! keeps only the highest scores. Boards are for one thread, so threads share one behind a lock.
//! With the feature `serde` they are serialized.
//!
//! # Programs
//!
//! `season` keeps a game's boards in a file and starts them anew when a season ends: `cargo run
//! --package zset-std --features serde --example season`.
