//! Compares timelines, merged timelines and expiring sets with lists that are sorted for each
//! query.

mod expiring_set;
mod merged;
mod timeline;

use std::fmt::Debug;
use std::time::Duration;

use proptest::prelude::*;
use zset_std::{ExpiringSet, MergedTimelines, Timeline, Timestamp};

/// Times that often coincide: most are near zero, and some at the very end.
fn times() -> impl Strategy<Value = Timestamp> {
    let nanos = prop_oneof![60 => 0..16u64, 1 => u64::MAX - 2..=u64::MAX];
    nanos.prop_map(Timestamp::from_nanos)
}

/// Generates ids from a small range, so that they often coincide.
fn ids() -> impl Strategy<Value = String> {
    (0..12u8).prop_map(|id| char::from(b'a' + id).to_string())
}

/// Small counts, including zero, and sometimes more than there can be elements.
fn counts() -> impl Strategy<Value = usize> {
    prop_oneof![9 => 0..8usize, 1 => Just(usize::MAX)]
}

/// Durations below `end` nanoseconds, and sometimes the longest possible duration.
fn durations(end: u64) -> impl Strategy<Value = Duration> {
    prop_oneof![6 => (0..end).prop_map(Duration::from_nanos), 1 => Just(Duration::MAX)]
}

fn config() -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        cases: if cfg!(miri) { 2 } else { 512 },
        ..ProptestConfig::default()
    }
}

/// Compares an iterator with a list: forward, backward, and from alternating ends.
fn assert_same<T, I>(elements: I, expected: &[T])
where
    T: PartialEq + Debug + Clone,
    I: DoubleEndedIterator<Item = T> + ExactSizeIterator + Clone,
{
    assert_eq!(elements.len(), expected.len());
    assert_eq!(elements.clone().collect::<Vec<_>>(), expected);
    assert_eq!(elements.clone().last().as_ref(), expected.last());
    assert!(elements.clone().rev().eq(expected.iter().rev().cloned()));
    let (mut elements, mut expected) = (elements, expected.iter());
    loop {
        assert_eq!(elements.next().as_ref(), expected.next());
        assert_eq!(elements.next_back().as_ref(), expected.next_back());
        assert_eq!(elements.len(), expected.len());
        if expected.len() == 0 {
            break;
        }
    }
    assert_eq!(elements.next(), None);
    assert_eq!(elements.next_back(), None);
}

/// Round-trips a value through serialization.
#[cfg(feature = "serde")]
fn copy<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[cfg(not(feature = "serde"))]
fn copy<T: Clone>(value: &T) -> T {
    value.clone()
}

#[test]
fn types_are_send_and_sync() {
    fn sendable<T: Send + Sync>() {}
    sendable::<Timeline<String>>();
    sendable::<MergedTimelines<'_, String>>();
    sendable::<ExpiringSet<String>>();
}
