//! What happens when the server fails: deadlines, what decides in its place, and that calls succeed again.

#![cfg(all(unix, feature = "cluster"))]

mod servers;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use zset_redis::blocking::{Funnel, Pool};
use zset_redis::{Error, OnFailure};
use zset_std::{Quota, SlidingWindow, Verdict};

use servers::{Cluster, Kind, Server};

const DEADLINE: Duration = Duration::from_millis(200);

/// How much later than its deadline a call may return on a busy machine.
const LATE: Duration = Duration::from_secs(2);

fn quota() -> Quota {
    Quota::new(3, Duration::from_secs(3600)).unwrap()
}

fn funnel(server: &Server, on_failure: OnFailure) -> Funnel {
    let funnel = Funnel::new(Pool::new(server.client()), "failures", quota(), on_failure).unwrap();
    funnel.with_deadline(DEADLINE)
}

#[track_caller]
fn times_out<T: std::fmt::Debug>(call: impl FnOnce() -> Result<T, Error>) {
    let start = Instant::now();
    let result = call();
    assert!(matches!(result, Err(Error::Timeout)), "{result:?}");
    let elapsed = start.elapsed();
    assert!((DEADLINE..DEADLINE + LATE).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn a_call_ends_at_its_deadline_and_the_next_one_succeeds() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let failures = Arc::new(AtomicU32::new(0));
    let seen = failures.clone();
    let funnel = funnel(&server, OnFailure::Deny).with_failure_observer(move |error| {
        assert!(matches!(error, Error::Timeout), "{error}");
        seen.fetch_add(1, Ordering::Relaxed);
    });
    assert!(funnel.check("ann").unwrap().is_allowed());
    server.stop();
    times_out(|| funnel.check("ann"));
    // A new connection is accepted by the system.
    times_out(|| funnel.check("ann"));
    times_out(|| funnel.refund("ann", 1));
    assert_eq!(failures.load(Ordering::Relaxed), 3);
    server.proceed();
    // The server may have run what timed out.
    assert!(funnel.peek("ann", 0).unwrap().remaining <= 2);
    assert!(funnel.check("bob").unwrap().is_allowed());
    assert_eq!(failures.load(Ordering::Relaxed), 3);
}

#[test]
fn a_call_to_a_cluster_ends_at_its_deadline() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let pool = Pool::new(cluster.client());
    let funnel = Funnel::new(pool, "failures", quota(), OnFailure::Deny).unwrap();
    let funnel = funnel.with_deadline(DEADLINE);
    assert!(funnel.clone().with_deadline(LATE).check("ann").unwrap().is_allowed());
    cluster.nodes.iter().for_each(Server::stop);
    times_out(|| funnel.check("ann"));
    times_out(|| funnel.check("ann"));
    cluster.nodes.iter().for_each(Server::proceed);
    assert!(funnel.with_deadline(LATE).check("bob").unwrap().is_allowed());
}

#[test]
fn an_awaited_call_ends_at_its_deadline_and_the_next_one_succeeds() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        let funnel = zset_redis::Funnel::new(connection, "failures", quota(), OnFailure::Deny);
        let funnel = funnel.unwrap().with_deadline(DEADLINE);
        assert!(funnel.check("ann").await.unwrap().is_allowed());
        server.stop();
        let result = funnel.check("ann").await;
        assert!(matches!(result, Err(Error::Timeout)), "{result:?}");
        server.proceed();
        assert!(funnel.check("bob").await.unwrap().is_allowed());
    });
}

#[test]
fn the_policy_decides_while_the_server_is_away() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let local = SlidingWindow::<Vec<u8>>::new(Quota::new(1, Duration::from_secs(3600)).unwrap());
    let [deny, allow, local] = [OnFailure::Deny, OnFailure::Allow, OnFailure::local(local)]
        .map(|on_failure| funnel(&server, on_failure));
    drop(server);
    assert!(matches!(deny.check("ann"), Err(Error::Redis(_))));
    assert!(deny.over_limit("ann").is_err());
    for _ in 0..5 {
        assert!(allow.check_n("ann", 3).unwrap().is_allowed());
    }
    assert_eq!(allow.check_n("ann", 4).unwrap().verdict, Verdict::Never);
    assert!(allow.record("ann", 1).is_err());

    assert!(!local.over_limit("ann").unwrap());
    assert!(local.check("ann").unwrap().is_allowed());
    assert!(!local.check("ann").unwrap().is_allowed());
    assert_eq!(local.refund("ann", 1).unwrap(), 1);
    local.record("ann", 5).unwrap();
    assert!(local.over_limit("ann").unwrap());
    assert!(local.reset("ann").unwrap());
    assert!(!local.over_limit("ann").unwrap());
}

#[test]
fn a_script_that_the_server_has_lost_is_sent_again() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server, OnFailure::Deny);
    for _ in 0..3 {
        assert!(funnel.check("ann").unwrap().is_allowed());
        server.ask("SCRIPT FLUSH");
    }
    assert!(!funnel.check("ann").unwrap().is_allowed());
}

#[test]
fn calls_succeed_after_a_restart_of_the_server() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server, OnFailure::Deny).with_deadline(LATE);
    assert!(funnel.check("ann").unwrap().is_allowed());
    let server = server.restart();
    // The idle connection is broken.
    assert!(funnel.check("ann").is_err());
    assert_eq!(funnel.check("ann").unwrap().remaining, 2);
    drop(server);
}

#[test]
fn a_usual_call_is_one_command() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server, OnFailure::Deny);
    assert!(funnel.check("ann").unwrap().is_allowed());
    server.ask("CONFIG RESETSTAT");
    assert!(funnel.check("ann").unwrap().is_allowed());
    let stats = server.ask("INFO commandstats");
    assert!(stats.contains("cmdstat_evalsha:calls=1,"), "{stats}");
    assert!(!stats.contains("cmdstat_eval:") && !stats.contains("cmdstat_script"), "{stats}");
}

#[test]
fn a_key_of_another_type_is_an_error() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    server.ask("LPUSH failures:{ann}:funnel:0 x");
    let funnel = funnel(&server, OnFailure::Deny);
    assert!(matches!(funnel.check("ann"), Err(Error::Redis(_))));
    assert!(funnel.check("bob").unwrap().is_allowed());
}
