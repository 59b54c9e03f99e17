//! Tests that no window has more than the limit when several processes, each with several limiters
//! and tasks, use units of one key.
//!
//! Each use is recorded with the times before and after its call, by the clock of the machine,
//! which is also the server's clock. A window includes a use if it contains both times.

use std::env;
use std::process::{Child, Command, Stdio};
use std::time::SystemTime;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::*;

const PROCESSES: u64 = 3;
const INSTANCES: u64 = 2;
const TASKS: u64 = 4;
const RUNNING: Duration = Duration::from_secs(3);

const LIMIT: u32 = 500;
const PERIOD: Duration = Duration::from_millis(100);

/// This variable marks a child process. Its value is the server and the number of the child.
const SERVER: &str = "ZSET_LEASED_SERVER";

/// The times before and after a call, in microseconds, and the number of units.
type Use = (u64, u64, u32);

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros() as u64
}

async fn use_units(limiter: Leased, seed: u64) -> Vec<Use> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut uses = Vec::new();
    let start = Instant::now();
    while start.elapsed() < RUNNING {
        let n = [1, 1, 1, 1, 2, 7][rng.random_range(0..6)];
        let before = now();
        let gives_up = rng.random_range(0..50) == 0;
        let patience = if gives_up { Duration::ZERO } else { PERIOD * 100 };
        let decision = tokio::time::timeout(patience, limiter.check_n("ann", n)).await;
        let Ok(decision) = decision else { continue };
        if decision.unwrap().is_allowed() {
            uses.push((before, now(), n));
        } else {
            sleep(Duration::from_micros(rng.random_range(0..2000))).await;
        }
        match rng.random_range(0..1000) {
            0 => limiter.give_back().await.unwrap(),
            1..20 => sleep(PERIOD / rng.random_range(1..20)).await,
            _ => tokio::task::yield_now().await,
        }
    }
    uses
}

/// Does the work of a child process; a no-op in the test process.
#[test]
fn child() {
    let Ok(server) = env::var(SERVER) else { return };
    let (url, number) = server.split_once(' ').unwrap();
    let number: u64 = number.parse().unwrap();
    let uses = block_on(async {
        let client = redis::Client::open(url).unwrap();
        let connection = client.get_multiplexed_async_connection().await.unwrap();
        let mut tasks = JoinSet::new();
        for instance in 0..INSTANCES {
            let quota = Quota::new(LIMIT, PERIOD).unwrap();
            let limiter = leased(connection.clone(), "windows", quota);
            let limiter = limiter.with_life(PERIOD / (1 + 4 * instance as u32));
            for task in 0..TASKS {
                let seed = (number * INSTANCES + instance) * TASKS + task;
                tasks.spawn(use_units(limiter.clone(), seed));
            }
        }
        tasks.join_all().await
    });
    for (before, after, n) in uses.into_iter().flatten() {
        println!("use {before} {after} {n}");
    }
    println!("done");
}

fn start_child(server: &Server, number: u64) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "leased::windows::child", "--nocapture"])
        .env(SERVER, format!("{} {number}", server.url()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn uses(child: Child) -> Vec<Use> {
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(output.lines().any(|line| line == "done"), "the child failed: {output}");
    let lines = output.lines().filter_map(|line| line.split_once("use ")?.1.split_once(' '));
    lines
        .map(|(before, rest)| {
            let (after, n) = rest.split_once(' ').unwrap();
            (before.parse().unwrap(), after.parse().unwrap(), n.parse().unwrap())
        })
        .collect()
}

/// Returns the maximum number of units that were used in a window.
fn fullest_window(mut uses: Vec<Use>) -> u64 {
    let period = PERIOD.as_micros() as u64;
    // Skip calls that took a whole period or longer: no window contains both their start and their
    // end.
    uses.retain(|&(before, after, _)| after < before + period);
    let mut begins: Vec<_> = uses.iter().map(|&(before, _, n)| (before, n)).collect();
    let mut ends: Vec<_> = uses.iter().map(|&(_, after, n)| (after, n)).collect();
    begins.sort_unstable();
    ends.sort_unstable();
    let (mut begun, mut units, mut most) = (begins.iter().peekable(), 0, 0);
    for (end, n) in ends {
        units += u64::from(n);
        // Subtract the calls that began before this window. Each of them took less than a period,
        // so it ended before this window does. Its units have therefore already been added.
        while let Some((_, n)) = begun.next_if(|(begin, _)| begin + period <= end) {
            units -= u64::from(*n);
        }
        most = most.max(units);
    }
    most
}

#[test]
fn no_window_has_more_than_the_limit() {
    for server in Server::of_each_kind() {
        let children: Vec<_> = (0..PROCESSES).map(|number| start_child(&server, number)).collect();
        let uses: Vec<Use> = children.into_iter().flat_map(uses).collect();
        let units: u64 = uses.iter().map(|&(_, _, n)| u64::from(n)).sum();
        let most = fullest_window(uses);
        assert!(most <= LIMIT.into(), "{most} units in a window");
        assert!(most > 300, "only {most} units in the fullest of all windows, {units} in all");
        println!("{units} units, {most} in the fullest window, {} scripts", scripts_run(&server));
    }
}
