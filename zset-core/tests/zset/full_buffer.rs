//! Tests full buffers: a write that does not fit fails and leaves every byte unchanged.

use test_support::zset::{Reference, WriteError, score};
use zset_core::redis::{AddOptions, Added};
use zset_core::{IncrementError, NanScore, PackedZSet, Score, TryReserveError};

const FULL: WriteError = WriteError::Full(TryReserveError::BufferFull);

type Array = PackedZSet<[u8; 64]>;

/// A write that sets the score of `member` to `number`.
type Write = fn(&mut PackedZSet<&mut [u8]>, &[u8], f64) -> Result<(), WriteError>;

const WRITES: [(&str, Write); 6] = [
    ("insert", |set, member, number| {
        set.try_insert(member, score(number)).map(drop).map_err(WriteError::from)
    }),
    ("add", |set, member, number| {
        set.try_add(member, score(number), AddOptions::new()).map(|added| {
            assert_ne!(added, Added::Blocked);
        })
    }),
    ("add with INCR", |set, member, number| {
        let old = set.score(member).map_or(0.0, Score::get);
        set.try_add(member, score(number - old), AddOptions::new().incr()).map(drop)
    }),
    ("increment", |set, member, number| {
        let old = set.score(member).map_or(0.0, Score::get);
        set.try_increment(member, number - old).map(drop)
    }),
    ("update", |set, member, number| {
        if !set.contains(member) {
            return set.try_insert(member, score(number)).map(drop).map_err(WriteError::from);
        }
        set.try_update(member, |_| score(number)).map(drop).map_err(WriteError::from)
    }),
    ("add with GT or LT", |set, member, number| {
        let greater = set.score(member).is_none_or(|old| score(number) > old);
        let options = if greater { AddOptions::new().gt() } else { AddOptions::new().lt() };
        set.try_add(member, score(number), options).map(drop)
    }),
];

/// Scores whose entries occupy 2 to more than 20 bytes, and that sort at both ends and in between.
/// Their differences from the old scores are exact.
const SCORES: [f64; 11] =
    [0.5, 2.0, 2.5, -5.0, 300.0, -70_000.0, 3e9, 0.25, 1e300, f64::INFINITY, -1.0 / 1_048_576.0];

const MEMBERS: [&[u8]; 5] = [b"b", b"", b"70000", b"new", b"a long one that has no room often"];

fn elements() -> Vec<(Vec<u8>, f64)> {
    [("", 1.0), ("b", 2.0), ("70000", 2.0), ("d", 4.0)].map(|(m, n)| (m.into(), n)).to_vec()
}

#[test]
fn every_write_fits_or_changes_nothing_at_every_size() {
    let before = Reference::of(elements(), zset_core::ListpackLimits::default());
    let needed = before.bytes().len();
    let (mut fitted, mut failed) = (0, 0);
    for len in (needed..needed + 45).step_by(if cfg!(miri) { 30 } else { 1 }) {
        for (name, write) in WRITES.into_iter().step_by(if cfg!(miri) { 2 } else { 1 }) {
            for member in MEMBERS.into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
                for number in SCORES.into_iter().step_by(if cfg!(miri) { 8 } else { 1 }) {
                    let mut buffer = [0xD1; 128];
                    let (storage, behind) = buffer.split_at_mut(len);
                    let mut set = PackedZSet::with_storage(storage).unwrap();
                    for (member, number) in elements() {
                        set.try_insert(member, score(number)).unwrap();
                    }
                    let mut after = before.clone();
                    after.insert(member, number);
                    let outcome = write(&mut set, member, number);
                    set.check();
                    let bytes = set.as_listpack().as_bytes();
                    if after.bytes().len() <= len {
                        assert_eq!(outcome, Ok(()), "{name} {member:?} {number} in {len} bytes");
                        assert_eq!(bytes, after.bytes());
                        fitted += 1;
                    } else {
                        assert_eq!(outcome, Err(FULL), "{name} {member:?} {number} in {len} bytes");
                        assert_eq!(bytes, before.bytes());
                        failed += 1;
                    }
                    assert!(behind.iter().all(|&byte| byte == 0xD1));
                }
            }
        }
    }
    assert!(fitted > 0 && failed > 0, "{fitted} fitted, {failed} failed");
}

/// Creates a set that fills its array to the last byte.
fn full() -> Array {
    let mut set = PackedZSet::with_storage([0; 64]).unwrap();
    set.try_insert("first", score(1.0)).unwrap();
    set.try_insert("middle", score(2.0)).unwrap();
    set.try_insert("x".repeat(64 - 7 - 9 - 10 - 4), score(3.0)).unwrap();
    assert_eq!(set.as_listpack().as_bytes().len(), 64);
    assert_eq!(set.try_insert("", score(0.0)), Err(TryReserveError::BufferFull));
    set
}

#[test]
fn writes_that_need_no_room_work_in_a_full_buffer() {
    let mut set = full();
    assert_eq!(set.try_insert("first", score(127.0)), Ok(Some(score(1.0))), "a move to the end");
    assert_eq!(set.try_insert("first", score(0.0)), Ok(Some(score(127.0))), "a move back");
    assert_eq!(set.try_insert("first", score(0.0)), Ok(Some(score(0.0))));
    assert_eq!(set.try_increment("middle", 7.0), Ok(score(9.0)));
    assert_eq!(set.try_update("absent", |_| unreachable!("the member is absent")), Ok(None));
    let options = AddOptions::new();
    assert_eq!(set.try_add("absent", score(1e300), options.xx()), Ok(Added::Blocked));
    assert_eq!(set.try_add("first", score(1e300), options.nx()), Ok(Added::Blocked));
    assert_eq!(set.try_add("first", score(1e300), options.lt()), Ok(Added::Blocked));
    set.check();
    assert_eq!((set.len(), set.as_listpack().as_bytes().len()), (3, 64));
    assert_eq!(set.remove("middle"), Some(score(9.0)));
    assert_eq!(set.try_insert("middle", score(2.0)), Ok(None));
}

#[test]
fn a_failed_write_leaves_the_set_unchanged_wherever_the_element_belongs() {
    for number in [-128.0, 1.5, 2.5, 1e-9, f64::NEG_INFINITY, f64::INFINITY] {
        for member in ["first", "middle"] {
            let mut set = full();
            let bytes = set.clone().into_listpack().into_storage();
            assert_eq!(set.try_insert(member, score(number)), Err(TryReserveError::BufferFull));
            assert_eq!(set.try_update(member, |_| score(number)), Err(TryReserveError::BufferFull));
            assert_eq!(set.try_add(member, score(number), AddOptions::new()), Err(FULL));
            assert_eq!(set.try_increment(member, 0.25), Err(FULL));
            assert_eq!(set.try_increment(member, f64::NAN), Err(IncrementError::Score(NanScore)));
            set.check();
            assert_eq!(set.into_listpack().into_storage(), bytes, "the whole array");
        }
    }
}

#[test]
fn a_buffer_without_room_stays_empty() {
    let mut set = PackedZSet::with_storage([0; 7]).unwrap();
    assert_eq!(set.try_insert("", score(0.0)), Err(TryReserveError::BufferFull));
    assert_eq!(set.try_increment("a", 1.0), Err(FULL));
    assert_eq!(set.try_add("a", score(1.0), AddOptions::new().gt()), Err(FULL));
    set.clear();
    set.retain(|_, _| unreachable!("the set is empty"));
    assert_eq!((set.len(), set.remove_range_by_rank(..)), (0, 0));
    assert_eq!(set.into_listpack().into_storage(), [7, 0, 0, 0, 0, 0, 0xFF]);
    assert!(PackedZSet::with_storage([0; 6]).is_err());
    assert!(PackedZSet::with_storage(&mut [][..]).is_err());
}

#[test]
fn freed_room_is_reused() {
    let mut set = full();
    assert_eq!(set.pop_first_with(|member, _| member.len()), Some(5));
    assert_eq!(set.try_insert("fourth", score(1.0)), Err(TryReserveError::BufferFull));
    assert_eq!(set.try_insert("fifth", score(1.0)), Ok(None));
    assert_eq!(set.pop_last_with(|member, _| member.len()), Some(34));
    set.try_insert("y".repeat(33), score(-2000.0)).unwrap();
    set.clear();
    set.try_insert("z".repeat(53), score(0.0)).unwrap();
    assert_eq!(set.as_listpack().as_bytes().len(), 64);
    set.check();
}
