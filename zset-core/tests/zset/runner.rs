//! The runner: does operations to a set and to the reference, and compares what they answer.

use zset_core::redis::{AddOptions, AddOptionsError};
use zset_core::{Encoding, ListpackLimits, NanScore, Score, TryReserveError, ZSet};

use crate::compare::{compare_all, compare_answers, compare_zset, lex, plain};
use crate::operations::{Operation, Question, run_member};
use crate::reference::{Element, Reference, score};
use crate::subject::{Subject, WriteError};

/// How scores come in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Profile {
    /// As they were drawn.
    Any,
    /// All the same: the order is that of the members, and lexicographic ranges mean something.
    Equal,
}

impl Profile {
    fn score(self, drawn: f64) -> f64 {
        match self {
            Profile::Any => drawn,
            Profile::Equal => 3.0,
        }
    }
}

pub(crate) struct Runner<S> {
    pub(crate) subject: S,
    pub(crate) reference: Reference,
    /// The bytes that a listpack has room for.
    capacity: usize,
    profile: Profile,
}

/// Adds the bytes of a member up.
fn sum(member: &[u8]) -> u8 {
    member.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

impl<S: Subject> Runner<S> {
    pub(crate) fn new(
        subject: S,
        limits: ListpackLimits,
        capacity: usize,
        profile: Profile,
    ) -> Self {
        Runner { subject, reference: Reference::new(limits), capacity, profile }
    }

    pub(crate) fn step(&mut self, operation: &Operation, question: &Question) {
        self.apply(operation);
        self.compare(question);
    }

    /// Compares the outcome of a write, and keeps what it has made of the set.
    fn settle<T: PartialEq + std::fmt::Debug>(
        &mut self,
        outcome: &Result<T, WriteError>,
        expected: Result<T, NanScore>,
        after: Reference,
    ) {
        let has_room = self.capacity == usize::MAX || after.bytes().len() <= self.capacity;
        if has_room {
            assert_eq!(*outcome, expected.map_err(WriteError::Score));
            self.reference = after;
        } else {
            // The bytes are compared with those of the old elements afterwards.
            assert_eq!(*outcome, Err(WriteError::Full(TryReserveError::BufferFull)));
        }
    }

    fn insert(&mut self, member: &[u8], number: f64) {
        let mut after = self.reference.clone();
        let old = after.insert(member, number).map(score);
        let outcome = self.subject.insert(member, score(number)).map_err(WriteError::from);
        self.settle(&outcome, Ok(old), after);
    }

    fn update(&mut self, member: &[u8], number: f64) {
        let mut after = self.reference.clone();
        let old = after.score(member).map(score);
        let outcome = self.subject.update(member, |given| {
            assert_eq!(Some(given), old);
            score(number)
        });
        old.map(|_| after.insert(member, number));
        self.settle(&outcome.map_err(WriteError::from), Ok(old), after);
    }

    pub(crate) fn apply(&mut self, operation: &Operation) {
        let Runner { subject, reference, profile, .. } = self;
        let profile = *profile;
        match operation {
            Operation::Add(member, drawn, flags) => {
                let number = profile.score(*drawn);
                let options = match AddOptions::from_flags(*flags) {
                    Ok(options) => options,
                    Err(error) => {
                        let both = error == AddOptionsError::NxAndXx;
                        return assert_eq!(flags.nx && flags.xx, both);
                    }
                };
                let mut after = reference.clone();
                let expected = after.add(member, number, *flags);
                let outcome = subject.add(member, score(number), options);
                self.settle(&outcome, expected, after);
            }
            Operation::Insert(member, drawn) => self.insert(member, profile.score(*drawn)),
            Operation::InsertRun { first, len, score, step } => {
                for i in 0..*len {
                    let number = profile.score(score + f64::from(i / 3) * step);
                    self.insert(&run_member((first + i) % 100), number);
                }
            }
            Operation::Increment(member, by) => {
                let by = by * if matches!(profile, Profile::Equal) { 0.0 } else { 1.0 };
                let sum = reference.score(member).unwrap_or(0.0) + by;
                let mut after = reference.clone();
                if !sum.is_nan() {
                    after.insert(member, sum);
                }
                let outcome = subject.increment(member, by);
                self.settle(&outcome, Score::new(sum), after);
            }
            Operation::Update(member, drawn) => self.update(member, profile.score(*drawn)),
            Operation::Level(drawn) => {
                for (member, _) in reference.sorted() {
                    self.update(&member, *drawn);
                }
            }
            Operation::Remove(member) => {
                assert_eq!(subject.remove(member), reference.remove(member).map(score));
            }
            Operation::PopFirst => {
                let first = reference.sorted().first().cloned();
                assert_eq!(subject.pop_first(), first);
                reference.remove_all(first.as_slice());
            }
            Operation::PopLast => {
                let last = reference.sorted().last().cloned();
                assert_eq!(subject.pop_last(), last);
                reference.remove_all(last.as_slice());
            }
            Operation::Clear => {
                subject.clear();
                reference.clear();
            }
            Operation::RemoveRangeByRank(_)
            | Operation::RemoveRangeByScore(_)
            | Operation::RemoveRangeByLex(_)
            | Operation::Retain(_) => remove_many(operation, subject, reference),
            operation => {
                if let Some(set) = subject.as_zset() {
                    apply_to_zset(operation, set, reference, profile);
                }
            }
        }
    }

    fn compare(&mut self, question: &Question) {
        let Runner { subject, reference, .. } = self;
        assert_eq!(subject.encoding(), reference.encoding);
        let bytes = (reference.encoding == Encoding::Listpack).then(|| reference.bytes());
        assert_eq!(subject.bytes(), bytes.as_deref());
        compare_all(subject, reference);
        compare_answers(subject, reference, question);
        if let Some(set) = subject.as_zset() {
            compare_zset(set, reference, question);
        }
    }
}

fn remove_many<S: Subject>(operation: &Operation, subject: &mut S, reference: &mut Reference) {
    let removed = match operation {
        Operation::RemoveRangeByRank(range) => {
            let removed = reference.by_rank(range);
            assert_eq!(subject.remove_range_by_rank(*range), removed.len());
            removed
        }
        Operation::RemoveRangeByScore(range) => {
            let removed = reference.by_score(range);
            let range = (range.0.map(score), range.1.map(score));
            assert_eq!(subject.remove_range_by_score(range), removed.len());
            removed
        }
        Operation::RemoveRangeByLex(range) => {
            let removed = if reference.is_level() {
                reference.by_lex(range)
            } else {
                // Unspecified, but the view shows the same.
                subject.range_by_lex(lex(range)).map(plain).collect()
            };
            assert_eq!(subject.remove_range_by_lex(lex(range)), removed.len());
            removed
        }
        Operation::Retain(divisor) => {
            let mut seen = Vec::new();
            subject.retain(|member, score| {
                seen.push((member.to_vec(), score.get()));
                sum(member) % divisor == 0
            });
            assert_eq!(seen, reference.sorted(), "retain looks at all elements, in order");
            reference.matching(|member, _| sum(member) % divisor != 0)
        }
        operation => unreachable!("{operation:?} does not remove many"),
    };
    reference.remove_all(&removed);
}

/// Makes a set of elements that the profile gives their scores, and its reference.
fn made(elements: &[Element], limits: ListpackLimits, profile: Profile) -> (ZSet, Reference) {
    let scored = elements.iter().map(|(m, drawn)| (m.clone(), profile.score(*drawn)));
    let mut set = ZSet::with_limits(limits);
    set.extend(scored.clone().map(|(member, number)| (member, score(number))));
    (set, Reference::of(scored, limits))
}

fn apply_to_zset(
    operation: &Operation,
    set: &mut ZSet,
    reference: &mut Reference,
    profile: Profile,
) {
    let popped = |elements: Vec<(zset_core::ByteString, Score)>| -> Vec<Element> {
        elements.into_iter().map(|(member, score)| (member.into(), score.get())).collect()
    };
    match operation {
        Operation::PopMin(count) => {
            let expected = reference.by_rank(&(..*count));
            assert_eq!(popped(set.pop_min(*count)), expected);
            reference.remove_all(&expected);
        }
        Operation::PopMax(count) => {
            let mut expected = reference.by_rank(&(reference.len().saturating_sub(*count)..));
            expected.reverse();
            assert_eq!(popped(set.pop_max(*count)), expected);
            reference.remove_all(&expected);
        }
        Operation::Extract { divisor, at_most } => {
            let mut seen = Vec::new();
            let extracted = set.extract_if(|member, score| {
                seen.push((member.to_vec(), score.get()));
                sum(member) % divisor == 0
            });
            assert_eq!(extracted.size_hint(), (0, Some(reference.len())));
            let extracted = popped(extracted.take(*at_most).collect());
            let mut expected = reference.matching(|member, _| sum(member) % divisor == 0);
            expected.truncate(*at_most);
            assert_eq!(extracted, expected);
            assert_eq!(seen, reference.sorted()[..seen.len()], "each once, and in order");
            reference.remove_all(&extracted);
        }
        Operation::Drain { front, back } => {
            let mut elements = reference.sorted().into_iter();
            let drained = set.drain();
            assert_eq!((set.len(), set.encoding()), (0, Encoding::Listpack), "at once");
            assert_eq!(drained.len(), elements.len());
            let mut drained = drained.map(|(member, score)| (Vec::from(member), score.get()));
            assert!(drained.by_ref().take(*front).eq(elements.by_ref().take(*front)));
            assert!(drained.by_ref().rev().take(*back).eq(elements.by_ref().rev().take(*back)));
            assert_eq!(drained.len(), elements.len());
            reference.clear();
        }
        Operation::Append(elements) => {
            let few = ListpackLimits { max_listpack_entries: 3, ..ListpackLimits::default() };
            let (mut other, others) = made(elements, few, profile);
            set.append(&mut other);
            other.check();
            assert_eq!((other.len(), other.encoding()), (0, Encoding::Listpack));
            assert_eq!(other.limits(), few);
            for (member, number) in others.sorted() {
                reference.insert(&member, number);
            }
        }
        Operation::Extend(elements) => {
            let scored = elements.iter().map(|(m, drawn)| (m, profile.score(*drawn)));
            set.extend(scored.clone().map(|(member, number)| (member, score(number))));
            for (member, number) in scored {
                reference.insert(member, number);
            }
        }
        Operation::Promote => {
            set.promote();
            reference.encoding = Encoding::Skiplist;
        }
        Operation::ShrinkToFit => {
            set.shrink_to_fit();
            assert!(set.as_listpack().is_none_or(|list| set.allocation_size()
                == list.as_bytes().len()
                || set.is_empty()));
        }
        Operation::Clone => *set = set.clone(),
        operation => unreachable!("{operation:?} is one of all sets"),
    }
}
