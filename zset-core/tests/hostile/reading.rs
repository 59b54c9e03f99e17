//! Tests reads that run user code: bulk lookups, samples, relations and set operations.

use crate::LEAF;
use crate::bulk_panics::unchanged;
use crate::fuse::{at_every_call, burning};
use crate::subject::{
    Member, Points, Set, check, contents, count_members, filled, while_hashing_at_random,
    while_lying,
};
use crate::unless_miri;

const LEN: u32 = unless_miri(2 * LEAF, 20);

/// Returns half of the members of `filled(LEN)` with other scores, and equally many new members.
fn others() -> Set {
    let elements = (LEN / 2..LEN + LEN / 2).map(|number| (Member::new(number), Points(7 * number)));
    Set::from_sorted_iter(elements).expect("the numbers are ascending")
}

/// Verifies an operation that reads two sets: both must stay unchanged.
fn only_reads<R>(operation: impl Fn(&Set, &Set) -> R) {
    count_members(|| {
        let (set, others) = (filled(LEN), others());
        let before = (contents(&set), contents(&others));
        at_every_call(
            || (),
            |()| drop(operation(&set, &others)),
            |(), _| {
                check(&set);
                check(&others);
                assert_eq!((contents(&set), contents(&others)), before);
            },
        );
    });
}

#[test]
fn relations_and_lazy_operations() {
    only_reads(|a, b| (a.is_subset(b), a.is_superset(b), a.is_disjoint(b)));
    only_reads(|a, b| a.union(b).count());
    only_reads(|a, b| a.union(b).rev().count());
    only_reads(|a, b| a.intersection(b).count());
    only_reads(|a, b| a.symmetric_difference(b).rev().count());
    only_reads(|a, b| a.partial_cmp(b).map(|_| a.cmp(b)));
}

/// After a panic, an iterator continues. It loses at most the current element.
#[test]
fn a_union_continues_after_a_panic() {
    only_reads(|a, b| {
        let mut union = a.union(b);
        let mut seen = 0;
        let mut panics = 0;
        loop {
            let next = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| union.next()));
            match next {
                Ok(Some(_)) => seen += 1,
                Ok(None) => break,
                Err(_) => panics += 1,
            }
        }
        assert!(panics <= 1 && seen + panics >= a.union(b).count());
    });
}

#[test]
fn operators() {
    // `others` is bound to a name. If dropping a temporary panicked, the returned value would leak.
    let others = others();
    unchanged(|set| set | &others);
    unchanged(|set| set & &others);
    unchanged(|set| set - &others);
    unchanged(|set| set ^ &others);
}

#[test]
fn scores_of_many_members() {
    only_reads(|a, _| {
        let members: Vec<Member> = (0..40).map(|i| Member::new(i * 5)).collect();
        a.scores(&members).flatten().count()
    });
    // In this case, the iterator that yields the members to look up panics.
    only_reads(|a, b| {
        let members = b.iter().map(|(member, _)| burning(member));
        a.scores(members).flatten().count()
    });
}

#[test]
fn iterators_end_under_an_inconsistent_order_or_hash() {
    for seed in 1..unless_miri(40, 3) {
        count_members(|| {
            let (set, others) = (filled(LEN), others());
            let most = set.len() + others.len();
            let read = || {
                assert!(set.union(&others).count() <= most);
                assert!(set.union(&others).rev().count() <= most);
                assert!(set.intersection(&others).count() <= set.len());
                assert!(set.symmetric_difference(&others).count() <= most);

                let members = others.iter().map(|(member, _)| member);
                assert_eq!(set.scores(members).count(), others.len());
                _ = (set.is_subset(&others), set.is_superset(&others), set.is_disjoint(&others));
                _ = set.cmp(&others);
            };
            while_lying(seed, read);
            while_hashing_at_random(seed, read);
            check(&set);
            check(&others);
        });
    }
}
