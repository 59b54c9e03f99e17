//! Tests the standard traits and the serialization of delay queues.

use super::*;
use zset_std::delay_queue::{DrainJobs, IntoJobs, Jobs, PopDue};
use zset_std::shared_delay_queue::DeadLetter;
use zset_std::{DelayQueue, Lease};

#[test]
fn types_are_send_and_sync_if_their_parts_are() {
    fn is_send_and_sync<T: Send + Sync>() {}
    fn is_send<T: Send>() {}

    is_send_and_sync::<DelayQueue<String, String>>();
    is_send_and_sync::<Jobs<'_, String>>();
    is_send_and_sync::<IntoJobs<String>>();
    is_send_and_sync::<DrainJobs<'_, String>>();
    is_send_and_sync::<PopDue<'_, String>>();
    is_send_and_sync::<Lease<String>>();
    is_send_and_sync::<DeadLetter<String>>();
    // Only one thread at a time accesses a payload, so payloads need not be `Sync`.
    is_send_and_sync::<SharedDelayQueue<std::cell::Cell<u8>, String>>();
    is_send::<SharedDelayQueue<std::cell::Cell<u8>>>();
}

#[test]
fn queues_are_equal_if_their_jobs_and_order_are() {
    let queue: DelayQueue<_> = [("a", at(1)), ("b", at(2))].into_iter().collect();
    let mut other = DelayQueue::new();
    other.push_with_id(JobId::new(1), "b", at(2)).unwrap();
    assert_ne!(queue, other);
    other.push_with_id(JobId::new(0), "a", at(1)).unwrap();
    assert_eq!(queue, other);
    other.reschedule(&JobId::new(0), at(2));
    assert_ne!(queue, other);

    let mut extended = DelayQueue::default();
    extended.extend([("a", at(1)), ("b", at(2))]);
    assert_eq!(queue, extended);
    let text = format!("{queue:?}");
    assert!(text.starts_with("[Job { id: JobId(0), due: Timestamp(1), payload: \"a\" }"), "{text}");
    assert_eq!(format!("{:?}", queue.iter()), text);
    assert_eq!(format!("{:?}", extended.pop_due(9, at(9))), text);
}

#[test]
fn debug_of_a_duplicate_id_error_omits_the_payload() {
    let mut queue = DelayQueue::new();
    queue.push_with_id(1, "a", at(1)).unwrap();
    let error = queue.push_with_id(1, "b", at(2)).unwrap_err();
    assert_eq!(format!("{error:?}"), "DuplicateJob { .. }");
    assert_eq!(error.to_string(), "a job with this id is already in the queue");
}

#[test]
fn a_queue_converts_to_a_shared_queue_and_back() {
    let mut queue: DelayQueue<_> = [("a", at(1)), ("b", at(2))].into_iter().collect();
    let cancelled = queue.push("c", at(3));
    queue.cancel(&cancelled);
    let shared = SharedDelayQueue::from(queue.clone());
    shared.check_invariants();
    let id = shared.push("d", at(0)).unwrap();
    assert_ne!(id, cancelled, "ids are not reused");
    assert!(shared.cancel(&id).is_some());
    let text = format!("{shared:?}");
    assert!(text.starts_with("SharedDelayQueue { len: 2, leased: 0"), "{text}");
    assert_eq!(shared.into_queue(), queue);
}

#[cfg(feature = "serde")]
#[test]
fn loaded_jobs_may_come_in_any_order_but_ids_must_not_repeat() {
    let read = |second: u8| {
        let jobs =
            format!(r#"[{{"id":0,"due":9,"payload":1}},{{"id":{second},"due":3,"payload":2}}]"#);
        let text = format!(r#"{{"next_id":18446744073709551615,"jobs":{jobs}}}"#);
        serde_json::from_str::<DelayQueue<u8>>(&text)
    };
    let queue = read(1).unwrap();
    queue.check_invariants();
    assert!(queue.into_iter().map(|job| job.payload).eq([2, 1]));
    let error = read(0).unwrap_err();
    assert!(error.to_string().contains("the same id"), "{error}");
}
