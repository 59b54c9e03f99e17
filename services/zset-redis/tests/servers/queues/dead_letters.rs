//! Tests that dead letters are listed, requeued, purged and bounded.

use std::num::NonZeroU32;
use std::thread::sleep;
use std::time::Duration;

use zset_redis::DelayQueueError;
use zset_redis::blocking::DelayQueue;
use zset_redis::delay_queue::Nacked;

use super::MINUTE;
use crate::servers::{Kind, Server};

fn queue(server: &Server, name: &str) -> DelayQueue {
    server.queue(name).with_max_deliveries(NonZeroU32::MIN)
}

pub(super) fn bury(queue: &DelayQueue, id: &str) {
    queue.push_with_id_after(id, id, Duration::ZERO).unwrap();
    let lease = queue.lease(MINUTE).unwrap().unwrap();
    assert_eq!(queue.nack(&lease, Duration::ZERO).unwrap(), Nacked::Dead);
}

pub(super) fn ids(queue: &DelayQueue, most: u32) -> Vec<String> {
    let dead = queue.dead_letters(most).unwrap().into_iter();
    dead.map(|dead| String::from_utf8(dead.id).unwrap()).collect()
}

#[test]
fn dead_letters_are_listed_taken_requeued_and_purged() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "dead");
    for id in ["c", "b", "a", "d:1"] {
        bury(&queue, id);
    }
    assert_eq!(ids(&queue, 9), ["c", "b", "a", "d:1"]);
    assert!(queue.dead_letters(0).unwrap().is_empty());
    assert_eq!(queue.dead_letters(1).unwrap()[0].payload, b"c");

    assert!(queue.requeue("d:1", Duration::ZERO).unwrap());
    assert!(!queue.requeue("d:1", Duration::ZERO).unwrap());
    let lease = queue.lease(MINUTE).unwrap().unwrap();
    assert_eq!((&lease.payload[..], lease.deliveries), (&b"d:1"[..], 1));
    queue.ack(&lease).unwrap();

    queue.push_with_id_after("b", "another", MINUTE).unwrap();
    assert!(matches!(queue.requeue("b", Duration::ZERO), Err(DelayQueueError::DuplicateJob)));
    let full = queue.clone().with_max_len(1);
    assert!(matches!(full.requeue("a", Duration::ZERO), Err(DelayQueueError::QueueFull)));
    assert_eq!(ids(&queue, 9), ["c", "b", "a"]);

    let taken = queue.take_dead_letters(1).unwrap();
    assert_eq!((&taken[0].id[..], taken[0].deliveries), (&b"c"[..], 1));
    assert_eq!(queue.purge_dead_letters().unwrap(), 2);
    assert_eq!(queue.stats().unwrap().dead_letters, 0);
}

#[test]
fn dead_letters_are_bounded() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "bounded").with_max_dead_letters(2);
    for id in ["a", "b", "c"] {
        bury(&queue, id);
    }
    assert_eq!(ids(&queue, 9), ["b", "c"]);
    assert_eq!(queue.stats().unwrap().dropped_dead_letters, 1);
    // A new dead letter replaces an earlier one with the same id.
    bury(&queue, "b");
    assert_eq!(ids(&queue, 9), ["c", "b"]);
    assert_eq!(queue.stats().unwrap().dropped_dead_letters, 2);
    let none = queue.with_max_dead_letters(0);
    bury(&none, "d");
    assert!(ids(&none, 9).is_empty());
    assert_eq!(none.stats().unwrap().dropped_dead_letters, 5);
}

#[test]
fn a_job_after_hundreds_of_exhausted_ones_is_leased() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server, "behind");
    for number in 0..250 {
        queue.push_after(&number.to_string(), Duration::ZERO).unwrap();
        let _ = queue.lease(Duration::from_millis(1)).unwrap().unwrap();
    }
    sleep(Duration::from_millis(5));
    queue.push_after("last", Duration::ZERO).unwrap();
    let lease = queue.lease(MINUTE).unwrap().unwrap();
    assert_eq!(lease.payload, b"last");
    assert_eq!(queue.stats().unwrap().dead_letters, 250);
    assert_eq!(queue.len().unwrap(), 1);
}
