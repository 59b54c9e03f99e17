//! Runs random sequences of operations on every kind of storage.

use proptest::collection::vec;
use proptest::prelude::*;
use zset_core::Listpack;
use zset_core::redis::listpack::Iter;

use crate::naive::{self, Entry};
use crate::operations::{Buffer, Operation, Subject, any_operation};
use crate::values::{entries, entry};

/// What to query after an operation.
#[derive(Clone, Debug)]
struct Query {
    index: usize,
    /// Each bit chooses the end of one iterator step.
    ends: u64,
}

fn any_query() -> impl Strategy<Value = Query> {
    (0..40_usize, any::<u64>()).prop_map(|(index, ends)| Query { index, ends })
}

type Steps = Vec<(Operation, Query)>;

fn steps() -> impl Strategy<Value = Steps> {
    vec((any_operation(), any_query()), 1..if cfg!(miri) { 8 } else { 60 })
}

fn follow<B: Buffer>(list: Listpack<B>, capacity: usize, steps: &Steps) {
    let mut subject = Subject::new(list, capacity);
    for (operation, query) in steps {
        subject.apply(operation);
        compare(subject.list(), &subject.entries, query);
    }
}

fn compare<B: Buffer>(list: &Listpack<B>, expected: &[Entry], query: &Query) {
    assert!(list.as_bytes() == naive::listpack(expected), "{:02X?}", list.as_bytes());
    list.check();
    assert_eq!((list.len(), list.is_empty()), (expected.len(), expected.is_empty()));
    assert!(entries(list) == expected);
    assert!(list.iter().rev().map(|value| entry(&value)).eq(expected.iter().rev().cloned()));
    drive(list.iter(), expected, query.ends);

    let get = |index| list.get(index).map(|value| entry(&value));
    assert_eq!(get(query.index).as_ref(), expected.get(query.index));
    assert_eq!(get(usize::MAX), None);
    for index in (0..expected.len()).step_by(if cfg!(miri) { 5 } else { 1 }) {
        assert!(get(index).as_ref() == expected.get(index));
    }
}

/// Takes all entries. Each bit of `ends` chooses the end from which one step takes.
fn drive(mut iterator: Iter<'_>, mut left: &[Entry], ends: u64) {
    for step in 0.. {
        let (low, high) = iterator.size_hint();
        assert!(low <= left.len() && high.is_some_and(|high| high >= left.len()));
        let (given, wanted) = if ends.rotate_right(step) & 1 == 0 {
            (iterator.next(), left.first())
        } else {
            (iterator.next_back(), left.last())
        };
        assert!(given.map(|value| entry(&value)).as_ref() == wanted);
        left = match left {
            [] => break,
            [_, behind @ ..] if ends.rotate_right(step) & 1 == 0 => behind,
            [before @ .., _] => before,
        };
    }
    assert_eq!((iterator.next(), iterator.next_back()), (None, None), "the iterator is fused");
}

/// Capacities that are too small for any entry, or enough for a few entries, for many, or for long
/// strings.
const BUFFERS: [usize; 6] = [7, 8, 30, 200, 1000, 20_000];

proptest! {
    #![proptest_config(test_support::strategy::config(48, 1))]

    #[test]
    fn random_sequences_in_a_vector(steps in steps()) {
        follow(Listpack::new(), usize::MAX, &steps);
    }

    #[test]
    fn random_sequences_in_a_reused_vector(steps in steps()) {
        follow(Listpack::with_storage(vec![0xFF; 300]).unwrap(), usize::MAX, &steps);
    }

    #[test]
    fn random_sequences_in_an_array(steps in steps()) {
        follow(Listpack::with_storage([0xAA; 60]).unwrap(), 60, &steps);
        if !cfg!(miri) {
            follow(Listpack::with_storage([0xFF; 600]).unwrap(), 600, &steps);
        }
    }

    #[test]
    fn random_sequences_in_a_borrowed_buffer(
        steps in steps(),
        len in prop::sample::select(&BUFFERS[..if cfg!(miri) { 4 } else { 6 }]),
        byte: u8,
    ) {
        let mut buffer = vec![byte; len];
        follow(Listpack::with_storage(&mut buffer[..]).unwrap(), len, &steps);
    }
}
