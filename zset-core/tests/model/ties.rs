//! Tests members without an order. The module `types` runs random sequences of operations on them.

use equivalent::Equivalent;
use std::hash::{BuildHasher, Hash};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use zset_core::sorted_set::FromSortedError;
use zset_core::{DefaultHashBuilder, SortedMap, SortedSet, Unordered, UnorderedRef};

use crate::LEAF;

/// A member that implements `Hash` and `Eq` but not `Ord`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Task(u32);

type Set = SortedSet<Unordered<Task>, u8>;

fn wrapped(elements: &[(Task, u8)]) -> impl Iterator<Item = (Unordered<Task>, u8)> + use<'_> {
    elements.iter().map(|&(task, score)| (Unordered(task), score))
}

#[test]
fn operations_on_two_sets_keep_ties_of_the_first_set_before_those_of_the_second() {
    let set_of = |tasks: std::ops::Range<u32>| -> Set {
        tasks.map(|i| (Unordered(Task(i)), (i % 2) as u8)).collect()
    };
    let (a, b) = (set_of(100..300), set_of(0..100));
    let evens_first = |tasks: &mut dyn Iterator<Item = u32>| {
        let mut tasks: Vec<u32> = tasks.collect();
        tasks.sort_by_key(|i| i % 2);
        tasks
    };
    let expected = evens_first(&mut (100..300).chain(0..100));
    let numbers = |set: &Set| set.iter().map(|(task, _)| task.0.0).collect::<Vec<_>>();
    let lazy = a.union(&b);
    assert!(lazy.clone().map(|(task, _)| task.0.0).eq(expected.iter().copied()));
    assert!(lazy.rev().map(|(task, _)| task.0.0).eq(expected.iter().rev().copied()));
    for union in [&a | &b, a.union_with(&b, |a, _| *a), &a ^ &b] {
        union.check();
        assert_eq!(numbers(&union), expected);
    }
    let reversed: Set = (0..120).rev().map(|i| (Unordered(Task(i)), (i % 2) as u8)).collect();
    for other in [reversed, set_of(50..200)] {
        let (first, expected) = (set_of(0..150), evens_first(&mut (0..150)));
        let shared = |task: &u32| other.contains(&Task(*task));
        let expected: Vec<u32> = expected.into_iter().filter(shared).collect();
        assert_eq!(numbers(&(&first & &other)), expected);
        assert_eq!(numbers(&first.intersection_with(&other, |a, _| *a)), expected);
    }
    assert_eq!(numbers(&(&set_of(0..150) - &set_of(50..200))), evens_first(&mut (0..50)));
}

#[test]
fn a_sorted_sequence_may_have_ties_but_no_repeated_members() {
    let from = |elements: &[(Task, u8)]| Set::from_sorted_iter(wrapped(elements));
    let many: Vec<_> = (0..3 * LEAF as u32).rev().map(|i| (Task(i), 1)).collect();
    let set = from(&many).unwrap();
    set.check();
    assert!(set.iter().map(|(task, score)| (task.0, *score)).eq(many.iter().copied()));
    let error = from(&[(Task(1), 1), (Task(2), 0)]).unwrap_err();
    assert_eq!(error, FromSortedError::NotAscending { rank: 1 });
    let error = from(&[(Task(1), 1), (Task(2), 1), (Task(1), 1)]).unwrap_err();
    assert_eq!(error, FromSortedError::DuplicateMember { rank: 2 });
}

#[test]
fn keys_of_maps_may_lack_an_order() {
    let mut map = SortedMap::new();
    for i in (0..200).rev() {
        map.insert(Unordered(Task(i)), i, 0);
    }
    map.update(&Task(150), |_, _| 1);
    map.update(&Task(150), |_, _| 0);
    map.check();
    let expected = (0..200).rev().filter(|&i| i != 150).chain([150]);
    assert!(map.values().copied().eq(expected));
}

/// A number that, wrapped in an `UnorderedRef`, looks up the `Task` with this number.
#[derive(Hash)]
struct Number(u32);

impl Equivalent<Task> for Number {
    fn equivalent(&self, task: &Task) -> bool {
        self.0 == task.0
    }
}

#[test]
fn unordered_members_are_looked_up_changed_and_removed_by_an_equivalent() {
    let (found, other) = (&UnorderedRef(&Number(7)), &UnorderedRef(&Number(8)));
    let mut set = Set::from([(Unordered(Task(7)), 1)]);
    assert_eq!((set.score(found), set.score(other)), (Some(&1), None));
    assert_eq!((set.rank(found), set.contains(other)), (Some(0), false));
    assert_eq!(set.get(&Task(7)), Some((&Unordered(Task(7)), &1)));
    assert_eq!((set.set_score(found, 2), set.update(other, |score| *score)), (Some(1), None));
    assert!(set.scores([other, found]).eq([None, Some(&2)]));
    let mut map = SortedMap::from([(Unordered(Task(7)), 70, 1)]);
    assert_eq!(map.get_full(found), Some((&Unordered(Task(7)), &70, &1)));
    assert_eq!(map.get(other), None);
    assert_eq!(map.remove(found), Some((70, 1)));
    assert_eq!((set.remove(other), set.remove(found)), (None, Some(2)));
    set.check();
    map.check();
}

/// Verifies that `query` is equivalent to a member, with the same hash, and that `other` is not.
fn assert_found<T: Hash, Q: Hash + Equivalent<Unordered<T>> + ?Sized>(
    member: T,
    query: &Q,
    other: &Q,
) {
    let member = Unordered(member);
    assert!(query.equivalent(&member) && !other.equivalent(&member));
    let hasher = DefaultHashBuilder::default();
    assert_eq!(hasher.hash_one(query), hasher.hash_one(&member));
}

#[test]
fn unordered_members_are_equivalent_to_what_they_borrow_as() {
    assert_found("ann".to_owned(), "ann", "bob");
    assert_found("ann".to_owned(), &"ann".to_owned(), &"bob".to_owned());
    assert_found(Arc::<str>::from("ann"), "ann", "bob");
    assert_found(Rc::<str>::from("ann"), "ann", "bob");
    assert_found(vec![1u8, 2], &[1u8, 2][..], &[1u8][..]);
    assert_found(Arc::<[u8]>::from([1u8, 2]), &[1u8, 2][..], &[][..]);
    assert_found("ann", "ann", "bob");
}

#[test]
fn unordered_members_are_equivalent_to_any_equivalent_in_an_unordered_ref() {
    let [found, other] = ["/var/log", "/var"].map(Path::new);
    assert_found(PathBuf::from("/var/log"), &UnorderedRef(found), &UnorderedRef(other));
    assert_found(Arc::<str>::from("ann"), &UnorderedRef("ann"), &UnorderedRef("bob"));
    assert_found(vec![1u8, 2], &UnorderedRef(&[1u8, 2][..]), &UnorderedRef(&[1u8][..]));
}
