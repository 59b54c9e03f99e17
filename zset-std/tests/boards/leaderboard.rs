//! Compares `Leaderboard` with a sorted list, for each policy, with and without a maximum length,
//! and with and without the index for dense standings.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Bound, RangeBounds};

use super::*;
use zset_core::{ScoreOverflow, SortedSet, TieOrder, Unordered};
use zset_std::leaderboard::{Standings, Submission};
use zset_std::{Best, Latest, Leaderboard, Policy, Standing, Sum};

/// A member with an order, or without one.
trait Member: TieOrder + Hash + Copy + Debug + Borrow<Id> {
    fn new(id: Id) -> Self;

    /// Returns the board if its members have an order.
    fn ordered<K>(board: &Leaderboard<Self, i8, K>) -> Option<&Leaderboard<Id, i8, K>>;
}

impl Member for Id {
    fn new(id: Id) -> Self {
        id
    }

    fn ordered<K>(board: &Leaderboard<Self, i8, K>) -> Option<&Leaderboard<Id, i8, K>> {
        Some(board)
    }
}

impl Member for Unordered<Id> {
    fn new(id: Id) -> Self {
        Unordered(id)
    }

    fn ordered<K>(_: &Leaderboard<Self, i8, K>) -> Option<&Leaderboard<Id, i8, K>> {
        None
    }
}

#[derive(Clone, Debug)]
enum Operation {
    Submit(Id, i8),
    Increment(Id, i8),
    Remove(Id),
    TrimTo(usize),
    Bound(usize),
    Index,
    Clear,
    PopBest,
    PopWorst,
    /// Keeps the scores with this remainder modulo 3.
    Retain(i8),
    /// Divides all scores, and reverses their order if the flag is set.
    MapScores(i8, bool),
    /// Converts to a sorted set and back, which drops the bound and the index.
    Convert,
}

/// Scores that often tie, and some whose sums overflow.
fn scores() -> impl Strategy<Value = i8> {
    prop_oneof![6 => 0..4i8, 1 => any::<i8>()]
}

fn ids() -> impl Strategy<Value = Id> {
    0..12u8
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        20 => (ids(), scores()).prop_map(|(id, score)| Operation::Submit(id, score)),
        4 => (ids(), scores()).prop_map(|(id, by)| Operation::Increment(id, by)),
        4 => ids().prop_map(Operation::Remove),
        1 => (0..12usize).prop_map(Operation::TrimTo),
        1 => (0..12usize).prop_map(Operation::Bound),
        1 => Just(Operation::Index),
        1 => Just(Operation::Clear),
        2 => Just(Operation::PopBest),
        2 => Just(Operation::PopWorst),
        1 => (0..3i8).prop_map(Operation::Retain),
        2 => (1..4i8, any::<bool>()).prop_map(|(by, turned)| Operation::MapScores(by, turned)),
        1 => Just(Operation::Convert),
    ]
}

/// What to query: a member, pages, a range of scores, and the ends to iterate from.
#[derive(Clone, Debug)]
struct Query {
    id: Id,
    offset: usize,
    n: usize,
    range: (Bound<i8>, Bound<i8>),
    from_the_front: Vec<bool>,
}

fn queries() -> impl Strategy<Value = Query> {
    let bound = || {
        prop_oneof![
            (-1..5i8).prop_map(Bound::Included),
            (-1..5i8).prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    };
    let n = || prop_oneof![8 => 0..6usize, 1 => Just(usize::MAX)];
    let steps = prop::collection::vec(any::<bool>(), 0..16);
    (ids(), n(), n(), (bound(), bound()), steps).prop_map(
        |(id, offset, n, range, from_the_front)| Query { id, offset, n, range, from_the_front },
    )
}

/// Compares lines with the expected ones: forward, backward, and from the ends that
/// `from_the_front` chooses.
fn expect<M: Member>(
    lines: Standings<'_, M, i8>,
    expected: &[(usize, Id, i8)],
    from_the_front: &[bool],
) {
    let plain = |line: Standing<'_, M, i8>| (line.number, *line.member.borrow(), *line.score);
    assert_eq!(lines.clone().map(plain).collect::<Vec<_>>(), expected);
    assert!(lines.clone().rev().map(plain).eq(expected.iter().rev().copied()));
    let (mut lines, mut expected) = (lines, expected.iter().copied());
    for &is_front in from_the_front {
        assert_eq!(lines.len(), expected.len());
        let (line, expected) = if is_front {
            (lines.next(), expected.next())
        } else {
            (lines.next_back(), expected.next_back())
        };
        assert_eq!(line.map(plain), expected);
    }
}

fn owned<M: Member>((member, score): (&M, &i8)) -> (Id, i8) {
    (*member.borrow(), *score)
}

/// Like `owned`, for an element returned by value.
fn plain<M: Member>((member, score): (M, i8)) -> (Id, i8) {
    (*member.borrow(), score)
}

fn compare<M: Member, K>(board: &Leaderboard<M, i8, K>, naive: &Naive<i8>, query: &Query) {
    board.check_invariants();
    let sorted = naive.sorted();
    assert_eq!(board.len(), sorted.len());
    assert_eq!(board.is_empty(), sorted.is_empty());
    assert_eq!(board.best().map(owned), sorted.first().copied());
    assert_eq!(board.worst().map(owned), sorted.last().copied());
    for id in 0..12 {
        assert_eq!(board.score(&id), naive.score(id).as_ref());
        assert_eq!(board.get(&id).map(owned), naive.score(id).map(|score| (id, score)));
        assert_eq!(board.contains(&id), naive.score(id).is_some());
        assert_eq!(board.rank(&id), sorted.iter().position(|(other, _)| *other == id));
    }
    for score in -2..6 {
        let at_least = sorted.iter().filter(|line| line.1 >= score).count();
        assert_eq!(board.count_at_least(&score), at_least);
    }

    let Query { id, offset, n, range, ref from_the_front } = *query;
    for ties in TIES {
        let numbered = naive.numbered(ties);
        for id in 0..12 {
            let number = numbered.iter().find(|line| line.1 == id).map(|line| line.0);
            assert_eq!(board.standing(&id, ties), number, "{id} {ties:?}");
        }
        let page = |offset: usize, n: usize| {
            let start = offset.min(numbered.len());
            &numbered[start..start.saturating_add(n).min(numbered.len())]
        };
        expect(board.standings().ties(ties), &numbered, from_the_front);
        let by_half = naive.numbered_by(ties, |score| score / 2);
        let standings = board.standings().ties_by(ties, |a, b| a / 2 == b / 2);
        expect(standings.clone(), &by_half, from_the_front);
        let start = offset.min(by_half.len());
        let rest = board.page(offset, usize::MAX).ties_by(ties, |a, b| a / 2 == b / 2);
        expect(rest, &by_half[start..], from_the_front);
        expect(standings.ties(ties), &numbered, from_the_front);
        expect(board.top(n).ties(ties), page(0, n), from_the_front);
        expect(board.page(offset, n).ties(ties), page(offset, n), from_the_front);
        // `page_after` also accepts a member and score that are not on the board.
        let score = naive.score(id).filter(|_| n % 2 == 0).unwrap_or(2);
        if let Some(board) = M::ordered(board) {
            let after =
                numbered.partition_point(|line| (Reverse(line.2), line.1) <= (Reverse(score), id));
            expect(board.page_after(&id, &score, n).ties(ties), page(after, n), from_the_front);
        }
        let at = numbered.iter().position(|line| line.1 == id);
        assert_eq!(board.around(&id, n).is_some(), at.is_some());
        if let (Some(lines), Some(at)) = (board.around(&id, n), at) {
            let end = at.saturating_add(n).saturating_add(1).min(numbered.len());
            expect(lines.ties(ties), &numbered[at.saturating_sub(n)..end], from_the_front);
        }
        let in_range = |line: &&(usize, Id, i8)| range.contains(&line.2);
        let expected: Vec<_> = numbered.iter().filter(in_range).copied().collect();
        expect(board.range_by_score(range).ties(ties), &expected, from_the_front);
    }
    for rank in 0..=sorted.len() {
        let expected = sorted.get(rank).copied();
        assert_eq!(board.get_by_rank(rank).map(owned), expected);
    }
    let lines = || sorted.iter().copied();
    assert!(board.iter().map(owned).eq(lines()));
    assert!(board.into_iter().rev().map(owned).eq(lines().rev()));
    assert_eq!(board.iter().len(), sorted.len());
    assert_eq!(board.iter().nth(offset).map(owned), sorted.get(offset).copied());
    assert_eq!(board.iter().nth_back(offset).map(owned), sorted.iter().rev().nth(offset).copied());
    assert!(board.clone().into_iter().map(plain).eq(lines()));
    assert!(board.clone().into_iter().rev().map(plain).eq(lines().rev()));
    assert_eq!(board.clone().into_iter().len(), sorted.len());
    assert_eq!(*board, board.clone());
}

fn run<M: Member, K: Policy<i8>>(
    mut board: Leaderboard<M, i8, K>,
    combine: impl Fn(i8, i8) -> Option<i8>,
    operations: &[(Operation, Query)],
) {
    let mut naive = Naive { is_unordered: M::ordered(&board).is_none(), ..Naive::default() };
    let (mut max_len, mut is_indexed) = (None, board.has_dense_standings());
    for (operation, query) in operations {
        match *operation {
            Operation::Submit(id, score) => {
                let new = naive.score(id).map_or(Some(score), |old| combine(old, score));
                let answer = board.try_submit(M::new(id), score);
                submitted(answer.ok(), &mut naive, id, new, max_len);
            }
            Operation::Increment(id, by) => {
                let new = naive.score(id).unwrap_or(0).checked_add(by);
                let answer: Result<_, ScoreOverflow> = board.increment(M::new(id), by);
                submitted(answer.ok(), &mut naive, id, new, max_len);
            }
            Operation::Remove(id) => assert_eq!(board.remove(&id), naive.remove(id)),
            Operation::TrimTo(len) => assert_eq!(board.trim_to(len), naive.trim(len).len()),
            Operation::Bound(len) => {
                board = board.with_max_len(len);
                max_len = Some(len);
                naive.trim(len);
            }
            Operation::Index => {
                board = board.with_dense_standings();
                is_indexed = true;
            }
            Operation::Clear => {
                board.clear();
                naive.scores.clear();
            }
            Operation::PopBest => {
                let best = naive.sorted().first().copied();
                best.map(|(id, _)| naive.remove(id));
                assert_eq!(board.pop_best().map(plain), best);
            }
            Operation::PopWorst => {
                let worst = naive.trim(naive.scores.len().saturating_sub(1)).pop();
                assert_eq!(board.pop_worst().map(plain), worst);
            }
            Operation::Retain(remainder) => {
                board.retain(|_, score| score.rem_euclid(3) == remainder);
                naive.scores.retain(|(_, score)| score.rem_euclid(3) == remainder);
            }
            Operation::MapScores(by, turned) => {
                let mapped = |score: i8| if turned { !(score / by) } else { score / by };
                let before = board.clone();
                board.map_scores(|member, score| {
                    assert_eq!(before.score(member), Some(score));
                    mapped(*score)
                });
                // If ties are in the order of arrival, elements whose scores become equal keep
                // their previous order.
                naive.scores = naive.sorted();
                naive.scores.iter_mut().for_each(|(_, score)| *score = mapped(*score));
            }
            Operation::Convert => {
                let set = SortedSet::from(board);
                set.check();
                let mut ascending = naive.sorted();
                ascending.sort_by_key(|&(_, score)| score);
                assert!(set.iter().map(owned).eq(ascending));
                board = Leaderboard::from(set);
                (max_len, is_indexed) = (None, false);
            }
        }
        assert_eq!((board.max_len(), board.has_dense_standings()), (max_len, is_indexed));
        compare(&board, &naive, query);
    }
}

/// Applies a submission and compares the results. The new score is `None` if it overflows.
fn submitted<M: Member>(
    answer: Option<Submission<M, i8>>,
    naive: &mut Naive<i8>,
    id: Id,
    score: Option<i8>,
    max_len: Option<usize>,
) {
    let Some(score) = score else { return assert!(answer.is_none()) };
    let old = naive.score(id);
    let (new, dropped) = naive.submit(id, score, max_len.unwrap_or(usize::MAX));
    let parts = answer.as_ref().map(|answer| (answer.old, answer.new, answer.dropped.map(plain)));
    assert_eq!(parts, Some((old, new, dropped)));
    assert_eq!(answer.map(|answer| answer.is_changed()), Some(old != new));
}

fn histories() -> impl Strategy<Value = Vec<(Operation, Query)>> {
    let len = if cfg!(miri) { 0..8 } else { 0..40 };
    prop::collection::vec((operations(), queries()), len)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_best_scores_are_kept(operations in histories()) {
        run(Leaderboard::<Id, _, Best>::new(), |old, new| Some(old.max(new)), &operations);
    }

    #[test]
    fn the_latest_scores_are_kept(operations in histories()) {
        run(Leaderboard::<Id, _, _>::with_policy(Latest), |_, new| Some(new), &operations);
    }

    #[test]
    fn scores_are_added_up(operations in histories()) {
        run(Leaderboard::<Id, _, _>::with_policy(Sum), i8::checked_add, &operations);
    }

    #[test]
    fn an_index_does_not_affect_results(operations in histories()) {
        let board = Leaderboard::<Id, _, _>::with_policy(Latest).with_dense_standings();
        run(board, |_, new| Some(new), &operations);
    }

    #[test]
    fn unordered_members_tie_in_the_order_in_which_they_reached_the_score(
        operations in histories(),
    ) {
        type Members = Unordered<Id>;
        let best = Leaderboard::<Members, _, Best>::new();
        run(best, |old, new| Some(old.max(new)), &operations);
        let sums = Leaderboard::<Members, _, _>::with_policy(Sum).with_dense_standings();
        run(sums, i8::checked_add, &operations);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 1 } else { 48 }, ..config() })]

    /// There are enough members that runs of equal scores are skipped as a whole.
    #[test]
    fn standings_are_the_same_with_and_without_index(
        scores in prop::collection::vec((0..2000u16, prop_oneof![0..8u16, 0..500u16]), 0..if cfg!(miri) { 100 } else { 2500 }),
        asked in prop::collection::vec(0..2000u16, 20),
    ) {
        let board: Leaderboard<u16, u16> = scores.iter().copied().collect();
        let indexed = board.clone().with_dense_standings();
        indexed.check_invariants();
        for id in asked {
            let standing = board.score(&id).map(|score| {
                let mut higher: Vec<_> =
                    board.iter().map(|(_, other)| other).filter(|&other| other > score).collect();
                higher.dedup();
                1 + higher.len()
            });
            prop_assert_eq!(board.standing(&id, Ties::Dense), standing);
            prop_assert_eq!(indexed.standing(&id, Ties::Dense), standing);
        }
        for ties in TIES {
            let lines = |offset| board.page(offset, 3).ties_by(ties, |a, b| a / 100 == b / 100);
            let all = board.standings().ties_by(ties, |a, b| a / 100 == b / 100);
            let all: Vec<_> = all.map(|line| line.number).collect();
            for offset in (0..all.len()).step_by(97) {
                let page = all[offset..].iter().copied().take(3);
                prop_assert!(lines(offset).map(|line| line.number).eq(page.clone()));
                prop_assert!(lines(offset).rev().map(|line| line.number).eq(page.rev()));
            }
        }
        let dense = |board: &Leaderboard<u16, u16>| -> Vec<_> {
            board.page(500, 100).ties(Ties::Dense).map(|line| line.number).collect()
        };
        prop_assert_eq!(dense(&board), dense(&indexed));
    }
}
