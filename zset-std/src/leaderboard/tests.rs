use std::cmp::Reverse;
use std::format;
use std::string::String;
use std::time::Duration;

use zset_core::{NanScore, Score};

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
            let lines = board.standings().ties(ties);
            assert!(lines.clone().map(|line| *line.member).eq(ids), "{ties:?}");
            assert!(lines.map(|line| line.number).eq(numbers), "{ties:?}");
            assert_eq!(ids.map(|id| board.standing(id, ties)), numbers.map(Some), "{ties:?}");
        }
    }
}

#[test]
fn a_score_type_can_rank_the_lowest_first() {
    let mut golf = Leaderboard::with_policy(Sum);
    // Strokes add up; the lowest sum wins.
    for (id, strokes) in [("ann", 70), ("bob", 68), ("ann", 66), ("bob", 71)] {
        golf.try_submit(id, Strokes(Reverse(strokes))).unwrap();
    }
    assert!(golf.into_iter().map(|(id, score)| (id, score.0.0)).eq([("ann", 136), ("bob", 139)]));

    let laps = Leaderboard::from([("ann", Reverse(9)), ("ann", Reverse(8)), ("bob", Reverse(7))]);
    assert_eq!(laps.best(), Some((&"bob", &Reverse(7))));
    assert_eq!(laps.score("ann"), Some(&Reverse(8)));
    assert_eq!(laps.count_at_least(&Reverse(8)), 2);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Strokes(Reverse<u32>);

impl zset_core::Increment for Strokes {
    type By = Strokes;
    type Error = zset_core::ScoreOverflow;
    const ZERO: Strokes = Strokes(Reverse(0));

    fn checked_increment(self, by: Strokes) -> Result<Self, zset_core::ScoreOverflow> {
        self.0.0.checked_increment(by.0.0).map(|strokes| Strokes(Reverse(strokes)))
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
    is_shared::<WindowedLeaderboard<String, u64, NotSend>>();
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
    fn loaded_scores_may_be_unsorted_but_members_must_not_repeat() {
        let read = |scores, max_len| {
            let text = format!(r#"{{"scores":{scores},"max_len":{max_len}}}"#);
            serde_json::from_str::<Leaderboard<u8, u8>>(&text).map_err(|error| error.to_string())
        };
        let board = read("[[1,5],[2,7]]", "null").unwrap();
        board.check_invariants();
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
    assert!(rest.clone().rev().map(|line| line.number).eq([4, 2]));
    assert!(rest.ties(Ties::Ordinal).map(|line| line.number).eq([3, 4]));
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
