//! Runs the examples, and compares their output with results that were published or worked out by
//! hand.

// Miri cannot start processes.
#![cfg(not(miri))]

use std::env;
use std::path::Path;
use std::process::Command;

/// Returns the output of an example without arguments.
fn run(name: &str) -> String {
    run_with(name, &[])
}

/// Returns the output of an example. Cargo builds the examples next to the tests.
fn run_with(name: &str, arguments: &[&str]) -> String {
    // This test is `target/debug/deps/examples-0123`, and an example is
    // `target/debug/examples/NAME`.
    let test = env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let example = profile.join("examples").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    assert!(example.exists(), "no {}; cargo build --example {name}", example.display());
    let output = Command::new(example).args(arguments).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{name}: {errors}");
    assert_eq!(errors, "", "{name}");
    String::from_utf8(output.stdout).unwrap()
}

/// Wrong passwords at 00:12, 00:24 and 00:45 reach the limit. A fourth follows at 00:57, with a
/// solved captcha. At 01:24, a minute after 00:24, only two failures count, so no captcha is
/// required. The same happens at 01:45, a minute after 00:45.
#[test]
fn a_captcha_is_required_after_three_failures_in_a_minute() {
    let expected = "\
Three wrong passwords within a minute require a captcha.

time   user  response                x: a wrong password, [ ]: the last minute
00:12  ann   401 wrong password      [----x]
00:24  ann   401 wrong password      [----x---x]
00:45  ann   401 wrong password      [----x---x------x]
00:48  ann   403 captcha not solved  [----x---x------x-]
00:51  bob   200 logged in           [------------------]
00:57  ann   401 wrong password      [----x---x------x---x]
01:12  ann   403 captcha not solved  ----x[---x------x---x-----]
01:21  ann   403 captcha not solved  ----x---[x------x---x--------]
01:24  ann   401 wrong password      ----x---x[------x---x--------x]
01:45  ann   200 logged in           ----x---x------x[---x--------x-------]
";
    assert_eq!(run("login_captcha"), expected);
}

/// Ann's payments are 3 seconds apart, so the first ten use up the quota at 00:27. The first is a
/// minute old at 01:00, and the second at 01:03. At 02:03, all payments are at least a minute old,
/// including the one of 01:03.
#[test]
fn payments_are_limited_to_ten_a_minute_per_user_and_action() {
    let expected = "\
Each user may make ten requests per minute for each action.

00:00  ann  pay     allowed, 9 left
00:03  ann  pay     allowed, 8 left
00:06  ann  pay     allowed, 7 left
00:09  ann  pay     allowed, 6 left
00:12  ann  pay     allowed, 5 left
00:15  ann  pay     allowed, 4 left
00:18  ann  pay     allowed, 3 left
00:21  ann  pay     allowed, 2 left
00:24  ann  pay     allowed, 1 left
00:27  ann  pay     allowed, 0 left
00:30  ann  pay     denied, wait 30 s
00:30  ann  refund  allowed, 9 left
00:30  bob  pay     allowed, 9 left
00:59  ann  pay     denied, wait 1 s
01:00  ann  pay     allowed, 0 left
01:00  ann  pay     denied, wait 3 s
01:03  ann  pay     allowed, 0 left
02:03  ann  pay     allowed, 9 left
";
    assert_eq!(run("payments"), expected);
}

/// Bob's feed keeps four posts, so his first, of 9:05, is removed. Two people share a post at 9:30.
/// It appears once, as Ann's, whose feed comes first. The two different posts of 9:10 are in
/// descending order, so "rain h" is above "rain a". The last post of the first page is then
/// removed, and Ann's post of 9:40 is newer than that page, so neither affects the following pages.
#[test]
fn a_feed_is_paged_while_others_post() {
    let expected = "\
Bob keeps 4 of his five posts.

The first page:
  9:35  cid  what a day
  9:30  ann  photos of the hike
  9:25  bob  server is up

After \"server is up\":
  9:20  bob  still down
  9:15  bob  server is down
  9:10  cid  rain here too

After \"rain here too\":
  9:10  ann  rain again
  9:00  ann  good morning

After \"good morning\":
  nothing

Since 9:36:
  9:40  ann  cake in the kitchen
";
    assert_eq!(run("feed"), expected);
}

/// Of the six sales, only the shoes are due at 12:05; there are two pairs, for Ann and Bob. The
/// coats, at 12:15, are cancelled, and the scarves move from 12:20 to 12:50. The late tick
/// therefore opens the two sales of 12:10 in the order in which they were scheduled, then the one
/// of 12:20. When the clock steps back a minute, nothing opens again.
#[test]
fn flash_sales_open_once_and_in_order_even_when_late() {
    let expected = "\
12:00  tick, 0 to open
       ann buys shoes: not open
12:05  tick, 1 to open
       shoes open, as of 12:05
       ann buys shoes: sold
       ann buys shoes: one per buyer
       bob buys shoes: sold
       cid buys shoes: sold out
       the coats are cancelled
       the scarves are postponed
12:25  tick, 3 to open
       hats open, as of 12:10
       bags open, as of 12:10
       gloves open, as of 12:20
       ann buys bags: sold
12:24  tick, 0 to open
12:50  tick, 1 to open
       scarves open, as of 12:50
";
    assert_eq!(run("flash_sale"), expected);
}

/// The worker of Ann's reminder dies at 00:10, so the reminder is due again at 00:40, when its
/// lease of 30 s expires. Bob's reminder fails each time and is due again after 10 s: at 00:30, and
/// at 00:40, when it comes after Ann's, which was leased earlier. Its third delivery is the last.
/// Cid's reminder is cancelled, and Dan's is rescheduled to be due before Bob's.
#[test]
fn reminders_are_sent_when_due_and_none_is_lost() {
    let expected = "\
Each reminder is tried up to three times, with a lease of 30 s.

00:00  ann  due at 00:10
00:00  bob  due at 00:20
00:00  cid  due at 00:30
00:00  dan  due at 00:40
00:00  cid  cancelled
00:00  dan  rescheduled to 00:15
00:10  ann  delivery 1: the worker dies
00:15  dan  delivery 1: sent
00:20  bob  delivery 1: failed, retry at 00:30
00:30  bob  delivery 2: failed, retry at 00:40
00:40  ann  delivery 2: sent
00:40  bob  delivery 3: failed for the last time

dead letter: bob, delivered 3 times
";
    assert_eq!(run("delayed_jobs"), expected);
}

/// Ann's two matches add up to 120 points, as many as Cid has. The reset on day 30 moves all
/// ratings halfway to 1000. Bob reports a match of the first season on that day, which is too late.
#[cfg(feature = "serde")]
#[test]
fn a_season_ends_once_and_is_archived() {
    let expected = "\
day  1: 70 points of ann in season 1: counts
day  2: 85 points of bob in season 1: counts
day  9: 120 points of cid in season 1: counts
day 29: 50 points of ann in season 1: counts
Season 1 is over:
  1. ann 120 points, rating 1300 -> 1150
  1. cid 120 points, rating 1080 -> 1040
  3. bob 85 points, rating 1100 -> 1050
day 30: 90 points of bob in season 1: is too late
day 31: 40 points of bob in season 2: counts

season-1.json: {\"scores\":[[\"ann\",120],[\"cid\",120],[\"bob\",85]],\"max_len\":null}
edited: element 2 repeats an earlier one at line 1 column 46
";
    assert_eq!(run("season"), expected);
}

/// Ten calls pass in each 1.1 s, so a hundred are sent by 9.9 s. The other twenty follow 60.1 s
/// after the first twenty.
#[cfg(feature = "tokio")]
#[test]
fn a_client_waits_instead_of_being_denied() {
    let calls = (0..10).chain([60, 61]).map(|second| format!("{second:02} s  10 calls\n"));
    let rest = "\
A user who came at 15 s gave up at 20 s, and took no call.
120 calls, none of them denied.
";
    assert_eq!(run("outgoing"), calls.collect::<String>() + rest);
}

/// The rows of the published table are in order; the first is `1,USA,United States,40,44,42`.
/// Thailand shares its rank with two other teams.
#[test]
fn teams_have_their_published_ranks() {
    let out = run_with("medals", &["0"]);
    let published = include_str!("../data/medals-paris-2024.csv");
    let published: Vec<_> = published.lines().skip(1).map(|line| line.replace(',', " ")).collect();
    assert_eq!(published.len(), 91);
    assert_eq!(rows(&out), published);

    let answer = |question| out.split_once(question).unwrap().1;
    let thailand = "  at number 44, as one of 3 teams with (1, 3, 2)\n";
    assert!(answer("Thailand stand?\n").starts_with(thailand));
    assert_eq!(rows(answer("Who is third?")), published[2..3]);
    assert_eq!(rows(answer("Who has 10 to 15 gold medals?")), published[5..11]);
}

#[test]
fn simulated_players_are_the_same_in_each_run() {
    let out = run_with("medals", &["1000"]);
    let (_, players) = out.split_once("A leaderboard of 1000 simulated players\n\n").unwrap();
    let number = |row: &String, word| row.split(' ').nth(word).unwrap().parse::<u64>().unwrap();
    let top = rows(players);
    assert_eq!(top.len(), 10);
    assert!(top.is_sorted_by(|a, b| number(a, 0) <= number(b, 0) && number(a, 2) >= number(b, 2)));
    let again = run_with("medals", &["1000"]);
    assert_eq!(rows(again.split_once("simulated players").unwrap().1), top);
}

/// Returns the rows of the first table in an output, with words separated by single spaces.
fn rows(out: &str) -> Vec<String> {
    let lines = out.lines().skip_while(|line| !line.starts_with("  rank ")).skip(1);
    let rows = lines.take_while(|line| !line.is_empty());
    rows.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}
