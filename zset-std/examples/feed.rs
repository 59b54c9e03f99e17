//! Merges the posts of three people into one feed, and reads the feed page by page.
//!
//! Demonstrates `Timeline`, which keeps the newest posts of one person, and `MergedTimelines`. A
//! cursor marks the end of a page, so no entry is skipped or repeated if posts are added or removed
//! between pages.
//!
//! ```text
//! cargo run --example feed
//! ```

use std::time::Duration;

use zset_std::timeline::{Cursor, MergedPosts};
use zset_std::{MergedTimelines, Timeline, Timestamp};

const PEOPLE: [&str; 3] = ["ann", "bob", "cid"];

/// The number of entries per page.
const PAGE: usize = 3;

fn main() {
    let mut feeds = PEOPLE.map(|_| Timeline::new().with_max_len(4));
    let [ann, bob, cid] = &mut feeds;
    ann.post("rain again", at_minute(10));
    ann.post("good morning", at_minute(0)); // out of order
    ann.post("photos of the hike", at_minute(30));
    bob.post("coffee?", at_minute(5));
    bob.post("server is down", at_minute(15));
    bob.post("still down", at_minute(20));
    bob.post("server is up", at_minute(25));
    bob.post("photos of the hike", at_minute(30)); // also shared by Ann
    cid.post("rain here too", at_minute(10)); // at the same time as Ann
    cid.post("what a day", at_minute(35));

    println!("Bob keeps {} of his five posts.", feeds[1].len());
    println!("\nThe first page:");
    let cursor = show(MergedTimelines::new(&feeds).latest(PAGE)).expect("there are posts");

    // Before the next page, Ann posts, and the last post of this page is removed.
    feeds[0].post("cake in the kitchen", at_minute(40));
    feeds[1].remove(cursor.id);

    let mut older = Some(cursor);
    while let Some(cursor) = older {
        println!("\nAfter \"{}\":", cursor.id);
        older = show(MergedTimelines::new(&feeds).before(&cursor, PAGE));
    }

    println!("\nSince 9:36:");
    show(MergedTimelines::new(&feeds).since(at_minute(36)));
}

/// Prints a page and returns the cursor for the next one, or `None` if the page is empty.
fn show(page: MergedPosts<'_, &'static str>) -> Option<Cursor<&'static str>> {
    let mut last = None;
    for post in page {
        println!("  {}  {}  {}", time(post.at), PEOPLE[post.timeline], post.id);
        last = Some(Cursor::from(post));
    }
    if last.is_none() {
        println!("  nothing");
    }
    last
}

/// Returns the time this many minutes after nine.
fn at_minute(minute: u64) -> Timestamp {
    Timestamp::ZERO.saturating_add(Duration::from_secs(60 * (9 * 60 + minute)))
}

/// Formats a time as hours and minutes.
fn time(at: Timestamp) -> String {
    let minutes = at.saturating_duration_since(Timestamp::ZERO).as_secs() / 60;
    format!("{}:{:02}", minutes / 60, minutes % 60)
}
