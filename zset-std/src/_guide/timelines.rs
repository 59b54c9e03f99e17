//! Timelines: feeds, newest first, in pages.
//!
//! ```
//! use zset_std::timeline::Cursor;
//! use zset_std::{Timeline, Timestamp};
//!
//! // Pages by a cursor.
//! let mut feed = Timeline::from([("hello", Timestamp::from_nanos(1)), ("rain", Timestamp::from_nanos(2))]);
//! let cursor = feed.latest(1).next_back().map(Cursor::from).unwrap();
//! feed.post("sun", Timestamp::from_nanos(3));
//! assert!(feed.before(&cursor, 10).map(|(id, _)| *id).eq(["hello"]));
//! ```
//!
//! # Pages
//!
//! A page continues after the last entry of the page before, which the caller keeps as a
//! [`Cursor`](crate::timeline::Cursor): a time and an id. The entry itself may be removed in the
//! meantime. So new posts do not make a page skip or repeat an entry, whereas they shift pages that
//! are counted by number. An entry whose time changes between two pages may be on both or on
//! neither, and a cap may evict entries that no page has shown.
//!
//! - [`latest`](crate::Timeline::latest) returns the first page.
//! - [`before`](crate::Timeline::before) returns the page after a cursor: the next older entries.
//! - [`since`](crate::Timeline::since) returns the entries since a time.
//!
//! # Caps
//!
//! A timeline grows by each post. [`with_max_len`](crate::Timeline::with_max_len) keeps only the
//! newest posts; [`with_max_age`](crate::Timeline::with_max_age) keeps those that are recent enough
//! compared with the newest time seen.
//!
//! # Several feeds as one
//!
//! [`MergedTimelines`](crate::MergedTimelines) reads the feeds that a user follows as one. It
//! borrows them and copies nothing, so create a new one for each page. An entry that is in several
//! feeds, with the same id and time, is returned once.
//!
//! ```
//! use zset_std::timeline::Cursor;
//! use zset_std::{MergedTimelines, Timeline, Timestamp};
//!
//! let at = Timestamp::from_nanos;
//! let mut ann = Timeline::from([("hello", at(1)), ("rain", at(3))]);
//! let bob = Timeline::from([("rain", at(3)), ("sun", at(2)), ("tea", at(4))]);
//!
//! let page: Vec<_> = MergedTimelines::new([&ann, &bob]).latest(2).collect();
//! assert_eq!(page.iter().map(|post| (*post.id, post.timeline)).collect::<Vec<_>>(),
//!            [("tea", 1), ("rain", 0)]);
//! let cursor = Cursor::from(page[1]);
//! ann.post("snow", at(5));
//! let page = MergedTimelines::new([&ann, &bob]).before(&cursor, 2);
//! assert!(page.map(|post| *post.id).eq(["sun", "hello"]));
//! ```
//!
//! The example `feed` is a page: `cargo run --example feed`.
