use std::cmp::Reverse;
use std::format;
use std::string::String;
use std::time::Duration;
use std::vec::Vec;

use zset_core::{NanScore, Score, Unordered};

use super::*;
use crate::{Buckets, Timestamp, WindowedLeaderboard};

/// Six rows of the Paris 2024 medal table, which uses competition numbering for ties.
fn medals() -> Leaderboard<&'static str, (u32, u32, u32)> {
    Leaderboard::from([
        ("CUB", (2, 1, 6)),
        ("CRO", (2, 2, 3)),
        ("AZE", (2, 2, 3)),
        ("CHN", (40, 27, 24)),
        ("USA", (40, 44, 42)),
        ("JPN", (20, 12, 13)),
    ])
}

fn lines(standings: Standings<'_, &'static str, (u32, u32, u32)>) -> Vec<(usize, &'static str)> {
    standings.map(|line| (line.number, *line.member)).collect()
}

#[test]
fn ties_can_be_numbered_in_three_ways() {
    let board = medals();
    let ids = ["USA", "CHN", "JPN", "AZE", "CRO", "CUB"];
    for board in [board.clone(), board.with_dense_standings()] {
        for (ties, numbers) in [
            (Ties::Dense, [1, 2, 3, 4, 4, 5]),
            (Ties::Competition, [1, 2, 3, 4, 4, 6]),
            (Ties::Ordinal, [1, 2, 3, 4, 5, 6]),
        ] {
            let expected: Vec<_> = numbers.into_iter().zip(ids).collect();
            assert_eq!(lines(board.standings().ties(ties)), expected);
            for (number, id) in expected {
                assert_eq!(board.standing(id, ties), Some(number), "{id} {ties:?}");
            }
        }
    }
}

#[test]
fn a_page_starts_with_the_shared_number_of_its_first_line() {
    let board = medals();
    assert_eq!(lines(board.page(4, 2).ties(Ties::Competition)), [(4, "CRO"), (6, "CUB")]);
    assert_eq!(lines(board.page(4, 2).ties(Ties::Dense)), [(4, "CRO"), (5, "CUB")]);
    assert_eq!(lines(board.page(6, 2)), []);
    assert_eq!(lines(board.page(usize::MAX, usize::MAX)), []);
    assert_eq!(lines(board.top(0)), []);
}

#[test]
fn the_numbering_can_change_in_the_middle() {
    let board = medals();
    let mut rest = board.standings().ties(Ties::Competition);
    assert_eq!(rest.nth(3).map(|line| line.number), Some(4));
    assert_eq!(rest.next_back().map(|line| line.number), Some(6));
    assert_eq!(lines(rest.clone().ties(Ties::Ordinal)), [(5, "CRO")]);
    assert_eq!(lines(rest), [(4, "CRO")]);
}

#[test]
fn a_score_type_can_rank_the_lowest_first() {
    let mut golf = Leaderboard::with_policy(Sum);
    // Strokes add up; the lowest sum wins.
    for (id, strokes) in [("ann", 70), ("bob", 68), ("ann", 66), ("bob", 71)] {
        golf.try_submit(id, Strokes(strokes)).unwrap();
    }
    assert!(golf.into_iter().map(|(id, score)| (id, score.0)).eq([("ann", 136), ("bob", 139)]));

    let laps = Leaderboard::from([("ann", Reverse(9)), ("ann", Reverse(8)), ("bob", Reverse(7))]);
    assert_eq!(laps.best(), Some((&"bob", &Reverse(7))));
    assert_eq!(laps.score("ann"), Some(&Reverse(8)));
    assert_eq!(laps.count_at_least(&Reverse(8)), 2);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Strokes(u32);

impl PartialOrd for Strokes {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Strokes {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.0.cmp(&self.0)
    }
}

impl zset_core::Increment for Strokes {
    type By = Strokes;
    type Error = zset_core::ScoreOverflow;
    const ZERO: Strokes = Strokes(0);

    fn checked_increment(self, by: Strokes) -> Result<Self, zset_core::ScoreOverflow> {
        self.0.checked_increment(by.0).map(Strokes)
    }
}

#[test]
fn a_nan_sum_keeps_the_old_score() {
    let mut board = Leaderboard::with_policy(Sum).with_dense_standings();
    board.try_submit("ann", Score::INFINITY).unwrap();
    assert_eq!(board.try_submit("ann", Score::NEG_INFINITY), Err(NanScore));
    assert_eq!(board.increment("ann", f64::NAN), Err(NanScore));
    assert_eq!(board.increment("bob", f64::NAN), Err(NanScore));
    assert!(board.iter().eq([(&"ann", &Score::INFINITY)]));
    board.check_invariants();
    assert!(board.has_dense_standings());
}

#[test]
fn a_full_board_evicts_the_last_for_a_better_score() {
    let mut board = Leaderboard::with_policy(Latest).with_max_len(2).with_dense_standings();
    board.extend([("ann", 5), ("cid", 3)]);
    // Ties are in ascending order of member: the lower member ranks above, the higher one below.
    assert_eq!(board.submit("bob", 3).dropped, Some(("cid", 3)));
    let below = board.submit("dan", 3);
    assert_eq!((below.new, below.dropped, below.is_changed()), (None, Some(("dan", 3)), false));
    // Members already on the board stay, however low their scores.
    let sunk = board.submit("bob", 1);
    assert_eq!((sunk.old, sunk.new, sunk.dropped), (Some(3), Some(1), None));
    assert_eq!(board.increment("eve", 2).unwrap().dropped, Some(("bob", 1)));
    board.check_invariants();
}

fn unordered((id, score): (&str, i32)) -> (Unordered<&str>, i32) {
    (Unordered(id), score)
}

#[test]
fn unordered_members_that_tie_are_in_the_order_in_which_they_reached_the_score() {
    let scores = [("zoe", 5), ("ann", 5), ("bob", 5), ("zoe", 5), ("bob", 4)].map(unordered);
    let mut board = Leaderboard::<_, _, Latest>::from_iter(scores).with_max_len(3);
    board.submit(Unordered("bob"), 5);
    board.submit(Unordered("zoe"), 6);
    board.submit(Unordered("zoe"), 5);
    let lines = board.standings().ties(Ties::Competition);
    assert!(lines.map(|line| (line.number, line.member.0)).eq([
        (1, "ann"),
        (1, "bob"),
        (1, "zoe")
    ]));
    // The last to reach the score of the last member, so the bound rejects it.
    assert_eq!(board.submit(Unordered("abe"), 5).dropped, Some((Unordered("abe"), 5)));
    assert_eq!(board.submit(Unordered("abe"), 6).dropped, Some((Unordered("zoe"), 5)));
    board.check_invariants();
}

#[test]
fn a_board_may_have_a_bound_of_zero() {
    let mut board = Leaderboard::from([("ann", 5)]).with_max_len(0);
    assert!(board.is_empty());
    assert_eq!(board.submit("ann", 5).dropped, Some(("ann", 5)));
    board.check_invariants();
}

#[test]
fn no_op_calls_keep_the_index() {
    let mut board = Leaderboard::from([("ann", 5), ("bob", 7)]).with_dense_standings();
    board.submit("ann", 5);
    assert_eq!(board.remove("cid"), None);
    assert_eq!(board.trim_to(9), 0);
    board.clear();
    assert_eq!(board.pop_worst(), None);
    assert!(board.has_dense_standings());
    board.submit("ann", 5);
    board.check_invariants();
}

#[test]
fn scores_need_not_be_copy() {
    let scores = [("ann", "gold"), ("bob", "silver"), ("cid", "bronze"), ("dan", "silver")];
    let owned = scores.map(|(member, score)| (member, String::from(score)));
    let mut board = Leaderboard::from(owned).with_max_len(3).with_dense_standings();
    board.check_invariants();
    let silver = String::from("silver");
    assert_eq!((board.best(), board.rank("dan")), (Some((&"bob", &silver)), Some(1)));
    assert_eq!(board.standing("ann", Ties::Dense), Some(2));
    assert_eq!(board.count_at_least(&silver), 2);
    assert!(board.range_by_score(silver.clone()..).map(|line| *line.member).eq(["bob", "dan"]));
    assert_eq!(board.page_after("bob", &silver, 1).next().map(|line| line.number), Some(2));
    assert_eq!(board.submit("eve", "tin".into()).dropped, Some(("ann", "gold".into())));
    board.map_scores(|_, score| score.to_uppercase());
    assert_eq!(board.pop_best(), Some(("eve", "TIN".into())));
    assert_eq!(board.pop_worst(), Some(("dan", "SILVER".into())));
    board.check_invariants();

    let mut week = WindowedLeaderboard::new(Buckets::new(Duration::from_secs(1), 2).unwrap());
    week.submit("ann", silver.clone(), Timestamp::ZERO);
    week.submit("ann", String::from("gold"), Timestamp::from_nanos(1_000_000_000));
    assert_eq!(week.merged().score("ann"), Some(&silver));
    week.check_invariants();
}

#[test]
fn equality_compares_members_and_scores() {
    let board = medals();
    let latest: Leaderboard<_, _, Latest> = medals().into_iter().collect();
    assert_eq!(board, latest.with_max_len(6).with_dense_standings());
    assert_ne!(board, medals().with_max_len(5));
    assert_eq!(Leaderboard::<u8, u8>::default(), Leaderboard::new());
}

#[test]
fn boards_are_send_and_sync_under_any_policy() {
    struct NotSend(#[expect(dead_code)] *const u8);
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Leaderboard<String, Score, NotSend>>();
    is_shared::<Standings<'static, String, Score>>();
    is_shared::<IntoIter<String, Score>>();
}

#[test]
fn debug_shows_the_lines() {
    let board = Leaderboard::from([("ann", 5)]);
    assert_eq!(
        format!("{board:?} {:?} {:?}", board.iter(), board.standings()),
        "{\"ann\": 5} [(\"ann\", 5)] [Standing { number: 1, member: \"ann\", score: 5 }]"
    );
}

#[cfg(feature = "serde")]
mod serialization {
    use std::format;
    use std::string::ToString;

    use super::*;

    #[test]
    fn a_board_round_trips_with_its_bound() {
        let board = Leaderboard::from([((1u8, 'x'), 5), ((2, 'y'), 7)]).with_max_len(2);
        let text = serde_json::to_string(&board).unwrap();
        assert_eq!(text, r#"{"scores":[[[2,"y"],7],[[1,"x"],5]],"max_len":2}"#);
        let mut read: Leaderboard<(u8, char), i32> = serde_json::from_str(&text).unwrap();
        read.check_invariants();
        assert_eq!(read, board);
        assert_eq!(read.submit((3, 'z'), 6).dropped, Some(((1, 'x'), 5)));
    }

    #[test]
    fn ties_of_unordered_members_round_trip_in_their_order() {
        let board = Leaderboard::from([("zoe", 5), ("ann", 5), ("bob", 7)].map(unordered));
        let text = serde_json::to_string(&board).unwrap();
        assert_eq!(text, r#"{"scores":[["bob",7],["zoe",5],["ann",5]],"max_len":null}"#);
        let read: Leaderboard<Unordered<&str>, i32> = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn loaded_scores_may_be_unsorted_but_members_must_not_repeat() {
        let read = |scores, max_len| {
            let text = format!(r#"{{"scores":{scores},"max_len":{max_len}}}"#);
            serde_json::from_str::<Leaderboard<u8, u8>>(&text).map_err(|error| error.to_string())
        };
        let board = read("[[1,5],[2,7]]", "null").unwrap();
        assert_eq!(board, Leaderboard::from([(1, 5), (2, 7)]));
        assert_eq!(board.max_len(), None);
        for (scores, max_len, message) in [
            ("[[1,5],[2,7],[1,5]]", "null", "element 2 repeats an earlier one"),
            ("[[1,5],[2,7]]", "1", "more members than its bound allows"),
            (r#"{"1":5}"#, "null", "a sequence of members and scores"),
        ] {
            let error = read(scores, max_len).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        let nan = r#"{"scores":[[1,null]],"max_len":null}"#;
        assert!(serde_json::from_str::<Leaderboard<u8, Score>>(nan).is_err());
    }
}

#[test]
fn the_allocation_size_includes_the_index() {
    let board: Leaderboard<u32, u32> = (0..1000).map(|id| (id, id)).collect();
    let without = board.allocation_size();
    assert!((8_000..100_000).contains(&without), "{without}");
    let with = board.with_dense_standings().allocation_size();
    assert!(with >= without + 4_000, "{with}");
}

#[test]
fn the_numbering_can_change_after_a_few_lines() {
    let board = Leaderboard::from([("ann", 9), ("bob", 8), ("cid", 8), ("dan", 5), ("eve", 5)]);
    let mut dense = board.standings().ties(Ties::Dense);
    assert_eq!(dense.nth(1).map(|line| line.number), Some(2));
    assert_eq!(dense.next_back().map(|line| line.number), Some(3));
    let rest = dense.ties(Ties::Competition);
    assert!(rest.clone().map(|line| line.number).eq([2, 4]));
    assert!(rest.rev().map(|line| line.number).eq([4, 2]));
}

#[test]
fn sum_boards_are_collected_and_extended() {
    let scores = [("ann", 3_u8), ("bob", 2), ("ann", 4)];
    let mut board: Leaderboard<_, u8, Sum> = scores.into_iter().collect();
    assert!(board.iter().eq([(&"ann", &7), (&"bob", &2)]));
    board.extend([("bob", 9)]);
    assert_eq!(board.score("bob"), Some(&11));
    let mut scores = [("bob", 1), ("ann", 249), ("bob", 1)].into_iter();
    assert!(board.try_extend(scores.by_ref()).is_err());
    assert_eq!((board.score("ann"), board.score("bob")), (Some(&7), Some(&12)));
    assert_eq!(scores.next(), Some(("bob", 1)));
}

#[test]
#[should_panic(expected = "every score combines")]
fn collecting_a_sum_that_overflows_panics() {
    let _: Leaderboard<_, u8, Sum> = [("ann", 200), ("ann", 56)].into_iter().collect();
}
