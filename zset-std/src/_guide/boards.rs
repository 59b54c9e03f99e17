//! Boards: members ranked by score, highest first.
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
//! The types are [`Leaderboard`](crate::Leaderboard),
//! [`WindowedLeaderboard`](crate::WindowedLeaderboard) and [`PackedScore`](crate::PackedScore). The
//! crate's docs say [which one to use](crate#which-type).
//!
//! # What a second score does
//!
//! A board keeps the [`Best`](crate::Best), the [`Latest`](crate::Latest) or the
//! [`Sum`](crate::Sum) of a member's scores. [`new`](crate::Leaderboard::new) keeps the best; for
//! another policy, use [`with_policy`](crate::Leaderboard::with_policy). If the lowest score is the
//! best, as with lap times, use [`Reverse`](std::cmp::Reverse).
//!
//! # Ties
//!
//! Members with equal scores are listed in ascending order. [`Unordered`](zset_core::Unordered)
//! members are listed in the order in which they reached the score. [`Ties`](crate::Ties)
//! determines their numbers:
//!
//! | scores | `Ordinal` | `Competition` | `Dense` |
//! |---:|---:|---:|---:|
//! | 120 | 1 | 1 | 1 |
//! | 100 | 2 | 2 | 2 |
//! | 100 | 3 | 2 | 2 |
//! | 85 | 4 | 4 | 3 |
//!
//! If a score has a part that only orders ties, such as a time,
//! [`ties_by`](crate::leaderboard::Standings::ties_by) can number members by the rest of the score.
//!
//! # Today and this week
//!
//! A [`WindowedLeaderboard`](crate::WindowedLeaderboard) divides time into buckets. Each bucket has
//! a board, and another board merges them all. A bucket expires as a whole, and its scores then no
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
//! In process, use a tuple as the score. On a server, a score is a single `f64`. A
//! [`PackedScore`](crate::PackedScore) packs several numbers into it, each in a field of fixed
//! width. So the order is preserved, and a number that does not fit its field is an error.
//!
//! # Memory, threads, storage
//!
//! A board grows with each new member. With [`with_max_len`](crate::Leaderboard::with_max_len), a
//! full board evicts its last member for a better one. Threads can share a board in a `Mutex`.
//! With the feature `serde`, boards can be serialized.
//!
//! # Programs
//!
//! `season` keeps a game's boards in a file and resets the points when a season ends: `cargo run
//! --package zset-std --features serde --example season`.
