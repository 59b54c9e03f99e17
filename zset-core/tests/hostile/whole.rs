//! Changes of one element, with a panic at every call of user code in turn: whichever call panics,
//! the contents are those before the change or those after it, as a model has them. An element
//! never has its new score with its old value, nor its old score with its new key.
//!
//! Operations that change many elements one at a time, such as `retain`, `append` and
//! `remove_range`, may be done in part, and are tested in `bulk_panics`. What a closure does to a
//! value through its reference is not undone, so the closures here change none.

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::cmp::Ordering;
use std::hash::{BuildHasherDefault, Hash, Hasher};
use zset_core::sorted_map::Entry as MapEntry;
use zset_core::sorted_set::Entry as SetEntry;
use zset_core::{SortedMap, SortedSet};

use crate::LEAF;
use crate::fuse::{Code, burn, run};
use crate::subject::{Member, Mixed, Numbered, Points, Weight};

type Set<S = Weight> = SortedSet<Key, S, BuildHasherDefault<Mixed>>;
type Map<S = Weight> = SortedMap<Key, Member, S, BuildHasherDefault<Mixed>>;

/// A key that shows which one of several equal keys is stored.
#[derive(Clone)]
struct Key {
    member: Member,
    is_new: bool,
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.member == other.member
    }
}

impl Eq for Key {}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.member.cmp(&other.member)
    }
}

impl From<&Key> for Key {
    fn from(key: &Key) -> Key {
        key.clone()
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.member.hash(state);
    }
}

/// An element of the model, which is a vector of them in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    score: u32,
    number: u32,
    is_new: bool,
    value: u32,
}

type Model = Vec<Row>;

/// The value of new elements of a map. Those of a set have the value 0.
const VALUE: u32 = 7;

fn value() -> Member {
    Member::new(VALUE)
}

/// What an operation is called with.
#[derive(Clone, Copy, Debug)]
struct Given {
    number: u32,
    score: u32,
    rank: usize,
}

impl Given {
    fn key(self) -> Key {
        Key { member: Member::new(self.number), is_new: true }
    }

    fn score<S: Numbered>(self) -> S {
        S::of(self.score)
    }

    /// Draws an element of the model, often the first of a leaf, or a new one, and a score near its
    /// own, equal to another one, or any.
    fn draw(rng: &mut impl Rng, model: &Model) -> Given {
        let number = model.len() as u32 * 3 / 2;
        let new = Row { number, score: 10 * number, is_new: false, value: 0 };
        let mut any = || model.get(rng.random_range(0..=model.len())).copied().unwrap_or(new);
        let (row, other) = (any(), any());
        let leaf = LEAF * rng.random_range(0..3);
        let first = model.iter().filter(|row| row.number >= leaf).min_by_key(|row| row.number);
        let row = first.copied().filter(|_| rng.random()).unwrap_or(row);
        let score = match rng.random_range(0..3) {
            0 => row.score.saturating_sub(200) + rng.random_range(0..400),
            1 => other.score,
            _ => rng.random_range(0..=new.score),
        };
        Given { number: row.number, score, rank: rng.random_range(0..=model.len()) }
    }
}

/// A collection under test.
trait Subject: Clone {
    /// The value of elements before the operation.
    const OLD_VALUE: u32;

    fn collect(model: &Model) -> Self;
    fn remove(&mut self, number: u32);
    fn model(&self) -> Model;
    fn check(&self);
}

fn old_key(number: u32) -> Key {
    Key { member: Member::new(number), is_new: false }
}

impl<S: Numbered> Subject for Set<S> {
    const OLD_VALUE: u32 = 0;

    fn collect(model: &Model) -> Self {
        model.iter().map(|row| (old_key(row.number), S::of(row.score))).collect()
    }

    fn remove(&mut self, number: u32) {
        self.remove(&old_key(number));
    }

    fn model(&self) -> Model {
        let row = |(key, score): (&Key, &S)| {
            let (score, number) = (score.number(), key.member.number());
            Row { score, number, is_new: key.is_new, value: 0 }
        };
        self.iter().map(row).collect()
    }

    fn check(&self) {
        self.check();
    }
}

impl<S: Numbered> Subject for Map<S> {
    const OLD_VALUE: u32 = 1;

    fn collect(model: &Model) -> Self {
        let element = |row: &Row| (old_key(row.number), Member::new(row.value), S::of(row.score));
        model.iter().map(element).collect()
    }

    fn remove(&mut self, number: u32) {
        self.remove(&old_key(number));
    }

    fn model(&self) -> Model {
        let row = |(key, value, score): (&Key, &Member, &S)| {
            let (score, number) = (score.number(), key.member.number());
            Row { score, number, is_new: key.is_new, value: value.number() }
        };
        self.iter().map(row).collect()
    }

    fn check(&self) {
        self.check();
    }
}

/// Draws a collection of up to three leaves, full ones and some that a removal merges.
fn draw<C: Subject>(rng: &mut SmallRng) -> C {
    let lens = [12, LEAF, LEAF + 2, 2 * LEAF, 2 * LEAF + 5, 3 * LEAF];
    let len = lens[rng.random_range(0..lens.len())];
    let (per_score, value) = (rng.random_range(1..90_u32), C::OLD_VALUE);
    let are_ties = rng.random_range(0..4) == 0;
    let score = |number| if are_ties { number / per_score } else { 10 * number };
    let row = |number| Row { score: score(number), number, is_new: false, value };
    let model: Model = (0..len).map(row).collect();
    let mut subject = C::collect(&model);
    // How many elements are left of each leaf: all, one, so few that the leaf merges with a similar
    // one if it loses another, or so few that a full one can share with it.
    let all = [[LEAF; 3], [17; 3], [1, LEAF, 1], [LEAF, 1, LEAF], [30, LEAF, 30], [LEAF, 30, LEAF]];
    let left = all[rng.random_range(0..all.len())];
    let is_removed = |&number: &u32| number % LEAF >= left[(number / LEAF) as usize];
    (0..len).filter(is_removed).for_each(|number| subject.remove(number));
    subject
}

/// An operation, and what it does to the model.
type Case<C> = (&'static str, fn(&mut C, Given), fn(&mut Model, Given));

/// The number of collections and arguments that are drawn for each operation.
const DRAWS: u64 = 12;

/// Verifies operations with a panic at each call of user code.
fn verify<C: Subject>(cases: &[Case<C>]) {
    for (name, operation, expected) in cases {
        for draw in 0..DRAWS {
            let mut rng = SmallRng::seed_from_u64(draw);
            let original: C = self::draw(&mut rng);
            let before = original.model();
            let given = Given::draw(&mut rng, &before);
            let mut after = before.clone();
            expected(&mut after, given);
            after.sort_unstable();
            for code in Code::ALL {
                let mut subject = original.clone();
                for calls in 0.. {
                    let done = run(code, calls, || operation(&mut subject, given)).is_some();
                    subject.check();
                    let now = subject.model();
                    if now != after && (done || now != before) {
                        let new: Vec<_> = now.iter().filter(|row| !before.contains(row)).collect();
                        panic!("{name} of {given:?}, call {calls} of {code:?}: {new:?} is new");
                    }
                    if done {
                        break;
                    }
                    // All comparisons come before any change.
                    let is_comparison =
                        matches!(code, Code::Eq | Code::Ord | Code::ScoreEq | Code::ScoreOrd);
                    if now != before || !is_comparison {
                        subject = original.clone();
                    }
                }
            }
        }
    }
}

fn old(model: &mut Model, given: Given) -> Option<&mut Row> {
    model.iter_mut().find(|row| row.number == given.number)
}

/// Sets the score of an element, and its value unless it is in a set.
fn insert_old(model: &mut Model, given: Given) -> Option<&mut Row> {
    let row = old(model, given)?;
    row.score = given.score;
    row.value = if row.value == 0 { 0 } else { VALUE };
    Some(row)
}

/// Adds an element unless its number is there. Those of a set have no value.
fn insert_new<const NEW_VALUE: u32>(model: &mut Model, given: Given) {
    if old(model, given).is_none() {
        let Given { number, score, .. } = given;
        model.push(Row { score, number, is_new: true, value: NEW_VALUE });
    }
}

fn insert<const NEW_VALUE: u32>(model: &mut Model, given: Given) {
    insert_old(model, given);
    insert_new::<NEW_VALUE>(model, given);
}

fn replace<const NEW_VALUE: u32>(model: &mut Model, given: Given) {
    if let Some(row) = insert_old(model, given) {
        row.is_new = true;
    }
    insert_new::<NEW_VALUE>(model, given);
}

fn insert_max<const NEW_VALUE: u32>(model: &mut Model, given: Given) {
    if old(model, given).is_none_or(|row| given.score > row.score) {
        insert::<NEW_VALUE>(model, given);
    }
}

fn insert_min<const NEW_VALUE: u32>(model: &mut Model, given: Given) {
    if old(model, given).is_none_or(|row| given.score < row.score) {
        insert::<NEW_VALUE>(model, given);
    }
}

fn set_score(model: &mut Model, given: Given) {
    if let Some(row) = old(model, given) {
        row.score = given.score;
    }
}

fn increment<const NEW_VALUE: u32>(model: &mut Model, given: Given) {
    if let Some(row) = old(model, given) {
        row.score += given.score;
    }
    insert_new::<NEW_VALUE>(model, given);
}

fn remove(model: &mut Model, given: Given) {
    model.retain(|row| row.number != given.number);
}

fn remove_at(model: &mut Model, rank: usize) {
    if rank < model.len() {
        model.remove(rank);
    }
}

fn pop_first(model: &mut Model, _: Given) {
    remove_at(model, 0);
}

fn pop_last(model: &mut Model, _: Given) {
    model.pop();
}

fn set_first_score(model: &mut Model, given: Given) {
    let number = model[0].number;
    set_score(model, Given { number, ..given });
}

fn set_last_score(model: &mut Model, given: Given) {
    let number = model[model.len() - 1].number;
    set_score(model, Given { number, ..given });
}

/// Returns the new score of an element, in a closure that may panic.
fn new_score<S: Numbered>(given: Given) -> S {
    burn(Code::Closure);
    given.score()
}

/// Accepts an element, in a closure that may panic.
fn accept() -> bool {
    burn(Code::Closure);
    true
}

/// Returns a value and a score, in a closure that may panic.
fn made(given: Given) -> (Member, Weight) {
    burn(Code::Closure);
    (value(), given.score())
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_element_of_a_set_is_changed_entirely_or_not_at_all() {
    verify::<Set>(&[
        ("insert", |set, it| drop(set.insert(it.key(), it.score())), insert::<0>),
        ("try_insert", |set, it| drop(set.try_insert(it.key(), it.score())), insert::<0>),
        ("replace", |set, it| drop(set.replace(it.key(), it.score())), replace::<0>),
        ("insert_max", |set, it| drop(set.insert_max(it.key(), it.score())), insert_max::<0>),
        ("insert_min", |set, it| drop(set.insert_min(it.key(), it.score())), insert_min::<0>),
        ("set_score", |set, it| drop(set.set_score(&it.key(), it.score())), set_score),
        ("update", |set, it| drop(set.update(&it.key(), |_| new_score(it))), set_score),
        ("try_update", |set, it| drop(set.try_update(&it.key(), |_| new_score(it))), set_score),
        (
            "and_modify",
            |set, it| drop(set.entry(it.key()).and_modify(|_| new_score(it))),
            set_score,
        ),
        ("or_insert", |set, it| _ = set.entry(it.key()).or_insert(it.score()), insert_new::<0>),
        (
            "or_insert_with_key",
            |set, it| _ = set.entry(it.key()).or_insert_with_key(|_| new_score(it)),
            insert_new::<0>,
        ),
        ("insert_entry", |set, it| _ = set.entry(it.key()).insert_entry(it.score()), insert::<0>),
        ("entry_ref", |set, it| _ = set.entry_ref(&it.key()).insert_entry(it.score()), insert::<0>),
        (
            "entry, update",
            |set, it| {
                if let SetEntry::Occupied(mut entry) = set.entry(it.key()) {
                    entry.update(|_| new_score(it));
                }
            },
            set_score,
        ),
        (
            "entry, insert",
            |set, it| match set.entry(it.key()) {
                SetEntry::Occupied(mut entry) => drop(entry.insert(it.score())),
                SetEntry::Vacant(entry) => _ = entry.insert(it.score()),
            },
            insert::<0>,
        ),
        (
            "entry, remove",
            |set, it| match set.entry(it.key()) {
                SetEntry::Occupied(entry) => drop(entry.remove_entry()),
                SetEntry::Vacant(entry) => drop(entry.into_member()),
            },
            remove,
        ),
        (
            "first_entry",
            |set, it| drop(set.first_entry().unwrap().insert(it.score())),
            set_first_score,
        ),
        (
            "last_entry",
            |set, it| drop(set.last_entry().unwrap().insert(it.score())),
            set_last_score,
        ),
        ("remove", |set, it| drop(set.remove(&it.key())), remove),
        ("remove_entry", |set, it| drop(set.remove_entry(&it.key())), remove),
        (
            "remove_by_rank",
            |set, it| drop(set.remove_by_rank(it.rank)),
            |model, it| {
                remove_at(model, it.rank);
            },
        ),
        ("pop_first", |set, _| drop(set.pop_first()), pop_first),
        ("pop_last", |set, _| drop(set.pop_last()), pop_last),
        ("pop_first_if", |set, _| drop(set.pop_first_if(|_, _| accept())), pop_first),
        ("pop_last_if", |set, _| drop(set.pop_last_if(|_, _| accept())), pop_last),
    ]);
    verify::<Set<Points>>(&[
        ("increment", |set, it| _ = set.increment(it.key(), it.score), increment::<0>),
        ("try_increment", |set, it| _ = set.try_increment(it.key(), it.score), increment::<0>),
    ]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_element_of_a_map_is_changed_entirely_or_not_at_all() {
    verify::<Map>(&[
        ("insert", |map, it| drop(map.insert(it.key(), value(), it.score())), insert::<VALUE>),
        (
            "try_insert",
            |map, it| drop(map.try_insert(it.key(), value(), it.score())),
            insert::<VALUE>,
        ),
        ("replace", |map, it| drop(map.replace(it.key(), value(), it.score())), replace::<VALUE>),
        (
            "insert_max",
            |map, it| drop(map.insert_max(it.key(), value(), it.score())),
            insert_max::<VALUE>,
        ),
        (
            "insert_min",
            |map, it| drop(map.insert_min(it.key(), value(), it.score())),
            insert_min::<VALUE>,
        ),
        ("set_score", |map, it| drop(map.set_score(&it.key(), it.score())), set_score),
        ("update", |map, it| drop(map.update(&it.key(), |_, _| new_score(it))), set_score),
        ("try_update", |map, it| drop(map.try_update(&it.key(), |_, _| new_score(it))), set_score),
        ("remove", |map, it| drop(map.remove(&it.key())), remove),
        ("remove_entry", |map, it| drop(map.remove_entry(&it.key())), remove),
        (
            "remove_by_rank",
            |map, it| drop(map.remove_by_rank(it.rank)),
            |model, it| {
                remove_at(model, it.rank);
            },
        ),
        ("pop_first", |map, _| drop(map.pop_first()), pop_first),
        ("pop_last", |map, _| drop(map.pop_last()), pop_last),
        ("pop_first_if", |map, _| drop(map.pop_first_if(|_, _, _| accept())), pop_first),
        ("pop_last_if", |map, _| drop(map.pop_last_if(|_, _, _| accept())), pop_last),
    ]);
    verify::<Map<Points>>(&[
        (
            "increment",
            |map, it| _ = map.increment(it.key(), it.score, || made(it).0),
            increment::<VALUE>,
        ),
        (
            "try_increment",
            |map, it| _ = map.try_increment(it.key(), it.score, || made(it).0),
            increment::<VALUE>,
        ),
    ]);
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_element_is_changed_entirely_or_not_at_all_by_an_entry_of_a_map() {
    verify::<Map>(&[
        (
            "and_modify",
            |map, it| drop(map.entry(it.key()).and_modify(|_, _| new_score(it))),
            set_score,
        ),
        (
            "or_insert",
            |map, it| _ = map.entry(it.key()).or_insert(value(), it.score()),
            insert_new::<VALUE>,
        ),
        (
            "or_insert_with_key",
            |map, it| _ = map.entry(it.key()).or_insert_with_key(|_| made(it)),
            insert_new::<VALUE>,
        ),
        (
            "insert_entry",
            |map, it| _ = map.entry(it.key()).insert_entry(value(), it.score()),
            insert::<VALUE>,
        ),
        (
            "entry_ref",
            |map, it| _ = map.entry_ref(&it.key()).insert_entry(value(), it.score()),
            insert::<VALUE>,
        ),
        (
            "entry, update",
            |map, it| {
                if let MapEntry::Occupied(mut entry) = map.entry(it.key()) {
                    entry.update(|_, _| new_score(it));
                }
            },
            set_score,
        ),
        (
            "entry, insert",
            |map, it| match map.entry(it.key()) {
                MapEntry::Occupied(mut entry) => drop(entry.insert(value(), it.score())),
                MapEntry::Vacant(entry) => _ = entry.insert(value(), it.score()),
            },
            insert::<VALUE>,
        ),
        (
            "entry, remove",
            |map, it| match map.entry(it.key()) {
                MapEntry::Occupied(entry) => drop(entry.remove_entry()),
                MapEntry::Vacant(entry) => drop(entry.into_key()),
            },
            remove,
        ),
        (
            "first_entry",
            |map, it| drop(map.first_entry().unwrap().set_score(it.score())),
            set_first_score,
        ),
        (
            "last_entry",
            |map, it| drop(map.last_entry().unwrap().set_score(it.score())),
            set_last_score,
        ),
    ]);
}
