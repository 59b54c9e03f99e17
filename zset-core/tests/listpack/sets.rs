//! Tests listpacks that are adopted as sorted sets, and the errors for those that are rejected.

use zset_core::redis::listpack::Value;
use zset_core::redis::packed_zset::PackedZSetError;
use zset_core::{Listpack, PackedZSet, Score, TryReserveError};

use PackedZSetError::{DuplicateMember, Nan, NotAscending, OddLength, Score as NoScore, Text};

/// Creates a listpack of strings; decimal integers are stored as integers.
fn list_of(entries: &[&str]) -> Listpack<Vec<u8>> {
    let mut list = Listpack::new();
    for entry in entries {
        list.try_push_back(*entry).unwrap();
    }
    list
}

fn refused(list: Listpack<Vec<u8>>) -> Option<PackedZSetError> {
    PackedZSet::from_listpack(list).err()
}

#[test]
fn each_error_has_its_variant_and_rank() {
    let cases: [(&[&str], PackedZSetError); 23] = [
        (&["a"], OddLength),
        (&["a", "1", "b"], OddLength),
        (&["a", "x"], NoScore { rank: 0 }),
        (&["a", ""], NoScore { rank: 0 }),
        (&["a", "1", "b", "2 "], NoScore { rank: 1 }),
        (&["a", "1", "b", "2,5"], NoScore { rank: 1 }),
        (&["a", "1", "b", "\u{661}"], NoScore { rank: 1 }),
        (&["a", "nan"], Nan { rank: 0 }),
        (&["a", "1", "b", "-NaN"], Nan { rank: 1 }),
        (&["b", "1", "a", "1"], NotAscending { rank: 1 }),
        (&["a", "2", "b", "1"], NotAscending { rank: 1 }),
        (&["a", "1", "b", "inf", "c", "2"], NotAscending { rank: 2 }),
        (&["a", "1", "b", "2", "9", "3", "10", "3"], NotAscending { rank: 3 }),
        (&["aa", "0", "a", "0"], NotAscending { rank: 1 }),
        (&["a", "1.5", "b", "1.25"], NotAscending { rank: 1 }),
        (&["a", "1", "a", "1"], DuplicateMember { rank: 1 }),
        (&["a", "1", "b", "2", "a", "3"], DuplicateMember { rank: 2 }),
        (&["7", "1", "b", "2", "7", "3"], DuplicateMember { rank: 2 }),
        (&["", "1", "", "2"], DuplicateMember { rank: 1 }),
        // A member equal to an earlier score is not a duplicate.
        (&["a", "1", "1", "2", "2", "3", "a", "4"], DuplicateMember { rank: 3 }),
        // If there are several errors, the first one is reported.
        (&["a", "x", "b", "nan", "c"], NoScore { rank: 0 }),
        (&["b", "1", "a", "1", "c", "x"], NotAscending { rank: 1 }),
        (&["a", "1", "a", "0"], DuplicateMember { rank: 1 }),
    ];
    for (entries, error) in cases {
        assert_eq!(refused(list_of(entries)), Some(error), "{entries:?}");
        assert!(!error.to_string().is_empty());
    }
}

#[test]
fn an_integer_stored_as_a_string_is_not_a_valid_member() {
    for text in ["0", "5", "-17", "9223372036854775807", "-9223372036854775808"] {
        // Writes a placeholder of the same length, then overwrites it with digits, which are still
        // encoded as a string.
        let other = "x".repeat(text.len());
        let mut bytes = list_of(&["!", "-1", &other, "3"]).into_storage();
        let at = bytes.len() - text.len() - 4;
        bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        let list = Listpack::from_bytes(bytes).unwrap();
        assert_eq!(refused(list), Some(Text { rank: 1 }), "{text}");
    }
    for text in ["-0", "00", "007", "+5", "9223372036854775808"] {
        assert_eq!(refused(list_of(&["!", "-1", text, "3"])), None);
    }
}

#[test]
fn a_score_may_be_any_numeric_text() {
    let cases = [
        ("-Infinity", f64::NEG_INFINITY),
        ("-1E3", -1000.0),
        ("-0", 0.0),
        ("0", 0.0),
        (".5", 0.5),
        ("0.30000000000000004e1", 3.000_000_000_000_000_4),
        ("5.", 5.0),
        ("17", 17.0),
        ("1e2", 100.0),
        ("+INF", f64::INFINITY),
    ];
    let mut list = Listpack::new();
    for (member, (text, _)) in (0..).zip(cases) {
        list.try_push_back(member).unwrap();
        list.try_push_back(Value::Bytes(text.as_bytes())).unwrap();
    }
    let set = PackedZSet::from_listpack(list).unwrap();
    set.check();
    assert!(set.iter().map(|(_, score)| score.get()).eq(cases.map(|(_, score)| score)));
    assert_eq!(set.score("2").map(|score| score.get().to_bits()), Some(0), "-0 is 0");
}

/// A server may write scores with 17 digits, and integers above the precision of an `f64`.
#[test]
fn scores_in_other_formats_are_kept_until_they_change() {
    let mut list = list_of(&["a", "0.10000000000000001", "b", "3.0000000000000001e+05"]);
    list.try_push_back("c").unwrap();
    list.try_push_back(i64::MAX).unwrap();
    let bytes = list.as_bytes().to_vec();
    let mut set = PackedZSet::from_listpack(list).unwrap();
    assert_eq!(set.as_listpack().as_bytes(), bytes);
    let scores = ["a", "b", "c"].map(|member| set.score(member).map(Score::get));
    assert_eq!(scores, [Some(0.1), Some(300_000.0), Some(9_223_372_036_854_775_808.0)]);

    let score = set.score("a").unwrap();
    assert_eq!(set.try_insert("a", score), Ok(Some(score)));
    assert_eq!(set.as_listpack().as_bytes(), bytes, "an equal score changes nothing");
    set.try_insert("a", Score::from(1)).unwrap();
    set.try_insert("a", score).unwrap();
    let kept = &bytes[bytes.len() - 30..];
    assert!(set.as_listpack().as_bytes().ends_with(kept));
    assert_eq!(set.as_listpack().get(1), Some(Value::Bytes(b"0.1")));
    set.check();
}

#[test]
fn a_set_is_adopted_from_every_kind_of_storage() {
    let list = list_of(&["a", "1", "12", "2.5", "b", "3"]);
    let mut buffer = [0; 64];
    buffer[..list.as_bytes().len()].copy_from_slice(list.as_bytes());
    let array = PackedZSet::from_listpack(Listpack::from_bytes(buffer).unwrap()).unwrap();
    let borrowed = Listpack::from_bytes(&mut buffer[..]).unwrap();
    let mut borrowed = PackedZSet::from_listpack(borrowed).unwrap();
    let vector = PackedZSet::from_listpack(list).unwrap();
    assert_eq!(array, vector);
    assert_eq!(borrowed, vector);
    borrowed.try_insert("c", Score::from(4)).unwrap();
    assert_ne!(borrowed, vector);
    borrowed.check();
    assert_eq!(borrowed.into_listpack().len(), 8);
    assert!(PackedZSet::from_listpack(Listpack::new()).unwrap().is_empty());
    assert!(PackedZSet::from_listpack(Listpack::with_array([0xFF; 7])).unwrap().is_empty());
}

#[test]
fn an_array_that_was_never_written_is_an_empty_listpack() {
    const EMPTY: [u8; 7] = [7, 0, 0, 0, 0, 0, 0xFF];
    let list = Listpack::with_array([0; 32]);
    assert_eq!((list.as_bytes(), list.len(), list.is_empty()), (&EMPTY[..], 0, true));
    assert!(list.iter().next().is_none() && list.iter().next_back().is_none());
    let mut other = list.clone();
    other.clear();
    assert_eq!(other, list);
    other.try_push_back("a").unwrap();
    assert_eq!(other.as_bytes(), b"\x0A\0\0\0\x01\0\x81a\x02\xFF");

    // The storage of an empty list is a valid listpack.
    let storage = list.into_storage();
    assert_eq!(storage[..7], EMPTY);
    assert!(Listpack::from_bytes(storage).unwrap().is_empty());
    assert!(Listpack::from_bytes([0; 32]).is_err());

    let mut set = PackedZSet::with_array([0xFF; 32]);
    set.check();
    assert_eq!((set.len(), set.score("a"), set.rank("a")), (0, None, None));
    assert_eq!(set.pop_first_with(|_, score| score), None);
    assert_eq!(set.remove_range_by_rank(..), 0);
    set.try_insert("a", Score::from(1)).unwrap();
    set.check();
    assert_eq!(set.score("a"), Some(Score::from(1)));
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
fn a_failed_write_leaves_the_list_unchanged() {
    // After these entries, the buffer has room for only one more byte.
    let mut list = Listpack::with_storage([0; 14]).unwrap();
    list.try_push_back("ab").unwrap();
    list.try_push_back(1).unwrap();
    let before = list.as_bytes().to_vec();
    for text in ["", "1", "long enough"] {
        assert_eq!(list.try_push_back(text), Err(TryReserveError::BufferFull));
        assert_eq!(list.as_bytes(), before);
    }
    list.check();
}

#[test]
fn the_size_hint_of_entries_depends_on_their_bytes() {
    let list = list_of(&["a\n", "-17"]);
    assert_eq!(list.iter().size_hint(), (1, Some(3)), "7 bytes are at most 3 entries");
}

#[test]
fn lists_are_equal_if_their_bytes_are() {
    let list = list_of(&["a", "1"]);
    let mut other = Listpack::with_storage([0; 50]).unwrap();
    assert_ne!(list, other);
    other.try_push_back("a").unwrap();
    other.try_push_back(1).unwrap();
    assert_eq!(list, other);
    assert_eq!(list, list.clone());
    assert_eq!(Listpack::default(), Listpack::new());
    assert!(list.into_iter().eq(&other));
}
