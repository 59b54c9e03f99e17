//! The operations of random sequences, and their effects on a listpack and on a vector of expected
//! entries.

use proptest::prelude::*;
use zset_core::redis::listpack::Storage;
use zset_core::{Listpack, TryReserveError};

use crate::naive::{self, Entry};
use crate::values::{Given, any_given};

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    PushBack(Given),
    Clear,
    ShrinkToFit,
    Reassemble,
}

pub(crate) fn any_operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        20 => any_given().prop_map(Operation::PushBack),
        1 => Just(Operation::Clear),
        1 => Just(Operation::ShrinkToFit),
        1 => Just(Operation::Reassemble),
    ]
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
                if naive::listpack(&changed).len() <= *capacity {
                    assert_eq!(outcome, Ok(()));
                    *entries = changed;
                } else {
                    assert_eq!(outcome, Err(TryReserveError::BufferFull));
                }
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
        // A list that was never written to may have empty storage, which `from_bytes` would reject.
        return Listpack::with_storage(storage).unwrap();
    }
    Listpack::from_bytes(storage).unwrap()
}
