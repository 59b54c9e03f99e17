//! Tests that a queue works after keys or entries of keys were deleted, and that a key of another
//! type is an error.

use std::num::NonZeroU32;
use std::thread::sleep;
use std::time::Duration;

use zset_redis::blocking::DelayQueue;
use zset_redis::{DelayQueueError, Failure};

use super::dead_letters::{bury, ids};
use super::use_queue;
use crate::servers::{Kind, PATIENCE, Server};

const KEYS: [&str; 8] =
    ["due", "jobs", "deliveries", "receipts", "dead", "dead_jobs", "counts", "wake"];

fn queue(server: &Server) -> DelayQueue {
    server.queue("lost")
}

fn push(queue: &DelayQueue, ids: &[&str]) {
    for id in ids {
        queue.push_with_id_after(*id, *id, Duration::ZERO).unwrap();
    }
}

fn lease(queue: &DelayQueue) -> Option<String> {
    let lease = queue.lease(PATIENCE).unwrap()?;
    queue.ack(&lease).unwrap();
    Some(String::from_utf8(lease.payload).unwrap())
}

fn delete(server: &Server, key: &str) {
    server.ask(&format!("DEL queue:{{lost}}:{key}"));
}

#[test]
fn jobs_whose_payloads_were_deleted_are_skipped_and_counted() {
    for server in Server::of_each_kind() {
        let queue = queue(&server);
        push(&queue, &["a", "b", "c"]);
        delete(&server, "jobs");
        push(&queue, &["d", "b"]);
        assert_eq!(queue.stats().unwrap().lost_jobs, 0);
        // The second `b` is a new job, since the first one was lost.
        assert_eq!(lease(&queue).unwrap(), "d");
        assert_eq!(lease(&queue).unwrap(), "b");
        assert_eq!(lease(&queue), None);
        let stats = queue.stats().unwrap();
        assert_eq!((stats.lost_jobs, stats.len, stats.leased), (3, 0, 0));
        // The remains of the lost jobs were dropped, so they do not prevent new pushes.
        push(&queue, &["a", "c"]);
        assert_eq!(queue.pop().unwrap().unwrap().payload, b"a");
        assert_eq!(queue.wait_lease(PATIENCE).block().unwrap().payload, b"c");
    }
}

#[test]
fn an_entry_whose_payload_was_deleted_is_skipped_and_counted() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server).with_max_deliveries(NonZeroU32::MIN);
    push(&queue, &["a", "b", "c"]);
    server.ask("HDEL queue:{lost}:jobs a c");
    assert_eq!(queue.pop().unwrap().unwrap().id, b"b");
    assert_eq!(queue.pop().unwrap(), None);
    assert_eq!(queue.stats().unwrap().lost_jobs, 2);
    // A job without a payload does not become a dead letter when its last lease ends.
    push(&queue, &["d"]);
    let _ = queue.lease(Duration::from_millis(1)).unwrap().unwrap();
    delete(&server, "jobs");
    sleep(Duration::from_millis(5));
    assert_eq!(lease(&queue), None);
    let stats = queue.stats().unwrap();
    assert_eq!((stats.lost_jobs, stats.dead_letters, stats.leased), (3, 0, 0));
    // A new job does not inherit the deliveries and receipts of a lost job with the same id.
    push(&queue, &["d"]);
    let first = queue.lease(PATIENCE).unwrap().unwrap();
    delete(&server, "jobs");
    push(&queue, &["d"]);
    assert!(matches!(queue.ack(&first), Err(DelayQueueError::StaleLease)));
    assert_eq!(queue.lease(PATIENCE).unwrap().unwrap().deliveries, 1);
}

#[test]
fn a_job_after_hundreds_of_lost_ones_is_leased() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server);
    for number in 0..250 {
        queue.push_after(&number.to_string(), Duration::ZERO).unwrap();
    }
    delete(&server, "jobs");
    push(&queue, &["last"]);
    server.ask("CONFIG RESETSTAT");
    assert_eq!(lease(&queue).unwrap(), "last");
    assert_eq!(queue.stats().unwrap().lost_jobs, 250);
    // Each call drops up to a hundred lost jobs, so leasing takes three calls. One more call
    // acknowledges the job, and one returns the stats.
    let stats = server.ask("INFO commandstats");
    let scripts = stats.lines().find(|line| line.starts_with("cmdstat_evalsha:calls=5,"));
    assert!(scripts.is_some(), "{stats}");
}

#[test]
fn a_lease_of_a_job_that_was_deleted_is_stale() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server).with_max_deliveries(NonZeroU32::MIN);
    push(&queue, &["a"]);
    let lease = queue.lease(PATIENCE).unwrap().unwrap();
    delete(&server, "jobs");
    assert!(matches!(queue.renew(&lease, PATIENCE), Err(DelayQueueError::StaleLease)));
    assert!(matches!(queue.nack(&lease, PATIENCE), Err(DelayQueueError::StaleLease)));
    assert!(matches!(queue.ack(&lease), Err(DelayQueueError::StaleLease)));
    assert_eq!(queue.cancel("a").unwrap(), None);
    assert_eq!(queue.due("a").unwrap(), None);
    assert_eq!(queue.reschedule_after("a", PATIENCE).unwrap(), None);
}

#[test]
fn a_job_whose_time_was_deleted_is_not_in_the_queue_and_can_be_pushed_again() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server);
    push(&queue, &["a", "b", "c"]);
    let leased = queue.lease(PATIENCE).unwrap().unwrap();
    delete(&server, "due");
    assert_eq!(queue.cancel("b").unwrap(), None);
    assert_eq!(queue.due("b").unwrap(), None);
    assert_eq!(queue.reschedule_after("b", PATIENCE).unwrap(), None);
    assert_eq!(lease(&queue), None);
    push(&queue, &["b"]);
    assert_eq!(lease(&queue).unwrap(), "b");
    assert_eq!(queue.stats().unwrap().lost_jobs, 1);
    // The lease of `a` is still valid, since its receipt and payload still exist.
    queue.nack(&leased, Duration::ZERO).unwrap();
    assert_eq!(lease(&queue).unwrap(), "a");
}

#[test]
fn dead_letters_whose_payloads_were_deleted_are_skipped_and_counted() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server).with_max_deliveries(NonZeroU32::MIN);
    for id in ["a", "b", "c", "d", "e"] {
        bury(&queue, id);
    }
    server.ask("HDEL queue:{lost}:dead_jobs a c d");
    assert!(!queue.requeue("a", PATIENCE).unwrap());
    assert_eq!(ids(&queue, 1), ["b"]);
    assert_eq!(ids(&queue, 2), ["b", "e"]);
    assert_eq!(queue.stats().unwrap().lost_jobs, 3);
    delete(&server, "dead_jobs");
    bury(&queue, "f");
    assert_eq!(queue.take_dead_letters(9).unwrap()[0].payload, b"f");
    let stats = queue.stats().unwrap();
    assert_eq!((stats.lost_jobs, stats.dead_letters), (5, 0));
    bury(&queue, "g");
    delete(&server, "dead");
    assert!(ids(&queue, 9).is_empty());
    bury(&queue, "g");
    assert_eq!(ids(&queue, 9), ["g"]);
}

#[test]
fn jobs_without_ids_are_pushed_in_one_step_after_the_counts_were_deleted() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server);
    for _ in 0..300 {
        queue.push_after("payload", PATIENCE).unwrap();
    }
    delete(&server, "counts");
    server.ask("CONFIG RESETSTAT");
    queue.push_after("payload", PATIENCE).unwrap();
    assert_eq!(queue.len().unwrap(), 301);
    let stats = server.ask("INFO commandstats");
    assert!(stats.contains("cmdstat_hexists:calls=1,"), "{stats}");
}

#[test]
fn no_deleted_key_makes_a_call_fail() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = queue(&server).with_max_deliveries(NonZeroU32::MIN);
    for key in KEYS {
        server.ask("FLUSHALL");
        push(&queue, &["x", "y", "z", "w"]);
        let lease = queue.lease(PATIENCE).unwrap().unwrap();
        queue.nack(&lease, Duration::ZERO).unwrap();
        let _ = queue.lease(PATIENCE).unwrap().unwrap();
        delete(&server, key);
        let errors = use_queue(&queue);
        assert!(errors.is_empty(), "without {key}: {errors:#?}");
    }
}

#[test]
fn the_error_of_a_key_of_another_type_names_the_key() {
    for server in Server::of_each_kind() {
        let queue = queue(&server);
        for key in KEYS {
            server.ask("FLUSHALL");
            server.ask(&format!("SET queue:{{lost}}:{key} x"));
            let errors = use_queue(&queue);
            assert!(!errors.is_empty(), "{key}");
            for error in errors {
                assert!(matches!(error, DelayQueueError::Failure(Failure::Redis(_))), "{error:?}");
                let (error, name) = (error.to_string(), format!("queue:{{lost}}:{key}"));
                assert!(error.contains("WRONGTYPE") && error.ends_with(&name), "{key}: {error}");
            }
        }
    }
}
