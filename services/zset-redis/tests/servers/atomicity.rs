//! Eight connections of two processes take units of one key: no window has more than the limit.
//!
//! A second limit, which never denies, keeps a log of all units with the server's times, since one
//! script takes the units of both.

use std::env;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use redis::ConnectionLike;
use redis::cluster::ClusterClient;
use zset_redis::blocking::{Connect, Pool};
use zset_redis::{Keyed, OnFailure};
use zset_std::{AnyLimiter, FixedWindow, Funnel, Limits, Quota, SlidingWindow, WindowCounter};

use crate::servers::{Cluster, Kind, PATIENCE, Server, log, replay};

const PROCESSES: usize = 2;
const CONNECTIONS: usize = 4;
const RUNNING: Duration = Duration::from_millis(1500);

/// Marks a child process; its value is the addresses of the servers.
const SERVER: &str = "ZSET_ATOMICITY_SERVER";

fn quota() -> Quota {
    Quota::new(20, Duration::from_millis(20)).unwrap()
}

/// Returns the limiters to test.
fn tested() -> [AnyLimiter; 4] {
    let quota = quota();
    [
        SlidingWindow::new(quota).into(),
        Funnel::new(quota).into(),
        FixedWindow::new(quota).into(),
        WindowCounter::new(quota).into(),
    ]
}

fn all_units() -> AnyLimiter {
    AnyLimiter::from(SlidingWindow::new(Quota::new(u32::MAX, Duration::from_secs(3600)).unwrap()))
}

/// Takes units as fast as it can; returns how many were allowed.
fn take_units<M: Connect>(pool: &Pool<M>, index: usize) -> u32 {
    let rules = [tested()[index], all_units()];
    let limits = Keyed::new(
        pool.clone(),
        &format!("atomicity{index}"),
        Limits::new(rules),
        OnFailure::Error,
    )
    .unwrap();
    let limits = limits.with_deadline(PATIENCE);
    let start = Instant::now();
    let mut allowed = 0;
    while start.elapsed() < RUNNING {
        for n in [1, 2, 1, 5] {
            if limits.check_n("ann", n).unwrap().is_allowed() {
                allowed += n;
            }
        }
    }
    allowed
}

/// Does the work of a child process; a no-op in the test process.
#[test]
fn child() {
    let Ok(server) = env::var(SERVER) else { return };
    let urls: Vec<&str> = server.split(',').collect();
    let allowed: Vec<u32> = (0..tested().len())
        .map(|index| {
            let run = |_| match urls[..] {
                [url] => take_units(&Pool::new(redis::Client::open(url).unwrap()), index),
                ref urls => {
                    let client = ClusterClient::new(urls.iter().copied()).unwrap();
                    take_units(&Pool::new(client), index)
                }
            };
            thread::scope(|scope| {
                let threads: Vec<_> =
                    (0..CONNECTIONS).map(|i| scope.spawn(move || run(i))).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            })
        })
        .collect();
    println!("allowed {allowed:?}");
}

fn start_child(server: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "atomicity::child", "--nocapture"])
        .env(SERVER, server)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the units that a child process was allowed under each rule.
fn allowed(child: Child) -> Vec<u64> {
    let output = child.wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = output.lines().find_map(|line| line.split_once("allowed ["));
    let (_, numbers) = line.unwrap_or_else(|| panic!("the child failed: {output}"));
    let numbers = numbers.trim_end_matches(']').split(", ");
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// Runs the child processes, and compares the allowed units with the logs on the server.
fn check(server: &str, connection: &mut impl ConnectionLike) {
    let children: Vec<_> = (0..PROCESSES).map(|_| start_child(server)).collect();
    let allowed: Vec<_> = children.into_iter().map(allowed).collect();
    for (index, limiter) in tested().into_iter().enumerate() {
        let key = format!("atomicity{index}:{{ann}}:sliding_window:1");
        let (units, full) = replay(log(connection, &key), &limiter, limiter);
        assert_eq!(units, allowed.iter().map(|allowed| allowed[index]).sum::<u64>(), "{limiter:?}");
        assert!(full > 10, "{limiter:?} was full only {full} times");
    }
}

fn one_server(kind: Kind) {
    let Some(server) = Server::start(kind) else { return };
    check(&server.url(), &mut server.connection());
}

#[test]
fn redis() {
    one_server(Kind::Redis);
}

#[test]
fn valkey() {
    one_server(Kind::Valkey);
}

#[test]
fn cluster() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let urls: Vec<_> = cluster.nodes.iter().map(Server::url).collect();
    check(&urls.join(","), &mut cluster.client().get_connection().unwrap());
}
