use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::time::Duration;

use zset_core::ScoreOverflow;

use super::*;
use crate::leaderboard::Submission;
use crate::{Latest, Policy, Sum};

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn buckets(width: u64, count: usize) -> Buckets {
    Buckets::new(Duration::from_nanos(width), count).unwrap()
}

#[test]
fn a_bucket_expires_exactly_at_the_end_of_its_window() {
    let mut boards = WindowedLeaderboard::new(buckets(10, 3));
    boards.submit("ann", 7, at(9));
    boards.advance(at(29));
    assert_eq!(boards.bucket(2).unwrap().score("ann"), Some(&7));
    boards.advance(at(30));
    assert!(boards.is_empty());
    boards.check_invariants();
}

#[test]
fn a_time_before_the_newest_counts_as_the_newest() {
    let mut boards = WindowedLeaderboard::new(buckets(10, 3));
    boards.advance(at(25));
    boards.submit("ann", 7, at(5));
    assert_eq!(boards.current().score("ann"), Some(&7));
    assert!(boards.bucket(2).unwrap().is_empty());
}

#[test]
fn far_jumps_and_the_last_timestamp_are_handled() {
    for (width, first) in [(2, 0), (2, 1), (u64::MAX, 0), (u64::MAX, u64::MAX - 1), (86_400, 7)] {
        let mut boards =
            WindowedLeaderboard::with_policy(buckets(width, usize::MAX).with_start(at(first)), Sum);
        for now in [0, 1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            boards.try_submit("ann", 1u32, at(now)).unwrap();
            boards.check_invariants();
        }
        assert_eq!(boards.merged().score("ann"), Some(&5), "no bucket expires");
        assert!(boards.bucket(usize::MAX - 1).is_some());
        assert!(boards.bucket(usize::MAX).is_none());

        let mut boards =
            WindowedLeaderboard::with_policy(buckets(width, 1).with_start(at(first)), Sum);
        boards.try_submit("ann", 1u32, at(0)).unwrap();
        boards.try_submit("ann", 1, at(u64::MAX)).unwrap();
        boards.check_invariants();
    }
    // Of 2^64 one-nanosecond buckets, all but one are kept.
    let mut boards = WindowedLeaderboard::new(buckets(1, usize::MAX));
    boards.submit("ann", 1, at(0));
    boards.submit("bob", 1, at(u64::MAX - 1));
    assert_eq!(boards.merged().len(), 2);
    boards.advance(at(u64::MAX));
    #[cfg(target_pointer_width = "64")]
    assert!(boards.merged().iter().map(|(member, _)| *member).eq(["bob"]));
}

#[test]
fn each_bucket_starts_one_width_after_the_previous() {
    let buckets = buckets(10, 3).with_start(at(1004));
    let numbers = [0, 3, 4, 13, 14, 23].map(|time| buckets.number(at(time)));
    assert_eq!(numbers, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn invalid_buckets_are_rejected() {
    assert_eq!(Buckets::new(Duration::ZERO, 1), Err(BucketsError::ZeroWidth));
    assert_eq!(Buckets::new(Duration::MAX, 0), Err(BucketsError::ZeroCount));
    assert!(Buckets::new(Duration::MAX, 1).is_ok());
}

#[test]
fn a_sum_that_overflows_in_a_bucket_or_the_merged_board_changes_nothing() {
    let mut boards = WindowedLeaderboard::with_policy(buckets(10, 2), Sum);
    boards.try_submit("ann", 100i8, at(0)).unwrap();
    assert!(boards.try_submit("ann", 100, at(5)).is_err());
    assert!(boards.try_submit("ann", 28, at(15)).is_err());
    assert_eq!(boards.newest(), at(15));
    assert!(boards.current().is_empty());
    assert_eq!(boards.merged().score("ann"), Some(&100));
    boards.check_invariants();
}

#[test]
fn the_bound_rejects_a_score_before_a_sum_can_overflow() {
    let answer = |old, new, dropped| Ok(Submission { old, new, dropped });
    for first in [-100_i8, -10] {
        let mut boards = WindowedLeaderboard::with_policy(buckets(1, 3), Sum).with_max_len(1);
        boards.try_submit(0, first, at(0)).unwrap();
        boards.try_submit(7, 50, at(1)).unwrap();
        let before = boards.clone();
        // The merged sum of -100 and -100 would overflow.
        assert_eq!(boards.try_submit(0, -100, at(1)), answer(None, None, Some((0, -100))));
        assert!(boards == before);
        boards.check_invariants();
    }
    // Submits scores to the first and the current bucket, which has other members and a bound.
    let submitted = |first: i8, score: i8, others: &[(u8, i8)], max_len| {
        let mut boards = WindowedLeaderboard::with_policy(buckets(1, 3), Sum).with_max_len(max_len);
        boards.try_submit(5, first, at(0)).unwrap();
        boards.advance(at(1));
        for &(member, score) in others {
            boards.try_submit(member, score, at(1)).unwrap();
        }
        let before = boards.clone();
        let answer = boards.try_submit(5, score, at(1));
        assert!(answer.is_ok_and(|answer| answer.new.is_some()) || boards == before);
        boards.check_invariants();
        answer
    };
    let rejected = |score| answer(None, None, Some((5, score)));
    // Equal scores: a later member is rejected; an earlier one is not, and its sum overflows.
    assert_eq!(submitted(100, 100, &[(4, 100)], 1), rejected(100));
    assert_eq!(submitted(100, 100, &[(6, 100)], 1), Err(ScoreOverflow));
    assert_eq!(submitted(27, 100, &[(6, 100)], 1), answer(None, Some(100), Some((6, 100))));
    assert_eq!(submitted(28, 100, &[(6, 100)], 1), Err(ScoreOverflow));
    assert_eq!(submitted(28, 100, &[(6, 101)], 1), rejected(100));
    // A score below the last one, with room on the board; the last case has no room.
    assert_eq!(submitted(-100, -100, &[(6, 0)], 2), Err(ScoreOverflow));
    assert_eq!(submitted(-100, -28, &[(6, 0)], 2), answer(None, Some(-28), None));
    assert_eq!(submitted(-100, -100, &[(6, 0), (7, 1)], 2), rejected(-100));
    // A member of the bucket stays, whatever its score.
    assert_eq!(submitted(-1, -100, &[(5, -100)], 1), Err(ScoreOverflow));
    assert_eq!(submitted(-1, -27, &[(5, -100)], 1), answer(Some(-100), Some(-127), None));
    assert_eq!(submitted(-1, -28, &[(5, -100)], 1), Err(ScoreOverflow));
    // A bound of zero rejects everything, in the first bucket too.
    assert_eq!(submitted(-100, -100, &[], 0), rejected(-100));
}

#[test]
fn a_board_rejects_by_its_bound_under_every_policy() {
    fn of<K: Policy<i8, Error: std::fmt::Debug + PartialEq>>() {
        let mut board = Leaderboard::<u8, i8, K>::default().with_max_len(1);
        board.try_submit(1, 127).unwrap();
        for score in [127, -128] {
            let rejected = Submission { old: None, new: None, dropped: Some((2, score)) };
            assert_eq!(board.try_submit(2, score), Ok(rejected));
            assert_eq!(board.increment(2, score), Ok(rejected));
        }
        assert_eq!(board.increment(1, 1), Err(ScoreOverflow));
        assert_eq!(board.score(&1), Some(&127));
    }
    of::<Best>();
    of::<Latest>();
    of::<Sum>();
    let mut board = Leaderboard::with_policy(Sum).with_max_len(1);
    board.try_submit(1, 127_i8).unwrap();
    assert_eq!(board.try_submit(1, 1), Err(ScoreOverflow));
    let mut none = Leaderboard::with_policy(Sum).with_max_len(0);
    assert_eq!(none.try_submit(1, -128_i8).unwrap().dropped, Some((1, -128)));
}

#[test]
fn a_sum_that_overflows_after_an_expiry_counts_the_newest_buckets() {
    let mut boards = WindowedLeaderboard::with_policy(buckets(10, 3), Sum);
    for (score, now) in [(-100i8, 0), (100, 10), (90, 20)] {
        boards.try_submit("ann", score, at(now)).unwrap();
    }
    assert_eq!(boards.merged().score("ann"), Some(&90));
    boards.advance(at(30)); // 100 and 90 are left
    assert_eq!(boards.merged().score("ann"), Some(&90));
    boards.check_invariants();
}

#[test]
fn the_merged_score_does_not_depend_on_earlier_omissions() {
    let mut boards = WindowedLeaderboard::with_policy(buckets(10, 3), Sum);
    for (score, now) in [(-100i8, 0), (100, 10), (90, 20)] {
        boards.try_submit("ann", score, at(now)).unwrap();
    }
    boards.advance(at(30)); // 100 and 90 are left, and do not add up
    boards.try_submit("ann", -70, at(30)).unwrap();
    assert_eq!(boards.merged().score("ann"), Some(&120), "all buckets count again");
    boards.try_submit("ann", 1, at(30)).unwrap();
    assert_eq!(boards.merged().score("ann"), Some(&121));
    boards.check_invariants();
}

#[test]
fn the_merged_score_depends_only_on_the_buckets_even_near_overflow() {
    let mut boards = WindowedLeaderboard::with_policy(buckets(1, 4), Sum);
    for (id, score, now) in
        [("b", -100i8, 0), ("a", -50, 1), ("b", 100, 1), ("a", 100, 2), ("b", 100, 2), ("a", 70, 3)]
    {
        boards.try_submit(id, score, at(now)).unwrap();
    }
    assert_eq!(boards.merged().score("a"), Some(&120));
    boards.advance(at(4)); // b has 100 and 100 left, which overflow
    assert_eq!(boards.merged().score("b"), Some(&100));

    let bounded = boards.clone().with_max_len(100);
    assert_eq!(bounded, boards);
    assert_eq!(bounded.merged(), boards.merged());
    boards.try_submit("a", 0, at(4)).unwrap();
    assert_eq!(boards.merged().score("a"), Some(&120));
    boards.check_invariants();
}

#[test]
fn the_merged_score_counts_as_many_of_the_newest_buckets_as_fit() {
    let mut boards = WindowedLeaderboard::with_policy(buckets(1, 4), Sum);
    for (score, now) in [(-100i8, 0), (100, 1), (20, 2), (27, 3)] {
        boards.try_submit("ann", score, at(now)).unwrap();
    }
    boards.advance(at(4)); // 100, 20 and 27 are left
    assert_eq!(boards.merged().score("ann"), Some(&47));
    assert!(boards.try_submit("ann", 81, at(4)).is_err(), "the sum of 47 and 81 overflows");
    assert_eq!(boards.try_submit("ann", -30, at(4)).unwrap().new, Some(-30));
    assert_eq!(boards.merged().score("ann"), Some(&117));
    boards.check_invariants();
}

#[test]
fn a_panicking_drop_of_a_member_leaves_consistent_boards() {
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    struct Panics(u8);

    impl Drop for Panics {
        fn drop(&mut self) {
            assert!(self.0 != 2 || std::thread::panicking(), "dropped");
        }
    }

    let mut boards = WindowedLeaderboard::new(buckets(10, 3));
    boards.submit(Panics(1), 5, at(0));
    boards.submit(Panics(2), 5, at(10));
    assert!(catch_unwind(AssertUnwindSafe(|| boards.clear())).is_err());
    boards.advance(at(10));
    boards.check_invariants();
    std::mem::forget(boards);
}

#[test]
fn a_member_evicted_from_one_bucket_keeps_its_scores_in_others() {
    let mut boards = WindowedLeaderboard::new(buckets(10, 2)).with_max_len(1);
    boards.submit("ann", 3, at(0));
    boards.submit("ann", 5, at(10));
    assert_eq!(boards.merged().score("ann"), Some(&5));
    assert_eq!(boards.submit("bob", 6, at(10)).dropped, Some(("ann", 5)));
    assert_eq!(boards.merged().score("ann"), Some(&3));
    assert_eq!(boards.submit("ann", 4, at(10)).new, None);
    assert_eq!(boards.merged().score("ann"), Some(&3));
    boards.check_invariants();
}

#[test]
fn a_bound_set_later_applies_to_existing_members() {
    let mut boards = WindowedLeaderboard::new(buckets(10, 2));
    boards.submit("ann", 3, at(0));
    boards.submit("bob", 4, at(0));
    boards.submit("ann", 1, at(10));
    let boards = boards.with_max_len(1).with_dense_standings();
    boards.check_invariants();
    assert_eq!(boards.merged().score("ann"), Some(&1));
    assert!(boards.with_max_len(0).is_empty());
}

#[test]
fn boards_are_send_and_sync() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<WindowedLeaderboard<String, u64>>();
}

#[cfg(feature = "serde")]
mod serialization {
    use std::format;
    use std::string::{String, ToString};

    use super::*;

    type Boards = WindowedLeaderboard<u8, u8, Sum>;

    fn read(text: &str) -> Result<Boards, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn boards_round_trip() {
        let mut boards = Boards::with_policy(buckets(10, 3).with_start(at(4)), Sum).with_max_len(2);
        for (id, score, now) in [(1, 5, 0), (1, 6, 6), (2, 7, 25)] {
            boards.try_submit(id, score, at(now)).unwrap();
        }
        let text = serde_json::to_string(&boards).unwrap();
        let expected = r#"{"buckets":{"width":10,"count":3,"first":4},"newest":25,"#.to_string()
            + r#""max_len":2,"boards":[[0,{"scores":[[2,7]],"max_len":2}],"#
            + r#"[2,{"scores":[[1,6]],"max_len":2}]]}"#;
        assert_eq!(text, expected);
        let read = read(&text).unwrap();
        read.check_invariants();
        assert_eq!(read, boards);
        assert_eq!(read.merged(), boards.merged());
        assert_eq!(read.bucket(1).unwrap().max_len(), Some(2), "an empty bucket has the bound too");
    }

    #[test]
    fn the_state_after_a_panic_can_be_loaded() {
        let mut boards = Boards::with_policy(buckets(10, 3), Sum);
        boards.try_submit(1, 5, at(0)).unwrap();
        boards.try_submit(2, 7, at(20)).unwrap();
        // The state after a panic in user code before the first bucket has been removed.
        boards.newest = at(30);
        let read = read(&serde_json::to_string(&boards).unwrap()).unwrap();
        read.check_invariants();
        boards.advance(at(30));
        assert_eq!(read, boards);
    }

    #[test]
    fn malformed_boards_are_rejected() {
        let text = |buckets: &str, boards: &str| {
            let boards = boards.replace('(', r#"{"scores":"#).replace(')', r#","max_len":null}"#);
            let text =
                format!(r#"{{"buckets":{buckets},"newest":25,"max_len":null,"boards":{boards}}}"#);
            read(&text)
        };
        let good = r#"{"width":10,"count":3,"first":94}"#;
        assert_eq!(text(good, "[[0,([])]]").unwrap().buckets(), buckets(10, 3).with_start(at(4)));
        text(good, "[[0,([])]]").unwrap().check_invariants();
        for (buckets, boards, message) in [
            (r#"{"width":0,"count":3,"first":0}"#, "[]", "bucket has a width of zero"),
            (r#"{"width":10,"count":0,"first":0}"#, "[]", "number of buckets is zero"),
            (good, "[[3,([])]]", "a bucket is too old"),
            (good, "[[18446744073709551615,([])]]", "a bucket is too old"),
            (good, "[[0,([])],[0,([])]]", "a bucket is repeated"),
            (good, r#"[[0,{"scores":[],"max_len":1}]]"#, "a bucket has a different bound"),
            (good, "[[0,([[1,5],[1,5]])]]", "element 1 repeats"),
        ] {
            let error = text(buckets, boards).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        // If the sum does not fit, only the newest scores count.
        let large = text(good, "[[1,([[1,200]])],[0,([[1,100]])]]").unwrap();
        assert_eq!(large.merged().score(&1), Some(&100));
    }
}
