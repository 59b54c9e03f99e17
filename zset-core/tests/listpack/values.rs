//! The values that random sequences pass to operations. Their `Debug` output is short.

use proptest::collection::vec;
use proptest::prelude::*;
use zset_core::Listpack;
use zset_core::redis::listpack::{Storage, Value};

use crate::naive::Entry;

/// The argument of an operation.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// An integer, passed as an integer.
    Integer(i64),
    /// An integer, passed as a decimal string.
    Digits(i64),
    /// A short string.
    Text(Vec<u8>),
    /// A long string.
    Repeated { byte: u8, len: usize },
}

impl Given {
    fn text(&self) -> Vec<u8> {
        match self {
            Given::Integer(integer) | Given::Digits(integer) => integer.to_string().into_bytes(),
            Given::Text(text) => text.clone(),
            Given::Repeated { byte, len } => vec![*byte; *len],
        }
    }

    pub(crate) fn entry(&self) -> Entry {
        Entry::of(&self.text())
    }

    /// Passes the value to a method as a caller would.
    pub(crate) fn pass<T>(&self, method: impl FnOnce(Value<'_>) -> T) -> T {
        match self {
            Given::Integer(integer) => method((*integer).into()),
            _ => method(self.text().as_slice().into()),
        }
    }
}

pub(crate) fn any_given() -> impl Strategy<Value = Given> + Clone {
    prop_oneof![
        4 => any_integer().prop_map(Given::Integer),
        4 => any_integer().prop_map(Given::Digits),
        6 => vec(any::<u8>(), 0..70).prop_map(Given::Text),
        3 => prop::sample::select(ALMOST.as_slice()).prop_map(|text| Given::Text(text.to_vec())),
        2 => (any::<u8>(), any_len()).prop_map(|(byte, len)| Given::Repeated { byte, len }),
    ]
}

/// Strings that are almost integers, and short ones that occur often.
const ALMOST: [&[u8]; 12] = [
    b"",
    b"a",
    b"b",
    b"-",
    b"-0",
    b"00",
    b"007",
    b"+1",
    b"1.0",
    b" 1",
    b"9223372036854775808",
    b"-9223372036854775809",
];

/// Generates integers of each width, and those next to the limits of each width.
pub(crate) fn any_integer() -> impl Strategy<Value = i64> + Clone {
    let near = (0..64_u32, -2..3_i64, any::<bool>()).prop_map(|(bits, more, negative)| {
        let power = 1_i64.wrapping_shl(bits).wrapping_add(more);
        if negative { power.wrapping_neg() } else { power }
    });
    prop_oneof![-9..9_i64, near, any::<i64>()]
}

/// Generates lengths, often those at which the encoding of the length or back-length grows.
fn any_len() -> impl Strategy<Value = usize> + Clone {
    let bounds = [63, 64, 125, 126, 127, 128, 4095, 4096, 16_377, 16_378, 70_000];
    if cfg!(miri) {
        return prop_oneof![0..300_usize, prop::sample::select(bounds[..6].to_vec())].boxed();
    }
    prop_oneof![3 => 0..300_usize, 1 => 0..5000_usize, 3 => prop::sample::select(bounds.to_vec())]
        .boxed()
}

/// Returns all entries from front to back, each in its stored form.
pub(crate) fn entries<B: Storage>(list: &Listpack<B>) -> Vec<Entry> {
    list.iter().map(|value| entry(&value)).collect()
}

pub(crate) fn entry(value: &Value<'_>) -> Entry {
    match *value {
        Value::Integer(integer) => Entry::Integer(integer),
        Value::Bytes(text) => Entry::Text(text.to_vec()),
    }
}
