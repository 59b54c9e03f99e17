//! Tests panicking closures: decisions made before the panic take effect, and all other elements
//! stay.

use zset_core::{SkipList, SortedMap, SortedSet};

use crate::fuse::{Code, burning, run};
use crate::subject::{
    Collection, Fixed, Member, Points, Set, check, contents, count_members, filled, fixed,
};
use crate::{LEAF, unless_miri};

const LEN: u32 = LEAF * unless_miri(3, 1) + 6;

/// The step between the numbers of calls after which a closure panics.
const STEP: usize = unless_miri(1, 33);

/// Creates a map with scores in the order of the keys.
fn filled_map() -> SortedMap<Member, Member, Points> {
    (0..LEN).map(|i| (Member::new(i), Member::new(1000 + i), Points(10 * i))).collect()
}

/// Adds a thousand to a value.
fn touch(value: &mut Member) {
    *value = Member::new(value.number() + 1000);
}

/// Runs an operation several times. Its closure panics after a different number of calls each time.
/// Given a member and that number, `is_left` returns whether the member must be left, and
/// `is_touched` whether its value must have changed.
fn interrupt<C: Collection>(
    original: &C,
    operation: impl Fn(&mut C, usize),
    is_left: fn(usize, usize) -> bool,
    is_touched: fn(usize, usize) -> bool,
) {
    for calls in (0..original.elements().len()).step_by(STEP) {
        count_members(|| {
            let mut subject = original.clone();
            operation(&mut subject, calls);
            check(&subject);
            let mut expected = original.elements();
            expected.retain(|[number, ..]| is_left(*number as usize, calls));
            for [number, value, _] in &mut expected {
                // Only a map has values. For a set, `value` is 0.
                let is_touched = *value > 0 && is_touched(*number as usize, calls);
                *value += if is_touched { 1000 } else { 0 };
            }
            assert_eq!(subject.elements(), expected, "after {calls} calls");
            subject.use_again();
        });
    }
}

#[test]
fn retain_keeps_the_decisions_and_values_before_a_panic() {
    fn verify<C: Collection>(original: &C, retain: fn(&mut C)) {
        let retain = |subject: &mut C, calls| {
            assert_eq!(run(Code::Closure, calls, || retain(subject)), None);
        };
        let is_left = |number, calls| number % 2 == 0 || number >= calls;
        interrupt(original, retain, is_left, |number, calls| number <= calls);
    }
    verify(&filled(LEN), |set| set.retain(|member, _| burning(member.number() % 2 == 0)));
    verify(&fixed(12), |set: &mut Fixed| {
        set.retain(|member, _| burning(member.number() % 2 == 0));
    });
    verify(&filled_map(), |map| {
        map.retain(|key, value, _| {
            touch(value);
            burning(key.number() % 2 == 0)
        });
    });
}

#[test]
fn extract_if_continues_after_the_element_at_which_it_panicked() {
    fn verify<C: Collection>(original: &C, extract: impl Fn(&mut C, usize)) {
        let is_left = |number, calls| number % 5 == 0 || number == calls;
        interrupt(original, extract, is_left, |_, _| true);
    }
    fn continued<T>(mut extracted: impl Iterator<Item = T>, calls: usize) {
        assert_eq!(run(Code::Closure, calls, || extracted.by_ref().count()), None);
        extracted.for_each(drop);
    }
    let is_extracted = |member: &Member, _: &Points| burning(member.number() % 5 != 0);
    let list: SkipList<Member, Points> = filled(LEN).into_iter().collect();
    verify(&filled(LEN), |set, calls| continued(set.extract_if(is_extracted), calls));
    verify(&list, |list, calls| continued(list.extract_if(is_extracted), calls));
    verify(&filled_map(), |map, calls| {
        let extracted = map.extract_if(|key, value, score| {
            touch(value);
            is_extracted(key, score)
        });
        continued(extracted, calls);
    });
}

#[test]
fn a_panicking_predicate_or_computation_of_a_score_leaves_the_set_unchanged() {
    let operations: [fn(&mut Set); 9] = [
        |set| _ = set.update(&Member::new(60), |_| burning(Points(0))),
        |set| _ = set.entry(Member::new(60)).and_modify(|_| burning(Points(0))),
        |set| _ = set.entry(Member::new(7000)).or_insert_with(|| burning(Points(0))),
        |set| _ = set.increment(Member::new(60), 1),
        |set| _ = set.increment(Member::new(7000), 1),
        |set| _ = set.try_increment(Member::new(60), 1),
        |set| _ = set.try_increment(Member::new(7000), 1),
        |set| _ = set.pop_first_if(|_, _| burning(true)),
        |set| _ = set.pop_last_if(|_, _| burning(true)),
    ];
    for (case, operation) in operations.into_iter().enumerate() {
        count_members(|| {
            let mut set = filled(LEN);
            let before = contents(&set);
            assert!(run(Code::Closure, 0, || operation(&mut set)).is_none(), "operation {case}");
            check(&set);
            assert_eq!(contents(&set), before, "operation {case}");
            set.use_again();
        });
    }
}

#[test]
fn collecting_a_panicking_iterator_leaks_no_member() {
    for calls in (0..LEN as usize).step_by(STEP) {
        count_members(|| {
            let elements = || (0..LEN).map(|number| burning((Member::new(number), Points(number))));
            assert!(run(Code::Closure, calls, || elements().collect::<Set>()).is_none());
            let sorted = || _ = <Set>::from_sorted_iter(elements());
            assert!(run(Code::Closure, calls, sorted).is_none());
            let mut set = filled(10);
            assert_eq!(run(Code::Closure, calls, || set.extend(elements())), None);
            check(&set);
            assert_eq!(set.len(), calls.max(10));
        });
    }
}

#[test]
fn extend_by_reference_keeps_elements_before_a_panic() {
    let elements: [(u32, u32); 9] = std::array::from_fn(|i| (i as u32, i as u32));
    for calls in 0..elements.len() {
        let mut set = SortedSet::from([(100, 0)]);
        let references = elements.iter().map(|(member, score)| burning((member, score)));
        assert_eq!(run(Code::Closure, calls, || set.extend(references)), None);
        set.check();
        assert_eq!(set.len(), 1 + calls);
    }
}
