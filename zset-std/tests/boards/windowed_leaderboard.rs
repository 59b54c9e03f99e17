//! Compares `WindowedLeaderboard` with lists, one per bucket, which are merged for each query.
//!
//! Many scores are near the limits of their type, so many sums overflow. Each operation is also
//! applied to a second board, rebuilt from the buckets alone. The results must be the same, however
//! the buckets were filled.

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
    Index,
    Clear,
    Clone,
    Store,
}

const IDS: Id = 5;

fn operations<S: Copy + Debug>(
    scores: impl Strategy<Value = S> + 'static,
) -> impl Strategy<Value = Operation<S>> {
    prop_oneof![
        40 => (0..IDS, scores).prop_map(|(id, score)| Operation::Submit(id, score)),
        4 => Just(Operation::Advance),
        3 => (0..IDS).prop_map(Operation::Remove),
        2 => (0..IDS as usize + 2).prop_map(Operation::Bound),
        1 => Just(Operation::Index),
        1 => Just(Operation::Clear),
        2 => Just(Operation::Clone),
        2 => Just(Operation::Store),
    ]
}

/// The width and number of buckets, and the start of one of them.
#[derive(Clone, Copy, Debug)]
struct Window {
    width: u64,
    count: usize,
    start: u64,
}

/// A window, and operations with the time that passes before each.
type History<S> = (Window, Vec<(i64, Operation<S>)>);

/// Generates histories that fill several buckets: time mostly stands still or moves forward a
/// little, sometimes steps back, and rarely jumps far ahead.
fn histories<S: Copy + Debug>(
    scores: impl Strategy<Value = S> + 'static,
) -> impl Strategy<Value = History<S>> {
    let widths = prop_oneof![Just(1), 2..20u64];
    let counts = prop_oneof![8 => 1..7usize, 1 => Just(usize::MAX)];
    let starts = prop_oneof![Just(0), 0..100u64];
    let windows =
        (widths, counts, starts).prop_map(|(width, count, start)| Window { width, count, start });
    let steps = prop_oneof![
        40 => Just(0), 20 => Just(1), 20 => 0..8i64, 4 => 0..40i64, 4 => -30..0i64, 1 => 0..i64::MAX
    ];
    let len = if cfg!(miri) { 0..8 } else { 0..80 };
    (windows, prop::collection::vec((steps, operations(scores)), len))
}

fn near_the_bounds() -> impl Strategy<Value = i8> {
    prop_oneof![3 => any::<i8>(), 1 => -128..-90i8, 1 => 90..=127i8, 2 => -3..4i8]
}

type Board<S, K> = WindowedLeaderboard<Id, S, K>;

#[derive(Clone, Debug, PartialEq)]
struct Lines<S> {
    newest: u64,
    buckets: Vec<Option<Vec<(Id, S)>>>,
    merged: Vec<(Id, S)>,
    numbers: Vec<Option<usize>>,
}

/// Returns the lines of the merged board and of the buckets.
fn lines<S: Ord + Copy, K: Policy<S>>(board: &Board<S, K>) -> Lines<S> {
    let lines = |board: &Leaderboard<Id, S, K>| -> Vec<_> {
        board.iter().map(|(id, score)| (*id, *score)).collect()
    };
    let merged = board.merged();
    assert_eq!(board.is_empty(), merged.is_empty());
    assert!(board.bucket(0) == Some(board.current()));
    Lines {
        newest: board.newest().as_nanos(),
        buckets: (0..8).map(|ago| board.bucket(ago).map(lines)).collect(),
        merged: lines(merged),
        numbers: (0..IDS).flat_map(|id| TIES.map(|ties| merged.standing(&id, ties))).collect(),
    }
}

/// The old score, the new score and the evicted element, or `None` for an error. A removal returns
/// the removed score as the old one.
type Answer<S> = Option<(Option<S>, Option<S>, Option<(Id, S)>)>;

struct Subject<S, K> {
    board: Board<S, K>,
    max_len: usize,
    now: u64,
    /// Round-trips a board through serialization.
    restored: fn(&Board<S, K>) -> Board<S, K>,
}

impl<S: Ord + Copy + Debug, K: Policy<S>> Subject<S, K> {
    fn new(policy: K, window: Window, restored: fn(&Board<S, K>) -> Board<S, K>) -> Self {
        let buckets = Buckets::new(Duration::from_nanos(window.width), window.count).unwrap();
        let buckets = buckets.with_start(Timestamp::from_nanos(window.start));
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
            Operation::Remove(id) => return Some((self.board.remove(&id), None, None)),
            Operation::Bound(max_len) => {
                self.max_len = max_len;
                self.board = self.board.clone().with_max_len(max_len);
            }
            Operation::Index => self.board = self.board.clone().with_dense_standings(),
            Operation::Clear => self.board.clear(),
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
    fn apply_to_both(&mut self, step: i64, operation: &Operation<S>) -> Answer<S> {
        self.now = self.now.saturating_add_signed(step);
        let mut rebuilt = self.rebuilt();
        rebuilt.board.check_invariants();
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
#[derive(Clone)]
struct Model {
    window: Window,
    newest: u64,
    max_len: usize,
    /// The buckets by number. Bucket 0 starts at the start of the window.
    buckets: BTreeMap<i128, Naive<i8>>,
    combine_all: CombineAll,
}

impl Model {
    /// Returns the number of the current bucket.
    fn number(&self) -> i128 {
        let since_start = i128::from(self.newest) - i128::from(self.window.start);
        since_start.div_euclid(self.window.width.into())
    }

    fn current(&mut self) -> &mut Naive<i8> {
        self.buckets.entry(self.number()).or_default()
    }

    /// Returns the oldest bucket that counts and the merged score of a member. The buckets that
    /// count are the longest run, up to the newest, whose scores can be combined.
    fn merged(&self, id: Id) -> Option<(i128, i8)> {
        let scores = self
            .buckets
            .iter()
            .filter_map(|(&number, bucket)| bucket.score(id).map(|score| (number, score)));
        let (numbers, scores): (Vec<_>, Vec<_>) = scores.unzip();
        (0..scores.len())
            .find_map(|start| Some((numbers[start], (self.combine_all)(&scores[start..])?)))
    }

    fn lines(&self) -> Lines<i8> {
        let mut merged = Naive::default();
        for id in 0..IDS {
            self.merged(id).into_iter().for_each(|(_, score)| merged.set(id, score));
        }
        let bucket = |ago: usize| {
            let bucket = self.buckets.get(&(self.number() - ago as i128));
            (ago < self.window.count).then(|| bucket.map_or(Vec::new(), Naive::sorted))
        };
        Lines {
            newest: self.newest,
            buckets: (0..8).map(bucket).collect(),
            merged: merged.sorted(),
            numbers: (0..IDS).flat_map(|id| TIES.map(|ties| merged.number(id, ties))).collect(),
        }
    }

    fn advance(&mut self, now: u64) {
        self.newest = self.newest.max(now);
        let number = self.number();
        self.buckets.retain(|other, _| number - other < self.window.count as i128);
    }

    fn submit(&mut self, id: Id, score: i8, now: u64) -> Answer<i8> {
        self.advance(now);
        let max_len = self.max_len;
        let old = self.current().score(id);
        // If the bound rejects a new member of the bucket, the score is not merged with older
        // buckets, so it cannot overflow.
        if let (None, (None, rejected)) = (old, self.current().clone().submit(id, score, max_len)) {
            return Some((None, None, rejected));
        }
        let new = old.map_or(Some(score), |old| (self.combine_all)(&[old, score]))?;
        let mut after = self.clone();
        after.current().set(id, new);
        // A submission fails if it would exclude an older bucket from the merged score of the
        // member.
        if self.merged(id).is_some_and(|(oldest, _)| after.merged(id).unwrap().0 > oldest) {
            return None;
        }
        let (new, dropped) = self.current().submit(id, new, max_len);
        Some((old, new, dropped))
    }

    fn apply(&mut self, now: u64, operation: &Operation<i8>) -> Answer<i8> {
        match *operation {
            Operation::Submit(id, score) => return self.submit(id, score, now),
            Operation::Advance => self.advance(now),
            Operation::Remove(id) => {
                let merged = self.merged(id).map(|(_, score)| score);
                self.buckets.values_mut().for_each(|bucket| _ = bucket.remove(id));
                return Some((merged, None, None));
            }
            Operation::Bound(max_len) => {
                self.max_len = max_len;
                self.buckets.values_mut().for_each(|bucket| _ = bucket.trim(max_len));
            }
            Operation::Clear => self.buckets.clear(),
            Operation::Index | Operation::Clone | Operation::Store => {}
        }
        None
    }
}

fn follow<K: Policy<i8>>(policy: K, combine_all: CombineAll, (window, operations): History<i8>) {
    let mut subject = Subject::new(policy, window, restored);
    let buckets = BTreeMap::new();
    let mut model = Model { window, newest: 0, max_len: usize::MAX, buckets, combine_all };
    for (step, operation) in &operations {
        let answer = subject.apply_to_both(*step, operation);
        assert_eq!(answer, model.apply(subject.now, operation), "{operation:?}");
        assert_eq!(lines(&subject.board), model.lines(), "{operation:?}");
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

/// A policy whose result depends on how scores are grouped, and which fails for some scores.
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
    fn rounded_sums_depend_only_on_the_buckets((window, operations) in histories(any_scores())) {
        let mut subject = Subject::new(Sum, window, Board::clone);
        for (step, operation) in &operations {
            subject.apply_to_both(*step, operation);
        }
    }

    #[test]
    fn custom_policies_depend_only_on_the_buckets(
        (window, operations) in histories(near_the_bounds()),
    ) {
        let mut subject = Subject::new(Middle, window, restored);
        for (step, operation) in &operations {
            subject.apply_to_both(*step, operation);
        }
    }
}
