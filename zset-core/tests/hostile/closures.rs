//! Panicking closures: decisions made before the panic take effect, and the other elements stay.

use zset_core::{FixedSortedSet, SkipList, SortedMap};

use crate::fuse::{Code, burn, run};
use crate::subject::{Member, Points, Set, check, contents, count_members, filled, use_again};
use crate::{LEAF, unless_miri};

const LEN: u32 = LEAF * unless_miri(3, 1) + 6;

/// A closure panics after every multiple of this many calls.
const STEP: usize = unless_miri(1, 33);

#[test]
fn retain_keeps_the_decisions_before_a_panic() {
    for calls in (0..LEN).step_by(STEP) {
        count_members(|| {
            let mut set: Set = filled(LEN);
            let stopped = run(Code::Closure, calls as usize, || {
                set.retain(|member, _| {
                    burn(Code::Closure);
                    member.number() % 2 == 0
                });
            });
            assert_eq!(stopped, None);
            check(&set);
            let kept = (0..LEN).filter(|&number| number % 2 == 0 || number >= calls);
            assert!(contents(&set).into_iter().map(|(number, _)| number).eq(kept));
            use_again(&mut set);
        });
    }
}

#[test]
fn extract_if_continues_after_the_element_at_which_it_panicked() {
    for calls in (0..LEN).step_by(STEP) {
        count_members(|| {
            let mut set: Set = filled(LEN);
            let mut extract_if = set.extract_if(|member, _| {
                burn(Code::Closure);
                member.number() % 5 != 0
            });
            let stopped = run(Code::Closure, calls as usize, || extract_if.by_ref().count());
            assert_eq!(stopped, None);
            extract_if.for_each(drop);
            check(&set);
            let kept = (0..LEN).filter(|&number| number % 5 == 0 || number == calls);
            assert!(contents(&set).into_iter().map(|(number, _)| number).eq(kept));
        });
    }
}

/// Creates a map of members to themselves, with scores in the same order.
fn filled_map() -> SortedMap<u32, u32, u32> {
    (0..LEN).map(|number| (number, number, 10 * number)).collect()
}

#[test]
fn retain_of_a_map_keeps_the_decisions_and_values_before_a_panic() {
    for calls in (0..LEN).step_by(STEP) {
        let mut map = filled_map();
        let stopped = run(Code::Closure, calls as usize, || {
            map.retain(|key, value, _| {
                *value += 1000;
                burn(Code::Closure);
                key % 2 == 0
            });
        });
        assert_eq!(stopped, None);
        map.check();
        let kept = (0..LEN).filter(|&key| key % 2 == 0 || key >= calls);
        let value = |key| if key <= calls { key + 1000 } else { key };
        assert!(map.into_iter().eq(kept.map(|key| (key, value(key), 10 * key))));
    }
}

#[test]
fn extract_if_of_a_map_continues_after_the_element_at_which_it_panicked() {
    for calls in (0..LEN).step_by(STEP) {
        let mut map = filled_map();
        let mut extract_if = map.extract_if(|key, value, _| {
            *value += 1000;
            burn(Code::Closure);
            key % 5 != 0
        });
        let stopped = run(Code::Closure, calls as usize, || extract_if.by_ref().count());
        assert_eq!(stopped, None);
        extract_if.for_each(drop);
        map.check();
        let kept = (0..LEN).filter(|&key| key % 5 == 0 || key == calls);
        assert!(map.into_iter().eq(kept.map(|key| (key, key + 1000, 10 * key))));
    }
}

#[test]
fn retain_of_a_fixed_set_keeps_the_decisions_before_a_panic() {
    const LEN: u32 = 12;
    for calls in 0..LEN {
        let mut set = FixedSortedSet::<u32, u32, 12>::new();
        (0..LEN).for_each(|number| _ = set.try_insert(number, 10 * number));
        let stopped = run(Code::Closure, calls as usize, || {
            set.retain(|number, _| {
                burn(Code::Closure);
                number % 2 == 0
            });
        });
        assert_eq!(stopped, None);
        set.check();
        let kept = (0..LEN).filter(|&number| number % 2 == 0 || number >= calls);
        assert!(set.iter().map(|(number, _)| *number).eq(kept));
    }
}

#[test]
fn a_score_is_unchanged_if_its_update_panics() {
    count_members(|| {
        let mut set: Set = filled(LEN);
        let panics = |_: &Points| -> Points {
            burn(Code::Closure);
            unreachable!("the fuse has blown")
        };
        assert_eq!(run(Code::Closure, 0, || set.update(&Member::new(60), panics)), None);
        assert!(
            run(Code::Closure, 0, || _ = set.entry(Member::new(60)).and_modify(panics)).is_none()
        );
        assert!(run(Code::Closure, 0, || set.increment(Member::new(60), 1)).is_none());
        check(&set);
        assert_eq!(set.score(&Member::new(60)), Some(&Points(600)));
        use_again(&mut set);
    });
}

#[test]
fn a_member_is_not_inserted_if_computing_its_score_panics() {
    count_members(|| {
        let mut set: Set = filled(LEN);
        let panics = || -> Points {
            burn(Code::Closure);
            unreachable!("the fuse has blown")
        };
        let entry = || _ = set.entry(Member::new(7000)).or_insert_with(panics);
        assert!(run(Code::Closure, 0, entry).is_none());
        assert!(run(Code::Closure, 0, || set.increment(Member::new(7000), 1)).is_none());
        check(&set);
        assert_eq!(set.len(), LEN as usize);
        assert!(!set.contains(&Member::new(7000)));
        use_again(&mut set);
    });
}

#[test]
fn collecting_a_panicking_iterator_leaks_no_member() {
    for calls in (0..LEN).step_by(STEP) {
        count_members(|| {
            let elements = || {
                (0..LEN).map(|number| {
                    burn(Code::Closure);
                    (Member::new(number), Points(number))
                })
            };
            let calls = calls as usize;
            assert!(run(Code::Closure, calls, || elements().collect::<Set>()).is_none());
            let sorted = || _ = <Set>::from_sorted_iter(elements());
            assert!(run(Code::Closure, calls, sorted).is_none());
            let mut set: Set = filled(10);
            assert_eq!(run(Code::Closure, calls, || set.extend(elements())), None);
            check(&set);
            assert_eq!(set.len(), calls.max(10));
        });
    }
}

#[test]
fn extract_if_of_a_list_continues_after_the_element_at_which_it_panicked() {
    for calls in (0..LEN).step_by(STEP) {
        let mut list: SkipList<u32, u32> = (0..LEN).map(|number| (number, 10 * number)).collect();
        let mut extract_if = list.extract_if(|member, _| {
            burn(Code::Closure);
            member % 5 != 0
        });
        let stopped = run(Code::Closure, calls as usize, || extract_if.by_ref().count());
        assert_eq!(stopped, None);
        extract_if.for_each(drop);
        list.check();
        let kept = (0..LEN).filter(|&number| number % 5 == 0 || number == calls);
        assert!(list.iter().map(|(member, _)| *member).eq(kept));
    }
}
