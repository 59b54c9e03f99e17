//! A trait for the types under test.

use std::borrow::Borrow;
use std::convert::identity;
use std::fmt::Debug;
use std::ops::Bound;
use test_support::Bounds;
use zset_core::{Encoding, Insertion, Score, SkipList, SortedMap, SortedSet, Unordered, ZSet};

/// A member and its score.
pub(super) type Element = (u32, i32);

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    First,
    Last,
}

/// A run of adjacent elements.
#[derive(Clone, Debug)]
pub(super) enum Run<M = u32, S = i32> {
    All,
    Rank(Bounds<usize>),
    Score(Bounds<S>),
    Member(S, Bounds<M>),
    /// A range that may cross scores.
    Element(Bounds<(S, M)>),
}

impl Run {
    /// Converts the bounds to the members and scores of a type.
    fn map<M, S>(&self, member: impl Fn(u32) -> M, score: impl Fn(i32) -> S) -> Run<M, S> {
        let element = |(of, number)| (score(of), member(number));
        match *self {
            Run::All => Run::All,
            Run::Rank(ranks) => Run::Rank(ranks),
            Run::Score((start, end)) => Run::Score((start.map(&score), end.map(&score))),
            Run::Member(of, (start, end)) => {
                Run::Member(score(of), (start.map(&member), end.map(&member)))
            }
            Run::Element((start, end)) => Run::Element((start.map(element), end.map(element))),
        }
    }
}

/// Where to split a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Rank(usize),
    Score(i32),
}

/// The elements taken from each end of an iterator, and the number of elements left.
#[derive(Debug, PartialEq)]
pub(super) struct Taken {
    front: Vec<Element>,
    back: Vec<Element>,
    left: usize,
}

/// Takes elements from alternating ends, then drops the iterator; verifies its length at each step.
pub(super) fn take_ends(
    mut elements: impl DoubleEndedIterator<Item = Element> + ExactSizeIterator,
    (front, back): (usize, usize),
) -> Taken {
    let mut taken = Taken { front: Vec::new(), back: Vec::new(), left: elements.len() };
    for step in 0..front.max(back) {
        if step < front {
            taken.front.extend(elements.next());
        }
        if step < back {
            taken.back.extend(elements.next_back());
        }
        taken.left = elements.len();
        assert_eq!(elements.size_hint(), (taken.left, Some(taken.left)));
    }
    if taken.left == 0 {
        // A fused iterator keeps returning `None`.
        assert_eq!((elements.next(), elements.next_back(), elements.next()), (None, None, None));
    }
    taken
}

#[test]
fn take_ends_alternates_between_the_ends() {
    let taken = take_ends((0..9).map(|i| (i, 0)).collect::<Vec<_>>().into_iter(), (2, 3));
    assert_eq!(taken.front, [(0, 0), (1, 0)]);
    assert_eq!(taken.back, [(8, 0), (7, 0), (6, 0)]);
    assert_eq!(taken.left, 4);
}

pub(super) trait Subject: Clone + PartialEq + Debug {
    /// Whether members are unique.
    const IS_UNIQUE: bool = true;

    /// Whether equal scores are ordered by member, rather than by when the score was set.
    const IS_ORDERED: bool = true;

    /// Inserts an element; returns the old score. A list keeps equal elements and returns `None`.
    fn insert(&mut self, element: Element) -> Option<i32>;
    /// Sets the score of a member that is present; returns the old one. A list has no such method.
    fn update(&mut self, element: Element) -> Option<i32>;
    /// Removes a member; a list removes the element with this score.
    fn remove(&mut self, element: Element) -> Option<i32>;
    /// Returns the rank of a member; in a list, that of the first element with this score.
    fn rank(&self, element: Element) -> Option<usize>;
    /// Changes the values of a map, and restores them.
    fn change_values(&mut self) {}
    fn reserve(&mut self, additional: usize);

    /// Removes a run without returning it.
    fn remove_range(&mut self, run: &Run) -> usize;
    /// Drains a run; returns what was taken from its ends.
    fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Taken;
    fn view(&self, run: &Run, ends: (usize, usize)) -> Taken;
    fn split_off(&mut self, at: At) -> Self;

    fn collect(elements: &[Element]) -> Self;
    fn extend(&mut self, elements: &[Element]);
    fn append(&mut self, other: &mut Self);
    /// Replaces all elements.
    fn rebuild(&mut self, elements: &[Element]) {
        *self = Self::collect(elements);
    }
    fn remove_by_rank(&mut self, rank: usize) -> Option<Element>;
    fn pop(&mut self, end: End) -> Option<Element>;
    fn pop_if(&mut self, end: End, accept: impl FnOnce(Element) -> bool) -> Option<Element>;
    fn retain(&mut self, keep: impl FnMut(Element) -> bool);
    /// Removes and returns the first elements that `accept` accepts, up to `most` of them.
    fn extract(&mut self, most: usize, accept: impl FnMut(Element) -> bool) -> Vec<Element>;
    fn shrink_to_fit(&mut self);
    fn get_by_rank(&self, rank: usize) -> Option<Element>;
    fn ends(&self) -> [Option<Element>; 2];
    fn elements(&self) -> Vec<Element>;
    fn check(&self);
}

/// Implements the methods that are called in the same way on all types. `$read` converts an element
/// of the type, and `$make` creates one.
macro_rules! in_common {
    (|$($part:ident),+| $read:expr, |$member:ident, $score:ident| $make:expr) => {
        fn collect(elements: &[Element]) -> Self {
            elements.iter().map(|&($member, $score)| $make).collect()
        }

        fn extend(&mut self, elements: &[Element]) {
            Extend::extend(self, elements.iter().map(|&($member, $score)| $make));
        }

        fn append(&mut self, other: &mut Self) {
            self.append(other);
        }

        fn remove_by_rank(&mut self, rank: usize) -> Option<Element> {
            self.remove_by_rank(rank).map(|($($part),+)| $read)
        }

        fn pop(&mut self, end: End) -> Option<Element> {
            let popped = match end {
                End::First => self.pop_first(),
                End::Last => self.pop_last(),
            };
            popped.map(|($($part),+)| $read)
        }

        fn pop_if(&mut self, end: End, accept: impl FnOnce(Element) -> bool) -> Option<Element> {
            let popped = match end {
                End::First => self.pop_first_if(|$($part),+| accept($read)),
                End::Last => self.pop_last_if(|$($part),+| accept($read)),
            };
            popped.map(|($($part),+)| $read)
        }

        fn retain(&mut self, mut keep: impl FnMut(Element) -> bool) {
            self.retain(|$($part),+| keep($read));
        }

        fn extract(
            &mut self,
            most: usize,
            mut accept: impl FnMut(Element) -> bool,
        ) -> Vec<Element> {
            let extracted = self.extract_if(|$($part),+| accept($read));
            extracted.take(most).map(|($($part),+)| $read).collect()
        }

        fn shrink_to_fit(&mut self) {
            self.shrink_to_fit();
        }

        fn get_by_rank(&self, rank: usize) -> Option<Element> {
            self.get_by_rank(rank).map(|($($part),+)| $read)
        }

        fn ends(&self) -> [Option<Element>; 2] {
            [self.first(), self.last()].map(|end| end.map(|($($part),+)| $read))
        }

        fn elements(&self) -> Vec<Element> {
            let len = self.iter().len();
            assert_eq!((self.len(), self.is_empty()), (len, len == 0));
            self.iter().map(|($($part),+)| $read).collect()
        }

        fn check(&self) {
            self.check();
        }
    };
}

/// Implements the methods of all types except `ZSet`, whose bounds have other types. Types whose
/// members have no order omit the methods in brackets. The `_` arms handle `Run::All`.
macro_rules! sets {
    (
        $of:ty, |$($part:ident),+| $read:expr, |$member:ident, $score:ident| $make:expr
        $(, [$remove_by_member:ident, $drain_by_member:ident, $range_by_member:ident])?
    ) => {
        in_common!(|$($part),+| $read, |$member, $score| $make);

        fn reserve(&mut self, additional: usize) {
            self.reserve(additional);
            assert!(self.capacity() >= self.len() + additional);
        }

        fn remove_range(&mut self, run: &Run) -> usize {
            match run.map(identity, <$of>::of) {
                Run::Rank(ranks) => self.remove_range_by_rank(ranks),
                Run::Score(scores) => self.remove_range_by_score(scores),
                $(
                    Run::Member(of, members) => self.$remove_by_member(&of, as_refs(&members)),
                    Run::Element(elements) => self.remove_range(as_pairs(&elements)),
                )?
                _ => {
                    let len = self.len();
                    self.clear();
                    len
                }
            }
        }

        fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Taken {
            let drained = match run.map(identity, <$of>::of) {
                Run::Rank(ranks) => self.drain_by_rank(ranks),
                Run::Score(scores) => self.drain_by_score(scores),
                $(
                    Run::Member(of, members) => self.$drain_by_member(&of, as_refs(&members)),
                    Run::Element(elements) => self.drain_range(as_pairs(&elements)),
                )?
                _ => self.drain(),
            };
            take_ends(drained.map(|($($part),+)| $read), ends)
        }

        fn view(&self, run: &Run, ends: (usize, usize)) -> Taken {
            let view = match run.map(identity, <$of>::of) {
                Run::Rank(ranks) => self.range_by_rank(ranks),
                Run::Score(scores) => {
                    let count = self.count_by_score(scores.clone());
                    let view = self.range_by_score(scores);
                    assert_eq!(view.len(), count);
                    view
                }
                $(
                    Run::Member(of, members) => self.$range_by_member(&of, as_refs(&members)),
                    Run::Element(elements) => self.range(as_pairs(&elements)),
                )?
                _ => self.iter(),
            };
            take_ends(view.map(|($($part),+)| $read), ends)
        }

        fn split_off(&mut self, at: At) -> Self {
            match at {
                At::Rank(rank) => self.split_off_by_rank(rank),
                At::Score(score) => self.split_off_by_score(&<$of>::of(score)),
            }
        }
    };
}

fn as_refs<T>((start, end): &Bounds<T>) -> Bounds<&T> {
    (start.as_ref(), end.as_ref())
}

fn as_pairs<M, S>(bounds: &Bounds<(S, M)>) -> Bounds<(&S, &M)> {
    let (start, end) = as_refs(bounds);
    (start.map(|(score, member)| (score, member)), end.map(|(score, member)| (score, member)))
}

/// A score that is made from a number of at least -1 and ordered like it.
pub(super) trait Numbered: Ord + Clone + Debug {
    fn of(number: i32) -> Self;
    fn number(&self) -> i32;
}

impl Numbered for i32 {
    fn of(number: i32) -> i32 {
        number
    }

    fn number(&self) -> i32 {
        *self
    }
}

/// Scores that own memory.
impl Numbered for String {
    fn of(number: i32) -> Self {
        format!("{:04}", number + 1)
    }

    fn number(&self) -> i32 {
        self.parse::<i32>().unwrap() - 1
    }
}

fn read<S: Numbered>(member: impl Borrow<u32>, score: impl Borrow<S>) -> Element {
    (*member.borrow(), score.borrow().number())
}

impl<S: Numbered> Subject for SkipList<u32, S> {
    const IS_UNIQUE: bool = false;

    fn insert(&mut self, (member, score): Element) -> Option<i32> {
        if member % 2 == 0 {
            self.insert(member, S::of(score));
        } else {
            self.try_insert(member, S::of(score)).unwrap();
        }
        None
    }

    fn update(&mut self, element: Element) -> Option<i32> {
        unreachable!("{element:?} is not unique")
    }

    fn remove(&mut self, (member, score): Element) -> Option<i32> {
        let removed = self.remove(&member, &S::of(score));
        removed.map(|element| read::<S>(element.0, element.1).1)
    }

    fn rank(&self, (member, score): Element) -> Option<usize> {
        let score = S::of(score);
        let rank = self.rank(&member, &score);
        assert_eq!(self.contains(&member, &score), rank.is_some());
        assert_eq!(self.get(&member, &score), rank.map(|_| (&member, &score)));
        rank
    }

    sets!(
        S,
        |member, score| read::<S>(member, score),
        |member, score| (member, S::of(score)),
        [remove_range_by_member, drain_by_member, range_by_member]
    );
}

impl<S: Numbered> Subject for SortedSet<u32, S> {
    fn insert(&mut self, (member, score): Element) -> Option<i32> {
        self.insert(member, S::of(score)).as_ref().map(S::number)
    }

    fn update(&mut self, (member, score): Element) -> Option<i32> {
        if member % 2 == 0 || !self.contains(&member) {
            return self.update(&member, |_| S::of(score)).as_ref().map(S::number);
        }
        let insertion = match self.insert_max(member, S::of(score)) {
            Insertion::Unchanged(given) => self.insert_min(member, given),
            insertion => insertion,
        };
        match insertion {
            // If both calls return `Unchanged`, the given score equals the old one.
            Insertion::Updated(old) | Insertion::Unchanged(old) => Some(old.number()),
            Insertion::Inserted => unreachable!("the member is present"),
        }
    }

    fn remove(&mut self, (member, _): Element) -> Option<i32> {
        self.remove(&member).as_ref().map(S::number)
    }

    fn rank(&self, (member, _): Element) -> Option<usize> {
        self.rank(&member)
    }

    sets!(
        S,
        |member, score| read::<S>(member, score),
        |member, score| (member, S::of(score)),
        [remove_range_by_member, drain_by_member, range_by_member]
    );
}

/// Returns the value of a key. The tests verify that it stays with the key.
fn value(member: u32) -> u64 {
    u64::from(member) * 1_000_003
}

fn keyed<S: Numbered>(
    member: impl Borrow<u32>,
    other: impl Borrow<u64>,
    score: impl Borrow<S>,
) -> Element {
    let (member, score) = read::<S>(member, score);
    assert_eq!(*other.borrow(), value(member), "the value belongs to another key");
    (member, score)
}

impl<S: Numbered> Subject for SortedMap<u32, u64, S> {
    fn insert(&mut self, (member, score): Element) -> Option<i32> {
        let old = self.insert(member, value(member), S::of(score));
        old.map(|(value, score)| keyed::<S>(member, value, score).1)
    }

    fn update(&mut self, (member, score): Element) -> Option<i32> {
        self.update(&member, |_, _| S::of(score)).as_ref().map(S::number)
    }

    fn remove(&mut self, (member, _): Element) -> Option<i32> {
        self.remove(&member).map(|(value, score)| keyed::<S>(member, value, score).1)
    }

    fn rank(&self, (member, _): Element) -> Option<usize> {
        let full = self.get_full(&member).map(|(key, value, score)| keyed::<S>(key, value, score));
        assert_eq!(full.is_some(), self.contains_key(&member));
        self.rank(&member)
    }

    fn change_values(&mut self) {
        self.values_mut().for_each(|value| *value += 1);
        for (&key, changed, _) in self.iter_mut().rev() {
            assert_eq!(*changed, value(key) + 1);
            *changed = value(key);
        }
    }

    sets!(
        S,
        |key, value, score| keyed::<S>(key, value, score),
        |member, score| (member, value(member), S::of(score)),
        [remove_range_by_key, drain_by_key, range_by_key]
    );
}

fn untied(member: impl Borrow<Unordered<u32>>, score: impl Borrow<i32>) -> Element {
    let member: &Unordered<u32> = member.borrow();
    (member.0, *score.borrow())
}

impl Subject for SortedSet<Unordered<u32>, i32> {
    const IS_ORDERED: bool = false;

    fn insert(&mut self, (member, score): Element) -> Option<i32> {
        if score % 2 == 0 || self.contains(&member) {
            return self.insert(Unordered(member), score);
        }
        assert_eq!(self.entry(Unordered(member)).or_insert(score), &score);
        None
    }

    fn update(&mut self, (member, score): Element) -> Option<i32> {
        let Some(old) = self.score(&member).copied() else {
            return self.update(&member, |_| unreachable!("the member is absent"));
        };
        match score % 3 {
            0 => assert_eq!(self.update(&member, |_| score), Some(old)),
            1 => assert_eq!(self.increment(Unordered(member), score - old), Ok(score)),
            _ => _ = self.entry(Unordered(member)).and_modify(|_| score),
        }
        Some(old)
    }

    fn remove(&mut self, (member, _): Element) -> Option<i32> {
        self.remove(&member)
    }

    fn rank(&self, (member, _): Element) -> Option<usize> {
        self.rank(&member)
    }

    sets!(i32, |member, score| untied(member, score), |member, score| (Unordered(member), score));
}

/// Returns the bytes of a member: a decimal integer, which a listpack stores as an integer. All
/// have the same length, so they are ordered like their numbers.
fn text(member: u32) -> Vec<u8> {
    (1_000 + member).to_string().into_bytes()
}

fn read_text(member: impl AsRef<[u8]>, score: Score) -> Element {
    let number: u32 = std::str::from_utf8(member.as_ref()).unwrap().parse().unwrap();
    (number - 1_000, number_of(score))
}

fn number_of(score: Score) -> i32 {
    score.get() as i32
}

fn as_slices((start, end): &Bounds<Vec<u8>>) -> Bounds<&[u8]> {
    (start.as_ref().map(Vec::as_slice), end.as_ref().map(Vec::as_slice))
}

fn as_scored((start, end): &Bounds<(Score, Vec<u8>)>) -> Bounds<(Score, &[u8])> {
    fn borrowed(bound: &Bound<(Score, Vec<u8>)>) -> Bound<(Score, &[u8])> {
        bound.as_ref().map(|(score, member)| (*score, member.as_slice()))
    }
    (borrowed(start), borrowed(end))
}

impl Subject for ZSet {
    fn insert(&mut self, (member, score): Element) -> Option<i32> {
        self.insert(text(member), score.into()).map(number_of)
    }

    fn update(&mut self, (member, score): Element) -> Option<i32> {
        self.update(text(member), |_| score.into()).map(number_of)
    }

    fn remove(&mut self, (member, _): Element) -> Option<i32> {
        self.remove(text(member)).map(number_of)
    }

    fn rank(&self, (member, _): Element) -> Option<usize> {
        self.rank(text(member))
    }

    /// A no-op, since a large reservation would change the encoding.
    fn reserve(&mut self, _: usize) {}

    fn remove_range(&mut self, run: &Run) -> usize {
        match run.map(text, Score::from) {
            Run::All => self.remove_range_by_rank(..),
            Run::Rank(ranks) => self.remove_range_by_rank(ranks),
            Run::Score(scores) => self.remove_range_by_score(scores),
            Run::Member(score, members) => self.remove_range_by_member(score, as_slices(&members)),
            Run::Element(elements) => self.remove_range(as_scored(&elements)),
        }
    }

    fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Taken {
        let encoding = self.encoding();
        let drained = match run.map(text, Score::from) {
            Run::All => self.drain_by_rank(..),
            Run::Rank(ranks) => self.drain_by_rank(ranks),
            Run::Score(scores) => self.drain_by_score(scores),
            Run::Member(score, members) => self.drain_by_member(score, as_slices(&members)),
            Run::Element(elements) => self.drain_range(as_scored(&elements)),
        };
        assert_eq!(self.encoding(), encoding);
        take_ends(drained.map(|(member, score)| read_text(member, score)), ends)
    }

    fn view(&self, run: &Run, ends: (usize, usize)) -> Taken {
        let view = match run.map(text, Score::from) {
            Run::All => self.iter(),
            Run::Rank(ranks) => self.range_by_rank(ranks),
            Run::Score(scores) => self.range_by_score(scores),
            Run::Member(score, members) => self.range_by_member(score, as_slices(&members)),
            Run::Element(elements) => self.range(as_scored(&elements)),
        };
        take_ends(view.map(|(member, score)| read_text(member, score)), ends)
    }

    fn split_off(&mut self, at: At) -> Self {
        let encoding = self.encoding();
        let upper = match at {
            At::Rank(rank) => self.split_off_by_rank(rank),
            At::Score(score) => self.split_off_by_score(score.into()),
        };
        assert_eq!((self.encoding(), upper.encoding()), (encoding, encoding));
        assert_eq!(self.limits(), upper.limits());
        upper
    }

    fn rebuild(&mut self, elements: &[Element]) {
        let encoding = self.encoding();
        *self = Self::collect(elements);
        if encoding == Encoding::Skiplist {
            self.promote();
        }
    }

    in_common!(|member, score| read_text(member, score), |member, score| (
        text(member),
        Score::from(score)
    ));
}
