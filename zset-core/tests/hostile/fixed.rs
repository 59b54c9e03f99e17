//! Sets of fixed capacity: a panic at every call of user code leaves the set unchanged or
//! completely changed; inconsistent orders and hashes leave it usable.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::hash::BuildHasherDefault;
use zset_core::FixedSortedSet;

use crate::fuse::{Code, at_every_call, burn};
use crate::subject::{Member, Mixed, Points, count_members, while_hashing_at_random, while_lying};
use crate::unless_miri;

const CAPACITY: usize = 12;

type Fixed = FixedSortedSet<Member, Points, CAPACITY, u8, BuildHasherDefault<Mixed>>;

/// Creates a set of members `0..len` with ten times their number as scores.
fn filled(len: u32) -> Fixed {
    let mut set = Fixed::default();
    for number in (0..len).rev() {
        assert!(set.try_insert(Member::new(number), Points(10 * number)).is_ok());
    }
    set
}

fn contents(set: &Fixed) -> Vec<(u32, u32)> {
    set.iter().map(|(member, Points(score))| (member.number(), *score)).collect()
}

/// Runs an operation with a panic at each call of user code; the set is then in the state before or
/// after the operation.
fn is_all_or_nothing(len: u32, mut operation: impl FnMut(&mut Fixed)) {
    count_members(|| {
        let before = contents(&filled(len));
        let mut after = None;
        at_every_call(
            || filled(len),
            |set| operation(set),
            |mut set, done| {
                set.check();
                let now = contents(&set);
                if done.is_some() {
                    assert_eq!(*after.get_or_insert(now.clone()), now);
                } else {
                    assert!(now == before || Some(&now) == after.as_ref(), "{now:?}");
                }
                set.clear();
                set.check();
                assert!(set.try_insert(Member::new(1), Points(1)).is_ok());
            },
        );
    });
}

#[test]
fn a_panic_in_an_insertion_changes_all_or_nothing() {
    is_all_or_nothing(6, |set| drop(set.try_insert(Member::new(9), Points(25))));
    is_all_or_nothing(6, |set| drop(set.try_insert(Member::new(3), Points(55))));
    is_all_or_nothing(12, |set| drop(set.try_insert(Member::new(70), Points(25))));
    is_all_or_nothing(12, |set| drop(set.insert_or_evict_first(Member::new(70), Points(25))));
    is_all_or_nothing(12, |set| drop(set.insert_or_evict_last(Member::new(70), Points(25))));
    is_all_or_nothing(6, |set| assert!(set.try_increment(Member::new(3), 25).is_ok()));
}

#[test]
fn a_panic_in_an_update_or_a_removal_changes_all_or_nothing() {
    is_all_or_nothing(6, |set| {
        set.update(&Member::new(3), |Points(score)| {
            burn(Code::Closure);
            Points(score + 15)
        });
    });
    is_all_or_nothing(6, |set| assert!(set.remove(&Member::new(3)).is_some()));
    is_all_or_nothing(6, |set| drop(set.pop_first()));
    is_all_or_nothing(6, |set| drop(set.remove_by_rank(2)));
    is_all_or_nothing(6, |set| {
        set.pop_first_if(|_, _| {
            burn(Code::Closure);
            true
        });
    });
}

#[test]
fn a_panic_in_a_bulk_operation_leaves_a_valid_set() {
    let run = |operation: &mut dyn FnMut(&mut Fixed)| {
        count_members(|| {
            at_every_call(
                || filled(12),
                |set| operation(set),
                |mut set, _| {
                    set.check();
                    set.clear();
                    assert!(set.try_insert(Member::new(1), Points(1)).is_ok());
                },
            );
        });
    };
    run(&mut |set| {
        set.retain(|member, _| {
            burn(Code::Closure);
            member.number() % 2 == 0
        });
    });
    run(&mut |set| assert_eq!(set.remove_range_by_score(Points(25)..Points(95)), 7));
    run(&mut |set| set.clear());
    run(&mut |set| drop(set.clone()));
    run(&mut |set| std::mem::take(set).into_iter().skip(3).for_each(drop));
}

/// Performs random operations; whatever user code returns, no operation panics and the structure
/// stays valid.
fn shuffle(set: &mut Fixed, random: &mut SmallRng) {
    for _ in 0..unless_miri(2000, 40) {
        let (number, score) = (random.random_range(0..20), Points(random.random_range(0..50)));
        match random.random_range(0..9) {
            0..3 => drop(set.try_insert(Member::new(number), score)),
            3 => drop(set.insert_or_evict_first(Member::new(number), score)),
            4 => drop(set.insert_or_evict_last(Member::new(number), score)),
            5 => {
                set.remove(&Member::new(number));
            }
            6 => drop(set.pop_first()),
            7 => {
                set.update(&Member::new(number), |_| score);
            }
            _ => {
                assert!(set.rank(&Member::new(number)).is_none_or(|rank| rank < set.len()));
                assert!(set.range_by_score(score..).count() <= set.len());
            }
        }
        set.check_structure();
        assert_eq!(set.iter().count(), set.len());
    }
}

#[test]
fn inconsistent_orders_and_hashes_leave_a_set_that_can_be_cleared_and_used() {
    count_members(|| {
        for seed in 1..unless_miri(20, 2) {
            let mut random = SmallRng::seed_from_u64(seed.into());
            for lies_about_order in [true, false] {
                let mut set = filled(8);
                let run = || shuffle(&mut set, &mut random);
                if lies_about_order {
                    while_lying(seed, run);
                } else {
                    while_hashing_at_random(seed, run);
                }
                set.clear();
                shuffle(&mut set, &mut random);
                set.check();
            }
        }
    });
}
