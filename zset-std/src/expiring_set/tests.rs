//! Edge cases: times, budgets and caps; and serialization, which the set derives.

use std::string::ToString;
use std::time::Duration;

use super::{DeadlinePassed, ExpiringSet, InsertError};
use crate::Timestamp;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

#[test]
fn a_member_is_live_strictly_before_its_deadline() {
    let set = ExpiringSet::from([("a", at(5))]);
    for (now, is_live) in [(0, true), (4, true), (5, false), (6, false)] {
        let now = at(now);
        assert_eq!(set.contains("a", now), is_live);
        assert_eq!(set.iter(now).len(), usize::from(is_live));
        assert_eq!(set.live_len(now), usize::from(is_live));
        assert_eq!(set.clone().expire_due(1, now).len(), usize::from(!is_live));
        assert_eq!(set.clone().touch_until("a", at(9), now).unwrap().is_some(), is_live);
        assert_eq!(set.clone().insert_until("a", at(9), now).unwrap().is_some(), is_live);
        assert_eq!(set.clone().with_max_len(1).insert_until("b", at(9), now).is_err(), is_live);
    }
}

#[test]
fn the_first_and_last_timestamps_are_valid_deadlines() {
    let mut set = ExpiringSet::from([("never", Timestamp::ZERO), ("ever", Timestamp::MAX)]);
    assert!(!set.contains("never", Timestamp::ZERO));
    assert!(set.contains("ever", at(u64::MAX - 1)));
    assert!(set.expire_due(9, Timestamp::ZERO).eq([("never", Timestamp::ZERO)]));
    assert!(!set.contains("ever", Timestamp::MAX));
    assert!(set.expire_due(9, Timestamp::MAX).eq([("ever", Timestamp::MAX)]));
    assert_eq!(set.next_deadline(), None);
}

#[test]
fn swapped_times_are_an_error_and_change_nothing() {
    let mut set = ExpiringSet::from([("a", at(5))]);
    for (deadline, now) in [(3, 4), (4, 4)] {
        let (deadline, now) = (at(deadline), at(now));
        for member in ["a", "b"] {
            let error = InsertError::DeadlinePassed(member);
            assert_eq!(set.insert_until(member, deadline, now), Err(error));
            assert_eq!(set.insert(member, Duration::ZERO, now), Err(error));
            assert_eq!(set.touch_until(member, deadline, now), Err(DeadlinePassed));
            assert_eq!(set.touch(member, Duration::ZERO, now), Err(DeadlinePassed));
        }
        assert_eq!(
            set.extend([("c", at(9)), ("d", deadline)], now).unwrap_err().into_member(),
            "d"
        );
        assert_eq!(set.remove("c"), Some(at(9)));
    }
    assert_eq!(set, ExpiringSet::from([("a", at(5))]));
}

#[test]
fn a_time_to_live_counts_from_now() {
    let mut set = ExpiringSet::new();
    assert_eq!(set.insert("a", Duration::from_nanos(5), at(10)), Ok(None));
    assert_eq!(set.touch("a", Duration::from_nanos(1), at(14)), Ok(Some(at(15))));
    assert_eq!(set.deadline("a"), Some(at(15)));
    assert_eq!(set.touch("a", Duration::MAX, at(14)), Ok(Some(at(15))));
    assert_eq!(set.deadline("a"), Some(Timestamp::MAX));
    assert_eq!(set.remove("a"), Some(Timestamp::MAX));
    assert_eq!(set.touch("a", Duration::from_nanos(1), at(14)), Ok(None));
    // At `Timestamp::MAX`, no deadline can be later than now.
    let error = set.insert("b", Duration::MAX, Timestamp::MAX).unwrap_err();
    assert_eq!(error, InsertError::DeadlinePassed("b"));
}

#[test]
fn a_budget_of_zero_removes_nothing() {
    let mut set = ExpiringSet::from([("a", at(1))]);
    assert_eq!(set.expire_due(0, at(9)).next(), None);
    assert_eq!(set.len(), 1);
}

#[test]
fn a_dropped_iterator_keeps_the_remaining_elements() {
    let mut set = ExpiringSet::from([("a", at(1)), ("b", at(1)), ("c", at(1))]);
    let _ = set.expire_due(9, at(1));
    assert_eq!(set.len(), 3);
    assert_eq!(set.expire_due(9, at(1)).next(), Some(("a", at(1))));
    assert_eq!(set.len(), 2);
}

#[test]
fn a_clock_step_back_revives_only_members_not_yet_removed() {
    let mut set = ExpiringSet::from([("a", at(5)), ("b", at(6))]);
    assert_eq!(set.expire_due(1, at(9)).next(), Some(("a", at(5))));
    assert!(!set.contains("a", at(0)));
    assert!(set.contains("b", at(0)));
}

#[test]
fn a_set_without_room_rejects_and_returns_the_member() {
    let mut set = ExpiringSet::new().with_max_len(0);
    let full = set.insert_until("a".to_string(), Timestamp::MAX, at(0)).unwrap_err();
    assert_eq!(full.to_string(), "the set is full");
    assert_eq!(full.into_member(), "a");
}

#[test]
fn a_full_set_removes_only_as_many_expired_members_as_needed() {
    let mut set = ExpiringSet::from([("a", at(1)), ("b", at(2)), ("c", at(9))]).with_max_len(3);
    assert_eq!(set.insert_until("d", at(9), at(5)), Ok(None));
    assert_eq!((set.len(), set.deadline("a"), set.deadline("b")), (3, None, Some(at(2))));
    // An existing member needs no room, even if it has expired.
    assert_eq!(set.insert_until("b", at(9), at(5)), Ok(None));
    assert!(set.insert_until("e", at(9), at(5)).is_err());
    assert_eq!(set.insert_until("c", at(7), at(5)), Ok(Some(at(9))));
}

#[test]
fn members_beyond_a_cap_set_later_stay() {
    let mut set = ExpiringSet::from([("a", at(1)), ("b", at(2)), ("c", at(9))]).with_max_len(1);
    assert_eq!(set.len(), 3);
    assert!(set.insert_until("d", at(9), at(2)).is_err());
    assert_eq!(set.remove("c"), Some(at(9)));
    assert_eq!(set.insert_until("d", at(9), at(2)), Ok(None));
    assert_eq!(set.len(), 1);
}

#[cfg(feature = "serde")]
#[test]
fn round_trip() {
    let members = [((2, "a"), Timestamp::MAX), ((1, "b"), at(0)), ((1, "a"), at(0))];
    let set = ExpiringSet::from(members).with_max_len(2);
    let text = serde_json::to_string(&set).unwrap();
    let expected =
        r#"{"members":[[[1,"a"],0],[[1,"b"],0],[[2,"a"],18446744073709551615]],"max_len":2}"#;
    assert_eq!(text, expected);
    let mut back: ExpiringSet<(u32, &str)> = serde_json::from_str(&text).unwrap();
    assert_eq!(back, set);
    back.check_invariants();
    // The set is one above its cap, as before; the two expired members make room.
    assert_eq!(back.insert_until((3, "c"), at(9), at(0)), Ok(None));
    assert!(back.insert_until((4, "d"), at(9), at(0)).is_err());
}

#[cfg(feature = "serde")]
#[test]
fn a_repeated_member_is_an_error() {
    let text = r#"{"members":[["a",1],["b",2],["a",3]],"max_len":null}"#;
    let error =
        serde_json::from_str::<ExpiringSet<std::string::String>>(text).unwrap_err().to_string();
    assert!(error.contains("element 2 repeats"), "{error}");
}
