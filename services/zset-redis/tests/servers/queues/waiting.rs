//! Tests that waiting workers wake on time, or early if a job is added, and that they do not poll.

use std::collections::BTreeSet;
use std::thread;
use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use zset_redis::blocking::{self, Connect, Pool};
use zset_redis::delay_queue::{ConnectAsync, Lease};
use zset_redis::{AsyncConnection, DelayQueue, DelayQueueError, Failure};
use zset_std::Timestamp;

use super::MINUTE;
use crate::servers::{Cluster, Kind, PATIENCE, Server, block_on};

/// Much shorter than a minute, and longer than a busy machine delays a thread.
const SOON: Duration = Duration::from_secs(15);

/// Long enough for a worker to start waiting.
const A_WHILE: Duration = Duration::from_millis(200);

/// Returns whether a wait has ended without a job.
fn has_timed_out(result: &Result<Lease, DelayQueueError>) -> bool {
    matches!(result, Err(DelayQueueError::TimedOut))
}

fn check_threads<M: Connect>(pool: &Pool<M>) {
    let queue = blocking::DelayQueue::new(pool.clone(), "threads").with_deadline(PATIENCE);
    let start = Instant::now();
    assert!(has_timed_out(&queue.wait_lease(MINUTE).timeout(A_WHILE).block()));
    assert!(start.elapsed() >= A_WHILE);

    // A worker waits until a job is due.
    let start = Instant::now();
    queue.push_after("mail", A_WHILE).unwrap();
    let lease = queue.wait_lease(MINUTE).block().unwrap();
    assert!((A_WHILE * 9 / 10..SOON).contains(&start.elapsed()));
    queue.ack(&lease).unwrap();

    // A wait ignores a fixed clock of the queue, since real time passes while the worker waits.
    queue.push_after("mail", A_WHILE).unwrap();
    let lease = queue.at(Timestamp::ZERO).wait_lease(MINUTE).block().unwrap();
    queue.ack(&lease).unwrap();

    // Several workers are woken early, and each gets one job.
    queue.push_after("late", MINUTE).unwrap();
    let start = Instant::now();
    let payloads = thread::scope(|scope| {
        let wait = || scope.spawn(|| queue.wait_lease(MINUTE).block().unwrap().payload);
        let workers: Vec<_> = (0..3).map(|_| wait()).collect();
        thread::sleep(A_WHILE);
        for payload in ["a", "b", "c"] {
            queue.push_after(payload, Duration::ZERO).unwrap();
        }
        workers.into_iter().map(|worker| worker.join().unwrap()).collect::<BTreeSet<_>>()
    });
    assert_eq!(payloads, [b"a".to_vec(), b"b".to_vec(), b"c".to_vec()].into());
    assert!(start.elapsed() < SOON);
    queue.clear().unwrap();
}

async fn check_tasks<C, M>(connection: C, client: M)
where
    C: AsyncConnection,
    M: ConnectAsync + Clone + 'static,
    M::Connection: Sync,
{
    let queue = DelayQueue::new(connection, "tasks").with_deadline(PATIENCE);
    let mut waiter = queue.waiter(client.clone());
    let start = Instant::now();
    assert!(has_timed_out(&waiter.wait_lease(MINUTE).timeout(A_WHILE).await));
    assert!(start.elapsed() >= A_WHILE);

    let start = Instant::now();
    queue.push_after("mail", A_WHILE).await.unwrap();
    let lease = waiter.wait_lease(MINUTE).await.unwrap();
    assert!((A_WHILE * 9 / 10..SOON).contains(&start.elapsed()));
    queue.ack(&lease).await.unwrap();

    // A future that is dropped while it waits takes no job, and later waits are still woken.
    let start = Instant::now();
    assert!(tokio::time::timeout(A_WHILE, waiter.wait_lease(MINUTE).into_future()).await.is_err());
    queue.push_after("late", MINUTE).await.unwrap();
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        let mut waiter = queue.waiter(client.clone());
        workers.spawn(async move { waiter.wait_lease(MINUTE).await.unwrap().payload });
    }
    tokio::time::sleep(A_WHILE).await;
    for payload in ["a", "b", "c", "d"] {
        queue.push_after(payload, Duration::ZERO).await.unwrap();
    }
    let mut payloads: BTreeSet<_> = workers.join_all().await.into_iter().collect();
    payloads.insert(waiter.wait_lease(MINUTE).await.unwrap().payload);
    assert!(payloads.into_iter().eq([b"a", b"b", b"c", b"d"]));
    assert!(start.elapsed() < SOON);
    queue.clear().await.unwrap();
}

#[test]
fn workers_of_a_server_wake_early_or_on_time() {
    for server in Server::of_each_kind() {
        check_threads(&server.pool());
        block_on(async { check_tasks(server.multiplexed().await, server.client()).await });
    }
}

#[test]
fn workers_of_a_cluster_wake_early_or_on_time() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    check_threads(&cluster.pool());
    block_on(async { check_tasks(cluster.connect().await, cluster.client()).await });
}

/// The client has settings like those that the docs advise.
#[test]
fn over_a_cluster_a_wait_may_take_longer_than_the_response_timeout() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let client = cluster.advised_client(PATIENCE, A_WHILE);
    let queue = blocking::DelayQueue::new(Pool::new(client.clone()), "patient");
    let queue = queue.with_deadline(PATIENCE);
    // Use a short visibility. On a busy machine, the reply to a lease may also exceed the response
    // timeout. That lease is lost, and the job is delivered again after the visibility.
    let visibility = A_WHILE;

    let start = Instant::now();
    let result = queue.wait_lease(visibility).timeout(5 * A_WHILE).block();
    assert!(has_timed_out(&result), "{result:?}");
    assert!((5 * A_WHILE..SOON).contains(&start.elapsed()), "{:?}", start.elapsed());
    thread::scope(|scope| {
        let worker = scope.spawn(|| queue.wait_lease(visibility).timeout(MINUTE).block());
        thread::sleep(5 * A_WHILE);
        queue.push_with_id_after("a", "mail", Duration::ZERO).unwrap();
        assert_eq!(worker.join().unwrap().unwrap().payload, b"mail");
    });
    assert!(start.elapsed() < SOON, "{:?}", start.elapsed());
    queue.clear().unwrap();

    block_on(async {
        let connection = client.get_async_connection().await.unwrap();
        let queue = DelayQueue::new(connection, "patient").with_deadline(PATIENCE);
        let mut waiter = queue.waiter(client);
        let result = waiter.wait_lease(visibility).timeout(5 * A_WHILE).await;
        assert!(has_timed_out(&result), "{result:?}");
    });
}

#[test]
fn a_worker_that_waits_sends_nothing() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = server.queue("quiet");
    let commands = || server.info("total_commands_processed");
    // This wait opens a connection of the pool, and loads the scripts.
    assert!(has_timed_out(&queue.wait_lease(MINUTE).timeout(Duration::ZERO).block()));
    let before = commands();
    let patience = Duration::from_secs(2);
    assert!(has_timed_out(&queue.wait_lease(MINUTE).timeout(patience).block()));
    // The server has run two attempts, one wait, and the commands of the connection for `INFO`.
    assert!(commands() - before < 20, "{} commands in two seconds", commands() - before);
}

#[test]
fn a_waiter_opens_one_connection_for_many_waits() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    block_on(async {
        let queue = DelayQueue::new(server.multiplexed().await, "one").with_deadline(PATIENCE);
        let mut waiter = queue.waiter(server.client());
        let before = server.info("total_connections_received");
        for _ in 0..20 {
            let patience = Duration::from_millis(1);
            assert!(has_timed_out(&waiter.wait_lease(MINUTE).timeout(patience).await));
        }
        // The two new connections are that of the waiter and that of this query.
        assert_eq!(server.info("total_connections_received") - before, 2);
    });
}

#[test]
fn an_earlier_job_wakes_a_worker_however_it_becomes_due() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let queue = server.queue("earlier");
    let id = queue.push_after("late", Duration::ZERO).unwrap();
    let lease = queue.lease(MINUTE).unwrap().unwrap();
    let wait_while = |change: &dyn Fn()| {
        let start = Instant::now();
        let lease = thread::scope(|scope| {
            let worker = scope.spawn(|| queue.wait_lease(MINUTE).block().unwrap());
            thread::sleep(A_WHILE);
            change();
            worker.join().unwrap()
        });
        assert!(start.elapsed() < SOON);
        lease
    };
    let nacked = wait_while(&|| assert!(queue.nack(&lease, Duration::ZERO).is_ok()));
    assert_eq!(nacked.deliveries, 2);
    let shortened = wait_while(&|| assert!(queue.renew(&nacked, Duration::ZERO).is_ok()));
    assert_eq!(shortened.deliveries, 3);
    let rescheduled = wait_while(&|| assert!(queue.reschedule_after(&id, Duration::ZERO).is_ok()));
    assert_eq!(rescheduled.deliveries, 1);
}

#[test]
fn a_stopped_server_is_an_error_and_a_new_one_serves_the_same_worker() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let client = server.client();
    block_on(async {
        let manager = client.get_connection_manager().await.unwrap();
        let queue = DelayQueue::new(manager, "restarted");
        let mut waiter = queue.waiter(client);
        let worker = tokio::spawn(async move {
            let failed = waiter.wait_lease(MINUTE).await;
            let is_error = matches!(failed, Err(DelayQueueError::Failure(Failure::Redis(_))));
            assert!(is_error, "{failed:?}");
            loop {
                match waiter.wait_lease(MINUTE).await {
                    Ok(lease) => return lease,
                    Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
                }
            }
        });
        tokio::time::sleep(A_WHILE).await;
        let _server = tokio::task::spawn_blocking(|| server.restart()).await.unwrap();
        while queue.push_with_id_after("a", "mail", A_WHILE).await.is_err() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert_eq!(worker.await.unwrap().payload, b"mail");
    });
}
