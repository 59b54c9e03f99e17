//! Tests sets of fixed capacity. If user code panics, a change of one element has been made
//! entirely or not at all, and a bulk operation leaves a valid set. Inconsistent orders and hashes
//! leave a usable set.

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::fuse::{Code, burning};
use crate::panics::before_or_after;
use crate::subject::{
    Fixed, Left, Member, Numbered, Points, Weight, count_members, fixed, verify,
    while_hashing_at_random, while_lying,
};
use crate::unless_miri;

#[test]
fn a_panic_in_a_change_of_one_element_changes_all_or_nothing() {
    for (number, score) in [(3, 55), (3, 0), (70, 25), (70, 0), (70, 999)] {
        let (member, score) = (|| Member::new(number), || Weight::of(score));
        for set in [fixed::<Weight>(6), fixed(12)] {
            before_or_after(&set, |set| drop(set.try_insert(member(), score())));
            before_or_after(&set, |set| drop(set.insert_or_evict_first(member(), score())));
            before_or_after(&set, |set| drop(set.insert_or_evict_last(member(), score())));
            before_or_after(&set, |set| drop(set.update(&member(), |_| burning(score()))));
            before_or_after(&set, |set| drop(set.remove(&member())));
        }
    }
    let set = fixed::<Weight>(6);
    before_or_after(&set, |set| drop(set.pop_first()));
    before_or_after(&set, |set| drop(set.pop_last()));
    before_or_after(&set, |set| drop(set.remove_by_rank(2)));
    before_or_after(&set, |set| drop(set.pop_first_if(|_, _| burning(true))));
    before_or_after(&fixed::<Points>(6), |set| {
        assert!(set.try_increment(Member::new(3), 25).is_ok());
    });
}

#[test]
fn a_panic_in_a_bulk_operation_leaves_a_valid_set() {
    let operations: [fn(&mut Fixed<Weight>); 5] = [
        |set| set.retain(|member, _| burning(member.number() % 2 == 0)),
        |set| assert_eq!(set.remove_range_by_score(Weight::of(25)..Weight::of(95)), 7),
        Fixed::clear,
        |set| *set = set.clone(),
        |set| std::mem::take(set).into_iter().skip(3).for_each(drop),
    ];
    for operation in operations {
        verify(&fixed(12), &Code::ALL, Left::Halfway, operation);
    }
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
            5 => _ = set.remove(&Member::new(number)),
            6 => drop(set.pop_first()),
            7 => _ = set.update(&Member::new(number), |_| score),
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
                let mut set: Fixed = fixed(8);
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
