use super::*;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn string(text: &str) -> Value {
    Value::String(text.into())
}

#[test]
fn an_expired_key_is_invisible_before_it_is_removed() {
    let mut keys = Keyspace::default();
    keys.set(b"a", string("1"));
    keys.set(b"b", string("2"));
    keys.set_deadline(b"a", Some(at(10)));
    assert_eq!(keys.deadline(b"a"), Some(Some(at(10))));
    assert_eq!(keys.deadline(b"b"), Some(None));
    keys.set_now(at(9));
    assert!(keys.value(b"a").is_some());
    keys.set_now(at(10));
    assert!(keys.value(b"a").is_none() && keys.deadline(b"a").is_none());
    assert!(keys.iter().map(|(key, _)| key).eq([b"b"]));
    // A clock that steps back does not restore it.
    keys.set_now(at(1));
    assert!(keys.value(b"a").is_none());
    assert!(keys.remove(b"a").is_none());
    assert_eq!(keys.len(), 1);
    keys.set(b"a", string("3"));
    assert_eq!(keys.deadline(b"a"), Some(None));
}

#[test]
fn an_empty_set_is_removed() {
    let mut keys = Keyspace::default();
    let added = keys.change_or_insert(b"a", ZSet::new, |set| {
        set.insert("m", zset_core::Score::ZERO);
    });
    assert_eq!(added, Ok(()));
    assert_eq!(keys.change(b"a", |_: &mut Set| ()), Err(WrongType));
    assert_eq!(keys.change(b"a", |set: &mut ZSet| set.len()), Ok(Some(1)));
    assert_eq!(keys.change(b"a", ZSet::clear), Ok(Some(())));
    assert_eq!(keys.len(), 0);
    assert_eq!(keys.change(b"a", ZSet::clear), Ok(None));
    keys.set(b"a", Set::default().into_value());
    assert_eq!(keys.len(), 0);
}

#[test]
fn a_large_step_back_of_the_clock_is_followed() {
    let second = 1_000_000_000;
    let mut keys = Keyspace::default();
    keys.set_now(at(100 * second));
    keys.set_now(at(99 * second));
    assert_eq!(keys.now(), at(100 * second), "a small step back is ignored");
    keys.set_now(at(1_000_000 * second));
    keys.set_now(at(101 * second));
    assert_eq!(keys.now(), at(101 * second));
    keys.set(b"a", string("1"));
    keys.set_deadline(b"a", Some(at(102 * second)));
    keys.set_now(at(102 * second));
    assert!(keys.value(b"a").is_none());
}

#[test]
fn memory_of_removed_keys_is_freed() {
    let name = |n: u32| n.to_string().into_bytes();
    let filled = || {
        let mut keys = Keyspace::default();
        (0..20_000).for_each(|n| keys.set(&name(n), string("")));
        assert!(keys.entries.capacity() >= 20_000);
        keys
    };
    let mut keys = filled();
    keys.clear();
    assert_eq!(keys.entries.capacity(), 0);
    let mut keys = filled();
    (0..20_000).for_each(|n| keys.set_deadline(&name(n), Some(at(n.into()).max(at(7)))));
    (10..20_000).for_each(|n| _ = keys.remove(&name(n)));
    assert!(keys.entries.capacity() <= MAX_SPARE * FEW);
    let deadlines = (0..10).map(|n| keys.deadline(&name(n)).flatten());
    assert!(deadlines.eq([7, 7, 7, 7, 7, 7, 7, 7, 8, 9].map(|nanos| Some(at(nanos)))));
}

#[test]
fn a_value_is_not_larger_than_a_sorted_set() {
    assert!(size_of::<Value>() <= size_of::<ZSet>() + size_of::<usize>());
    assert!(size_of::<Value>() < size_of::<Set>());
}

#[test]
fn keys_no_longer_awaited_use_no_memory() {
    const KEYS: usize = 10_000;
    let mut keyspace = Keyspace::default();
    let keys: Vec<Bytes> = (0..KEYS).map(|key| key.to_string().into_bytes().into()).collect();
    let ticket = keyspace.awaited.join(&keys, 1);
    assert!(keyspace.awaited.queues.capacity() >= KEYS);
    keyspace.awaited.quit(&keys, ticket);
    assert!(keyspace.awaited.queues.capacity() < 16);
}
