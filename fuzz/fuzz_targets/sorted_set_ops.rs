//! Random operations on a sorted set, compared with collections of the standard library.
//!
//! Every operation is followed by a check of the invariants and a comparison of all elements, so the
//! numbers of operations and elements are bounded to keep long inputs fast.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasherDefault, DefaultHasher};
use std::ops::{Bound, RangeBounds};
use zset_core::sorted_set::Entry;
use zset_core::{ScoreOverflow, SortedSet};

/// Few enough that members often collide, yet enough to fill several leaves of 64.
const MEMBERS: u16 = 700;

/// Longer inputs find no more than further inputs do.
const MOST_OPERATIONS: usize = 60;

type Member = u16;
type Elements = Vec<(Member, i16)>;

/// An unseeded hasher makes every input reproducible.
type Set = SortedSet<Member, i16, BuildHasherDefault<DefaultHasher>>;

/// Many elements from a few bytes of input.
#[derive(Arbitrary, Debug)]
struct Run {
    first: Member,
    len: u8,
    /// Ascending if small, descending if close to the maximum, otherwise scattered.
    member_step: u16,
    score: i16,
    /// 0 makes all scores equal.
    score_step: i16,
}

impl Run {
    fn elements(&self) -> Elements {
        let element = |i: u16| {
            let member = self.first.wrapping_add(i.wrapping_mul(self.member_step)) % MEMBERS;
            (member, self.score.wrapping_add((i as i16).wrapping_mul(self.score_step)))
        };
        (0..u16::from(self.len)).map(element).collect()
    }
}

/// A score from a small range, so that scores tie, or any score.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Score {
    Few(u8),
    Any(i16),
}

impl Score {
    fn get(self) -> i16 {
        match self {
            Score::Few(score) => i16::from(score % 4),
            Score::Any(score) => score,
        }
    }
}

#[derive(Arbitrary, Debug)]
enum Operation {
    Insert(Member, Score),
    TryInsert(Member, Score),
    InsertRun(Run),
    Extend(Run),
    Append(Run),
    Union(Run),
    Intersection(Run),
    RemoveRun(Run),
    Update(Member, Score),
    Increment(Member, Score),
    ChangeEntry(Member, Score, Score),
    RemoveEntryOrInsert(Member, Score),
    Remove(Member),
    PopFirst(u8),
    PopLast(u8),
    RemoveRangeByScore(Bound<i16>, Bound<i16>),
    RemoveRangeByRank(Bound<u8>, Bound<u8>),
    Retain(u8),
    ExtractIf { divisor: u8, at_most: u8 },
    Drain { front: u8, back: u8 },
    DrainByScore(Bound<i16>, Bound<i16>),
    DrainByRank(Bound<u8>, Bound<u8>),
    SplitOff { at: u8, is_upper_kept: bool },
    Clear,
    Reserve(u16),
    ShrinkToFit,
    Clone,
    FromSorted,
    CountByScore(Bound<i16>, Bound<i16>),
    RangeByScore(Bound<i16>, Bound<i16>),
    RangeByRank(Bound<u8>, Bound<u8>),
    RangeByMember(Score, Bound<Member>, Bound<Member>),
    Range(Bound<(i16, Member)>, Bound<(i16, Member)>),
    Difference(Run),
    Ends(u64),
}

/// The set, and the same elements in other collections.
#[derive(Default)]
struct Pair {
    set: Set,
    scores: BTreeMap<Member, i16>,
    order: BTreeSet<(i16, Member)>,
}

impl Pair {
    /// Inserts only into the other collections.
    fn note(&mut self, member: Member, score: i16) -> Option<i16> {
        let old = self.forget(member);
        self.scores.insert(member, score);
        self.order.insert((score, member));
        old
    }

    /// Removes only from the other collections.
    fn forget(&mut self, member: Member) -> Option<i16> {
        let score = self.scores.remove(&member)?;
        self.order.remove(&(score, member));
        Some(score)
    }

    fn forget_all(&mut self, elements: &Elements) {
        elements.iter().for_each(|(member, _)| _ = self.forget(*member));
    }

    fn insert(&mut self, member: Member, score: i16) {
        assert_eq!(self.set.insert(member, score), self.note(member, score));
    }

    fn elements(&self) -> Elements {
        self.order.iter().map(|&(score, member)| (member, score)).collect()
    }

    fn matching(&self, accept: impl Fn(Member, i16) -> bool) -> Elements {
        self.elements().into_iter().filter(|&(member, score)| accept(member, score)).collect()
    }

    fn by_rank(&self, range: &impl RangeBounds<usize>) -> Elements {
        let ranked = self.elements().into_iter().enumerate();
        ranked.filter(|(rank, _)| range.contains(rank)).map(|(_, element)| element).collect()
    }

    fn change(&mut self, operation: Operation) {
        match operation {
            Operation::Insert(member, score) => self.insert(member % MEMBERS, score.get()),
            Operation::TryInsert(member, score) => {
                let (member, score) = (member % MEMBERS, score.get());
                assert_eq!(self.set.try_insert(member, score), Ok(self.note(member, score)));
            }
            Operation::InsertRun(run) => {
                run.elements().into_iter().for_each(|(member, score)| self.insert(member, score));
            }
            Operation::Extend(run) => {
                self.set.extend(run.elements());
                run.elements().into_iter().for_each(|(m, score)| _ = self.note(m, score));
            }
            Operation::Append(run) => {
                let mut other: Set = run.elements().into_iter().collect();
                self.set.append(&mut other);
                assert!(other.is_empty());
                run.elements().into_iter().for_each(|(m, score)| _ = self.note(m, score));
            }
            Operation::Union(run) => {
                let other: Set = run.elements().into_iter().collect();
                self.set = self.set.union_with(&other, i16::wrapping_sub);
                for (&member, others) in &other {
                    let own = self.scores.get(&member);
                    let score = own.map_or(others, |own| own.wrapping_sub(others));
                    self.note(member, score);
                }
            }
            Operation::Intersection(run) => {
                let other: BTreeMap<_, _> = run.elements().into_iter().collect();
                let others: Set = run.elements().into_iter().collect();
                let common = self.set.intersection_len(&others, None);
                self.set = self.set.intersection_with(&others, i16::wrapping_sub);
                assert_eq!(self.set.len(), common);
                for (member, own) in self.elements() {
                    self.forget(member);
                    if let Some(others) = other.get(&member) {
                        self.note(member, own.wrapping_sub(*others));
                    }
                }
            }
            Operation::RemoveRun(run) => {
                for (member, _) in run.elements() {
                    assert_eq!(self.set.remove(&member), self.forget(member));
                }
            }
            Operation::Update(member, score) => {
                let (member, score) = (member % MEMBERS, score.get());
                let old = self.scores.get(&member).copied();
                assert_eq!(self.set.update(&member, |_| score), old);
                old.map(|_| self.note(member, score));
            }
            Operation::Increment(member, by) => {
                let (member, by) = (member % MEMBERS, by.get());
                let sum = self.scores.get(&member).map_or(Some(by), |old| old.checked_add(by));
                assert_eq!(self.set.increment(member, by), sum.ok_or(ScoreOverflow));
                sum.map(|sum| self.note(member, sum));
            }
            Operation::ChangeEntry(member, first, second) => {
                let member = member % MEMBERS;
                let mut entry = self.set.entry(member).or_insert(first.get());
                entry.insert(second.get());
                let rank = entry.rank();
                self.note(member, second.get());
                assert_eq!(rank, self.order.range(..(second.get(), member)).count());
            }
            Operation::RemoveEntryOrInsert(member, score) => {
                let member = member % MEMBERS;
                match self.set.entry(member) {
                    Entry::Occupied(entry) => {
                        let removed = entry.remove();
                        assert_eq!(Some(removed), self.forget(member));
                    }
                    Entry::Vacant(entry) => {
                        entry.insert(score.get());
                        assert_eq!(self.note(member, score.get()), None);
                    }
                }
            }
            Operation::Remove(member) => {
                let member = member % MEMBERS;
                assert_eq!(self.set.remove(&member), self.forget(member));
            }
            Operation::PopFirst(times) => {
                for _ in 0..times {
                    let first = self.order.pop_first().map(|(score, member)| (member, score));
                    first.map(|(member, _)| self.scores.remove(&member));
                    assert_eq!(self.set.pop_first(), first);
                }
            }
            Operation::PopLast(times) => {
                for _ in 0..times {
                    let last = self.order.pop_last().map(|(score, member)| (member, score));
                    last.map(|(member, _)| self.scores.remove(&member));
                    assert_eq!(self.set.pop_last(), last);
                }
            }
            operation => self.change_many(operation),
        }
    }

    fn change_many(&mut self, operation: Operation) {
        match operation {
            Operation::RemoveRangeByScore(start, end) => {
                let removed = self.matching(|_, score| (start, end).contains(&score));
                assert_eq!(self.set.remove_range_by_score((start, end)), removed.len());
                self.forget_all(&removed);
            }
            Operation::RemoveRangeByRank(start, end) => {
                let range = (start.map(usize::from), end.map(usize::from));
                let removed = self.by_rank(&range);
                assert_eq!(self.set.remove_range_by_rank(range), removed.len());
                self.forget_all(&removed);
            }
            Operation::Retain(divisor) => {
                let divisor = u16::from(divisor).max(1);
                self.set.retain(|member, _| member % divisor == 0);
                self.forget_all(&self.matching(|member, _| member % divisor != 0));
            }
            Operation::ExtractIf { divisor, at_most } => {
                let divisor = u16::from(divisor).max(1);
                let extracted = self.set.extract_if(|member, _| member % divisor == 0);
                let extracted: Elements = extracted.take(at_most.into()).collect();
                let mut expected = self.matching(|member, _| member % divisor == 0);
                expected.truncate(at_most.into());
                assert_eq!(extracted, expected);
                self.forget_all(&extracted);
            }
            Operation::Drain { front, back } => {
                let mut expected = self.elements().into_iter();
                let mut drain = self.set.drain();
                for _ in 0..front {
                    assert_eq!(drain.next(), expected.next());
                }
                for _ in 0..back {
                    assert_eq!(drain.next_back(), expected.next_back());
                }
                assert_eq!(drain.len(), expected.len());
                drop(drain);
                assert!(self.set.is_empty());
                *self = Pair { set: std::mem::take(&mut self.set), ..Pair::default() };
            }
            Operation::DrainByScore(start, end) => {
                let removed = self.matching(|_, score| (start, end).contains(&score));
                assert!(self.set.drain_by_score((start, end)).eq(removed.iter().copied()));
                self.forget_all(&removed);
            }
            Operation::DrainByRank(start, end) => {
                let range = (start.map(usize::from), end.map(usize::from));
                let removed = self.by_rank(&range);
                assert!(self.set.drain_by_rank(range).rev().eq(removed.iter().rev().copied()));
                self.forget_all(&removed);
            }
            Operation::SplitOff { at, is_upper_kept } => {
                let at = usize::from(at);
                let upper = self.set.split_off_by_rank(at);
                upper.check();
                assert!(
                    upper.iter().map(|(member, score)| (*member, score)).eq(self.by_rank(&(at..)))
                );
                if is_upper_kept {
                    self.forget_all(&self.by_rank(&(..at)));
                    self.set = upper;
                } else {
                    self.forget_all(&self.by_rank(&(at..)));
                }
            }
            Operation::Clear => {
                self.set.clear();
                *self = Pair { set: std::mem::take(&mut self.set), ..Pair::default() };
            }
            Operation::Reserve(additional) => {
                assert_eq!(self.set.try_reserve(additional.into()), Ok(()));
            }
            Operation::ShrinkToFit => self.set.shrink_to_fit(),
            Operation::Clone => self.set = self.set.clone(),
            Operation::FromSorted => {
                let elements = std::mem::take(&mut self.set).into_iter();
                self.set = Set::from_sorted_iter(elements).expect("it was sorted");
            }
            operation => self.read(operation),
        }
    }

    fn read(&self, operation: Operation) {
        match operation {
            Operation::CountByScore(start, end) => {
                let expected = self.matching(|_, score| (start, end).contains(&score));
                assert_eq!(self.set.count_by_score((start, end)), expected.len());
            }
            Operation::RangeByScore(start, end) => {
                let expected = self.matching(|_, score| (start, end).contains(&score));
                assert_view(self.set.range_by_score((start, end)), &expected);
            }
            Operation::RangeByRank(start, end) => {
                let range = (start.map(usize::from), end.map(usize::from));
                assert_view(self.set.range_by_rank(range), &self.by_rank(&range));
            }
            Operation::RangeByMember(score, start, end) => {
                let score = score.get();
                let contains = |member| (start, end).contains(&member);
                let expected = self.matching(|member, other| other == score && contains(member));
                let range = (start.as_ref(), end.as_ref());
                assert_view(self.set.range_by_member::<Member>(score, range), &expected);
            }
            Operation::Range(start, end) => {
                let between = self.order.iter().filter(|element| (start, end).contains(*element));
                let expected: Elements = between.map(|&(score, member)| (member, score)).collect();
                let (start, end) = (start.as_ref(), end.as_ref());
                let start = start.map(|(score, member)| (*score, member));
                let end = end.map(|(score, member)| (*score, member));
                assert_view(self.set.range((start, end)), &expected);
            }
            Operation::Difference(run) => {
                let other: Set = run.elements().into_iter().collect();
                let expected = self.matching(|member, _| !other.contains(&member));
                let difference = self.set.difference(&other);
                assert!(difference.map(|(&m, score)| (m, score)).eq(expected));
            }
            Operation::Ends(order) => {
                // Each bit selects the end from which the next element is taken.
                let (mut iter, elements) = (self.set.iter(), self.elements());
                let mut expected = elements.iter().map(|(member, score)| (member, *score));
                for bit in (0..64).cycle().take(elements.len() + 1) {
                    assert_eq!(iter.len(), expected.len());
                    if order >> bit & 1 == 0 {
                        assert_eq!(iter.next(), expected.next());
                    } else {
                        assert_eq!(iter.next_back(), expected.next_back());
                    }
                }
            }
            operation => unreachable!("{operation:?} changes the set"),
        }
    }

    /// Compares all elements, through every kind of access.
    fn compare(&self) {
        self.set.check();
        let elements = self.elements();
        assert_view(self.set.iter(), &elements);
        assert_eq!(self.set.len(), elements.len());
        for (rank, (member, score)) in elements.iter().enumerate() {
            assert_eq!(self.set.get_by_rank(rank), Some((member, *score)));
            assert_eq!(self.set.rank(member), Some(rank));
            assert_eq!(self.set.score(member), Some(*score));
        }
    }
}

/// Compares a view, whose length must be exact.
fn assert_view<'a>(view: impl ExactSizeIterator<Item = (&'a Member, i16)>, expected: &Elements) {
    assert_eq!(view.len(), expected.len());
    assert!(view.map(|(&member, score)| (member, score)).eq(expected.iter().copied()));
}

fuzz_target!(|operations: Vec<Operation>| {
    let mut pair = Pair::default();
    for operation in operations.into_iter().take(MOST_OPERATIONS) {
        pair.change(operation);
        pair.compare();
    }
});
