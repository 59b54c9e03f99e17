//! Cursors: the gap, and the position of a cursor after each change.

use zset_core::listpack::{Storage, Value};
use zset_core::{Listpack, TryReserveError};

const FULL: Result<(), TryReserveError> = Err(TryReserveError::BufferFull);

fn list_of<const N: usize>(entries: [&str; N]) -> Listpack<Vec<u8>> {
    let mut list = Listpack::new();
    for entry in entries {
        list.try_push_back(entry).unwrap();
    }
    list
}

fn is<B: Storage>(list: &Listpack<B>, texts: &[&str]) {
    assert!(list.iter().eq(texts.iter().map(|text| Value::of(text.as_bytes()))), "{list:?}");
    list.check();
}

#[test]
fn an_empty_list_has_only_the_gap() {
    for mut list in [Listpack::new(), Listpack::with_storage(vec![1, 2, 3]).unwrap()] {
        for mut cursor in [list.cursor_front(), list.cursor_back()] {
            for _ in 0..3 {
                assert_eq!(cursor.current(), None);
                cursor.move_next();
                assert_eq!(cursor.current(), None);
                cursor.move_prev();
            }
        }
        let mut cursor = list.cursor_back_mut();
        assert_eq!(cursor.try_replace("a"), Ok(false));
        assert!(!cursor.remove());
        assert!(list.is_empty());
        assert_eq!(list.remove_range(..), 0);
        assert_eq!(list.iter().next_back(), None);
        assert_eq!(list.range(..).next(), None);
        assert_eq!(list.cursor_at(0).current(), None);
        assert_eq!(list.cursor_at_mut(7).current(), None);
        assert!(list.find("", 0).is_none() && list.find_mut("", 5).is_none());
    }
}

#[test]
fn inserting_at_the_gap_appends_or_prepends_and_stays_there() {
    let mut list = Listpack::new();
    let mut cursor = list.cursor_front_mut();
    cursor.try_insert_before("b").unwrap();
    assert_eq!(cursor.current(), None);
    cursor.try_insert_after("a").unwrap();
    assert_eq!(cursor.current(), None);
    cursor.try_insert_before("c").unwrap();
    assert_eq!(cursor.current(), None);
    cursor.move_prev();
    assert_eq!(cursor.current(), Some(Value::Bytes(b"c")));
    is(&list, &["a", "b", "c"]);
}

#[test]
fn inserting_keeps_the_cursor_at_its_entry() {
    let mut list = list_of(["b"]);
    let mut cursor = list.cursor_front_mut();
    cursor.try_insert_before("a").unwrap();
    assert_eq!(cursor.current(), Some(Value::Bytes(b"b")));
    cursor.try_insert_after("c").unwrap();
    assert_eq!(cursor.current(), Some(Value::Bytes(b"b")));
    cursor.move_next();
    assert_eq!(cursor.current(), Some(Value::Bytes(b"c")));
    is(&list, &["a", "b", "c"]);
}

#[test]
fn replacing_moves_the_cursor_to_the_new_entry() {
    let long = "x".repeat(if cfg!(miri) { 200 } else { 20_000 });
    for new in ["", "b", "7", "-70000", &long] {
        for at in 0..3 {
            let mut list = list_of(["a", "bb", "300"]);
            let mut expected = ["a", "bb", "300"];
            expected[at] = new;
            let mut cursor = list.cursor_front_mut();
            (0..at).for_each(|_| cursor.move_next());
            assert_eq!(cursor.try_replace(new), Ok(true));
            assert_eq!(cursor.current(), Some(Value::of(new.as_bytes())));
            is(&list, &expected);
        }
    }
}

#[test]
fn removing_moves_the_cursor_to_the_next_entry_or_the_gap() {
    let mut list = list_of(["a", "2", "c"]);
    let mut cursor = list.cursor_front_mut();
    cursor.move_next();
    assert!(cursor.remove());
    assert_eq!(cursor.current(), Some(Value::Bytes(b"c")));
    assert!(cursor.remove());
    assert_eq!(cursor.current(), None);
    assert!(!cursor.remove());
    cursor.move_next();
    assert_eq!(cursor.current(), Some(Value::Bytes(b"a")));
    assert!(cursor.remove());
    assert!(list.is_empty());
    assert_eq!(list.as_bytes(), Listpack::new().as_bytes());
}

#[test]
fn find_returns_the_first_match_among_visited_entries() {
    let list = list_of(["x", "5", "5", "x", "5", "5"]);
    let behind = |skip| {
        let mut cursor = list.find("5", skip)?;
        let mut left = 0;
        while cursor.current().is_some() {
            cursor.move_next();
            left += 1;
        }
        Some(6 - left)
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(behind), [Some(1), Some(2), None, Some(4), Some(5), None]);
    assert_eq!(behind(usize::MAX), None);
    assert_eq!(list.find(5, 0).map(|cursor| cursor.current()), Some(Some(Value::Integer(5))));
    assert!(list.find("x", usize::MAX).is_some(), "the first entry is always visited");
}

#[test]
fn decimal_text_is_stored_as_an_integer() {
    let mut list = Listpack::new();
    list.try_push_back(Value::Bytes(b"5")).unwrap();
    list.try_push_back("5").unwrap();
    assert!(list.iter().eq([Value::Integer(5), Value::Integer(5)]));
    list.check();
}

#[test]
fn an_integer_stored_as_text_by_another_writer_is_found() {
    let list = Listpack::from_bytes(*b"\x0C\0\0\0\x02\0\x06\x01\x815\x02\xFF").unwrap();
    assert!(list.iter().eq([Value::Integer(6), Value::Bytes(b"5")]));
    for value in [Value::Integer(5), Value::Bytes(b"5")] {
        assert_eq!(list.find(value, 0).unwrap().current(), Some(Value::Bytes(b"5")));
    }
}

#[test]
fn a_failed_write_leaves_the_list_and_the_cursor_unchanged() {
    // Leaves room for one more byte.
    let mut list = Listpack::with_storage([0; 14]).unwrap();
    list.try_push_back("ab").unwrap();
    list.try_push_back(1).unwrap();
    list.cursor_back_mut().try_insert_before(1).unwrap_err();
    let before = list.as_bytes().to_vec();
    assert_eq!(list.try_push_back(1), FULL);
    assert_eq!(list.try_push_front(""), FULL);
    let mut cursor = list.cursor_front_mut();
    assert_eq!(cursor.try_insert_after("long enough"), FULL);
    assert_eq!(cursor.try_insert_before(i64::MAX), FULL);
    assert_eq!(cursor.try_replace("abcd").unwrap_err(), TryReserveError::BufferFull);
    assert_eq!(cursor.current(), Some(Value::Bytes(b"ab")));
    cursor.move_prev();
    assert_eq!(cursor.try_insert_after(-1), FULL);
    assert_eq!(cursor.try_insert_before(-1), FULL);
    assert_eq!(cursor.current(), None);
    assert_eq!(list.as_bytes(), before);
    // A text that fits exactly is accepted.
    assert_eq!(list.cursor_front_mut().try_replace("abc"), Ok(true));
    assert_eq!(list.as_bytes().len(), 14);
    list.check();
}

#[test]
fn debug_of_lists_and_cursors_shows_entries() {
    let mut list = list_of(["a\n", "-17"]);
    assert_eq!(format!("{list:?}"), r#"["a\n", -17]"#);
    assert_eq!(format!("{:?}", list.iter()), r#"["a\n", -17]"#);
    assert_eq!(format!("{:?}", list.cursor_back()), "Cursor(Some(-17))");
    assert_eq!(format!("{:?}", list.cursor_front_mut()), r#"CursorMut(Some("a\n"))"#);
    assert_eq!(format!("{:?}", Listpack::new().cursor_front()), "Cursor(None)");
}

#[test]
fn lists_are_equal_if_their_bytes_are() {
    let list = list_of(["a", "1"]);
    let mut other = Listpack::with_storage([0; 50]).unwrap();
    assert_ne!(list, other);
    other.try_push_back(1).unwrap();
    other.try_push_front("a").unwrap();
    assert_eq!(list, other);
    assert_eq!(list, list.clone());
    assert_eq!(Listpack::default(), Listpack::new());
    assert!(list.into_iter().eq(&other));
}
