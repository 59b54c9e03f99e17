//! Tests operations on many elements. Each call of user code panics in turn, and the operation may
//! then stop halfway, between two elements.

use zset_core::SkipList;

use crate::fuse::{Code, at_every_call, burning};
use crate::panics::before_or_after;
use crate::subject::{
    Collection, Colliding, Left, Member, Mixing, Points, Set, check, contents, count_members,
    filled, verify,
};
use crate::{LEAF, unless_miri};

/// Enough members for several leaves, or for two under Miri.
const LEN: u32 = unless_miri(5 * LEAF, LEAF + 8);

/// Verifies an operation that may stop halfway. Each remaining element must have existed before the
/// operation, or exist after a complete one.
#[track_caller]
fn halfway<R>(operation: impl Fn(&mut Set) -> R) {
    verify(&filled(LEN), &Code::ALL, Left::Halfway, operation);
}

/// Verifies an operation that builds a new set: its input must stay unchanged.
pub(crate) fn unchanged(operation: impl Fn(&Set) -> Set) {
    count_members(|| {
        let original = filled(LEN);
        let before = contents(&original);
        let expected = contents(&operation(&original));
        at_every_call(
            || &original,
            |set| operation(set),
            |set, made| {
                if let Ok(made) = made {
                    check(&made);
                    assert_eq!(contents(&made), expected);
                }
                check(set);
                assert_eq!(contents(set), before);
            },
        );
    });
}

/// Returns some members of `filled(LEN)`, interleaved with new ones.
fn others() -> Set {
    let known = (0..unless_miri(40, 4)).map(|i| (Member::new(7 * i), Points(99 * i % 500)));
    let new = (2000..unless_miri(2030, 2004)).map(|i| (Member::new(i), Points(i % 7 * 100)));
    known.chain(new).collect()
}

#[test]
fn remove_range() {
    let ranks = LEAF as usize - 3..LEAF as usize + unless_miri(40, 4);
    halfway(|set| set.remove_range_by_rank(ranks.clone()));
    halfway(|set| set.remove_range_by_score(Points(605)..=Points(unless_miri(1000, 670))));
}

#[test]
fn retain_extract_if_drain_and_clear() {
    halfway(|set| set.retain(|member, _| burning(member.number() % 4 == 0)));
    halfway(|set| set.extract_if(|member, _| member.number() % 4 != 0).count());
    halfway(|set| set.drain().rev().step_by(7).count());
    halfway(Set::clear);
}

/// Appends one set to another, and verifies both afterwards.
fn append(originals: &(Set, Set), verify: impl Fn(&Set, &Set)) {
    count_members(|| {
        at_every_call(
            || originals.clone(),
            |(set, other)| set.append(other),
            |(mut set, mut other), appended| {
                check(&set);
                check(&other);
                assert!(appended.is_err() || other.is_empty());
                verify(&set, &other);
                set.use_again();
                other.use_again();
            },
        );
    });
}

#[test]
fn append_and_extend() {
    append(&(filled(LEN), others()), |_, _| ());
    halfway(|set| set.extend([(Member::new(1), Points(7)); 1]));
}

#[test]
fn a_panicking_merge_loses_no_member() {
    // Some members are in both sets, and there are enough new ones that `append` merges the sets.
    let new = 2000..2000 + LEN / 2;
    let mut others = filled(unless_miri(20, 3));
    others.extend(new.clone().map(|i| (Member::new(i), Points(3 * i % 700))));
    append(&(filled(LEN), others), |set, other| {
        for number in (0..LEN).chain(new.clone()) {
            let member = Member::new(number);
            assert!(set.contains(&member) || other.contains(&member), "{number} is lost");
        }
    });
}

#[test]
fn shrink_to_fit_and_reserve() {
    let mut original = filled(LEN);
    original.retain(|member, _| member.number() % 7 != 1);
    before_or_after(&original, Set::shrink_to_fit);
    before_or_after(&filled(LEN), |set| set.try_reserve(unless_miri(3000, 200)));
}

#[test]
fn clone_and_set_operations() {
    unchanged(Clone::clone);
    count_members(|| {
        let (set, others) = (filled(LEN), others());
        let combine = |a: &Points, b: &Points| burning(Points(a.0.max(b.0)));
        let before = (contents(&set), contents(&others));
        at_every_call(
            || (),
            |()| {
                check(&set.union_with(&others, combine));
                check(&set.intersection_with(&others, combine));
            },
            |(), _| {
                check(&set);
                check(&others);
                assert_eq!((contents(&set), contents(&others)), before);
            },
        );
    });
}

#[test]
fn from_sorted_iter_and_from_iter() {
    count_members(|| {
        let elements = || (0..LEN).map(|number| (Member::new(number), Points(number)));
        at_every_call(
            || (),
            |()| Set::<Mixing>::from_sorted_iter(elements()).unwrap(),
            |(), set| set.iter().for_each(check),
        );
        // All members collide, so a lookup among n members costs up to n comparisons. Under Miri,
        // there are few members.
        let few = unless_miri(LEN as usize, 20);
        at_every_call(
            || (),
            |()| elements().rev().take(few).collect::<Colliding>(),
            |(), set| set.iter().for_each(|set| assert_eq!(set.len(), few)),
        );
    });
}

#[test]
fn dropping_a_set() {
    count_members(|| {
        let original = filled(LEN);
        at_every_call(|| Some(original.clone()), |set| *set = None, |_, _| ());
        at_every_call(
            || Some(original.clone().into_iter()),
            |iterator| {
                iterator.as_mut().unwrap().nth(70);
                *iterator = None;
            },
            |_, _| (),
        );
    });
}

#[test]
fn operations_of_a_skip_list() {
    let elements = (0..LEN).map(|i| (Member::new(i / 3), Points(i / 50)));
    let list: SkipList<_, _> = elements.collect();
    verify(&list, &Code::ALL, Left::Valid, |list| {
        list.insert(Member::new(5), Points(0));
        list.insert(Member::new(LEN / 6), Points(LEN / 100));
        list.remove(&Member::new(5), &Points(0));
        list.pop_first();
        list.pop_last();
        list.remove_range_by_score(Points(1)..Points(2));
        list.rank(&Member::new(33), &Points(2));
        list.clone().clear();
    });
}
