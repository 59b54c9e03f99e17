//! Applies operations to a set and to the reference, and compares the results.

use zset_core::redis::{AddFlags, AddOptions, AddOptionsError};
use zset_core::{Encoding, ListpackLimits, NanScore, Score, TryReserveError};

use super::apply::{apply_to_zset, remove_many};
use super::compare::{compare_all, compare_query, compare_zset};
use super::{Operation, Query, Reference, Subject, WriteError, run_member, score};

/// The distribution of scores.
#[derive(Clone, Copy, Debug)]
pub enum Profile {
    /// Scores are used as generated.
    Any,
    /// All scores are equal, so the order is by member, and lexicographic ranges are meaningful.
    Equal,
}

impl Profile {
    pub(super) fn score(self, drawn: f64) -> f64 {
        match self {
            Profile::Any => drawn,
            Profile::Equal => 3.0,
        }
    }
}

pub struct Runner<S> {
    pub subject: S,
    pub reference: Reference,
    /// The capacity of the listpack's buffer, in bytes.
    capacity: usize,
    profile: Profile,
}

impl<S: Subject> Runner<S> {
    pub fn new(subject: S, limits: ListpackLimits, capacity: usize, profile: Profile) -> Self {
        Runner { subject, reference: Reference::new(limits), capacity, profile }
    }

    pub fn step(&mut self, operation: &Operation, query: &Query) {
        self.apply(operation);
        self.compare(query);
    }

    /// Compares the result of a write. If there was room, the reference becomes `after`.
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
            // The write failed, so the reference stays unchanged. The comparison after this
            // operation verifies that the bytes of the set are unchanged as well.
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

    pub fn apply(&mut self, operation: &Operation) {
        let Runner { subject, reference, profile, .. } = self;
        let profile = *profile;
        match operation {
            Operation::Add(member, drawn, flags) => {
                let number = profile.score(*drawn);
                let options = match AddOptions::from_flags(*flags) {
                    Ok(options) => options,
                    Err(error) => return check_contradiction(*flags, error),
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

    fn compare(&mut self, query: &Query) {
        let Runner { subject, reference, .. } = self;
        assert_eq!(subject.encoding(), reference.encoding);
        let bytes = (reference.encoding == Encoding::Listpack).then(|| reference.bytes());
        assert_eq!(subject.bytes(), bytes.as_deref());
        compare_all(subject, reference);
        compare_query(subject, reference, query);
        if let Some(set) = subject.as_zset() {
            compare_zset(set, reference, query);
        }
    }
}

/// Verifies that the flags conflict as the error reports.
fn check_contradiction(flags: AddFlags, error: AddOptionsError) {
    let AddFlags { nx, xx, gt, lt, .. } = flags;
    let is_first = nx && xx;
    assert_eq!(error == AddOptionsError::NxAndXx, is_first);
    assert!(is_first || [nx, gt, lt].into_iter().filter(|flag| *flag).count() > 1);
}
