//! Tests of deadlines, and of decisions while the server is down.

use std::sync::atomic::{AtomicU32, Ordering};

use zset_redis::Failure;

use super::*;

const DEADLINE: Duration = Duration::from_millis(200);

/// How much later than its deadline a call may return on a busy machine.
const LATE: Duration = Duration::from_secs(2);

#[test]
fn calls_end_at_their_deadline_and_the_next_ones_succeed() {
    with_server(|server, connection| async move {
        let failures = Arc::new(AtomicU32::new(0));
        let seen = failures.clone();
        let limiter =
            machine(&connection).with_deadline(DEADLINE).with_failure_observer(move |error| {
                assert!(matches!(error, Failure::Timeout), "{error}");
                seen.fetch_add(1, Ordering::Relaxed);
            });
        assert!(limiter.check("ann").await.unwrap().is_allowed());
        server.stop();
        let mut tasks = JoinSet::new();
        for _ in 0..10 {
            let limiter = limiter.clone();
            tasks.spawn(async move {
                let start = Instant::now();
                let result = limiter.check_n("ann", 3).await;
                let has_timed_out = matches!(result, Err(LimiterError::Failure(Failure::Timeout)));
                assert!(has_timed_out, "{result:?}");
                assert!((DEADLINE..DEADLINE + LATE).contains(&start.elapsed()));
            });
        }
        tasks.join_all().await;
        assert_eq!(failures.load(Ordering::Relaxed), 10);
        server.proceed();
        let limiter = limiter.with_deadline(LATE);
        assert!(limiter.check("ann").await.unwrap().is_allowed());
        // The server has also run the draw that timed out, but the next draw has returned the units
        // of that draw. So only the two allowed calls count.
        limiter.give_back().await.unwrap();
        wait_until_counted(&connection, 2).await;
    });
}

#[test]
fn leases_outlive_the_server_and_then_the_policy_decides() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    block_on(async {
        let connection = server.client().get_multiplexed_async_connection().await.unwrap();
        let quota = Quota::new(100_000, Duration::from_secs(60)).unwrap();
        let [deny, allow] = [OnFailure::Error, OnFailure::Allow].map(|on_failure| {
            LeasedWindow::new(connection.clone(), "away", quota, on_failure)
                .unwrap()
                .with_life(Duration::from_secs(60))
        });
        for limiter in [&deny, &allow] {
            for _ in 0..200 {
                assert!(limiter.check("ann").await.unwrap().is_allowed());
            }
        }
        drop(server);
        for limiter in [&deny, &allow] {
            assert!(limiter.check("ann").await.unwrap().is_allowed());
        }
        let Err(LimiterError::Failure(failure)) = deny.check_n("ann", 5000).await else { panic!() };
        assert!(matches!(failure, Failure::Redis(_) | Failure::Timeout), "{failure}");
        assert!(allow.check_n("ann", 5000).await.unwrap().is_allowed());
        assert!(allow.peek_n("bob", 5000).await.unwrap().is_allowed());
        assert!(deny.peek("bob").await.is_err());
        assert!(allow.give_back().await.is_err());
    });
}

/// The calls of both callers share one draw.
#[test]
fn a_caller_with_a_short_deadline_does_not_shorten_that_of_another() {
    with_server(|server, _| async move {
        let connection = server.multiplexed().await;
        let hasty = machine(&connection).with_deadline(DEADLINE);
        let patient = hasty.clone().with_deadline(crate::servers::PATIENCE);
        server.stop();
        let hasty = tokio::spawn(async move { hasty.check("ann").await });
        sleep(DEADLINE / 4).await;
        let patient = tokio::spawn(async move { patient.check("ann").await });
        assert!(matches!(hasty.await.unwrap(), Err(LimiterError::Failure(Failure::Timeout))));
        sleep(3 * DEADLINE).await;
        server.proceed();
        assert!(patient.await.unwrap().unwrap().is_allowed());
    });
}
