//! Three people post, and a follower reads them as one feed, page by page.
//!
//! It shows a `Timeline` for each, of which only the newest posts are kept, and `MergedTimelines`,
//! whose pages follow each other by a cursor: nothing is skipped or repeated while others post and
//! remove posts.
//!
//! ```text
//! cargo run --example feed
//! ```

use std::time::Duration;

use zset_std::{Cursor, MergedPosts, MergedTimelines, Timeline, Timestamp};

const PEOPLE: [&str; 3] = ["ann", "bob", "cid"];

/// How many entries a page has.
const PAGE: usize = 3;

fn main() {
    let mut feeds = PEOPLE.map(|_| Timeline::new().with_max_len(4));
    let [ann, bob, cid] = &mut feeds;
    ann.post(at_minute(10), "rain again");
    ann.post(at_minute(0), "good morning"); // out of order
    ann.post(at_minute(30), "photos of the hike");
    bob.post(at_minute(5), "coffee?");
    bob.post(at_minute(15), "server is down");
    bob.post(at_minute(20), "still down");
    bob.post(at_minute(25), "server is up");
    bob.post(at_minute(30), "photos of the hike"); // the same that Ann shares
    cid.post(at_minute(10), "rain here too"); // at the same time as Ann
    cid.post(at_minute(35), "what a day");

    println!("Bob keeps {} of his five posts.", feeds[1].len());
    println!("\nThe first page:");
    let cursor = show(MergedTimelines::new(&feeds).latest(PAGE)).expect("there are posts");

    // Meanwhile Ann posts, and the post at which the page ended goes.
    feeds[0].post(at_minute(40), "cake in the kitchen");
    feeds[1].remove(cursor.id);

    let mut older = Some(cursor);
    while let Some(cursor) = older {
        println!("\nBehind \"{}\":", cursor.id);
        older = show(MergedTimelines::new(&feeds).before(&cursor, PAGE));
    }

    println!("\nSince 9:36:");
    show(MergedTimelines::new(&feeds).since(at_minute(36)));
}

/// Prints a page, and returns the cursor for the next one, unless this one is empty.
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

/// Returns the time so many minutes after nine.
fn at_minute(minute: u64) -> Timestamp {
    Timestamp::ZERO.saturating_add(Duration::from_secs(60 * (9 * 60 + minute)))
}

/// Shows a time as hours and minutes.
fn time(at: Timestamp) -> String {
    let minutes = at.saturating_duration_since(Timestamp::ZERO).as_secs() / 60;
    format!("{}:{:02}", minutes / 60, minutes % 60)
}
