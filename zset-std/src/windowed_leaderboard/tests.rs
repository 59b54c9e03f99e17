use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use zset_core::ScoreOverflow;

use super::*;
use crate::Sum;
use crate::leaderboard::Submission;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn buckets(width: u64, count: usize) -> Buckets {
    Buckets::new(Duration::from_nanos(width), count).unwrap()
}

#[test]
fn far_jumps_and_the_last_timestamp_are_handled() {
    for (width, first) in [(2, 0), (2, 1), (u64::MAX, 0), (u64::MAX, u64::MAX - 1), (86_400, 7)] {
        let boards = |count| {
            WindowedLeaderboard::with_policy(buckets(width, count).with_start(at(first)), Sum)
        };
        let mut many = boards(usize::MAX);
        for now in [0, 1, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
            many.try_submit("ann", 1u32, at(now)).unwrap();
            many.check_invariants();
        }
        assert_eq!(many.merged().score("ann"), Some(&5), "no bucket expires");
        assert!(many.bucket(usize::MAX - 1).is_some() && many.bucket(usize::MAX).is_none());

        let mut one = boards(1);
        for now in [0, u64::MAX] {
            one.try_submit("ann", 1, at(now)).unwrap();
        }
        one.check_invariants();
    }
    // There are 2^64 buckets of one nanosecond, and all but one of them are kept.
    let mut boards = WindowedLeaderboard::new(buckets(1, usize::MAX));
    boards.submit("ann", 1, at(0));
    boards.submit("bob", 1, at(u64::MAX - 1));
    assert_eq!(boards.merged().len(), 2);
    boards.advance(at(u64::MAX));
    #[cfg(target_pointer_width = "64")]
    assert!(boards.merged().iter().map(|(member, _)| *member).eq(["bob"]));
}

#[test]
fn invalid_buckets_are_rejected() {
    assert_eq!(Buckets::new(Duration::ZERO, 1), Err(BucketsError::ZeroWidth));
    assert_eq!(Buckets::new(Duration::MAX, 0), Err(BucketsError::ZeroCount));
    assert!(Buckets::new(Duration::MAX, 1).is_ok());
}

#[test]
fn the_bound_rejects_a_score_before_a_sum_can_overflow() {
    let answer = |old, new, dropped| Ok(Submission { old, new, dropped });
    // Submits a score of one member to the first bucket, and another to the current bucket, which
    // has a bound and other members.
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
    // With equal scores, the bound rejects a member that sorts after the last one. A member that
    // sorts before the last one passes the bound, so adding to its sum can overflow.
    assert_eq!(submitted(100, 100, &[(4, 100)], 1), rejected(100));
    assert_eq!(submitted(100, 100, &[(6, 100)], 1), Err(ScoreOverflow));
    assert_eq!(submitted(27, 100, &[(6, 100)], 1), answer(None, Some(100), Some((6, 100))));
    assert_eq!(submitted(28, 100, &[(6, 100)], 1), Err(ScoreOverflow));
    assert_eq!(submitted(28, 100, &[(6, 101)], 1), rejected(100));
    // The score is below the lowest score on the board. The board has room in the first two cases,
    // and is full in the others.
    assert_eq!(submitted(-100, -100, &[(6, 0)], 2), Err(ScoreOverflow));
    assert_eq!(submitted(-100, -28, &[(6, 0)], 2), answer(None, Some(-28), None));
    assert_eq!(submitted(-100, -100, &[(6, 0), (7, 1)], 2), rejected(-100));
    assert_eq!(submitted(-10, -100, &[(6, 0), (7, 1)], 2), rejected(-100));
    // A member that is already in the bucket stays, whatever its score.
    assert_eq!(submitted(-1, -100, &[(5, -100)], 1), Err(ScoreOverflow));
    assert_eq!(submitted(-1, -27, &[(5, -100)], 1), answer(Some(-100), Some(-127), None));
    assert_eq!(submitted(-1, -28, &[(5, -100)], 1), Err(ScoreOverflow));
    // A bound of zero rejects every score, even in the first bucket.
    assert_eq!(submitted(-100, -100, &[], 0), rejected(-100));
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
    for (score, merged) in [(10, 57), (-40, 117)] {
        boards.try_submit("ann", score, at(4)).unwrap();
        assert_eq!(boards.merged().score("ann"), Some(&merged));
    }
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
    fn the_state_after_a_panic_can_be_loaded() {
        let mut boards = Boards::with_policy(buckets(10, 3), Sum);
        boards.try_submit(1, 5, at(0)).unwrap();
        boards.try_submit(2, 7, at(20)).unwrap();
        // This is the state after user code has panicked: the time has advanced, but the first
        // bucket has not been removed.
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
