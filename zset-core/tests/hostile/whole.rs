//! Tests changes of one element. Each call of user code panics in turn. Whichever call panics, the
//! contents are those of a model before or after the change. An element never has its new score
//! with its old value, or its old score with its new key. No score is dropped twice. Only a score
//! that was about to be returned may leak.
//!
//! Operations that change many elements one at a time, such as `retain`, `append` and
//! `remove_range`, may stop halfway. The module `bulk_panics` tests them. If a closure changes a
//! value through its reference and then panics, the value stays changed, so the closures here
//! change none.

use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use zset_core::sorted_map::Entry as MapEntry;
use zset_core::sorted_set::Entry as SetEntry;
use zset_core::{SortedMap, SortedSet};

use crate::LEAF;
use crate::fuse::{Code, burn, burning, run};
use crate::subject::{
    Member, Mixing, Numbered, Points, Weight, count_leaks, forget_leaked_scores, held, live_scores,
};

type Set<S = Weight> = SortedSet<Key, S, Mixing>;
type Map<S = Weight> = SortedMap<Key, Member, S, Mixing>;

/// A key that shows which of several equal keys is stored.
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

/// An element of the model. The model is a sorted vector of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    score: u32,
    number: u32,
    is_new: bool,
    value: u32,
}

type Model = Vec<Row>;

/// The arguments of an operation.
#[derive(Clone, Copy, Debug)]
struct Given {
    number: u32,
    score: u32,
    rank: usize,
    /// The value of a new element, or 0 in a set.
    value: u32,
}

impl Given {
    fn key(self) -> Key {
        Key { member: Member::new(self.number), is_new: true }
    }

    fn score<S: Numbered>(self) -> S {
        S::of(self.score)
    }

    fn value(self) -> Member {
        Member::new(self.value)
    }

    /// Returns the score. Operations call this in their closures, which may panic.
    fn burn<S: Numbered>(self) -> S {
        burn(Code::Closure);
        self.score()
    }

    /// Returns a value and a score. Operations call this in their closures, which may panic.
    fn burn_both<S: Numbered>(self) -> (Member, S) {
        burn(Code::Closure);
        (self.value(), self.score())
    }

    /// Draws a new element or an existing one, often the first of its leaf. The new score is close
    /// to the old one, equal to the score of another element, or arbitrary.
    fn draw(rng: &mut impl Rng, model: &Model, value: u32) -> Given {
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
        Given { number: row.number, score, rank: rng.random_range(0..=model.len()), value }
    }
}

/// A collection under test.
trait Subject: Clone {
    /// The values of elements before the operation, and of those that it inserts.
    const VALUES: [u32; 2];

    fn collect(model: &Model) -> Self;
    fn remove(&mut self, number: u32);
    fn model(&self) -> Model;

    /// Verifies the invariants, and returns how many scores the collection should hold, if known.
    fn check(&self) -> Option<i64>;
}

fn old_key(number: u32) -> Key {
    Key { member: Member::new(number), is_new: false }
}

impl<S: Numbered> Subject for Set<S> {
    const VALUES: [u32; 2] = [0; 2];

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

    fn check(&self) -> Option<i64> {
        self.check();
        Some(held(self.root()))
    }
}

impl<S: Numbered> Subject for Map<S> {
    const VALUES: [u32; 2] = [1, 7];

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

    fn check(&self) -> Option<i64> {
        self.check();
        None
    }
}

/// Draws a collection of up to three leaves, full ones and some that a removal merges.
fn draw<C: Subject>(rng: &mut SmallRng) -> C {
    let lens = [12, LEAF, LEAF + 2, 2 * LEAF, 2 * LEAF + 5, 3 * LEAF];
    let len = lens[rng.random_range(0..lens.len())];
    let (per_score, value) = (rng.random_range(1..90_u32), C::VALUES[0]);
    let are_ties = rng.random_range(0..4) == 0;
    let score = |number| if are_ties { number / per_score } else { 10 * number };
    let row = |number| Row { score: score(number), number, is_new: false, value };
    let model: Model = (0..len).map(row).collect();
    let mut subject = C::collect(&model);
    // The number of elements left in each leaf. Two leaves of 17 elements merge if one of them
    // loses an element. A full leaf can share elements with a neighbour of 30.
    let all = [[LEAF; 3], [17; 3], [1, LEAF, 1], [LEAF, 1, LEAF], [30, LEAF, 30], [LEAF, 30, LEAF]];
    let left = all[rng.random_range(0..all.len())];
    let is_removed = |&number: &u32| number % LEAF >= left[(number / LEAF) as usize];
    (0..len).filter(is_removed).for_each(|number| subject.remove(number));
    subject
}

/// The number of collections and arguments that are drawn for each operation.
const DRAWS: u64 = 12;

/// Verifies an operation, given its effect on the model, with a panic at each call of user code.
fn verify<C: Subject>(name: &str, expected: fn(&mut Model, Given), operation: fn(&mut C, Given)) {
    for draw in 0..DRAWS {
        // The name is part of the seed, so each operation gets different collections.
        let seed = name.bytes().fold(draw, |seed, byte| seed.rotate_left(5) ^ u64::from(byte));
        let mut rng = SmallRng::seed_from_u64(seed);
        let original: C = self::draw(&mut rng);
        let (before, outside) = (original.model(), live_scores());
        let given = Given::draw(&mut rng, &before, C::VALUES[1]);
        let mut after = before.clone();
        expected(&mut after, given);
        after.sort_unstable();
        for code in Code::ALL {
            let mut calls = 0;
            let leaked = count_leaks(|| {
                let mut subject = original.clone();
                while run(code, calls, || operation(&mut subject, given)).is_none() {
                    let held = subject.check();
                    forget_scores(code, held.map_or(0, |held| live_scores() - outside - held), 1);
                    let now = subject.model();
                    // An operation makes all comparisons and all clones of scores before it changes
                    // anything.
                    let is_comparison =
                        matches!(code, Code::Eq | Code::Ord | Code::ScoreEq | Code::ScoreOrd);
                    let is_after = now == after && code != Code::ScoreClone;
                    if now != before && !is_after {
                        let new: Vec<_> = now.iter().filter(|row| !before.contains(row)).collect();
                        panic!("{name} of {given:?}, call {calls} of {code:?}: {new:?} is new");
                    }
                    if now != before || !is_comparison {
                        subject = original.clone();
                    }
                    calls += 1;
                }
                subject.check();
                assert_eq!(subject.model(), after, "{name} of {given:?}");
            });
            assert_eq!(leaked, 0, "members of {name} of {given:?}, {code:?}");
            forget_scores(code, live_scores() - outside, calls);
        }
    }
}

/// Excludes leaked scores from `live_scores`. At most `most` scores may have leaked: those that an
/// operation was about to return when a drop panicked.
fn forget_scores(code: Code, leaked: i64, most: usize) {
    let may_leak = matches!(code, Code::Drop | Code::ScoreDrop);
    let most = if may_leak { most } else { 0 };
    assert!(usize::try_from(leaked).is_ok_and(|leaked| leaked <= most), "{leaked}, {code:?}");
    forget_leaked_scores(leaked);
}

fn old(model: &mut Model, given: Given) -> Option<&mut Row> {
    model.iter_mut().find(|row| row.number == given.number)
}

/// Sets the score and the value of an existing element.
fn insert_old(model: &mut Model, given: Given) -> Option<&mut Row> {
    let row = old(model, given)?;
    (row.score, row.value) = (given.score, given.value);
    Some(row)
}

/// Adds an element unless its number exists.
fn insert_new(model: &mut Model, given: Given) {
    if old(model, given).is_none() {
        let Given { number, score, value, .. } = given;
        model.push(Row { score, number, is_new: true, value });
    }
}

fn insert(model: &mut Model, given: Given) {
    insert_old(model, given);
    insert_new(model, given);
}

fn replace(model: &mut Model, given: Given) {
    if let Some(row) = insert_old(model, given) {
        row.is_new = true;
    }
    insert_new(model, given);
}

fn insert_max(model: &mut Model, given: Given) {
    if old(model, given).is_none_or(|row| given.score > row.score) {
        insert(model, given);
    }
}

fn insert_min(model: &mut Model, given: Given) {
    if old(model, given).is_none_or(|row| given.score < row.score) {
        insert(model, given);
    }
}

fn set_score(model: &mut Model, given: Given) {
    if let Some(row) = old(model, given) {
        row.score = given.score;
    }
}

fn increment(model: &mut Model, given: Given) {
    if let Some(row) = old(model, given) {
        row.score += given.score;
    }
    insert_new(model, given);
}

fn remove(model: &mut Model, given: Given) {
    model.retain(|row| row.number != given.number);
}

fn remove_by_rank(model: &mut Model, given: Given) {
    if given.rank < model.len() {
        model.remove(given.rank);
    }
}

fn pop_first(model: &mut Model, given: Given) {
    remove_by_rank(model, Given { rank: 0, ..given });
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

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_element_of_a_set_is_changed_entirely_or_not_at_all() {
    let verify = self::verify::<Set>;
    verify("insert", insert, |set, it| drop(set.insert(it.key(), it.score())));
    verify("try_insert", insert, |set, it| drop(set.try_insert(it.key(), it.score())));
    verify("replace", replace, |set, it| drop(set.replace(it.key(), it.score())));
    verify("insert_max", insert_max, |set, it| drop(set.insert_max(it.key(), it.score())));
    verify("insert_min", insert_min, |set, it| drop(set.insert_min(it.key(), it.score())));
    verify("set_score", set_score, |set, it| drop(set.set_score(&it.key(), it.score())));
    verify("update", set_score, |set, it| drop(set.update(&it.key(), |_| it.burn())));
    verify("try_update", set_score, |set, it| drop(set.try_update(&it.key(), |_| it.burn())));
    verify("and_modify", set_score, |set, it| drop(set.entry(it.key()).and_modify(|_| it.burn())));
    verify("or_insert", insert_new, |set, it| _ = set.entry(it.key()).or_insert(it.score()));
    verify("or_insert_with_key", insert_new, |set, it| {
        _ = set.entry(it.key()).or_insert_with_key(|_| it.burn());
    });
    verify("insert_entry", insert, |set, it| _ = set.entry(it.key()).insert_entry(it.score()));
    verify("entry_ref", insert, |set, it| _ = set.entry_ref(&it.key()).insert_entry(it.score()));
    verify("entry, update", set_score, |set, it| {
        if let SetEntry::Occupied(mut entry) = set.entry(it.key()) {
            entry.update(|_| it.burn());
        }
    });
    verify("entry, insert", insert, |set, it| match set.entry(it.key()) {
        SetEntry::Occupied(mut entry) => drop(entry.insert(it.score())),
        SetEntry::Vacant(entry) => _ = entry.insert(it.score()),
    });
    verify("entry, remove", remove, |set, it| match set.entry(it.key()) {
        SetEntry::Occupied(entry) => drop(entry.remove_entry()),
        SetEntry::Vacant(entry) => drop(entry.into_member()),
    });
    verify("first_entry", set_first_score, |set, it| {
        drop(set.first_entry().unwrap().insert(it.score()));
    });
    verify("last_entry", set_last_score, |set, it| {
        drop(set.last_entry().unwrap().insert(it.score()));
    });
    verify("remove", remove, |set, it| drop(set.remove(&it.key())));
    verify("remove_entry", remove, |set, it| drop(set.remove_entry(&it.key())));
    verify("remove_by_rank", remove_by_rank, |set, it| drop(set.remove_by_rank(it.rank)));
    verify("pop_first", pop_first, |set, _| drop(set.pop_first()));
    verify("pop_last", pop_last, |set, _| drop(set.pop_last()));
    verify("pop_first_if", pop_first, |set, _| drop(set.pop_first_if(|_, _| burning(true))));
    verify("pop_last_if", pop_last, |set, _| drop(set.pop_last_if(|_, _| burning(true))));
    let verify = self::verify::<Set<Points>>;
    verify("increment", increment, |set, it| _ = set.increment(it.key(), it.score));
    verify("try_increment", increment, |set, it| _ = set.try_increment(it.key(), it.score));
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_element_of_a_map_is_changed_entirely_or_not_at_all() {
    let verify = self::verify::<Map>;
    verify("insert", insert, |map, it| drop(map.insert(it.key(), it.value(), it.score())));
    verify("try_insert", insert, |map, it| drop(map.try_insert(it.key(), it.value(), it.score())));
    verify("replace", replace, |map, it| drop(map.replace(it.key(), it.value(), it.score())));
    verify("insert_max", insert_max, |map, it| {
        drop(map.insert_max(it.key(), it.value(), it.score()));
    });
    verify("insert_min", insert_min, |map, it| {
        drop(map.insert_min(it.key(), it.value(), it.score()));
    });
    verify("set_score", set_score, |map, it| drop(map.set_score(&it.key(), it.score())));
    verify("update", set_score, |map, it| drop(map.update(&it.key(), |_, _| it.burn())));
    verify("try_update", set_score, |map, it| drop(map.try_update(&it.key(), |_, _| it.burn())));
    verify("remove", remove, |map, it| drop(map.remove(&it.key())));
    verify("remove_entry", remove, |map, it| drop(map.remove_entry(&it.key())));
    verify("remove_by_rank", remove_by_rank, |map, it| drop(map.remove_by_rank(it.rank)));
    verify("pop_first", pop_first, |map, _| drop(map.pop_first()));
    verify("pop_last", pop_last, |map, _| drop(map.pop_last()));
    verify("pop_first_if", pop_first, |map, _| drop(map.pop_first_if(|_, _, _| burning(true))));
    verify("pop_last_if", pop_last, |map, _| drop(map.pop_last_if(|_, _, _| burning(true))));
    let verify = self::verify::<Map<Points>>;
    verify("increment", increment, |map, it| {
        _ = map.increment(it.key(), it.score, || burning(it.value()));
    });
    verify("try_increment", increment, |map, it| {
        _ = map.try_increment(it.key(), it.score, || burning(it.value()));
    });
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes under Miri")]
fn an_element_is_changed_entirely_or_not_at_all_by_an_entry_of_a_map() {
    let verify = self::verify::<Map>;
    verify("and_modify", set_score, |map, it| {
        drop(map.entry(it.key()).and_modify(|_, _| it.burn()));
    });
    verify("or_insert", insert_new, |map, it| {
        _ = map.entry(it.key()).or_insert(it.value(), it.score());
    });
    verify("or_insert_with_key", insert_new, |map, it| {
        _ = map.entry(it.key()).or_insert_with_key(|_| it.burn_both());
    });
    verify("insert_entry", insert, |map, it| {
        _ = map.entry(it.key()).insert_entry(it.value(), it.score());
    });
    verify("entry_ref", insert, |map, it| {
        _ = map.entry_ref(&it.key()).insert_entry(it.value(), it.score());
    });
    verify("entry, update", set_score, |map, it| {
        if let MapEntry::Occupied(mut entry) = map.entry(it.key()) {
            entry.update(|_, _| it.burn());
        }
    });
    verify("entry, insert", insert, |map, it| match map.entry(it.key()) {
        MapEntry::Occupied(mut entry) => drop(entry.insert(it.value(), it.score())),
        MapEntry::Vacant(entry) => _ = entry.insert(it.value(), it.score()),
    });
    verify("entry, remove", remove, |map, it| match map.entry(it.key()) {
        MapEntry::Occupied(entry) => drop(entry.remove_entry()),
        MapEntry::Vacant(entry) => drop(entry.into_key()),
    });
    verify("first_entry", set_first_score, |map, it| {
        drop(map.first_entry().unwrap().set_score(it.score()));
    });
    verify("last_entry", set_last_score, |map, it| {
        drop(map.last_entry().unwrap().set_score(it.score()));
    });
}
