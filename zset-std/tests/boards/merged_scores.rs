//! The merged scores of a `WindowedLeaderboard`, recomputed from its buckets after each operation.
//!
//! Scores are near the limits of their type, so many sums overflow. Each operation is also applied
//! to a second board, built from the buckets alone: the history of the buckets must not matter.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::time::Duration;

use super::*;
use zset_core::Score;
use zset_std::{Best, Buckets, Latest, Leaderboard, Policy, Sum, Timestamp, WindowedLeaderboard};

#[derive(Clone, Debug)]
enum Operation<S> {
    Submit(Id, S),
    Advance,
    Remove(Id),
    Bound(usize),
    Clone,
    Store,
}

const IDS: Id = 4;

fn operations<S: Copy + Debug>(
    scores: impl Strategy<Value = S> + 'static,
) -> impl Strategy<Value = Operation<S>> {
    prop_oneof![
        20 => (0..IDS, scores).prop_map(|(id, score)| Operation::Submit(id, score)),
        2 => Just(Operation::Advance),
        1 => (0..IDS).prop_map(Operation::Remove),
        1 => (0..IDS as usize + 2).prop_map(Operation::Bound),
        1 => Just(Operation::Clone),
        1 => Just(Operation::Store),
    ]
}

/// Generates the number of buckets kept, and operations with the number of buckets that pass before
/// each.
fn histories<S: Copy + Debug>(
    scores: impl Strategy<Value = S> + 'static,
) -> impl Strategy<Value = (usize, Vec<(u64, Operation<S>)>)> {
    let steps = prop_oneof![12 => Just(0), 6 => Just(1), 1 => 2..6u64];
    let len = if cfg!(miri) { 0..8 } else { 0..60 };
    (1..7usize, prop::collection::vec((steps, operations(scores)), len))
}

fn near_the_bounds() -> impl Strategy<Value = i8> {
    prop_oneof![3 => any::<i8>(), 1 => -128..-90i8, 1 => 90..=127i8, 1 => -3..4i8]
}

type Board<S, K> = WindowedLeaderboard<Id, S, K>;

#[derive(Clone, Debug, PartialEq)]
struct Lines<S> {
    buckets: Vec<Option<Vec<(Id, S)>>>,
    merged: Vec<(Id, S)>,
    numbers: Vec<Option<usize>>,
}

/// Returns the lines of all boards.
fn lines<S: Ord + Copy, K: Policy<S>>(board: &Board<S, K>) -> Lines<S> {
    let lines = |board: &Leaderboard<Id, S, K>| -> Vec<_> {
        board.iter().map(|(id, score)| (*id, *score)).collect()
    };
    let numbers = (0..IDS).flat_map(|id| TIES.map(|ties| board.merged().standing(&id, ties)));
    Lines {
        buckets: (0..8).map(|ago| board.bucket(ago).map(lines)).collect(),
        merged: lines(board.merged()),
        numbers: numbers.collect(),
    }
}

/// The result of a submission, with a comparable error.
type Answer<S> = Option<(Option<S>, Option<S>, Option<(Id, S)>)>;

struct Subject<S, K> {
    board: Board<S, K>,
    max_len: usize,
    now: u64,
    /// Round-trips a board through serialization.
    restored: fn(&Board<S, K>) -> Board<S, K>,
}

impl<S: Ord + Copy + Debug, K: Policy<S>> Subject<S, K> {
    fn new(policy: K, count: usize, restored: fn(&Board<S, K>) -> Board<S, K>) -> Self {
        let buckets = Buckets::new(Duration::from_nanos(1), count).unwrap();
        let board = Board::with_policy(buckets, policy);
        Subject { board, max_len: usize::MAX, now: 0, restored }
    }

    fn apply(&mut self, operation: &Operation<S>) -> Answer<S> {
        let now = Timestamp::from_nanos(self.now);
        match *operation {
            Operation::Submit(id, score) => {
                let answer = self.board.try_submit(id, score, now).ok()?;
                return Some((answer.old, answer.new, answer.dropped));
            }
            Operation::Advance => self.board.advance(now),
            Operation::Remove(id) => _ = self.board.remove(&id),
            Operation::Bound(max_len) => {
                self.max_len = max_len;
                self.board = self.board.clone().with_max_len(max_len);
            }
            Operation::Clone => self.board = self.board.clone(),
            Operation::Store => self.board = (self.restored)(&self.board),
        }
        None
    }

    /// Builds an equal board from the buckets alone: setting a bound recomputes all merged scores.
    fn rebuilt(&self) -> Self {
        let board = self.board.clone().with_max_len(self.max_len);
        Subject { board, ..*self }
    }

    /// Applies an operation to the board and to one rebuilt from its buckets, and compares them.
    fn apply_to_both(&mut self, step: u64, operation: &Operation<S>) -> Answer<S> {
        self.now += step;
        let mut rebuilt = self.rebuilt();
        assert_eq!(lines(&rebuilt.board), lines(&self.board), "before {operation:?}");
        let answer = self.apply(operation);
        assert_eq!(rebuilt.apply(operation), answer, "{operation:?}");
        assert!(rebuilt.board == self.board);
        assert_eq!(lines(&rebuilt.board), lines(&self.board), "after {operation:?}");
        self.board.check_invariants();
        answer
    }
}

/// Combines scores, oldest first.
type CombineAll = fn(&[i8]) -> Option<i8>;

/// A list of members for each bucket.
struct Model {
    buckets: BTreeMap<u64, Naive<i8>>,
    count: usize,
    max_len: usize,
    combine_all: CombineAll,
}

impl Model {
    /// Returns the merged score of a member and the oldest bucket that counts. The longest run of
    /// newest buckets whose scores combine counts.
    fn merged(&self, id: Id) -> Option<(u64, i8)> {
        let scores = self
            .buckets
            .iter()
            .filter_map(|(&number, bucket)| bucket.score(id).map(|score| (number, score)));
        let (numbers, scores): (Vec<_>, Vec<_>) = scores.unzip();
        (0..scores.len())
            .find_map(|start| Some((numbers[start], (self.combine_all)(&scores[start..])?)))
    }

    fn advance(&mut self, now: u64) {
        self.buckets.retain(|number, _| now - number < self.count as u64);
    }

    fn apply(&mut self, now: u64, operation: &Operation<i8>) -> Answer<i8> {
        match *operation {
            Operation::Submit(id, score) => {
                self.advance(now);
                let before = self.merged(id);
                let bucket = self.buckets.entry(now).or_default();
                let old = bucket.score(id);
                if old.is_none() {
                    // The bound decides first.
                    let rejected = bucket.clone().submit(id, score, self.max_len);
                    if let (None, Some(_)) = rejected {
                        return Some((None, None, rejected.1));
                    }
                }
                let new = old.map_or(Some(score), |old| (self.combine_all)(&[old, score]))?;
                let unchanged = self.buckets.clone();
                let bucket = self.buckets.get_mut(&now).unwrap();
                bucket.set(id, new);
                let after = self.merged(id);
                self.buckets = unchanged;
                if before.is_some_and(|(before, _)| after.unwrap().0 > before) {
                    return None;
                }
                let bucket = self.buckets.get_mut(&now).unwrap();
                let (new, dropped) = bucket.submit(id, new, self.max_len);
                return Some((old, new, dropped));
            }
            Operation::Advance => self.advance(now),
            Operation::Remove(id) => {
                self.buckets.values_mut().for_each(|bucket| _ = bucket.remove(id));
            }
            Operation::Bound(max_len) => {
                self.max_len = max_len;
                self.buckets.values_mut().for_each(|bucket| _ = bucket.trim(max_len));
            }
            Operation::Clone | Operation::Store => {}
        }
        None
    }
}

fn follow<K: Policy<i8>>(
    policy: K,
    combine_all: CombineAll,
    (count, operations): (usize, Vec<(u64, Operation<i8>)>),
) {
    let mut subject = Subject::new(policy, count, restored);
    let mut model = Model { buckets: BTreeMap::new(), count, max_len: usize::MAX, combine_all };
    for (step, operation) in &operations {
        let answer = subject.apply_to_both(*step, operation);
        assert_eq!(answer, model.apply(subject.now, operation), "{operation:?}");
        let mut merged = Naive::default();
        for id in 0..IDS {
            model.merged(id).into_iter().for_each(|(_, score)| merged.set(id, score));
        }
        assert_eq!(lines(&subject.board).merged, merged.sorted(), "{operation:?}");
    }
}

#[cfg(feature = "serde")]
fn restored<K: Policy<i8>>(board: &Board<i8, K>) -> Board<i8, K> {
    serde_json::from_str(&serde_json::to_string(board).unwrap()).unwrap()
}

#[cfg(not(feature = "serde"))]
fn restored<K: Policy<i8>>(board: &Board<i8, K>) -> Board<i8, K> {
    board.clone()
}

/// A policy that depends on how scores are grouped, and fails for some.
struct Middle;

impl Policy<i8> for Middle {
    type Error = ();

    fn combine(old: &i8, new: i8) -> Result<i8, ()> {
        let sum = i16::from(*old) + i16::from(new);
        if sum % 7 == 0 { Err(()) } else { Ok((sum / 2) as i8) }
    }
}

/// Scores whose sums are rounded, infinite, or NaN.
fn any_scores() -> impl Strategy<Value = Score> {
    let scores = prop_oneof![
        8 => -10.0..10.0f64,
        2 => prop_oneof![Just(1e308), Just(-1e308), Just(1e17)],
        1 => prop_oneof![Just(f64::INFINITY), Just(f64::NEG_INFINITY)],
    ];
    scores.prop_map(|score| Score::new(score).unwrap())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sums_depend_only_on_the_buckets(history in histories(near_the_bounds())) {
        let sum = |scores: &[i8]| {
            i8::try_from(scores.iter().map(|&score| i32::from(score)).sum::<i32>()).ok()
        };
        follow(Sum, sum, history);
    }

    #[test]
    fn best_scores_depend_only_on_the_buckets(history in histories(near_the_bounds())) {
        follow(Best, |scores| scores.iter().max().copied(), history);
    }

    #[test]
    fn latest_scores_depend_only_on_the_buckets(history in histories(near_the_bounds())) {
        follow(Latest, |scores| scores.last().copied(), history);
    }

    #[test]
    fn rounded_sums_depend_only_on_the_buckets(
        (count, operations) in histories(any_scores()),
    ) {
        let mut subject = Subject::new(Sum, count, Board::clone);
        for (step, operation) in &operations {
            subject.apply_to_both(*step, operation);
        }
    }

    #[test]
    fn custom_policies_depend_only_on_the_buckets(
        (count, operations) in histories(near_the_bounds()),
    ) {
        let mut subject = Subject::new(Middle, count, restored);
        for (step, operation) in &operations {
            subject.apply_to_both(*step, operation);
        }
    }
}
