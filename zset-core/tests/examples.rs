//! Runs the examples and compares their output with results worked out by hand.

// Miri cannot start processes.
#![cfg(all(feature = "alloc", not(miri)))]

use std::env;
use std::path::Path;
use std::process::Command;

/// Returns the output of an example. Cargo builds the examples next to the tests.
fn run(name: &str) -> String {
    // The test is target/debug/deps/examples-0123, and the example is target/debug/examples/NAME.
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(example.exists(), "no {}; cargo build --example {name}", example.display());
    let output = Command::new(example).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {errors}");
    assert_eq!(errors, "", "{name}");
    String::from_utf8(output.stdout).unwrap()
}

/// There is no offer at 1000, so the first bid rests. The next bid buys all of order 2, and 30 of
/// order 3, which is newer. Order 6 sells 20 of its 25 to order 4; the remaining 5 rest as the
/// lowest ask.
#[test]
fn orders_are_matched_by_price_then_by_time() {
    let expected = "\
1: sell 50 at 1020
2: sell 30 at 1010
3: sell 40 at 1010
4: buy 20 at 1000
    ask 1020 x 50  (1)
    ask 1010 x 40  (3)
    ask 1010 x 30  (2)
    bid 1000 x 20  (4)
5: buy 60 at 1010
    30 at 1010 with 2
    30 at 1010 with 3
6: sell 25 at 990
    20 at 1000 with 4
1: cancelled with 50 open
    ask 1010 x 10  (3)
    ask 990 x 5   (6)
";
    assert_eq!(run("order_book"), expected);
}

/// "/about" and "/jobs" are each read once, "/about" first. Of the 1900 requests, 900 are for old
/// pages, and ten are for popular pages not yet cached. The LRU cache has 90 hits in the first
/// hundred requests, and six more before the old pages evict the popular ones.
#[test]
fn an_lfu_cache_keeps_the_most_read_pages() {
    let expected = "\
An LFU cache of three pages, the next one to evict first:
  /jobs  1 reads
  /news  2 reads
  /      3 reads

Hits of 1900 requests, with room for 15 pages:
  LFU: 990
  LRU: 96
";
    assert_eq!(run("lfu_cache"), expected);
}

/// The last requests of the sessions are in seconds 1500 to 1999, two per second. A session expires
/// after 1800 seconds without a request, so by second 3500 those of seconds 1500 to 1700 have
/// expired.
#[test]
fn threads_share_a_session_index() {
    let expected = "\
1000 sessions
since second 1900: 200
the latest: [(999, 1999), (499, 1999), (998, 1998)]
expired by second 3500: 402
expired by second 3500, again: 0
598 sessions left
";
    assert_eq!(run("session_index"), expected);
}

/// A document that contains "sorted set" has 4 occurrences (each word twice) or 2. If the numbers
/// are equal, the later document comes first.
#[test]
fn texts_are_found_by_words_they_contain() {
    let expected = "\
sorted set:
  4 x  A set has members. A sorted set has sorted members.
  2 x  A sorted set maps members to scores.
list:
  3 x  A skip list is a list with levels: a sorted list.
skip:
  1 x  To skip is to leave out.
  1 x  A skip list is a list with levels: a sorted list.
sorted hash:
tree:
s...: scores, set, skip, sorted
";
    assert_eq!(run("search_index"), expected);
}

/// The lamp blinks at tick 2 and then every 10 ticks. Measurements start at tick 5. Each one before
/// tick 20 schedules the next, 7 ticks later, and postpones the sleep to 9 ticks later, finally to
/// tick 28.
#[test]
fn timers_run_in_order_without_an_allocator() {
    let expected = "\
tick  2: Blink
tick  5: Measure
tick  5: Send
tick 12: Blink
tick 12: Measure
tick 19: Measure
tick 22: Blink
tick 26: Measure
tick 28: Sleep
";
    assert_eq!(run("timers"), expected);
}
