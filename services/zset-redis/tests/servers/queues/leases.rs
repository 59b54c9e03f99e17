//! Tests of jobs, leases and receipts, by the server's clock.

use std::collections::HashSet;
use std::time::Duration;

use zset_redis::delay_queue::Nacked;
use zset_redis::{AsyncConnection, DelayQueue, DelayQueueError};
use zset_std::{Clock, SystemClock, Timestamp};

use super::MINUTE;
use crate::servers::{Kind, PATIENCE, Server};

/// Calls most methods over an asynchronous connection.
pub(crate) async fn awaited<C: AsyncConnection>(connection: C) {
    let queue = DelayQueue::new(connection, "awaited").with_max_len(3).with_deadline(PATIENCE);
    let id = queue.push_after("first", Duration::ZERO).await.unwrap();
    queue.push_with_id_after("b", "second", Duration::ZERO).await.unwrap();
    queue.push_with_id("c", "third", SystemClock.now()).await.unwrap();
    let again = queue.push_with_id("c", "third", SystemClock.now()).await;
    assert!(matches!(again, Err(DelayQueueError::DuplicateJob)));
    let full = queue.push("fourth", SystemClock.now()).await;
    assert!(matches!(full, Err(DelayQueueError::QueueFull)));

    let first = queue.lease(MINUTE).await.unwrap().unwrap();
    assert_eq!((&first.id[..], &first.payload[..]), (id.as_bytes(), &b"first"[..]));
    let until = queue.renew(&first, 2 * MINUTE).await.unwrap();
    assert!(until > first.until);
    assert_eq!(queue.due(&id).await.unwrap(), Some(until));
    queue.ack(&first).await.unwrap();
    assert!(matches!(queue.ack(&first).await, Err(DelayQueueError::StaleLease)));

    let second = queue.lease(MINUTE).await.unwrap().unwrap();
    let nacked = queue.nack(&second, MINUTE).await.unwrap();
    assert_eq!(nacked, Nacked::Requeued { due: queue.due("b").await.unwrap().unwrap() });
    assert!(matches!(queue.renew(&second, MINUTE).await, Err(DelayQueueError::StaleLease)));
    assert_eq!(queue.pop().await.unwrap().unwrap().payload, b"third");
    assert_eq!(queue.pop().await.unwrap(), None);
    queue.reschedule_after("b", Duration::ZERO).await.unwrap().unwrap();
    assert_eq!(queue.reschedule_after("x", Duration::ZERO).await.unwrap(), None);
    let second = queue.lease(MINUTE).await.unwrap().unwrap();
    assert_eq!(second.deliveries, 1);
    assert_eq!(queue.next_due().await.unwrap(), Some(second.until));
    assert_eq!(queue.cancel("b").await.unwrap().unwrap().payload, b"second");
    assert!(matches!(queue.nack(&second, MINUTE).await, Err(DelayQueueError::StaleLease)));

    queue.push_after("last", MINUTE).await.unwrap();
    assert_eq!(queue.at(Timestamp::ZERO).pop().await.unwrap(), None);
    assert_eq!(queue.clear().await.unwrap(), 1);
    assert_eq!(queue.len().await.unwrap(), 0);
    let stats = queue.stats().await.unwrap();
    assert_eq!((stats.pushed, stats.delivered, stats.acknowledged), (4, 3, 1));
}

#[test]
fn jobs_due_at_the_same_time_are_delivered_in_the_order_of_their_pushes() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = server.queue("order");
    let due = Timestamp::ZERO;
    for number in (0..20).rev() {
        queue.push_with_id(&number.to_string(), "", due).unwrap();
    }
    for number in (0..20).rev() {
        assert_eq!(queue.pop().unwrap().unwrap().id, number.to_string().as_bytes());
    }
}

#[test]
fn an_assigned_id_is_none_that_a_caller_gives() {
    for server in Server::of_each_kind() {
        let queue = server.queue("ids");
        let give = |id: &str| queue.push_with_id_after(id, "given", MINUTE).unwrap();
        let assign = || queue.push_after("assigned", MINUTE).unwrap();
        give("2");
        let assigned = [assign(), assign(), assign()];
        for number in [0, 1].into_iter().chain(3..20) {
            give(&number.to_string());
        }
        let last = assign();
        assert_eq!(queue.len().unwrap(), 20 + 4);
        assert_eq!(assigned.iter().chain([&last]).collect::<HashSet<_>>().len(), 4);
        // The server assigned these ids, but they are accepted like any other.
        assert!(queue.due(&last).unwrap().is_some() && queue.cancel(&last).unwrap().is_some());
        let again = queue.push_with_id_after(&assigned[0], "", MINUTE);
        assert!(matches!(again, Err(DelayQueueError::DuplicateJob)), "{again:?}");
        // Another queue assigns different ids, so a job can be moved there and keep its id.
        let other = server.queue("other").push_after("assigned", MINUTE).unwrap();
        assert_ne!(other, assigned[0]);
    }
}

#[test]
fn an_empty_queue_has_no_keys_but_its_counts_and_its_stream() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = server.queue("}empty{");
    queue.push_after("mail", Duration::ZERO).unwrap();
    let lease = queue.lease(MINUTE).unwrap().unwrap();
    queue.ack(&lease).unwrap();
    let mut keys: Vec<String> =
        redis::cmd("KEYS").arg("*").query(&mut server.connection()).unwrap();
    keys.sort();
    assert_eq!(keys, ["queue:{%7Dempty%7B}:counts", "queue:{%7Dempty%7B}:wake"]);
}

#[test]
fn a_time_beyond_142_years_is_an_error() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = server.queue("late");
    let late = queue.push("mail", Timestamp::MAX);
    assert!(matches!(late, Err(DelayQueueError::TimeTooLate)), "{late:?}");
    queue.push_after("mail", Duration::MAX).unwrap();
    assert!(queue.lease(MINUTE).unwrap().is_none());
}

#[test]
fn all_calls_of_a_queue_at_a_time_are_at_that_time() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = server.queue("at");
    let after = |minutes| Timestamp::ZERO.saturating_add(minutes * MINUTE);
    let at_one = queue.at(after(1));
    at_one.push_with_id_after("a", "", MINUTE).unwrap();
    assert_eq!(at_one.pop().unwrap(), None);
    assert_eq!(at_one.stats().unwrap().now, after(1));
    // If `at` is called twice, the last call sets the time.
    assert_eq!(at_one.at(after(5)).reschedule_after("a", MINUTE).unwrap(), Some(after(2)));
    assert_eq!(queue.cancel("a").unwrap().unwrap().due, after(6));

    let too_late = queue.at(Timestamp::from_nanos(u64::MAX));
    assert!(matches!(too_late.push_after("b", MINUTE), Err(DelayQueueError::TimeTooLate)));
    assert!(matches!(too_late.len(), Err(DelayQueueError::TimeTooLate)));
    assert!(queue.is_empty().unwrap());
}
