//! Tests boards whose members and scores panic when they are compared, hashed or cloned.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use zset_std::{Buckets, Leaderboard, Ties, Timestamp, WindowedLeaderboard};

use crate::fuse::{self, Fused};

/// Runs `write` with fuses of increasing length until one does not blow; `after` examines the value
/// after each run.
fn with_every_fuse<T>(new: impl Fn() -> T, write: impl Fn(&mut T), after: impl Fn(&mut T)) {
    for length in 1..10_000 {
        let mut value = new();
        fuse::arm(length);
        let result = catch_unwind(AssertUnwindSafe(|| write(&mut value)));
        let has_blown = fuse::disarm();
        after(&mut value);
        if result.is_ok() && !has_blown {
            assert!(length > 3, "the write calls too little user code");
            return;
        }
    }
    panic!("the fuse is too short for this write");
}

type Week = WindowedLeaderboard<Fused, Fused>;
type Board = Leaderboard<Fused, Fused, zset_std::Latest>;

/// Creates a board of 100 members, too many for one leaf, with 10 distinct scores. Only the score
/// of member 99 is unique.
fn board() -> Board {
    let scores = (0..100).map(|id| (Fused(id), Fused(if id < 99 { id % 9 } else { 20 })));
    scores.collect::<Board>().with_dense_standings()
}

fn check(board: &mut Board) {
    board.check_invariants();
    let last = board.iter().next_back();
    let dense = board.standings().ties(Ties::Dense).next_back().map(|line| line.number);
    assert_eq!(last.is_some(), dense.is_some());
    board.submit(Fused(1000), Fused(1000));
    assert_eq!(board.standing(&Fused(1000), Ties::Dense), Some(1));
    board.check_invariants();
}

#[test]
fn a_panic_in_a_submission_leaves_the_board_valid() {
    let submit = |id, score| move |board: &mut Board| _ = board.submit(Fused(id), Fused(score));
    with_every_fuse(board, submit(7, 3), check);
    with_every_fuse(board, submit(7, 100), check);
    with_every_fuse(board, submit(500, 5), check);
}

#[test]
fn a_panic_in_a_removal_leaves_the_board_valid() {
    with_every_fuse(board, |board| _ = board.remove(&Fused(33)), check);
    with_every_fuse(board, |board| _ = board.remove(&Fused(99)), check);
    with_every_fuse(board, |board| _ = board.trim_to(40), check);
}

#[test]
fn a_panic_in_a_bulk_write_leaves_the_board_valid() {
    with_every_fuse(board, |board| _ = board.pop_best(), check);
    let is_even = |id: &Fused| {
        fuse::burn();
        id.0 % 2 == 0
    };
    with_every_fuse(board, |board| board.retain(|id, _| is_even(id)), check);
    let halve = |board: &mut Board| {
        board.map_scores(|_, score| {
            fuse::burn();
            Fused(score.0 / 2)
        });
    };
    with_every_fuse(board, halve, check);
}

#[test]
fn a_panic_while_mapping_scores_leaves_the_board_unchanged() {
    let mut changed = board();
    let result = catch_unwind(AssertUnwindSafe(|| {
        changed.map_scores(|id, score| if id.0 == 50 { panic!("no score") } else { score.clone() });
    }));
    assert!(result.is_err());
    assert!(changed == board() && changed.has_dense_standings());
}

#[test]
fn a_board_over_its_bound_shrinks_at_the_next_submission() {
    let full = || board().with_max_len(100);
    let submit = |board: &mut Board| _ = board.submit(Fused(500), Fused(50));
    with_every_fuse(full, submit, |board| {
        board.submit(Fused(1000), Fused(0)); // ranks below all others
        assert_eq!(board.len(), 100);
        board.check_invariants();
    });
}

#[test]
fn a_panic_in_a_submission_that_ties_with_the_last_member_leaves_the_board_valid() {
    let full = || {
        let mut board = board();
        board.remove(&Fused(50));
        board.with_max_len(99)
    };
    // Both ids tie with the last member, id 90. Id 50 ranks above it and evicts it; id 500 ranks
    // below it and is rejected.
    for id in [50, 500] {
        let submit = |board: &mut Board| _ = board.submit(Fused(id), Fused(0));
        with_every_fuse(full, submit, |board| {
            board.submit(Fused(1000), Fused(0));
            assert_eq!(board.len(), 99);
            board.check_invariants();
        });
    }
}

#[test]
fn a_panic_in_a_bucket_is_repaired_by_the_next_write() {
    let day = |n: u64| Timestamp::from_nanos(n * 86_400_000_000_000);
    let week = || {
        let buckets = Buckets::new(Duration::from_secs(86_400), 3).unwrap();
        let mut week = WindowedLeaderboard::new(buckets).with_max_len(3);
        for n in 0..3 {
            for id in n..n + 3 {
                week.submit(Fused(id), Fused(id * 7 % 5), day(n));
            }
        }
        week
    };
    let check = |week: &mut Week| {
        week.advance(week.newest());
        week.check_invariants();
        for id in 0..10 {
            let best = (0..3).filter_map(|ago| week.bucket(ago)?.score(&Fused(id))).max();
            assert_eq!(week.merged().score(&Fused(id)), best);
        }
    };
    let submit = |week: &mut Week| _ = week.submit(Fused(9), Fused(9), day(2));
    with_every_fuse(week, submit, check);
    let submit = |week: &mut Week| _ = week.submit(Fused(9), Fused(9), day(4));
    with_every_fuse(week, submit, check);
    with_every_fuse(week, |week| week.advance(day(4)), check);
    with_every_fuse(week, |week| _ = week.remove(&Fused(2)), check);
}
