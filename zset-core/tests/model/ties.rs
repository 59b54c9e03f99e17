//! Members without an order, compared with a vector that is searched and sorted stably.

use equivalent::Equivalent;
use proptest::collection::vec;
use proptest::prelude::*;
use std::hash::{BuildHasher, Hash};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use zset_core::sorted_set::FromSortedError;
use zset_core::{DefaultHashBuilder, SortedMap, SortedSet, Unordered, UnorderedRef};

use crate::LEAF;

/// A member that is only `Hash + Eq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Task(u32);

type Set = SortedSet<Unordered<Task>, u8>;

/// The elements in order.
#[derive(Clone, Debug, Default)]
struct Naive(Vec<(Task, u8)>);

impl Naive {
    fn score(&self, task: Task) -> Option<u8> {
        self.0.iter().find(|(other, _)| *other == task).map(|(_, score)| *score)
    }

    fn insert(&mut self, task: Task, score: u8) -> Option<u8> {
        let old = self.remove(task);
        let at = self.0.partition_point(|(_, other)| *other <= score);
        self.0.insert(at, (task, score));
        old
    }

    fn remove(&mut self, task: Task) -> Option<u8> {
        let score = self.score(task);
        self.0.retain(|(other, _)| *other != task);
        score
    }
}

#[derive(Clone, Debug)]
enum Step {
    Insert(u32, u8),
    Update(u32, u8),
    Increment(u32, u8),
    Entry(u32, u8),
    Remove(u32),
    PopFirst,
    PopLast,
    /// Appends a set: elements whose tasks may already be present, then this many new ones.
    Append(Vec<(u32, u8)>, u32),
    /// Extends the set by this many new elements.
    Extend(u32),
    SplitAndAppend(usize),
    Retain(u32),
    DrainByScore(u8),
    Collect,
    ShrinkToFit,
}

const SCORES: u8 = 4;

fn any_step() -> impl Strategy<Value = Step> {
    use Step::*;
    let (task, score) = (0..400u32, 0..SCORES);
    prop_oneof![
        6 => (task.clone(), score.clone()).prop_map(|(task, score)| Insert(task, score)),
        4 => (task.clone(), score.clone()).prop_map(|(task, score)| Update(task, score)),
        2 => (task.clone(), 0..2u8).prop_map(|(task, by)| Increment(task, by)),
        2 => (task.clone(), score.clone()).prop_map(|(task, score)| Entry(task, score)),
        4 => task.clone().prop_map(Remove),
        4 => Just(PopFirst),
        4 => Just(PopLast),
        1 => (vec((0..400u32, 0..SCORES), 0..6), 1..150u32)
            .prop_map(|(elements, new)| Append(elements, new)),
        1 => (1..150u32).prop_map(Extend),
        1 => (0..400usize).prop_map(SplitAndAppend),
        1 => (2..9u32).prop_map(Retain),
        1 => score.prop_map(DrainByScore),
        1 => Just(Collect),
        1 => Just(ShrinkToFit),
    ]
}

/// Returns elements whose tasks are new.
fn new_elements(next: &mut u32, len: u32) -> Vec<(Task, u8)> {
    let start = *next;
    *next += len;
    (start..*next).map(|i| (Task(i), (i * 7 % 5) as u8 % SCORES)).collect()
}

fn wrapped(elements: &[(Task, u8)]) -> impl Iterator<Item = (Unordered<Task>, u8)> + use<'_> {
    elements.iter().map(|&(task, score)| (Unordered(task), score))
}

fn assert_equal(set: &Set, naive: &Naive) {
    set.check();
    assert!(set.iter().map(|(task, score)| (task.0, *score)).eq(naive.0.iter().copied()));
    for (rank, (task, score)) in naive.0.iter().enumerate() {
        assert_eq!((set.rank(task), set.score(task)), (Some(rank), Some(score)));
    }
}

proptest! {
    #![proptest_config(crate::config(64, 2))]

    #[test]
    fn elements_of_equal_score_keep_their_order_of_insertion(
        loaded in 0..if cfg!(miri) { 70 } else { 400u32 },
        steps in vec(any_step(), 1..if cfg!(miri) { 12 } else { 150 }),
    ) {
        let mut next = 0;
        let elements = new_elements(&mut next, loaded);
        let mut set: Set = wrapped(&elements).collect();
        let mut naive = Naive(elements);
        naive.0.sort_by_key(|&(_, score)| score);
        next = next.max(1_000);
        assert_equal(&set, &naive);
        for step in steps {
            match step {
                Step::Insert(task, score) => {
                    let old = set.insert(Unordered(Task(task)), score);
                    prop_assert_eq!(old, naive.insert(Task(task), score));
                }
                Step::Update(task, score) => {
                    let old = naive.score(Task(task));
                    if old.is_some() {
                        naive.insert(Task(task), score);
                    }
                    prop_assert_eq!(set.update(&Task(task), |_| score).is_some(), old.is_some());
                }
                Step::Increment(task, by) => {
                    let new = naive.score(Task(task)).unwrap_or(0).saturating_add(by);
                    naive.insert(Task(task), new);
                    prop_assert_eq!(set.increment(Unordered(Task(task)), by), Ok(new));
                }
                Step::Entry(task, score) => {
                    let expected = naive.score(Task(task)).unwrap_or(score);
                    if naive.score(Task(task)).is_none() {
                        naive.insert(Task(task), score);
                    }
                    let found = set.entry(Unordered(Task(task))).or_insert(score);
                    prop_assert_eq!(found, &expected);
                }
                Step::Remove(task) => {
                    prop_assert_eq!(set.remove(&Task(task)), naive.remove(Task(task)));
                }
                Step::PopFirst => {
                    let first = (!naive.0.is_empty()).then(|| naive.0.remove(0));
                    prop_assert_eq!(set.pop_first().map(|(task, score)| (task.0, score)), first);
                }
                Step::PopLast => {
                    let last = naive.0.pop();
                    prop_assert_eq!(set.pop_last().map(|(task, score)| (task.0, score)), last);
                }
                Step::Append(elements, len) => {
                    let elements = elements.into_iter().map(|(task, score)| (Task(task), score));
                    let elements: Vec<_> = elements.chain(new_elements(&mut next, len)).collect();
                    let mut other: Set = wrapped(&elements).collect();
                    let mut naive_other = Naive::default();
                    for (task, score) in elements {
                        naive_other.insert(task, score);
                    }
                    assert_equal(&other, &naive_other);
                    set.append(&mut other);
                    for (task, score) in naive_other.0 {
                        naive.insert(task, score);
                    }
                }
                Step::Extend(len) => {
                    let new = new_elements(&mut next, len);
                    set.extend(wrapped(&new));
                    for (task, score) in new {
                        naive.insert(task, score);
                    }
                }
                Step::SplitAndAppend(rank) => {
                    let mut upper = set.split_off_by_rank(rank);
                    upper.check();
                    set.check();
                    set.append(&mut upper);
                }
                Step::Retain(divisor) => {
                    set.retain(|task, _| task.0.0 % divisor != 0);
                    naive.0.retain(|(task, _)| task.0 % divisor != 0);
                }
                Step::DrainByScore(score) => {
                    let drained: Vec<_> =
                        set.drain_by_score(..=score).map(|(task, score)| (task.0, score)).collect();
                    let len = naive.0.partition_point(|(_, other)| *other <= score);
                    prop_assert_eq!(drained, naive.0.drain(..len).collect::<Vec<_>>());
                }
                Step::Collect => set = set.into_iter().collect(),
                Step::ShrinkToFit => set.shrink_to_fit(),
            }
            assert_equal(&set, &naive);
        }
    }
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

/// Finds a `Task`, without being one, in an `UnorderedRef`.
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
