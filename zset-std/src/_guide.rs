//! Guides: how to choose among the types of this crate, and what to watch for.
//!
//! | guide | about |
//! |---|---|
//! | [`limiters`] | sliding windows and funnels: exact limits, many keys, bounded memory, waiting |
//! | [`boards`] | leaderboards: ties, policies, boards of today and of the week, packed scores |
//! | [`queues`] | delayed jobs, leases and dead letters, schedules, expiring members |
//! | [`timelines`] | feeds in pages, with caps, and several feeds as one |
//! | [`recipes`] | a store whose keys expire, a controller's scheduler, a peer table |
//! | [`coming_from`] | governor and tokio-util's `DelayQueue`, line by line |
//!
//! Each guide shows common uses. Edge cases, errors and costs are in the docs of each method.
//!
//! # What calls return
//!
//! Sets, boards, queues and limiters usually follow the same rules:
//!
//! - A call that always writes returns what it replaced or removed, as in `BTreeMap`. For example,
//!   a set's `insert` returns the old score as an `Option`.
//! - A call that may change nothing returns what it did. `insert_max` returns an
//!   [`Insertion`](zset_core::Insertion). A board can also reject a member or evict another, so
//!   `submit` returns a [`Submission`](crate::leaderboard::Submission) with both scores and the
//!   dropped member.
//! - A call that does not wait, such as `pop` or `lease`, returns `None` if there is no job for it.
//!   A wait can fail for more than one reason, so it returns an error that names the reason,
//!   e.g. [`TimedOut`](crate::shared_delay_queue::WaitError::TimedOut) or `Closed`.
//! - A rank is the number of elements before an element, so it starts from 0. The number of a
//!   [`Standing`](crate::leaderboard::Standing) is the place shown to people, so it starts from 1.
//!   [`Ties`](crate::Ties) determines the numbers of tied members.
//!
//! ```
//! use zset_core::{Insertion, SortedSet};
//! use zset_std::{Leaderboard, Ties, shared_delay_queue::{SharedDelayQueue, WaitError}};
//! use std::time::Duration;
//!
//! let mut set = SortedSet::from([("ann", 7)]);
//! assert_eq!(set.insert("ann", 9), Some(7));
//! assert_eq!(set.insert_max("ann", 8), Insertion::Unchanged(8));
//! assert_eq!(set.rev_rank("ann"), Some(0));
//!
//! let board = Leaderboard::<_, _>::from([("ann", 9)]);
//! assert_eq!(board.standing("ann", Ties::Competition), Some(1));
//!
//! let queue = SharedDelayQueue::<&str>::new();
//! assert!(queue.pop().is_none());
//! assert!(matches!(queue.wait_pop().timeout(Duration::ZERO).block(), Err(WaitError::TimedOut)));
//! ```

pub mod boards;
pub mod coming_from;
pub mod limiters;
pub mod queues;
pub mod recipes;
pub mod timelines;
