//! Jobs, leases and receipts, by the server's clock.

use std::thread::sleep;
use std::time::Duration;

use redis::aio::ConnectionManagerConfig;
use zset_redis::blocking::{self, Pool};
use zset_redis::delay_queue::Nacked;
use zset_redis::{AsyncConnection, DelayQueue, DelayQueueError};
use zset_std::{Clock, SystemClock, Timestamp};

use crate::servers::{Cluster, Kind, PATIENCE, Server};

const MINUTE: Duration = Duration::from_secs(60);

fn queue(server: &Server, name: &str) -> blocking::DelayQueue {
    blocking::DelayQueue::new(Pool::new(server.client()), name).with_deadline(PATIENCE)
}

/// Calls each method over a connection.
async fn awaited<C: AsyncConnection>(connection: C) {
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
fn awaited_over_each_kind_of_connection() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let Some(server) = Server::start(Kind::Redis) {
        runtime.block_on(async {
            let config = ConnectionManagerConfig::new().set_response_timeout(None);
            let client = server.client();
            awaited(client.get_connection_manager_with_config(config).await.unwrap()).await;
            server.ask("FLUSHALL");
            awaited(server.multiplexed().await).await;
        });
    }
    if let Some(server) = Server::start(Kind::Valkey) {
        runtime.block_on(async { awaited(server.multiplexed().await).await });
    }
    if let Some(cluster) = Cluster::start(Kind::Redis) {
        runtime.block_on(async {
            awaited(cluster.client().get_async_connection().await.unwrap()).await;
        });
    }
}

#[test]
fn a_lease_is_valid_until_another_worker_takes_the_job() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "leases");
    let short = Duration::from_millis(5);
    queue.push_with_id_after("a", "mail", Duration::ZERO).unwrap();
    let first = queue.lease(short).unwrap().unwrap();
    sleep(2 * short);
    // The lease has ended, but no worker has taken the job.
    queue.renew(&first, short).unwrap();
    sleep(2 * short);
    let second = queue.lease(MINUTE).unwrap().unwrap();
    assert_eq!((second.deliveries, &second.payload), (2, &first.payload));
    assert!(queue.lease(MINUTE).unwrap().is_none());
    for result in [
        queue.ack(&first),
        queue.nack(&first, short).map(drop),
        queue.renew(&first, short).map(drop),
    ] {
        assert!(matches!(result, Err(DelayQueueError::StaleLease)), "{result:?}");
    }
    queue.ack(&second).unwrap();
    // Pushing the same id again creates a new job.
    queue.push_with_id_after("a", "mail", Duration::ZERO).unwrap();
    let third = queue.lease(MINUTE).unwrap().unwrap();
    assert_eq!(third.deliveries, 1);
    assert!(matches!(queue.ack(&second), Err(DelayQueueError::StaleLease)));
    queue.ack(&third).unwrap();
    assert_eq!(queue.stats().unwrap().acknowledged, 2);
}

#[test]
fn jobs_due_at_the_same_time_are_delivered_in_the_order_of_their_pushes() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "order");
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
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(server) = Server::start(kind) else { continue };
        let queue = queue(&server, "ids");
        let give = |id: &str| queue.push_with_id_after(id, "given", MINUTE).unwrap();
        let assign = || queue.push_after("assigned", MINUTE).unwrap();
        give("2");
        let assigned = [assign(), assign(), assign()];
        for number in [0, 1].into_iter().chain(3..20) {
            give(&number.to_string());
        }
        let last = assign();
        assert_eq!(queue.len().unwrap(), 20 + 4);
        let mut all = assigned.to_vec();
        all.push(last.clone());
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
        // They are ids like others.
        assert!(queue.due(&last).unwrap().is_some() && queue.cancel(&last).unwrap().is_some());
        assert!(matches!(
            queue.push_with_id_after(&assigned[0], "", MINUTE),
            Err(DelayQueueError::DuplicateJob)
        ));
        // Other queues have others, so a job can be moved with its id.
        assert_ne!(
            self::queue(&server, "other").push_after("assigned", MINUTE).unwrap(),
            assigned[0]
        );
    }
}

#[test]
fn an_empty_queue_has_no_keys_but_its_counts_and_its_stream() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "}empty{");
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
    let queue = queue(&server, "late");
    let late = queue.push("mail", Timestamp::MAX);
    assert!(matches!(late, Err(DelayQueueError::TimeTooLate)), "{late:?}");
    queue.push_after("mail", Duration::MAX).unwrap();
    assert!(queue.lease(MINUTE).unwrap().is_none());
}

#[test]
fn all_calls_of_a_queue_at_a_time_are_at_that_time() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "at").with_max_deliveries(1.try_into().unwrap());
    let after = |minutes| Timestamp::ZERO.saturating_add(minutes * MINUTE);
    let (at_one, at_two) = (queue.at(after(1)), queue.at(after(2)));
    at_one.push_with_id_after("a", "", MINUTE).unwrap();
    assert_eq!(queue.due("a").unwrap(), Some(after(2)));
    assert_eq!(at_one.pop().unwrap(), None);
    assert_eq!(at_two.stats().unwrap().now, after(2));
    let lease = at_two.lease(MINUTE).unwrap().unwrap();
    assert_eq!(lease.until, after(3));
    assert_eq!(at_two.renew(&lease, 2 * MINUTE).unwrap(), after(4));
    assert_eq!(at_two.nack(&lease, MINUTE).unwrap(), Nacked::Dead);
    assert_eq!(queue.dead_letters(1).unwrap()[0].since, after(2));
    assert!(at_two.requeue("a", MINUTE).unwrap());
    // The latest time counts.
    assert_eq!(at_one.at(after(5)).reschedule_after("a", MINUTE).unwrap(), Some(after(3)));
    assert_eq!(queue.cancel("a").unwrap().unwrap().due, after(6));

    let too_late = queue.at(Timestamp::from_nanos(u64::MAX));
    assert!(matches!(too_late.push_after("b", MINUTE), Err(DelayQueueError::TimeTooLate)));
    assert!(matches!(too_late.len(), Err(DelayQueueError::TimeTooLate)));
    assert!(queue.is_empty().unwrap());
}
