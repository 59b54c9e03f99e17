//! Kills worker processes at random, and checks that none of 10,000 jobs is lost: each is done at
//! least once and acknowledged exactly once.

use std::collections::HashMap;
use std::env;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use redis::{AsyncCommands, AsyncConnectionConfig, Commands};
use tokio::task::JoinSet;
use zset_redis::blocking::{self, Pool};
use zset_redis::delay_queue::Lease;
use zset_redis::{DelayQueue, DelayQueueError};

use crate::servers::{PATIENCE, Server, block_on};

const JOBS: usize = 10_000;
const PUSHERS: usize = 4;
const PROCESSES: usize = 3;
/// The number of threads or tasks in each process.
const WORKERS: usize = 4;
const QUEUE: &str = "workers";
/// A short lease, so the jobs of killed workers are delivered again soon.
const VISIBILITY: Duration = Duration::from_millis(300);

/// The hashes on the server in which workers count their work for each job.
const DONE: &str = "done";
const ACKNOWLEDGED: &str = "acknowledged";

/// This variable marks a worker process. Its value is the server, and whether the workers are tasks
/// rather than threads.
const SERVER: &str = "ZSET_WORKERS_SERVER";

/// What a worker does with a job.
enum Work {
    Succeeds,
    Fails,
    /// Takes longer than the lease.
    TakesTooLong,
}

impl Work {
    fn draw(random: &mut SmallRng) -> Work {
        match random.random_range(0..1000) {
            0..20 => Work::Fails,
            20..24 => Work::TakesTooLong,
            _ => Work::Succeeds,
        }
    }
}

fn work_in_thread(server: &str, seed: u64) {
    let client = redis::Client::open(server).unwrap();
    let mut counts = client.get_connection().unwrap();
    let queue = blocking::DelayQueue::new(Pool::new(client), QUEUE).with_deadline(PATIENCE);
    let mut random = SmallRng::seed_from_u64(seed);
    loop {
        let lease = queue.wait_lease(VISIBILITY).block().unwrap();
        match Work::draw(&mut random) {
            Work::Succeeds => {}
            Work::Fails => {
                is_held(queue.nack(&lease, Duration::from_millis(10)));
                continue;
            }
            Work::TakesTooLong => thread::sleep(2 * VISIBILITY),
        }
        let _: u64 = counts.hincr(DONE, &lease.id, 1).unwrap();
        if is_held(queue.ack(&lease)) {
            let _: u64 = counts.hincr(ACKNOWLEDGED, &lease.id, 1).unwrap();
        }
    }
}

async fn work_in_task(server: String, seed: u64) {
    let client = redis::Client::open(server).unwrap();
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(PATIENCE))
        .set_response_timeout(Some(PATIENCE));
    let mut counts = client.get_multiplexed_async_connection_with_config(&config).await.unwrap();
    let queue = DelayQueue::new(counts.clone(), QUEUE).with_deadline(PATIENCE);
    let mut waiter = queue.waiter(client);
    let mut random = SmallRng::seed_from_u64(seed);
    loop {
        let lease: Lease = waiter.wait_lease(VISIBILITY).await.unwrap();
        match Work::draw(&mut random) {
            Work::Succeeds => {}
            Work::Fails => {
                is_held(queue.nack(&lease, Duration::from_millis(10)).await);
                continue;
            }
            Work::TakesTooLong => tokio::time::sleep(2 * VISIBILITY).await,
        }
        let _: u64 = counts.hincr(DONE, &lease.id, 1).await.unwrap();
        if is_held(queue.ack(&lease).await) {
            let _: u64 = counts.hincr(ACKNOWLEDGED, &lease.id, 1).await.unwrap();
        }
    }
}

/// Returns whether the lease was valid.
fn is_held<T: std::fmt::Debug>(result: Result<T, DelayQueueError>) -> bool {
    match result {
        Err(DelayQueueError::StaleLease) => false,
        result => {
            result.unwrap();
            true
        }
    }
}

/// Does the work of a worker process until it is killed or its server stops; a no-op in the test
/// process.
#[test]
fn worker() {
    let Ok(server) = env::var(SERVER) else { return };
    let (server, is_async) = server.split_once(' ').unwrap();
    let seeds = (0..WORKERS as u64).map(|number| u64::from(std::process::id()) << 8 | number);
    if is_async.parse().unwrap() {
        block_on(async {
            let tasks = seeds.map(|seed| work_in_task(server.to_owned(), seed));
            tasks.collect::<JoinSet<_>>().join_all().await;
        });
    } else {
        thread::scope(|scope| {
            seeds.for_each(|seed| _ = scope.spawn(move || work_in_thread(server, seed)));
        });
    }
}

/// A worker process. It is killed on drop.
struct Process(Child);

impl Process {
    fn start(server: &str, is_async: bool) -> Process {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["--exact", "workers::worker", "--nocapture"]);
        command.env(SERVER, format!("{server} {is_async}"));
        Process(command.stdout(Stdio::null()).spawn().unwrap())
    }

    fn is_running(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A panic here would hide the panic of the test.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn push_jobs(server: &Server) {
    thread::scope(|scope| {
        for pusher in 0..PUSHERS {
            scope.spawn(move || {
                let queue = server.queue(QUEUE);
                let mut random = SmallRng::seed_from_u64(pusher as u64);
                for number in (pusher..JOBS).step_by(PUSHERS) {
                    let delay = Duration::from_millis(random.random_range(0..4000));
                    let payload = format!("payload {number}");
                    queue.push_with_id_after(&number.to_string(), &payload, delay).unwrap();
                }
            });
        }
    });
}

fn kill_workers(server: &Server) {
    let url = server.url();
    let queue = server.queue(QUEUE);
    let mut random = SmallRng::seed_from_u64(1);
    let mut kills = 0;
    thread::scope(|scope| {
        let pushers = scope.spawn(|| push_jobs(server));
        let mut processes: Vec<_> =
            (0..PROCESSES).map(|number| Process::start(&url, number % 2 == 1)).collect();
        let start = Instant::now();
        while !pushers.is_finished() || queue.len().unwrap() > 0 {
            assert!(start.elapsed() < PATIENCE, "{:?}", queue.stats().unwrap());
            thread::sleep(Duration::from_millis(random.random_range(20..200)));
            let victim = &mut processes[random.random_range(0..PROCESSES)];
            assert!(victim.is_running(), "a worker has exited");
            *victim = Process::start(&url, random.random());
            kills += 1;
        }
    });

    let stats = queue.stats().unwrap();
    assert_eq!((stats.len, stats.leased, stats.dead_letters), (0, 0, 0), "{stats:?}");
    assert_eq!(stats.pushed, JOBS as u64);
    // Only an acknowledgement removes a job, so each was acknowledged once.
    assert_eq!(stats.acknowledged, JOBS as u64);
    assert!(stats.delivered > JOBS as u64, "no job was delivered again: {stats:?}");
    assert!(kills >= 10, "only {kills} processes were killed");

    let mut connection = server.connection();
    let done: HashMap<String, u64> = connection.hgetall(DONE).unwrap();
    assert_eq!(done.len(), JOBS, "not all jobs were done");
    let acknowledged: HashMap<String, u64> = connection.hgetall(ACKNOWLEDGED).unwrap();
    // A worker may be killed after it acknowledges a job and before it counts the acknowledgement.
    assert!(acknowledged.len() + WORKERS * kills >= JOBS, "{}", acknowledged.len());
    assert!(acknowledged.values().all(|&times| times == 1));
    println!("{kills} kills, {stats:?}");
}

#[test]
fn no_job_is_lost_if_workers_are_killed() {
    Server::of_each_kind().for_each(|server| kill_workers(&server));
}
