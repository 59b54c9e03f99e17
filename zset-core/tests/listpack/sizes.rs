//! Tests lists at the limits of the format: with more entries than the header can count, with long
//! strings, and in the smallest buffers.

use zset_core::redis::listpack::Value;
use zset_core::{Listpack, PackedZSet, Score, TryReserveError};

use crate::naive::{self, Entry};
use crate::values::entries;

#[test]
#[cfg_attr(miri, ignore = "100000 entries take minutes under Miri")]
fn more_entries_than_the_header_can_count() {
    let mut list = Listpack::new();
    let mut expected = Vec::new();
    for i in 0..70_000 {
        list.try_push_back(i).unwrap();
        expected.push(Entry::Integer(i));
        if [65_533, 65_534, 65_535, 65_536, 69_999].contains(&i) {
            list.check();
            assert_eq!(list.as_bytes(), naive::listpack(&expected));
            assert_eq!(list.len(), expected.len());
        }
    }
    assert_eq!(list.as_bytes()[4..6], [0xFF, 0xFF]);
    assert_eq!(entries(&list), expected);
    assert_eq!(list.iter().rev().count(), 70_000);
    for index in [0, 1, 34_999, 35_000, 65_535, 69_999] {
        assert_eq!(list.get(index), Some(Value::Integer(index.try_into().unwrap())));
    }
    assert_eq!(list.get(70_000), None);
    let copy = Listpack::from_bytes(list.as_bytes().to_vec()).unwrap();
    assert_eq!(copy.len(), 70_000);
    list.clear();
    assert!(list.is_empty());
    list.check();
    list.try_push_back(1).unwrap();
    assert_eq!(list.len(), 1);
}

/// The header of a listpack of any size may state that its entries must be counted.
#[test]
fn a_set_with_more_members_than_its_header_can_count() {
    let mut list = Listpack::new();
    for i in 0..if cfg!(miri) { 10 } else { 200_i64 } {
        list.try_push_back(i).unwrap();
        list.try_push_back(i).unwrap();
    }
    let len = list.len() / 2;
    let mut bytes = list.into_storage();
    bytes[4..6].copy_from_slice(&[0xFF, 0xFF]);
    let mut set = PackedZSet::from_listpack(Listpack::from_bytes(bytes).unwrap()).unwrap();
    assert_eq!((set.len(), set.iter().len()), (len, len));
    assert_eq!((set.rank("9"), set.rev_rank("9")), (Some(9), Some(len - 10)));
    assert_eq!(set.get_by_rank(7).map(|(_, score)| score), Some(Score::from(7)));
    assert_eq!(set.range_by_rank(3..).len(), len - 3);
    set.try_insert("new", Score::from(5)).unwrap();
    set.try_insert("9", Score::from(-1)).unwrap();
    assert_eq!(set.as_listpack().as_bytes()[4..6], [0xFF, 0xFF]);
    assert_eq!((set.len(), set.rank("9"), set.rank("new")), (len + 1, Some(0), Some(7)));
    set.check();
    // A removal recounts the entries, so the header has the exact count afterwards.
    assert_eq!(set.remove_range_by_rank(..2), 2);
    assert_ne!(set.as_listpack().as_bytes()[4..6], [0xFF, 0xFF]);
    assert_eq!((set.len(), set.iter().len()), (len - 1, len - 1));
    set.check();
}

#[test]
fn long_texts_beside_short_ones() {
    let lens: &[usize] = if cfg!(miri) {
        &[127, 128, 300]
    } else {
        &[4096, 16_377, 16_378, 16_384, 70_000, 1 << 21]
    };
    for &len in lens {
        let text = vec![b'7'; len];
        let mut list = Listpack::new();
        list.try_push_back("a").unwrap();
        list.try_push_back(text.as_slice()).unwrap();
        list.try_push_back(-1).unwrap();
        list.check();
        let expected = [Entry::of(b"a"), Entry::Text(text.clone()), Entry::Integer(-1)];
        assert!(list.as_bytes() == naive::listpack(&expected));
        assert!(entries(&list) == expected);
        assert_eq!(list.iter().rev().count(), 3);
        assert_eq!(list.get(2), Some(Value::Integer(-1)));
    }
}

#[test]
fn a_buffer_can_be_filled_to_the_last_byte() {
    for len in (0..40).step_by(if cfg!(miri) { 3 } else { 1 }) {
        let mut buffer = vec![0xEE; len + 5];
        let (storage, behind) = buffer.split_at_mut(len);
        let Ok(mut list) = Listpack::with_storage(storage) else {
            assert!(len < 7);
            continue;
        };
        assert!(len >= 7);
        let mut pushed = 0;
        while list.try_push_back("abc").is_ok() {
            pushed += 1;
            list.check();
        }
        assert_eq!(pushed, (len - 7) / 5);
        let before = list.as_bytes().to_vec();
        let room = len - before.len();
        for text in ["", "x", "xy", "xyz", "7", "-1", "5000"] {
            let needed = naive::entry(&Entry::of(text.as_bytes())).len();
            if needed > room {
                assert_eq!(list.try_push_back(text), Err(TryReserveError::BufferFull), "{len}");
                assert_eq!(list.as_bytes(), before);
            } else {
                let mut storage = vec![0; len];
                storage[..before.len()].copy_from_slice(&before);
                let mut copy = Listpack::from_bytes(&mut storage[..]).unwrap();
                copy.try_push_back(text).unwrap();
                assert_eq!(copy.as_bytes().len(), before.len() + needed);
            }
        }
        assert!(behind.iter().all(|&byte| byte == 0xEE));
    }
}

#[test]
fn a_vector_grows_and_shrinks() {
    let mut list = Listpack::new();
    let len = if cfg!(miri) { 20 } else { 300 };
    for i in 0..len {
        list.try_push_back(i).unwrap();
    }
    let capacity = list.clone().into_storage().capacity();
    assert!(capacity >= list.as_bytes().len());
    let total = list.as_bytes().len();
    list.shrink_to_fit();
    let storage = list.into_storage();
    assert_eq!((storage.len(), storage.capacity()), (total, total));
}
