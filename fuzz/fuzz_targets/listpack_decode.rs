//! Decodes arbitrary bytes as a listpack. An accepted list reads the same in both directions and
//! can be re-encoded. If it is also a valid set, it can be modified like any other set.

#![no_main]

use libfuzzer_sys::fuzz_target;
use zset_core::redis::listpack::{Listpack, Value};
use zset_core::{PackedZSet, Score};

fuzz_target!(|data: &[u8]| {
    let Ok(list) = Listpack::from_bytes(data.to_vec()) else { return };
    list.check();
    let values: Vec<Value<'_>> = list.iter().collect();
    assert_eq!(values.len(), list.len());
    let mut backwards: Vec<Value<'_>> = list.iter().rev().collect();
    backwards.reverse();
    assert_eq!(values, backwards);
    for (index, value) in values.iter().enumerate().take(50) {
        assert_eq!(list.get(index), Some(*value));
    }

    // Encodes the values again.
    let mut copy = Listpack::new();
    for &value in &values {
        copy.try_push_back(value).expect("there is memory");
    }
    copy.check();
    // An integer that was encoded as a string is now encoded as an integer, so compare strings.
    let texts = |list: &Listpack<Vec<u8>>| -> Vec<Vec<u8>> { list.iter().map(text).collect() };
    assert_eq!(texts(&copy), texts(&list));

    // As a set, the list is either rejected or usable.
    if values.len() < 1000 {
        if let Ok(mut set) = PackedZSet::from_listpack(list) {
            set.check();
            let members: Vec<Vec<u8>> = set.iter().map(|(member, _)| member.to_vec()).collect();
            for (rank, member) in members.iter().enumerate() {
                assert_eq!(set.rank(member), Some(rank));
            }
            for member in &members {
                set.try_insert(member, Score::ZERO).expect("there is memory");
            }
            set.check();
            assert_eq!(set.len(), members.len());
        }
    }
});

/// Returns the digits of an integer, or the bytes of a string.
fn text(value: Value<'_>) -> Vec<u8> {
    match value {
        Value::Integer(integer) => integer.to_string().into(),
        Value::Bytes(bytes) => bytes.into(),
    }
}
