//! Members and scores that panic while they are compared, hashed, cloned or dropped.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use zset_std::{Buckets, Leaderboard, Ties, Timestamp, WindowedLeaderboard};

thread_local! {
    /// After so many calls of a user's code one panics; none ever if it is 0.
    static FUSE: Cell<u32> = const { Cell::new(0) };
}

fn burn() {
    let left = FUSE.get();
    FUSE.set(left.saturating_sub(1));
    assert!(left != 1, "a user's code panics");
}

/// Runs with a fuse of each length until it is too long; `after` looks at what was left.
fn with_every_fuse<T>(new: impl Fn() -> T, write: impl Fn(&mut T), after: impl Fn(&mut T)) {
    for fuse in 1..10_000 {
        let mut value = new();
        FUSE.set(fuse);
        let result = catch_unwind(AssertUnwindSafe(|| write(&mut value)));
        let burnt = FUSE.replace(0) == 0;
        after(&mut value);
        if result.is_ok() && !burnt {
            assert!(fuse > 3, "the fuse was never lit");
            return;
        }
    }
    panic!("the fuse is too short for this write");
}

#[derive(Debug)]
struct Touchy(u32);

impl Clone for Touchy {
    fn clone(&self) -> Self {
        burn();
        Touchy(self.0)
    }
}

impl PartialEq for Touchy {
    fn eq(&self, other: &Self) -> bool {
        burn();
        self.0 == other.0
    }
}

impl Eq for Touchy {}

impl PartialOrd for Touchy {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Touchy {
    fn cmp(&self, other: &Self) -> Ordering {
        burn();
        self.0.cmp(&other.0)
    }
}

impl Hash for Touchy {
    fn hash<H: Hasher>(&self, state: &mut H) {
        burn();
        self.0.hash(state);
    }
}

/// A score.
#[derive(Clone, Copy, Debug)]
struct TouchyScore(u32);

impl PartialEq for TouchyScore {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for TouchyScore {}

impl PartialOrd for TouchyScore {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for TouchyScore {
    fn cmp(&self, other: &Self) -> Ordering {
        burn();
        self.0.cmp(&other.0)
    }
}

type Week = WindowedLeaderboard<Touchy, TouchyScore>;
type Board = Leaderboard<Touchy, TouchyScore, zset_std::Latest>;

/// 100 members with 10 scores, more than a leaf has room for, and the last one has its own.
fn board() -> Board {
    let scores = (0..100).map(|id| (Touchy(id), TouchyScore(if id < 99 { id % 9 } else { 20 })));
    scores.collect::<Board>().with_dense_standings()
}

fn check(board: &mut Board) {
    board.check_invariants();
    let standing = board.iter().next_back().map(|line| line.score);
    let dense = board.iter().ties(Ties::Dense).next_back().map(|line| line.number);
    assert_eq!(standing.is_some(), dense.is_some());
    board.submit(Touchy(1000), TouchyScore(1000));
    assert_eq!(board.standing(&Touchy(1000), Ties::Dense), Some(1));
    board.check_invariants();
}

#[test]
fn a_panic_in_a_submission_leaves_a_board_in_order() {
    let submit =
        |id, score| move |board: &mut Board| _ = board.submit(Touchy(id), TouchyScore(score));
    with_every_fuse(board, submit(7, 3), check);
    with_every_fuse(board, submit(7, 100), check);
    with_every_fuse(board, submit(500, 5), check);
}

#[test]
fn a_panic_in_a_removal_leaves_a_board_in_order() {
    with_every_fuse(board, |board| _ = board.remove(&Touchy(33)), check);
    with_every_fuse(board, |board| _ = board.remove(&Touchy(99)), check);
    with_every_fuse(board, |board| _ = board.trim_to(40), check);
}

#[test]
fn a_full_board_is_within_its_bound_after_the_next_submission() {
    let full = || board().with_max_len(100);
    let submit = |board: &mut Board| _ = board.submit(Touchy(500), TouchyScore(50));
    with_every_fuse(full, submit, |board| {
        board.submit(Touchy(1000), TouchyScore(0)); // below the bar
        assert_eq!(board.len(), 100);
        board.check_invariants();
    });
}

#[test]
fn a_panic_in_a_bucket_is_mended_by_the_next_write() {
    let day = |n: u32| Timestamp::ZERO.saturating_add(Duration::from_secs(86_400) * n);
    let week = || {
        let buckets = Buckets::new(Duration::from_secs(86_400), 3).unwrap();
        let mut week = WindowedLeaderboard::new(buckets).with_max_len(3);
        for n in 0..3 {
            for id in n..n + 3 {
                week.submit(Touchy(id), TouchyScore(id * 7 % 5), day(n));
            }
        }
        week
    };
    let check = |week: &mut Week| {
        week.advance(week.newest());
        week.check_invariants();
        for id in 0..10 {
            let best = (0..3).filter_map(|ago| week.bucket(ago)?.score(&Touchy(id))).max();
            assert_eq!(week.merged().score(&Touchy(id)), best);
        }
    };
    let submit = |week: &mut Week| _ = week.submit(Touchy(9), TouchyScore(9), day(2));
    with_every_fuse(week, submit, check);
    let submit = |week: &mut Week| _ = week.submit(Touchy(9), TouchyScore(9), day(4));
    with_every_fuse(week, submit, check);
    with_every_fuse(week, |week| week.advance(day(4)), check);
    with_every_fuse(week, |week| _ = week.remove(&Touchy(2)), check);
}
