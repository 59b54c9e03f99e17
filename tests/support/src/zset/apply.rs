//! Applies operations on many elements to a set and to the reference.

use zset_core::redis::rdb;
use zset_core::{ByteString, Encoding, ListpackLimits, Score, ZSet};

use super::compare::{lex, plain};
use super::{Element, Operation, Profile, Reference, Subject, score};

/// Returns the sum of the bytes of a member, modulo 256.
fn sum(member: &[u8]) -> u8 {
    member.iter().fold(0, |sum, byte| sum.wrapping_add(*byte))
}

pub(super) fn remove_many<S: Subject>(
    operation: &Operation,
    subject: &mut S,
    reference: &mut Reference,
) {
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
                // Unless all scores are equal, it is unspecified which elements are in this range.
                // The removal must agree with the view.
                subject.range_by_lex(lex(range)).map(plain).collect()
            };
            assert_eq!(subject.remove_range_by_lex(lex(range)), removed.len());
            removed
        }
        Operation::Retain(divisor) => {
            let mut seen = Vec::new();
            subject.retain(|member, score| {
                seen.push((member.to_vec(), score.get()));
                sum(member).is_multiple_of(*divisor)
            });
            assert_eq!(seen, reference.sorted(), "retain visits all elements in order");
            reference.matching(|member, _| !sum(member).is_multiple_of(*divisor))
        }
        operation => unreachable!("{operation:?} does not remove many"),
    };
    reference.remove_all(&removed);
}

/// Creates a set whose scores come from the profile, and its reference.
fn made(elements: &[Element], limits: ListpackLimits, profile: Profile) -> (ZSet, Reference) {
    let scored = elements.iter().map(|(m, drawn)| (m.clone(), profile.score(*drawn)));
    let mut set = ZSet::with_limits(limits);
    set.extend(scored.clone().map(|(member, number)| (member, score(number))));
    (set, Reference::of(scored, limits))
}

pub(super) fn apply_to_zset(
    operation: &Operation,
    set: &mut ZSet,
    reference: &mut Reference,
    profile: Profile,
) {
    let popped = |elements: Vec<(ByteString, Score)>| -> Vec<Element> {
        elements.into_iter().map(|(member, score)| (member.into(), score.get())).collect()
    };
    match operation {
        Operation::Extract { divisor, at_most } => {
            let mut seen = Vec::new();
            let extracted = set.extract_if(|member, score| {
                seen.push((member.to_vec(), score.get()));
                sum(member).is_multiple_of(*divisor)
            });
            assert_eq!(extracted.size_hint(), (0, Some(reference.len())));
            let extracted = popped(extracted.take(*at_most).collect());
            let mut expected = reference.matching(|member, _| sum(member).is_multiple_of(*divisor));
            expected.truncate(*at_most);
            assert_eq!(extracted, expected);
            assert_eq!(seen, reference.sorted()[..seen.len()], "each once, in order");
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
        Operation::DrainByRank(range) => {
            let removed = reference.by_rank(range);
            assert_eq!(popped(set.drain_by_rank(*range).collect()), removed);
            reference.remove_all(&removed);
        }
        Operation::SplitOff(rank) => {
            let removed = reference.by_rank(&(*rank..));
            let upper = set.split_off_by_rank(*rank);
            upper.check();
            assert_eq!((upper.encoding(), upper.limits()), (set.encoding(), set.limits()));
            assert_eq!(popped(upper.into_iter().collect()), removed);
            reference.remove_all(&removed);
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
        Operation::DumpAndRestore => {
            let restored = rdb::restore_with_limits(&rdb::dump(set), set.limits());
            *set = restored.expect("it was dumped");
            *reference = Reference::of(reference.sorted(), reference.limits);
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
