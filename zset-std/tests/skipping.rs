//! Checks that `nth`, `nth_back` and `last` return the same elements as single steps.

use std::fmt::Debug;

use zset_std::leaderboard::Ties;
use zset_std::{DelayQueue, Leaderboard, Timeline, Timestamp};

fn verify<I>(iter: &I)
where
    I: DoubleEndedIterator<Item: PartialEq + Debug> + ExactSizeIterator + Clone,
{
    for n in 0..iter.len() + 2 {
        let (mut skipping, mut stepping) = (iter.clone(), iter.clone());
        assert_eq!(skipping.nth(n), (0..=n).find_map(|i| step(&mut stepping, i == n, I::next)));
        assert_eq!(skipping.len(), stepping.len());
        assert_eq!(
            skipping.nth_back(n),
            (0..=n).find_map(|i| step(&mut stepping, i == n, I::next_back))
        );
        assert_eq!(skipping.clone().last(), stepping.clone().fold(None, |_, item| Some(item)));
        assert!(skipping.clone().eq(stepping.clone()));
        assert!(skipping.rev().eq(stepping.rev()));
    }
}

/// Takes a step; returns its element if it is the last.
fn step<I: Iterator>(
    iter: &mut I,
    is_last: bool,
    next: impl Fn(&mut I) -> Option<I::Item>,
) -> Option<I::Item> {
    next(iter).filter(|_| is_last)
}

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

#[test]
fn board_lines_under_every_tie_numbering() {
    let board: Leaderboard<u32, u32> = (0..40).map(|i| (i, i * i % 7)).collect();
    for board in [board.clone(), board.with_dense_standings()] {
        for ties in [Ties::Ordinal, Ties::Competition, Ties::Dense] {
            verify(&board.standings().ties(ties));
            verify(&board.page(11, 9).ties(ties));
        }
    }
}

#[test]
fn posts_and_jobs() {
    let feed: Timeline<u64> = (0..20).map(|i| (i, at(i % 6))).collect();
    verify(&feed.latest(15));
    let queue: DelayQueue<u64> = (0..20).map(|i| (i, at(i % 6))).collect();
    verify(&queue.iter());
}
