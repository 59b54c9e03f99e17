//! The types under test, behind one trait.

use std::ops::Bound;
use test_support::Bounds;
use zset_core::{Score, SkipList, SortedMap, SortedSet, ZSet};

/// A member and its score.
pub(super) type Element = (u32, i32);

#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    First,
    Last,
}

/// A run of adjacent elements.
#[derive(Clone, Debug)]
pub(super) enum Run {
    Rank(Bounds<usize>),
    Score(Bounds<i32>),
    Member(i32, Bounds<u32>),
    /// Across scores.
    Element(Bounds<(i32, u32)>),
}

/// Where to split a set.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    Rank(usize),
    Score(i32),
}

/// The elements returned from each end of an iterator, and the number of remaining ones.
#[derive(Debug, PartialEq)]
pub(super) struct Taken {
    pub(super) front: Vec<Element>,
    pub(super) back: Vec<Element>,
    pub(super) left: usize,
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
        // The iterator is fused.
        assert_eq!((elements.next(), elements.next_back(), elements.next()), (None, None, None));
    }
    taken
}

pub(super) trait Subject: Sized {
    /// Whether members are unique.
    const IS_UNIQUE: bool = true;

    fn insert(&mut self, element: Element);
    /// Removes a member; a list removes the element with this score.
    fn remove(&mut self, element: Element) -> bool;
    fn remove_by_rank(&mut self, rank: usize) -> Option<Element>;
    /// Removes a run without returning it, if the type supports that.
    fn remove_range(&mut self, run: &Run) -> Option<usize>;
    fn pop(&mut self, end: End) -> Option<Element>;
    fn pop_if(&mut self, end: End, accept: impl FnOnce(u32, i32) -> bool) -> Option<Element>;
    /// Removes a run and returns some of it, if the type supports that.
    fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Option<Taken>;
    fn split_off(&mut self, at: At) -> Self;
    fn range(&self, bounds: Bounds<(i32, u32)>, ends: (usize, usize)) -> Taken;
    fn elements(&self) -> Vec<Element>;
    fn check(&self);
}

fn as_refs<T>((start, end): &Bounds<T>) -> Bounds<&T> {
    (start.as_ref(), end.as_ref())
}

fn as_pairs(bounds: &Bounds<(i32, u32)>) -> Bounds<(&i32, &u32)> {
    let (start, end) = as_refs(bounds);
    (start.map(|(score, member)| (score, member)), end.map(|(score, member)| (score, member)))
}

/// Implements the methods that lists and sets share.
macro_rules! in_common {
    () => {
        fn remove_by_rank(&mut self, rank: usize) -> Option<Element> {
            self.remove_by_rank(rank)
        }

        fn remove_range(&mut self, run: &Run) -> Option<usize> {
            Some(match run {
                Run::Rank(ranks) => self.remove_range_by_rank(*ranks),
                Run::Score(scores) => self.remove_range_by_score(*scores),
                Run::Member(score, members) => self.remove_range_by_member(score, as_refs(members)),
                Run::Element(elements) => self.remove_range(as_pairs(elements)),
            })
        }

        fn pop(&mut self, end: End) -> Option<Element> {
            match end {
                End::First => self.pop_first(),
                End::Last => self.pop_last(),
            }
        }

        fn pop_if(&mut self, end: End, accept: impl FnOnce(u32, i32) -> bool) -> Option<Element> {
            match end {
                End::First => self.pop_first_if(|member, score| accept(*member, *score)),
                End::Last => self.pop_last_if(|member, score| accept(*member, *score)),
            }
        }

        fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Option<Taken> {
            let drained = match run {
                Run::Rank(ranks) => self.drain_by_rank(*ranks),
                Run::Score(scores) => self.drain_by_score(*scores),
                Run::Member(score, members) => self.drain_by_member(score, as_refs(members)),
                Run::Element(elements) => self.drain_range(as_pairs(elements)),
            };
            Some(take_ends(drained, ends))
        }

        fn split_off(&mut self, at: At) -> Self {
            match at {
                At::Rank(rank) => self.split_off_by_rank(rank),
                At::Score(score) => self.split_off_by_score(&score),
            }
        }

        fn range(&self, bounds: Bounds<(i32, u32)>, ends: (usize, usize)) -> Taken {
            let view = self.range(as_pairs(&bounds));
            take_ends(view.map(|(member, score)| (*member, *score)), ends)
        }

        fn elements(&self) -> Vec<Element> {
            self.iter().map(|(member, score)| (*member, *score)).collect()
        }

        fn check(&self) {
            self.check();
        }
    };
}

impl Subject for SkipList<u32, i32> {
    const IS_UNIQUE: bool = false;

    fn insert(&mut self, (member, score): Element) {
        self.insert(member, score);
    }

    fn remove(&mut self, (member, score): Element) -> bool {
        self.remove(&member, &score).is_some()
    }

    in_common!();
}

impl Subject for SortedSet<u32, i32> {
    fn insert(&mut self, (member, score): Element) {
        self.insert(member, score);
    }

    fn remove(&mut self, (member, _): Element) -> bool {
        self.remove(&member).is_some()
    }

    in_common!();
}

/// Returns the value of a key, which must stay with the key.
fn value(member: u32) -> u64 {
    u64::from(member) * 1_000_003
}

fn keyed((member, other, score): (u32, u64, i32)) -> Element {
    assert_eq!(other, value(member), "the value belongs to another key");
    (member, score)
}

impl Subject for SortedMap<u32, u64, i32> {
    fn insert(&mut self, (member, score): Element) {
        self.insert(member, value(member), score);
    }

    fn remove(&mut self, (member, _): Element) -> bool {
        self.remove(&member).is_some()
    }

    fn remove_by_rank(&mut self, rank: usize) -> Option<Element> {
        self.remove_by_rank(rank).map(keyed)
    }

    fn remove_range(&mut self, run: &Run) -> Option<usize> {
        Some(match run {
            Run::Rank(ranks) => self.remove_range_by_rank(*ranks),
            Run::Score(scores) => self.remove_range_by_score(*scores),
            Run::Member(score, keys) => self.remove_range_by_key(score, as_refs(keys)),
            Run::Element(elements) => self.remove_range(as_pairs(elements)),
        })
    }

    fn pop(&mut self, end: End) -> Option<Element> {
        let popped = match end {
            End::First => self.pop_first(),
            End::Last => self.pop_last(),
        };
        popped.map(keyed)
    }

    fn pop_if(&mut self, end: End, accept: impl FnOnce(u32, i32) -> bool) -> Option<Element> {
        let accept = |key: &u32, value: &mut u64, score: &i32| {
            let (member, score) = keyed((*key, *value, *score));
            accept(member, score)
        };
        let popped = match end {
            End::First => self.pop_first_if(accept),
            End::Last => self.pop_last_if(accept),
        };
        popped.map(keyed)
    }

    fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Option<Taken> {
        let drained = match run {
            Run::Rank(ranks) => self.drain_by_rank(*ranks),
            Run::Score(scores) => self.drain_by_score(*scores),
            Run::Member(score, keys) => self.drain_by_key(score, as_refs(keys)),
            Run::Element(elements) => self.drain_range(as_pairs(elements)),
        };
        Some(take_ends(drained.map(keyed), ends))
    }

    fn split_off(&mut self, at: At) -> Self {
        match at {
            At::Rank(rank) => self.split_off_by_rank(rank),
            At::Score(score) => self.split_off_by_score(&score),
        }
    }

    fn range(&self, bounds: Bounds<(i32, u32)>, ends: (usize, usize)) -> Taken {
        let view = self.range(as_pairs(&bounds));
        take_ends(view.map(|(key, value, score)| keyed((*key, *value, *score))), ends)
    }

    fn elements(&self) -> Vec<Element> {
        self.iter().map(|(key, value, score)| keyed((*key, *value, *score))).collect()
    }

    fn check(&self) {
        self.check();
    }
}

/// Returns the bytes of a member. Some are decimal integers, which a listpack stores as integers.
/// All have the same length, so they are ordered as their numbers.
fn text(member: u32) -> Vec<u8> {
    (1_000 + member).to_string().into_bytes()
}

fn read((member, score): (impl AsRef<[u8]>, Score)) -> Element {
    let number: u32 = std::str::from_utf8(member.as_ref()).unwrap().parse().unwrap();
    (number - 1_000, score.get() as i32)
}

fn as_texts((start, end): &Bounds<u32>) -> Bounds<Vec<u8>> {
    (start.map(text), end.map(text))
}

fn as_slices((start, end): &Bounds<Vec<u8>>) -> Bounds<&[u8]> {
    (start.as_ref().map(Vec::as_slice), end.as_ref().map(Vec::as_slice))
}

fn borrowed(bound: &Bound<(Score, Vec<u8>)>) -> Bound<(Score, &[u8])> {
    bound.as_ref().map(|(score, member)| (*score, member.as_slice()))
}

impl Subject for ZSet {
    fn insert(&mut self, (member, score): Element) {
        self.insert(text(member), score.into());
    }

    fn remove(&mut self, (member, _): Element) -> bool {
        self.remove(text(member)).is_some()
    }

    fn remove_by_rank(&mut self, rank: usize) -> Option<Element> {
        self.remove_by_rank(rank).map(read)
    }

    fn remove_range(&mut self, run: &Run) -> Option<usize> {
        match run {
            Run::Rank(ranks) => Some(self.remove_range_by_rank(*ranks)),
            Run::Score((start, end)) => {
                let range = (start.map(Score::from), end.map(Score::from));
                Some(self.remove_range_by_score(range))
            }
            Run::Member(score, members) if has_only(self, *score) => {
                Some(self.remove_range_by_lex(as_slices(&as_texts(members))))
            }
            Run::Member(..) | Run::Element(_) => None,
        }
    }

    fn pop(&mut self, end: End) -> Option<Element> {
        let popped = match end {
            End::First => self.pop_first(),
            End::Last => self.pop_last(),
        };
        popped.map(read)
    }

    fn pop_if(&mut self, end: End, accept: impl FnOnce(u32, i32) -> bool) -> Option<Element> {
        let accept = |member: &[u8], score| {
            let (member, score) = read((member, score));
            accept(member, score)
        };
        let popped = match end {
            End::First => self.pop_first_if(accept),
            End::Last => self.pop_last_if(accept),
        };
        popped.map(read)
    }

    fn drain(&mut self, run: &Run, ends: (usize, usize)) -> Option<Taken> {
        let encoding = self.encoding();
        let taken = match run {
            Run::Rank(ranks) => take_ends(self.drain_by_rank(*ranks).map(read), ends),
            Run::Score((start, end)) => {
                let range = (start.map(Score::from), end.map(Score::from));
                take_ends(self.drain_by_score(range).map(read), ends)
            }
            Run::Member(score, members) => {
                let members = as_texts(members);
                let score = Score::from(*score);
                take_ends(self.drain_by_member(score, as_slices(&members)).map(read), ends)
            }
            Run::Element(_) => return None,
        };
        assert_eq!(self.encoding(), encoding);
        Some(taken)
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

    fn range(&self, (start, end): Bounds<(i32, u32)>, ends: (usize, usize)) -> Taken {
        let owned = |(score, member)| (Score::from(score), text(member));
        let (start, end) = (start.map(owned), end.map(owned));
        take_ends(self.range((borrowed(&start), borrowed(&end))).map(read), ends)
    }

    fn elements(&self) -> Vec<Element> {
        self.iter().map(read).collect()
    }

    fn check(&self) {
        self.check();
    }
}

/// Returns whether all scores equal this one; lexicographic ranges are specified only then.
fn has_only(set: &ZSet, score: i32) -> bool {
    let score = Some(Score::from(score));
    set.first().map(|first| first.1) == score && set.last().map(|last| last.1) == score
}
