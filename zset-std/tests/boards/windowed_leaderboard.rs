//! `WindowedLeaderboard`, compared with a list for each bucket, which are merged for each query.

use std::time::Duration;

use super::*;
use zset_std::{Best, Buckets, Latest, Leaderboard, Policy, Sum, Timestamp, WindowedLeaderboard};

#[derive(Clone, Debug)]
enum Operation {
    Submit(Id, u8),
    Advance,
    Remove(Id),
    Bound(usize),
    Index,
    Clear,
}

fn ids() -> impl Strategy<Value = Id> {
    0..8u8
}

fn operations() -> impl Strategy<Value = Operation> {
    let scores = prop_oneof![6 => 0..5u8, 1 => any::<u8>()];
    prop_oneof![
        20 => (ids(), scores).prop_map(|(id, score)| Operation::Submit(id, score)),
        4 => Just(Operation::Advance),
        2 => ids().prop_map(Operation::Remove),
        1 => (0..6usize).prop_map(Operation::Bound),
        1 => Just(Operation::Index),
        1 => Just(Operation::Clear),
    ]
}

/// Generates steps of time: mostly forwards within a bucket or two, sometimes back, sometimes far.
fn steps() -> impl Strategy<Value = i64> {
    prop_oneof![12 => 0..8i64, 3 => 0..40i64, 1 => -30..0i64, 1 => 0..i64::MAX]
}

/// Generates the bucket width, the number of buckets, and the start of some bucket.
fn windows() -> impl Strategy<Value = (u64, usize, u64)> {
    let counts = prop_oneof![8 => 1..5usize, 1 => Just(usize::MAX)];
    (1..20u64, counts, prop_oneof![Just(0), 0..100u64])
}

struct NaiveWindow {
    width: u64,
    count: usize,
    start: u64,
    newest: u64,
    max_len: usize,
    /// Keyed by bucket number, counted from the bucket that starts at `start`.
    buckets: Vec<(i128, Naive<u8>)>,
}

impl NaiveWindow {
    fn number(&self, time: u64) -> i128 {
        (i128::from(time) - i128::from(self.start)).div_euclid(i128::from(self.width))
    }

    fn current(&mut self) -> &mut Naive<u8> {
        let number = self.number(self.newest);
        if !self.buckets.iter().any(|(other, _)| *other == number) {
            self.buckets.push((number, Naive::default()));
        }
        let found = self.buckets.iter_mut().find(|(other, _)| *other == number);
        &mut found.unwrap().1
    }

    fn advance(&mut self, now: u64) {
        self.newest = self.newest.max(now);
        let number = self.number(self.newest);
        let count = self.count as i128;
        self.buckets.retain(|(other, _)| number - other < count);
    }

    /// Combines the scores of each member from the oldest bucket to the newest.
    fn merged(&self, combine: &impl Fn(u8, u8) -> Option<u8>) -> Naive<u8> {
        let mut buckets: Vec<_> = self.buckets.iter().collect();
        buckets.sort_by_key(|(number, _)| *number);
        let mut merged = Naive::default();
        for (_, bucket) in buckets {
            for &(id, score) in &bucket.scores {
                let score = merged.score(id).map_or(Some(score), |old| combine(old, score));
                merged.set(id, score.unwrap());
            }
        }
        merged
    }
}

fn lines<K>(board: &Leaderboard<Id, u8, K>) -> Vec<(Id, u8)> {
    board.iter().map(|(id, score)| (*id, *score)).collect()
}

fn run<K: Policy<u8>>(
    new: impl Fn(Buckets) -> WindowedLeaderboard<Id, u8, K>,
    combine: impl Fn(u8, u8) -> Option<u8>,
    (width, count, start): (u64, usize, u64),
    operations: &[(i64, Operation)],
) {
    let buckets = Buckets::new(Duration::from_nanos(width), count).unwrap();
    let mut windowed = new(buckets.with_start(Timestamp::from_nanos(start)));
    let mut naive =
        NaiveWindow { width, count, start, newest: 0, max_len: usize::MAX, buckets: Vec::new() };
    let mut now = 0u64;
    for (step, operation) in operations {
        now = now.saturating_add_signed(*step);
        let time = Timestamp::from_nanos(now);
        match *operation {
            Operation::Submit(id, score) => {
                let answer = windowed.try_submit(id, score, time);
                naive.advance(now);
                let fits =
                    naive.merged(&combine).score(id).is_none_or(|s| combine(s, score).is_some());
                let max_len = naive.max_len;
                let bucket = naive.current();
                let old = bucket.score(id);
                // The bound decides first.
                let is_rejected =
                    old.is_none() && bucket.clone().submit(id, score, max_len).0.is_none();
                let new = old.map_or(Some(score), |old| combine(old, score));
                match new.filter(|_| fits || is_rejected) {
                    None => assert!(answer.is_err()),
                    Some(new) => {
                        let (new, dropped) = bucket.submit(id, new, max_len);
                        let answer = answer.ok().unwrap();
                        assert_eq!((answer.old, answer.new, answer.dropped), (old, new, dropped));
                    }
                }
            }
            Operation::Advance => {
                windowed.advance(time);
                naive.advance(now);
            }
            Operation::Remove(id) => {
                assert_eq!(windowed.remove(&id), naive.merged(&combine).score(id));
                naive.buckets.iter_mut().for_each(|(_, bucket)| _ = bucket.remove(id));
            }
            Operation::Bound(len) => {
                windowed = windowed.with_max_len(len);
                naive.max_len = len;
                naive.buckets.iter_mut().for_each(|(_, bucket)| _ = bucket.trim(len));
            }
            Operation::Index => windowed = windowed.with_dense_standings(),
            Operation::Clear => {
                windowed.clear();
                naive.buckets.clear();
            }
        }

        windowed.check_invariants();
        assert_eq!(windowed.newest().as_nanos(), naive.newest);
        let merged = naive.merged(&combine);
        assert_eq!(lines(windowed.merged()), merged.sorted());
        assert_eq!(windowed.is_empty(), merged.scores.is_empty());
        for id in 0..8 {
            for ties in TIES {
                assert_eq!(windowed.merged().standing(&id, ties), merged.number(id, ties));
            }
        }
        assert_eq!(lines(windowed.current()), naive.current().sorted());
        let number = naive.number(naive.newest);
        for ago in 0..7 {
            let bucket = windowed.bucket(ago);
            assert_eq!(bucket.is_some(), ago < count);
            let expected = naive.buckets.iter().find(|(other, _)| *other == number - ago as i128);
            let expected = expected.map_or(Vec::new(), |(_, bucket)| bucket.sorted());
            assert_eq!(bucket.map_or(Vec::new(), lines), expected);
        }
    }
    assert_eq!(windowed.clone(), windowed);
}

fn histories() -> impl Strategy<Value = Vec<(i64, Operation)>> {
    let len = if cfg!(miri) { 0..8 } else { 0..80 };
    prop::collection::vec((steps(), operations()), len)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_best_scores_per_bucket_and_merged_are_kept(window in windows(), operations in histories()) {
        let combine = |old: u8, new: u8| Some(old.max(new));
        run(WindowedLeaderboard::<_, _, Best>::new, combine, window, &operations);
    }

    #[test]
    fn the_latest_scores_per_bucket_and_merged_are_kept(window in windows(), operations in histories()) {
        let new = |buckets| WindowedLeaderboard::with_policy(buckets, Latest);
        run(new, |_, new| Some(new), window, &operations);
    }

    #[test]
    fn scores_are_summed_per_bucket_and_merged(window in windows(), operations in histories()) {
        let new = |buckets| WindowedLeaderboard::with_policy(buckets, Sum);
        run(new, u8::checked_add, window, &operations);
    }
}
