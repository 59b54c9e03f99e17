//! Edge cases: times, equal times, and dropped iterators.

use std::format;
use std::vec::Vec;

use super::{Schedule, Scheduled};
use crate::Timestamp;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn due(schedule: &mut Schedule<&'static str>, now: u64) -> Vec<&'static str> {
    schedule.activate_due(at(now)).map(|(id, _)| id).collect()
}

#[test]
fn an_id_is_due_at_exactly_its_time() {
    let mut schedule = Schedule::from([("a", at(5))]);
    assert_eq!(schedule.activate_due(at(4)).next(), None);
    assert_eq!(schedule.activate_due(at(5)).next(), Some(("a", at(5))));
}

#[test]
fn the_first_and_last_timestamps_are_valid_times() {
    let mut schedule = Schedule::from([("last", Timestamp::MAX), ("first", Timestamp::ZERO)]);
    assert_eq!(due(&mut schedule, 0), ["first"]);
    assert_eq!(due(&mut schedule, u64::MAX - 1), [""; 0]);
    assert_eq!(due(&mut schedule, u64::MAX), ["last"]);
    assert_eq!(schedule.next_at(), None);
}

#[test]
fn equal_times_are_in_scheduling_order_not_in_id_order() {
    let mut schedule = Schedule::from([("c", at(1)), ("a", at(1)), ("b", at(1))]);
    assert_eq!(due(&mut schedule, 1), ["c", "a", "b"]);
}

#[test]
fn an_id_keeps_its_place_unless_its_time_changes() {
    let ids = [("c", at(1)), ("a", at(1)), ("b", at(1))];
    let mut schedule = Schedule::from(ids);
    schedule.extend(ids);
    assert_eq!(schedule.reschedule("c", at(1)), Some(at(1)));
    assert!(schedule.iter().map(|(id, _)| *id).eq(["c", "a", "b"]));
    assert_eq!(schedule.schedule("c", at(2)), Scheduled::Moved { from: at(1) });
    assert_eq!(schedule.schedule("c", at(1)), Scheduled::Moved { from: at(2) });
    assert!(schedule.iter().map(|(id, _)| *id).eq(["a", "b", "c"]));
    schedule.check_invariants();
}

#[test]
fn late_ids_are_due_at_once_and_ids_can_be_scheduled_again() {
    let mut schedule = Schedule::from([("a", at(9))]);
    assert_eq!(due(&mut schedule, 10), ["a"]);
    schedule.schedule("b", at(3));
    assert_eq!(schedule.schedule("a", at(9)), Scheduled::New);
    assert_eq!(due(&mut schedule, 10), ["b", "a"]);
    assert_eq!(due(&mut schedule, 3), [""; 0], "the clock has stepped back");
}

#[test]
fn a_dropped_iterator_keeps_the_remaining_elements() {
    let mut schedule = Schedule::from([("a", at(1)), ("b", at(1)), ("c", at(1))]);
    let _ = schedule.activate_due(at(1));
    assert_eq!(schedule.len(), 3);
    assert_eq!(schedule.activate_due(at(1)).next(), Some(("a", at(1))));
    assert_eq!(schedule.activate_due(at(1)).len(), 2);
}

#[test]
fn the_schedule_can_change_between_single_activations() {
    let mut schedule = Schedule::from([("a", at(1)), ("b", at(2))]);
    let mut opened = Vec::new();
    while let Some((id, time)) = schedule.activate_due(at(2)).next() {
        opened.push(id);
        if time == at(1) {
            schedule.cancel("b");
            schedule.schedule("c", at(2));
        }
    }
    assert_eq!(opened, ["a", "c"]);
}

#[test]
fn upcoming_returns_at_most_the_requested_number() {
    let schedule = Schedule::from([("a", at(1))]);
    assert_eq!(schedule.upcoming(0).next(), None);
    assert_eq!(schedule.upcoming(usize::MAX).len(), 1);
}

#[test]
fn schedules_are_equal_if_their_ids_and_order_are() {
    let (a, b) = (("a", at(1)), ("b", at(1)));
    assert_eq!(Schedule::from([a, b]), Schedule::from([("c", at(0)), a, b]).without("c"));
    assert_ne!(Schedule::from([a, b]), Schedule::from([b, a]));
    assert_ne!(Schedule::from([a, b]), Schedule::from([a]));
}

impl Schedule<&'static str> {
    fn without(mut self, id: &str) -> Self {
        self.cancel(id);
        self
    }
}

#[test]
fn the_owning_iterator_has_an_exact_length() {
    let mut upcoming = Schedule::from([(1, Timestamp::MAX), (2, Timestamp::ZERO)]).into_iter();
    assert_eq!((upcoming.len(), upcoming.size_hint()), (2, (2, Some(2))));
    assert_eq!(format!("{upcoming:?}"), "IntoUpcoming { len: 2, .. }");
    assert_eq!(upcoming.next(), Some((2, Timestamp::ZERO)));
    assert_eq!(upcoming.len(), 1);
}
