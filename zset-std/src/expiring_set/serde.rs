//! Tests of serialization; the set derives it.

use super::ExpiringSet;
use crate::Timestamp;

#[test]
fn what_was_written_is_read_back() {
    let at = Timestamp::from_nanos;
    let members = [((2, "a"), Timestamp::MAX), ((1, "b"), at(0)), ((1, "a"), at(0))];
    let set = ExpiringSet::from_iter(members).with_max_len(2);
    let text = serde_json::to_string(&set).unwrap();
    let expected =
        r#"{"members":[[[1,"a"],0],[[1,"b"],0],[[2,"a"],18446744073709551615]],"max_len":2}"#;
    assert_eq!(text, expected);
    let mut back: ExpiringSet<(u32, &str)> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, set);
    back.check_invariants();
    // It has one more than its cap, as before; the expired two make room.
    assert_eq!(back.insert((3, "c"), at(9), at(0)), Ok(None));
    assert!(back.insert((4, "d"), at(9), at(0)).is_err());
}

#[test]
fn a_member_that_is_there_twice_is_an_error() {
    let text = r#"{"members":[["a",1],["b",2],["a",3]],"max_len":null}"#;
    let error = serde_json::from_str::<ExpiringSet<String>>(text).unwrap_err().to_string();
    assert!(error.contains("pair 2 repeats"), "{error}");
}
