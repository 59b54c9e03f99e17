//! Conditional insertions, sums and replacements, with a panic at every call of user code in turn.

use crate::LEAF;
use crate::fuse::{Code, burn, run};
use crate::panics::before_or_after;
use crate::subject::{Member, Points, Set, check, contents, count_members, filled, use_again};
use crate::unless_miri;

/// Full leaves, which split on insertions and moves.
const LEN: u32 = LEAF * unless_miri(5, 2);

/// Scores below, between and above the existing ones, and the score of member 70.
fn scores() -> impl Iterator<Item = Points> {
    let some: &[u32] = unless_miri(&[0, 355, 700, 1005, 99_999], &[355]);
    some.iter().copied().map(Points)
}

/// An existing member and a new one.
const MEMBERS: [u32; 2] = [70, 5000];

#[test]
fn insert_max_and_min() {
    count_members(|| {
        for number in MEMBERS {
            for score in scores() {
                let set: Set = filled(LEN);
                before_or_after(&set, |set| set.insert_max(Member::new(number), score));
                before_or_after(&set, |set| set.insert_min(Member::new(number), score));
            }
        }
    });
}

#[test]
fn replace() {
    count_members(|| {
        for number in MEMBERS {
            for score in scores() {
                let set: Set = filled(LEN);
                before_or_after(&set, |set| set.replace(Member::new(number), score));
            }
        }
    });
}

#[test]
fn try_update_and_try_increment() {
    count_members(|| {
        for number in MEMBERS {
            let set: Set = filled(LEN);
            before_or_after(&set, |set| set.try_increment(Member::new(number), 333));
            before_or_after(&set, |set| set.try_increment(Member::new(number), u32::MAX));
            before_or_after(&set, |set| {
                let member = Member::new(number);
                set.try_update(&member, |Points(score)| {
                    burn(Code::Closure);
                    Points(score / 3)
                })
            });
        }
    });
}

#[test]
fn extend_by_reference_keeps_elements_before_a_panic() {
    let elements = || {
        (0..9_u32).map(|number| {
            burn(Code::Closure);
            (number, number)
        })
    };
    let elements: Vec<(u32, u32)> = elements().collect();
    for calls in 0..9 {
        let mut set = zset_core::SortedSet::<u32, u32>::from([(100, 0)]);
        let references = elements.iter().map(|(member, score)| {
            burn(Code::Closure);
            (member, score)
        });
        assert_eq!(run(Code::Closure, calls, || set.extend(references)), None);
        set.check();
        assert_eq!(set.len(), 1 + calls);
    }
}

#[test]
fn a_panicking_sum_leaves_the_set_unchanged() {
    count_members(|| {
        let mut set: Set = filled(LEN);
        let before = contents(&set);
        for number in MEMBERS {
            let sum = || set.try_increment(Member::new(number), 1);
            assert!(run(Code::Closure, 0, sum).is_none());
        }
        check(&set);
        assert_eq!(contents(&set), before);
        use_again(&mut set);
    });
}
