//! Tests of a failing server: deadlines, decisions made without the server, and recovery.

use std::io::Write;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use zset_redis::blocking::Pool;
use zset_redis::{Breaker, Failure, Keyed, LeasedWindow, LimiterError, OnFailure};
use zset_std::limit::Block;
use zset_std::{Decision, FakeClock, Funnel, Penalty, SlidingWindow, Timestamp, Verdict};

use crate::servers::{
    Cluster, HOUR, Kind, PATIENCE, Server, at_seconds, block_on, fake, keyed, leased, manager,
    per_hour, wait_until,
};

const DEADLINE: Duration = Duration::from_millis(200);

/// How much later than its deadline a call may return on a busy machine.
const LATE: Duration = Duration::from_secs(2);

fn funnel(server: &Server, on_failure: OnFailure) -> Keyed<Pool, Funnel> {
    let funnel = Funnel::new(per_hour(3));
    Keyed::new(server.pool(), "failures", funnel, on_failure).unwrap().with_deadline(DEADLINE)
}

/// Returns the policy that falls back to a limiter of one unit an hour in this process.
fn local() -> OnFailure {
    OnFailure::local(zset_std::Keyed::<Vec<u8>, _>::new(SlidingWindow::new(per_hour(1))))
}

#[track_caller]
fn is_not_sent<T: std::fmt::Debug>(result: &Result<T, LimiterError>) {
    assert!(matches!(result, Err(LimiterError::Failure(Failure::BreakerOpen))), "{result:?}");
}

#[track_caller]
fn times_out<T: std::fmt::Debug>(call: impl FnOnce() -> Result<T, LimiterError>) {
    let start = Instant::now();
    let result = call();
    assert!(matches!(result, Err(LimiterError::Failure(Failure::Timeout))), "{result:?}");
    let elapsed = start.elapsed();
    assert!((DEADLINE..DEADLINE + LATE).contains(&elapsed), "{elapsed:?}");
}

#[test]
fn a_call_ends_at_its_deadline_and_the_next_one_succeeds() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let failures = Arc::new(AtomicU32::new(0));
    let seen = failures.clone();
    let funnel = funnel(&server, OnFailure::Error).with_failure_observer(move |error| {
        assert!(matches!(error, Failure::Timeout), "{error}");
        seen.fetch_add(1, Ordering::Relaxed);
    });
    assert!(funnel.check("ann").unwrap().is_allowed());
    server.stop();
    times_out(|| funnel.check("ann"));
    // The stopped server does not reply, but its operating system accepts a new connection.
    times_out(|| funnel.check("ann"));
    times_out(|| funnel.refund("ann", 1));
    assert_eq!(failures.load(Ordering::Relaxed), 3);
    server.proceed();
    // The server may still have run the calls that timed out.
    assert!(funnel.peek_n("ann", 0).unwrap().remaining <= 2);
    assert!(funnel.check("bob").unwrap().is_allowed());
    assert_eq!(failures.load(Ordering::Relaxed), 3);
}

#[test]
fn a_call_to_a_cluster_ends_at_its_deadline() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let patient = keyed(cluster.pool(), "failures", Funnel::new(per_hour(3)));
    let funnel = patient.clone().with_deadline(DEADLINE);
    assert!(patient.check("ann").unwrap().is_allowed());
    cluster.nodes.iter().for_each(Server::stop);
    times_out(|| funnel.check("ann"));
    times_out(|| funnel.check("ann"));
    cluster.nodes.iter().for_each(Server::proceed);
    assert!(patient.check("bob").unwrap().is_allowed());
}

#[test]
fn the_policy_decides_while_the_server_is_away() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let all = [OnFailure::Error, OnFailure::Deny, OnFailure::Allow, local()];
    let [error, deny, allow, local] = all.map(|on_failure| funnel(&server, on_failure));
    drop(server);
    assert!(matches!(error.check("ann"), Err(LimiterError::Failure(Failure::Redis(_)))));
    assert!(error.over_limit("ann").is_err());

    let denied = Decision {
        verdict: Verdict::Denied { retry_after: DEADLINE },
        limit: 3,
        remaining: 0,
        reset_after: DEADLINE,
    };
    assert_eq!(deny.check("ann").unwrap(), denied);
    assert_eq!(deny.peek_n("ann", 3).unwrap(), denied);
    assert_eq!(deny.check_n("ann", 4).unwrap().verdict, Verdict::Never);
    assert_eq!(deny.check_with("ann", per_hour(9), 4).unwrap(), Decision { limit: 9, ..denied });
    assert!(deny.throttle("ann", 1, 1, 60, 1).unwrap().limited);
    // A check of zero units is always allowed, but the key counts as over its limit.
    assert!(deny.check_n("ann", 0).unwrap().is_allowed());
    assert!(deny.over_limit("ann").unwrap());
    // `record` and `refund` are not decisions, so they return the failure.
    assert!(deny.record("ann", 1).is_err() && deny.refund("ann", 1).is_err());
    // The policy does not hide an error of the caller.
    let late = deny.at(Timestamp::from_nanos(u64::MAX)).check("ann");
    assert!(matches!(late, Err(LimiterError::TimeTooLate)), "{late:?}");

    for _ in 0..5 {
        assert!(allow.check_n("ann", 3).unwrap().is_allowed());
    }
    let unused =
        Decision { verdict: Verdict::Allowed, limit: 3, remaining: 2, reset_after: Duration::ZERO };
    assert_eq!(allow.check("ann").unwrap(), unused);
    // More units than the limit are never allowed, so none are subtracted from `remaining`.
    let never = Decision { verdict: Verdict::Never, remaining: 3, ..unused };
    assert_eq!(allow.check_n("ann", 4).unwrap(), never);
    assert_eq!(allow.peek_n("ann", 4).unwrap(), never);
    assert!(allow.record("ann", 1).is_err());

    assert!(!local.over_limit("ann").unwrap());
    assert!(local.check("ann").unwrap().is_allowed());
    assert!(!local.check("ann").unwrap().is_allowed());
    assert_eq!(local.refund("ann", 1).unwrap(), 1);
    local.record("ann", 5).unwrap();
    assert!(local.over_limit("ann").unwrap());
    assert!(local.reset("ann").is_err());
    assert!(!local.over_limit("ann").unwrap());
    // If a call has a given time, the local limiter decides at that time too.
    let at = |seconds| local.at(at_seconds(seconds));
    assert!(at(3600).check("bob").unwrap().is_allowed());
    assert!(!at(7199).peek("bob").unwrap().is_allowed());
    assert!(at(7200).check("bob").unwrap().is_allowed());
}

/// The local quota is a fraction of the server's, as the docs advise.
#[test]
fn in_an_outage_units_up_to_the_servers_limit_are_denied_rather_than_never_allowed() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let three = per_hour(3);
    let funnel = funnel(&server, local());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let connection = runtime.block_on(server.multiplexed());
    let awaited = Keyed::new(connection.clone(), "failures", Funnel::new(three), local()).unwrap();
    let awaited = awaited.with_deadline(DEADLINE);
    let leased = LeasedWindow::new(connection, "failures", three, local()).unwrap();
    let leased = leased.with_deadline(DEADLINE);
    drop(server);

    let denied = |n: u32, decision: Result<Decision, LimiterError>| {
        let retry_after = DEADLINE;
        assert_eq!(decision.unwrap().verdict, Verdict::Denied { retry_after }, "{n} units");
    };
    for n in [2, 3] {
        denied(n, funnel.check_n("ann", n));
        denied(n, funnel.peek_n("ann", n));
        denied(n, runtime.block_on(awaited.check_n("ann", n)));
        denied(n, runtime.block_on(awaited.peek_n("ann", n)));
        denied(n, runtime.block_on(leased.check_n("ann", n)));
        denied(n, runtime.block_on(leased.peek_n("ann", n)));
        denied(n, funnel.check_with("ann", three, n));
        denied(n, funnel.peek_with("ann", three, n));
    }
    let throttled = funnel.throttle("ann", 2, 1, 60, 3).unwrap();
    assert_eq!((throttled.limited, throttled.retry_after), (true, 1));
    // These calls ask for more than the server's limit, so they can never be allowed.
    assert_eq!(funnel.check_n("ann", 4).unwrap().verdict, Verdict::Never);
    assert_eq!(runtime.block_on(leased.check_n("ann", 4)).unwrap().verdict, Verdict::Never);
    assert_eq!(funnel.check_with("ann", per_hour(1), 2).unwrap().verdict, Verdict::Never);
    assert_eq!(funnel.throttle("ann", 1, 1, 60, 3).unwrap().retry_after, -1);
    // The denials have not used up the only unit of the local limiter.
    assert!(funnel.check("ann").unwrap().is_allowed());
}

/// The key is still blocked on the server, so the caller must not believe that the block has ended.
#[test]
fn a_reset_fails_in_an_outage_and_resets_the_local_limiter() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let local = OnFailure::local(zset_std::Keyed::<Vec<u8>, _>::new(Funnel::new(per_hour(3))));
    let block = Block::after(NonZeroU32::MIN, HOUR);
    let penalty = Penalty::new(Funnel::new(per_hour(3)), block);
    let limiter = Keyed::new(server.pool(), "failures", penalty, local).unwrap();
    // While the breaker is open, calls are not sent, so none can run once the server is back.
    let breaker = Breaker::with_clock(FakeClock::new()).with_failures(NonZeroU32::MIN);
    let cut_off = limiter.clone().with_deadline(DEADLINE).with_breaker(breaker);
    let limiter = limiter.with_deadline(PATIENCE);
    assert!(limiter.check_n("ann", 3).unwrap().is_allowed());
    assert!(!limiter.check("ann").unwrap().is_allowed());
    server.stop();
    // This call fails on the server and opens the breaker.
    assert!(cut_off.peek("ann").unwrap().is_allowed());
    server.proceed();
    assert!(cut_off.check_n("ann", 3).unwrap().is_allowed());
    assert!(!cut_off.check("ann").unwrap().is_allowed());
    is_not_sent(&cut_off.reset("ann"));
    assert!(cut_off.check("ann").unwrap().is_allowed());
    assert!(!limiter.check("ann").unwrap().is_allowed());
    assert!(limiter.reset("ann").unwrap());
    assert!(limiter.check("ann").unwrap().is_allowed());
}

#[test]
fn a_script_that_the_server_has_lost_is_sent_again() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server, OnFailure::Error);
    for _ in 0..3 {
        assert!(funnel.check("ann").unwrap().is_allowed());
        server.ask("SCRIPT FLUSH");
    }
    assert!(!funnel.check("ann").unwrap().is_allowed());
}

#[test]
fn calls_succeed_after_a_restart_of_the_server() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server, OnFailure::Error).with_deadline(LATE);
    assert!(funnel.check("ann").unwrap().is_allowed());
    let server = server.restart();
    // The pool's idle connection is broken, so the first call may fail. If the restart took more
    // than a second, the pool notices the broken connection before the call, which then succeeds.
    let first = funnel.check("ann").or_else(|_| funnel.check("ann"));
    assert_eq!(first.unwrap().remaining, 2);
    drop(server);
}

#[test]
fn a_usual_call_is_one_command() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server, OnFailure::Error);
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
    let funnel = funnel(&server, OnFailure::Error);
    assert!(matches!(funnel.check("ann"), Err(LimiterError::Failure(Failure::Redis(_)))));
    assert!(funnel.check("bob").unwrap().is_allowed());
}

/// The server sends a reply of a thousand bytes, one every 50 ms.
#[test]
fn a_reply_that_drips_is_not_awaited_beyond_the_deadline() {
    let (client, _) = fake(|_, to| {
        for byte in b"$1000\r\n".iter().chain(&[b'x'; 1000]) {
            if to.write_all(&[*byte]).is_err() {
                break;
            }
            sleep(Duration::from_millis(50));
        }
    });
    let funnel = keyed(Pool::new(client), "failures", Funnel::new(per_hour(3)));
    let funnel = funnel.with_deadline(DEADLINE);
    let start = Instant::now();
    for _ in 0..2 {
        let result = funnel.check("ann");
        assert!(matches!(result, Err(LimiterError::Failure(Failure::Timeout))), "{result:?}");
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Waits until this query has the only connection to the server.
fn wait_until_disconnected(server: &Server) {
    let connections = || server.ask("CLIENT LIST").lines().count();
    wait_until("connections stay open", || connections() == 1);
}

#[test]
fn calls_succeed_after_the_server_has_closed_idle_connections() {
    let Some(server) = Server::start_with(Kind::Redis, &["--timeout", "1"]) else { return };
    let blocking = funnel(&server, OnFailure::Error).with_deadline(PATIENCE);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let manager = runtime.block_on(manager(&server.client()));
    let awaited = keyed(manager, "awaited", Funnel::new(per_hour(3)));
    for remaining in [2, 1] {
        assert_eq!(blocking.check("ann").unwrap().remaining, remaining);
        assert_eq!(runtime.block_on(awaited.check("ann")).unwrap().remaining, remaining);
        wait_until_disconnected(&server);
    }
}

#[test]
fn a_pool_has_no_more_connections_than_its_bound() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let before = server.info("total_connections_received");
    let pool = server.pool().with_max_connections(2);
    let funnel = keyed(pool, "failures", Funnel::new(per_hour(3)));
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| (0..20).for_each(|_| _ = funnel.check("ann").unwrap()));
        }
    });
    // The pool may open two connections, and this query opens one.
    assert!(server.info("total_connections_received") - before <= 3);
}

#[test]
fn a_call_waits_for_a_connection_until_its_deadline() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let pool = server.pool().with_max_connections(1);
    let queue = zset_redis::blocking::DelayQueue::new(pool.clone(), "failures");
    let funnel = keyed(pool, "failures", Funnel::new(per_hour(3)));
    let hasty = funnel.clone().with_deadline(DEADLINE);
    thread::scope(|scope| {
        let worker = scope.spawn(|| queue.wait_lease(PATIENCE).timeout(PATIENCE).block());
        let is_waiting = || server.ask("CLIENT LIST").contains("cmd=xread");
        wait_until("the worker is not waiting", is_waiting);
        times_out(|| hasty.check("ann"));
        server.queue("failures").push_after("x", Duration::ZERO).unwrap();
        assert!(worker.join().unwrap().is_ok());
    });
    assert!(funnel.check("ann").unwrap().is_allowed());
}

#[test]
fn a_pool_closes_idle_connections_and_all_when_it_is_dropped() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let pool = server.pool().with_max_idle(Duration::from_millis(100));
    let funnel = keyed(pool, "failures", Funnel::new(per_hour(3)));
    assert!(funnel.check("ann").unwrap().is_allowed());
    wait_until_disconnected(&server);
    assert!(funnel.check("ann").unwrap().is_allowed());

    let funnel = server.keyed("failures", Funnel::new(per_hour(3)));
    assert!(funnel.check("ann").unwrap().is_allowed());
    drop(funnel);
    wait_until_disconnected(&server);
}

#[test]
fn while_the_breaker_is_open_calls_are_not_sent_and_the_policy_decides() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let clock = FakeClock::new();
    let breaker = Breaker::with_clock(clock.clone()).with_failures(NonZeroU32::new(2).unwrap());
    let deny = funnel(&server, OnFailure::Error).with_breaker(breaker.clone());
    let allow = funnel(&server, OnFailure::Allow).with_breaker(breaker);
    server.stop();
    times_out(|| deny.check("ann"));
    assert!(allow.check("ann").unwrap().is_allowed());
    // Use a long deadline, so that the calls sent later succeed even on a busy machine.
    let deny = deny.with_deadline(PATIENCE);
    is_not_sent(&deny.check("ann"));
    is_not_sent(&deny.refund("ann", 1));
    assert!(allow.check_n("ann", 3).unwrap().is_allowed());
    clock.advance(Duration::from_secs(1));
    assert!(allow.check("ann").unwrap().is_allowed());
    // The probe has failed, so the breaker is open again.
    is_not_sent(&deny.check("ann"));
    server.proceed();
    // The server is back, but the next pause has begun.
    is_not_sent(&deny.check("ann"));
    assert!(deny.clone().without_breaker().check("bob").unwrap().is_allowed());
    clock.advance(Duration::from_secs(1));
    assert!(deny.check("bob").unwrap().is_allowed());
    assert!(deny.check("bob").unwrap().is_allowed());
    // An error reply shows that the server is up, so the breaker stays closed.
    server.ask("LPUSH failures:{eve}:funnel:0 x");
    for _ in 0..5 {
        assert!(matches!(deny.check("eve"), Err(LimiterError::Failure(Failure::Redis(_)))));
    }
}

#[test]
fn an_awaited_call_is_not_sent_while_the_breaker_is_open() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    block_on(async {
        let clock = FakeClock::new();
        let breaker = Breaker::with_clock(clock.clone()).with_failures(NonZeroU32::MIN);
        let patient = leased(server.multiplexed().await, "failures", per_hour(3));
        let patient = patient.with_breaker(breaker);
        let limiter = patient.clone().with_deadline(DEADLINE);
        assert!(limiter.check("ann").await.unwrap().is_allowed());
        server.stop();
        assert!(matches!(limiter.check("ann").await, Err(LimiterError::Failure(Failure::Timeout))));
        for key in ["ann", "bob"] {
            is_not_sent(&limiter.check(key).await);
            is_not_sent(&limiter.peek(key).await);
        }
        server.proceed();
        clock.advance(Duration::from_secs(1));
        assert!(patient.check("bob").await.unwrap().is_allowed());
        assert!(patient.peek_n("ann", 0).await.unwrap().remaining <= 2);
    });
}
