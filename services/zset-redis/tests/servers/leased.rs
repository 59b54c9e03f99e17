//! Tests of leases with real servers.

#[path = "../../../../zset-std/tests/abuse/counting.rs"]
mod counting;
mod failures;
mod windows;

use std::future::Future;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use redis::aio::MultiplexedConnection;
use tokio::task::JoinSet;
use tokio::time::sleep;
use zset_redis::{LeasedWindow, LimiterError, OnFailure};
use zset_std::{Quota, Verdict};

use crate::servers::{Kind, Server, block_on, leased};
use crate::shared_requests::polled_once;

type Leased = LeasedWindow<MultiplexedConnection>;

const LIFE: Duration = Duration::from_millis(400);
const MAX_BATCH: u32 = 100;

/// Creates a limiter of a thousand units a minute, like one on another machine.
fn machine(connection: &MultiplexedConnection) -> Leased {
    let quota = Quota::new(1000, Duration::from_secs(60)).unwrap();
    LeasedWindow::new(connection.clone(), "leased", quota, OnFailure::Error)
        .unwrap()
        .with_life(LIFE)
        .with_max_batch(MAX_BATCH)
}

/// Uses units one by one until the lease has some left, so that the server counts over ten more
/// than were used. Returns how many were used.
async fn use_until_some_are_left(limiter: &Leased, connection: &MultiplexedConnection) -> u32 {
    for used in 1..500 {
        assert!(limiter.check("ann").await.unwrap().is_allowed());
        if counted(connection).await > used + 10 {
            return used;
        }
    }
    panic!("the batch does not grow");
}

/// Returns the number of units that the server counts.
async fn counted(connection: &MultiplexedConnection) -> u32 {
    let decision = machine(connection).peek("ann").await.unwrap();
    1000 - decision.remaining - u32::from(decision.is_allowed())
}

/// Waits until the server counts this number of units.
async fn wait_until_counted(connection: &MultiplexedConnection, units: u32) {
    let start = Instant::now();
    while counted(connection).await != units {
        assert!(start.elapsed() < Duration::from_secs(20), "{}", counted(connection).await);
        sleep(Duration::from_millis(10)).await;
    }
}

/// Returns the number of scripts that the server has run.
fn scripts_run(server: &Server) -> u64 {
    let stats = server.ask("INFO commandstats");
    let calls = stats.lines().filter(|line| line.starts_with("cmdstat_eval"));
    calls.map(|line| line.split(['=', ',']).nth(1).unwrap().parse::<u64>().unwrap()).sum()
}

/// Runs a test with Redis, or skips it.
fn with_server<F: Future<Output = ()>>(test: impl FnOnce(Arc<Server>, MultiplexedConnection) -> F) {
    let Some(server) = Server::start(Kind::Redis).map(Arc::new) else { return };
    block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        test(server.clone(), connection).await;
    });
}

#[test]
fn what_is_left_is_given_back_on_request() {
    with_server(|_server, connection| async move {
        let limiter = machine(&connection);
        let used = use_until_some_are_left(&limiter, &connection).await;
        limiter.give_back().await.unwrap();
        assert_eq!(counted(&connection).await, used);
        assert!(limiter.is_empty());
        // The limiter can still be used, and has nothing left to return.
        assert!(limiter.check("ann").await.unwrap().is_allowed());
        limiter.give_back().await.unwrap();
        assert_eq!(counted(&connection).await, used + 1);
    });
}

#[test]
fn unused_units_are_returned_after_the_life_even_if_the_limiter_is_dropped() {
    with_server(|_server, connection| async move {
        let limiter = machine(&connection);
        let used = use_until_some_are_left(&limiter, &connection).await;
        wait_until_counted(&connection, used).await;
        assert!(limiter.is_empty());
        let used = used + use_until_some_are_left(&limiter, &connection).await;
        drop(limiter);
        wait_until_counted(&connection, used).await;
    });
}

#[test]
fn after_a_crash_at_most_a_batch_is_lost_until_it_leaves_the_window() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let used = block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        use_until_some_are_left(&machine(&connection), &connection).await
    });
    // The first runtime has ended, and with it the tasks that return units.
    block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        sleep(3 * LIFE).await;
        let counted = counted(&connection).await;
        assert!((used + 1..=used + MAX_BATCH).contains(&counted), "{used} used, {counted} counted");
        // All units leave the window within a period and a life.
        let reset_after = machine(&connection).peek("ann").await.unwrap().reset_after;
        assert!(reset_after <= Duration::from_secs(60) + LIFE, "{reset_after:?}");
    });
}

#[test]
fn the_batch_grows_for_a_hot_key_and_callers_share_a_draw() {
    with_server(|server, connection| async move {
        let quota = Quota::new(1_000_000, Duration::from_secs(1)).unwrap();
        let limiter = LeasedWindow::new(connection, "hot", quota, OnFailure::Error).unwrap();
        let start = Instant::now();
        let before = scripts_run(&server);
        let mut checks = 0;
        while start.elapsed() < Duration::from_secs(1) && checks < 200_000 {
            assert!(limiter.check("ann").await.unwrap().is_allowed());
            checks += 1;
        }
        let draws = scripts_run(&server) - before;
        assert!(draws * 20 < checks, "{draws} draws for {checks} checks");

        let before = scripts_run(&server);
        let mut tasks = JoinSet::new();
        for _ in 0..500 {
            let limiter = limiter.clone();
            tasks.spawn(async move { limiter.check("bob").await.unwrap().is_allowed() });
        }
        assert!(tasks.join_all().await.into_iter().all(|is_allowed| is_allowed));
        let draws = scripts_run(&server) - before;
        assert!(draws < 50, "{draws} draws for 500 callers");
    });
}

#[test]
fn a_call_that_finds_units_is_ready_at_once_and_allocates_nothing() {
    with_server(|_server, connection| async move {
        let limiter = machine(&connection).with_life(Duration::from_secs(60));
        use_until_some_are_left(&limiter, &connection).await;
        let before = counting::in_use();
        counting::take_peak();
        let decision = polled_once(limiter.check("ann"));
        assert_eq!(counting::take_peak(), before);
        let Poll::Ready(decision) = decision else { panic!("the call is pending") };
        assert!(decision.unwrap().is_allowed());
    });
}

#[test]
fn a_key_at_its_limit_is_denied_in_this_process() {
    with_server(|server, connection| async move {
        let limiter = machine(&connection);
        assert!(limiter.check_n("ann", 990).await.unwrap().is_allowed());
        let denied = limiter.check_n("ann", 20).await.unwrap();
        let Verdict::Denied { retry_after } = denied.verdict else { panic!("{denied:?}") };
        assert!(retry_after > Duration::from_secs(50), "{retry_after:?}");
        assert_eq!((denied.limit, denied.remaining), (1000, 10));
        let before = scripts_run(&server);
        let start = Instant::now();
        for _ in 0..10_000 {
            assert!(!limiter.check_n("ann", 20).await.unwrap().is_allowed());
        }
        // The limiter sends at most one draw per life.
        let lives = start.elapsed().as_millis() / LIFE.as_millis();
        assert!(u128::from(scripts_run(&server) - before) <= lives + 1);
        // The denial of 20 units does not apply to fewer units.
        assert!(limiter.check_n("ann", 10).await.unwrap().is_allowed());

        // The limiter notices after a life that units are available again.
        let other = machine(&connection);
        assert!(!other.check("ann").await.unwrap().is_allowed());
        assert!(!limiter.check("ann").await.unwrap().is_allowed());
        server.ask("DEL leased:{ann}:leases");
        sleep(LIFE).await;
        assert!(limiter.check("ann").await.unwrap().is_allowed());
    });
}

#[test]
fn units_beyond_the_limit_and_no_units_need_no_server() {
    with_server(|server, connection| async move {
        let limiter = machine(&connection);
        let before = scripts_run(&server);
        let none = limiter.check_n("ann", 0).await.unwrap();
        assert!(none.is_allowed());
        assert_eq!((none.remaining, none.reset_after), (1000, Duration::ZERO));
        assert_eq!(limiter.check_n("ann", 1001).await.unwrap().verdict, Verdict::Never);
        assert_eq!(scripts_run(&server), before);
        assert!(limiter.is_empty());
    });
}

#[test]
fn keys_beyond_the_bound_are_decided_by_the_server() {
    with_server(|_server, connection| async move {
        let limiter = machine(&connection).with_max_keys(0);
        for remaining in [999, 998, 997] {
            let decision = limiter.check("ann").await.unwrap();
            assert!(decision.is_allowed());
            assert_eq!(decision.remaining, remaining);
        }
        let denied = limiter.check_n("ann", 998).await.unwrap();
        assert!(!denied.is_allowed());
        assert_eq!(denied.remaining, 997);
        assert!(limiter.is_empty());

        let limiter = machine(&connection).with_max_keys(160);
        for key in 0..1000 {
            assert!(limiter.check(&key.to_string()).await.unwrap().is_allowed());
        }
        assert!(limiter.len() <= 160);
    });
}

#[test]
fn units_of_callers_that_give_up_are_returned() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    // With one thread, no decision arrives between the poll of a call and its cancellation.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        let limiter = machine(&connection);
        let mut used = 0;
        for _ in 0..25 {
            assert!(limiter.check_n("ann", 3).await.unwrap().is_allowed());
            used += 3;
            let decision = polled_once(limiter.check_n("ann", 3));
            if let Poll::Ready(decision) = decision {
                assert!(decision.unwrap().is_allowed());
                used += 3;
            }
            sleep(Duration::from_millis(1)).await;
        }
        wait_until_counted(&connection, used).await;
        assert!(used < 150, "no caller gave up");
    });
}
