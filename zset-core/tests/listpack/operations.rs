//! The operations of a random sequence, and their effect on a listpack and on a vector of entries.

use proptest::collection::vec;
use proptest::prelude::*;
use std::ops::{Bound, RangeBounds};
use zset_core::listpack::{CursorMut, Storage};
use zset_core::{Listpack, TryReserveError};

use crate::naive::{self, Entry};
use crate::values::{Given, any_given, entry};

pub(crate) type Bounds = (Bound<usize>, Bound<usize>);

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    PushBack(Given),
    PushFront(Given),
    Walk { from: From, steps: Vec<Step> },
    RemoveRange(Bounds),
    Clear,
    ShrinkToFit,
    Reassemble,
}

/// Where a cursor starts.
#[derive(Clone, Debug)]
pub(crate) enum From {
    Front,
    Back,
    Found(Given, usize),
    Index(usize),
}

/// An operation on a cursor.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Next,
    Prev,
    InsertBefore(Given),
    InsertAfter(Given),
    Replace(Given),
    Remove,
}

pub(crate) fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => any_given().prop_map(Operation::PushBack),
        4 => any_given().prop_map(Operation::PushFront),
        8 => (any_from(), vec(any_step(), 0..12))
            .prop_map(|(from, steps)| Operation::Walk { from, steps }),
        2 => any_bounds().prop_map(Operation::RemoveRange),
        1 => Just(Operation::Clear),
        1 => Just(Operation::ShrinkToFit),
        1 => Just(Operation::Reassemble),
    ]
}

fn any_from() -> impl Strategy<Value = From> {
    prop_oneof![
        2 => Just(From::Front),
        2 => Just(From::Back),
        1 => (any_given(), 0..3_usize).prop_map(|(given, skip)| From::Found(given, skip)),
        1 => (0..30_usize).prop_map(From::Index),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::Next),
        4 => Just(Step::Prev),
        2 => any_given().prop_map(Step::InsertBefore),
        2 => any_given().prop_map(Step::InsertAfter),
        2 => any_given().prop_map(Step::Replace),
        1 => Just(Step::Remove),
    ]
}

pub(crate) fn any_bounds() -> impl Strategy<Value = Bounds> {
    let index = || prop_oneof![20 => 0..30_usize, 1 => Just(usize::MAX)];
    let bound = || {
        prop_oneof![
            index().prop_map(Bound::Included),
            index().prop_map(Bound::Excluded),
            Just(Bound::Unbounded),
        ]
    };
    (bound(), bound())
}

/// Every kind of storage, with the operations that only some kinds support.
pub(crate) trait Buffer: Storage + Sized {
    fn shrink(_: &mut Listpack<Self>) {}
}

impl Buffer for Vec<u8> {
    fn shrink(list: &mut Listpack<Self>) {
        list.shrink_to_fit();
        assert!(list.as_bytes().len() <= 7 || list.clone().into_storage() == list.as_bytes());
    }
}

impl<const N: usize> Buffer for [u8; N] {}

impl Buffer for &mut [u8] {}

/// A listpack and its expected entries.
pub(crate) struct Subject<B> {
    list: Option<Listpack<B>>,
    pub(crate) entries: Vec<Entry>,
    /// The capacity of its storage in bytes.
    capacity: usize,
}

/// Compares the outcome of a change that may not fit, and updates the expected entries.
fn settle<T: PartialEq + std::fmt::Debug>(
    outcome: &Result<T, TryReserveError>,
    expected: T,
    entries: &mut Vec<Entry>,
    changed: Vec<Entry>,
    capacity: usize,
) -> bool {
    let has_room = naive::listpack(&changed).len() <= capacity;
    if has_room {
        assert_eq!(*outcome, Ok(expected));
        *entries = changed;
    } else {
        assert_eq!(*outcome, Err(TryReserveError::BufferFull));
    }
    has_room
}

impl<B: Buffer> Subject<B> {
    pub(crate) fn new(list: Listpack<B>, capacity: usize) -> Self {
        Subject { list: Some(list), entries: Vec::new(), capacity }
    }

    pub(crate) fn list(&self) -> &Listpack<B> {
        self.list.as_ref().expect("the list is only taken temporarily")
    }

    pub(crate) fn apply(&mut self, operation: &Operation) {
        let Subject { list: Some(list), entries, capacity } = self else { unreachable!() };
        match operation {
            Operation::PushBack(given) => {
                let changed = [entries.clone(), vec![given.entry()]].concat();
                let outcome = given.pass(|value| list.try_push_back(value));
                settle(&outcome, (), entries, changed, *capacity);
            }
            Operation::PushFront(given) => {
                let changed = [vec![given.entry()], entries.clone()].concat();
                let outcome = given.pass(|value| list.try_push_front(value));
                settle(&outcome, (), entries, changed, *capacity);
            }
            Operation::Walk { from: From::Front, steps } => {
                walk(list.cursor_front_mut(), 0, steps, entries, *capacity);
            }
            Operation::Walk { from: From::Back, steps } => {
                let at = entries.len().saturating_sub(1);
                walk(list.cursor_back_mut(), at, steps, entries, *capacity);
            }
            Operation::Walk { from: From::Index(index), steps } => {
                let at = (*index).min(entries.len());
                walk(list.cursor_at_mut(*index), at, steps, entries, *capacity);
            }
            Operation::Walk { from: From::Found(given, skip), steps } => {
                let found = given.pass(|value| list.find_mut(value, *skip));
                let place = find(entries, &given.entry(), *skip);
                assert_eq!(found.is_some(), place.is_some());
                if let (Some(cursor), Some(at)) = (found, place) {
                    walk(cursor, at, steps, entries, *capacity);
                }
            }
            Operation::RemoveRange(range) => {
                let before = entries.len();
                let mut indexes = 0..;
                entries.retain(|_| !indexes.next().is_some_and(|index| range.contains(&index)));
                assert_eq!(list.remove_range(*range), before - entries.len());
            }
            Operation::Clear => {
                list.clear();
                entries.clear();
            }
            Operation::ShrinkToFit => B::shrink(list),
            Operation::Reassemble => self.list = self.list.take().map(reassembled),
        }
    }
}

/// Takes a list apart and reassembles it.
fn reassembled<B: Storage>(list: Listpack<B>) -> Listpack<B> {
    let storage = list.into_storage();
    if storage.as_slice().is_empty() {
        // A list that has never been written to.
        return Listpack::with_storage(storage).unwrap();
    }
    Listpack::from_bytes(storage).unwrap()
}

/// Returns the index of the first equal entry among every `skip + 1`th.
pub(crate) fn find(entries: &[Entry], sought: &Entry, skip: usize) -> Option<usize> {
    (0..entries.len()).step_by(skip + 1).find(|&index| entries[index] == *sought)
}

/// Applies steps to a cursor at this index, or at the gap if there is no such entry.
fn walk<B: Storage>(
    mut cursor: CursorMut<'_, B>,
    mut at: usize,
    steps: &[Step],
    entries: &mut Vec<Entry>,
    capacity: usize,
) {
    for step in steps {
        let gap = entries.len();
        let mut changed = entries.clone();
        match step {
            Step::Next => {
                cursor.move_next();
                at = if at == gap { 0 } else { at + 1 };
            }
            Step::Prev => {
                cursor.move_prev();
                at = at.checked_sub(1).unwrap_or(gap);
            }
            Step::InsertBefore(given) => {
                changed.insert(at, given.entry());
                let outcome = given.pass(|value| cursor.try_insert_before(value));
                at += usize::from(settle(&outcome, (), entries, changed, capacity));
            }
            Step::InsertAfter(given) => {
                changed.insert(if at == gap { 0 } else { at + 1 }, given.entry());
                let outcome = given.pass(|value| cursor.try_insert_after(value));
                let has_room = settle(&outcome, (), entries, changed, capacity);
                at += usize::from(has_room && at == gap);
            }
            Step::Replace(given) => {
                let replaced = changed.get_mut(at).map(|entry| *entry = given.entry()).is_some();
                let outcome = given.pass(|value| cursor.try_replace(value));
                settle(&outcome, replaced, entries, changed, capacity);
            }
            Step::Remove => {
                assert_eq!(cursor.remove(), at < gap);
                if at < gap {
                    entries.remove(at);
                }
            }
        }
        let current = cursor.current().map(|value| entry(&value));
        assert_eq!(current.as_ref(), entries.get(at), "after {step:?}");
    }
}
