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
//! To continue after a page, the caller keeps a [`Cursor`](crate::timeline::Cursor): the time and
//! id of the page's last entry. New posts then do not make a page skip or repeat an entry, as they
//! would if pages were selected by number. A cursor stays valid even if its entry is removed.
//!
//! If the time of an entry changes between two pages, the entry may be on both or on neither. A cap
//! may evict entries that no page has shown.
//!
//! - [`latest`](crate::Timeline::latest) returns the first page.
//! - [`before`](crate::Timeline::before) returns the page after a cursor: the next older entries.
//! - [`since`](crate::Timeline::since) returns the entries since a time.
//!
//! # Caps
//!
//! A timeline grows with each new post. [`with_max_len`](crate::Timeline::with_max_len) keeps only
//! the newest posts. [`with_max_age`](crate::Timeline::with_max_age) removes posts that reach a
//! given age, measured from the newest time seen.
//!
//! # Several feeds as one
//!
//! [`MergedTimelines`](crate::MergedTimelines) reads several feeds as one, e.g. those that a user
//! follows. It borrows the feeds and copies no entries, so create a new one for each page. An entry
//! that is in several feeds, with the same id and time, is returned once.
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
//! The example `feed` reads merged feeds page by page: `cargo run --example feed`.
