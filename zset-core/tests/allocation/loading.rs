//! Tests the loading of untrusted data. Memory is bounded by the size of the data, not by the
//! lengths that it announces, and a failed allocation is reported as an error.

use serde::Deserialize;
use zset_core::{ByteString, Score, SkipList, SortedMap, SortedSet, ZSet};

use crate::counting::{counted, failing_after};

/// Returns a postcard sequence that announces 2^62 elements but has only two.
fn announced(elements: &(impl serde::Serialize, impl serde::Serialize)) -> Vec<u8> {
    let len = postcard::to_allocvec(&(1_u64 << 62)).unwrap();
    [len, postcard::to_allocvec(&elements).unwrap()].concat()
}

/// Verifies that loading fails and allocates little.
fn refuse<'de, T: Deserialize<'de>>(bytes: &'de [u8]) {
    let (result, total) = counted(|| postcard::from_bytes::<T>(bytes));
    assert!(result.is_err());
    drop(result);
    assert!(total.bytes < 2000, "{total:?}");
}

#[test]
fn an_announced_length_allocates_nothing() {
    let one = Score::from(1);
    let pairs = announced(&((7_u32, one), (8_u32, one)));
    refuse::<SortedSet<u32>>(&pairs);
    refuse::<SkipList<u32, Score>>(&pairs);
    refuse::<SortedMap<u32, u8>>(&announced(&((7_u32, 0_u8, one), (8_u32, 0_u8, one))));
    refuse::<ZSet>(&announced(&(("a", one), ("b", one))));
    // A byte string that announces 2^62 bytes but has only two.
    let member = announced(&(0_u8, 1_u8));
    refuse::<ByteString>(&member);
    refuse::<ZSet>(&[vec![1], member].concat());

    // In CBOR: a sequence that announces 2^62 elements, and one whose first member announces 2^62
    // bytes.
    let heads: [&[u8]; 2] = [b"\x9B", b"\x81\x82\x5B"];
    for head in heads {
        let bytes = [head, &(1_u64 << 62).to_be_bytes(), b"\x82\x41a\x01"].concat();
        let (result, total) =
            counted(|| ciborium::from_reader::<ZSet, _>(bytes.as_slice()).is_err());
        assert!(result);
        assert!(total.bytes < 20_000, "{total:?}");
    }
}

#[test]
fn a_failed_allocation_while_loading_is_reported() {
    fn verify<'de, T: Deserialize<'de>>(bytes: &'de [u8]) {
        let ((), total) = counted(|| postcard::from_bytes::<T>(bytes).map(drop).unwrap());
        assert!(total.calls > 0);
        for calls in 0..total.calls {
            assert!(failing_after(calls, || postcard::from_bytes::<T>(bytes)).is_err(), "{calls}");
        }
    }
    let text = "a member that is not kept inline, as long as it is";
    let elements = [(text, Score::from(1)), ("b", Score::from(2))];
    let bytes = postcard::to_allocvec(&elements.as_slice()).unwrap();
    verify::<SortedSet<&str>>(&bytes);
    verify::<ZSet>(&bytes);
}
