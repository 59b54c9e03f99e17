//! Tests that `throttle` of zset-redis returns the same as `throttle` of zset-std: the five numbers
//! of `CL.THROTTLE`.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_redis::blocking::Pool;
use zset_redis::{Keyed, LimiterError, UnsupportedQuota};
use zset_std::limit::{Throttle, ThrottleError};
use zset_std::{Direct, Funnel, Quota, Timestamp};

use crate::servers::{Kind, Server, at_micros, at_seconds};

fn funnel(server: &Server) -> Keyed<Pool, Funnel> {
    server.keyed("throttle", Funnel::new(Quota::new(1, Duration::from_secs(1)).unwrap()))
}

#[test]
fn numbers_are_those_of_zset_std() {
    for server in Server::of_each_kind() {
        let (ours, mut random) = (funnel(&server), SmallRng::seed_from_u64(1));
        for key in 0..40 {
            let max_burst = random.random_range(0..20);
            let (count, period) = (random.random_range(1..30), random.random_range(1..100));
            let quota = Quota::new(count, Duration::from_secs(period)).unwrap();
            let mut theirs = Direct::new(Funnel::new(quota).with_capacity(max_burst + 1).unwrap());
            let mut micros = 0;
            for _ in 0..50 {
                micros += random.random_range(0..3_000_000);
                let (n, now) = (random.random_range(0..4), at_micros(micros));
                let (count, period) = (i64::from(count), i64::try_from(period).unwrap());
                let key = key.to_string();
                let ours = ours.at(now).throttle(&key, max_burst.into(), count, period, n.into());
                assert_eq!(ours.unwrap(), Throttle::from(theirs.check_n(n, now)));
            }
        }
    }
}

#[test]
fn keys_may_have_another_rate_in_each_call() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let ours = funnel(&server);
    let theirs = zset_std::Keyed::<String, _>::new(*ours.limiter());
    // At these rates, all times are whole numbers of microseconds, so neither side rounds.
    let calls = [[4, 1, 60, 3], [9, 2, 60, 1], [0, 5, 10, 1], [99, 10, 1, 50], [4, 1, 60, 1]];
    for (call, [burst, count, period, n]) in (0..).zip(calls) {
        let now = at_seconds(call);
        let ours = ours.at(now).throttle("ann", burst, count, period, n).unwrap();
        let theirs = theirs.at(now).throttle("ann", burst, count, period, n).unwrap();
        assert_eq!(ours, theirs, "call {call}");
    }
}

#[test]
fn invalid_arguments_are_errors() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server);
    let throttle = |numbers: [i64; 4]| {
        let [max_burst, count, period, n] = numbers;
        funnel.throttle("ann", max_burst, count, period, n).unwrap_err()
    };
    assert!(matches!(throttle([-1, 1, 1, 1]), LimiterError::Throttle(ThrottleError::MaxBurst)));
    assert!(matches!(throttle([1, -1, 1, 1]), LimiterError::Throttle(ThrottleError::Rate)));
    assert!(matches!(throttle([1, 0, 1, 1]), LimiterError::Throttle(ThrottleError::Quota(_))));
    assert!(matches!(throttle([1, 1, 1, -1]), LimiterError::Throttle(ThrottleError::Quantity)));
    let century = 100 * 366 * 86_400;
    let long = throttle([0, 1, century, 1]);
    assert!(matches!(long, LimiterError::Quota(UnsupportedQuota::PeriodTooLong)), "{long:?}");
    assert!(!funnel.throttle("ann", 0, 1, 1, 1).unwrap().limited);

    let late = at_micros(1 << 52);
    assert!(matches!(funnel.at(late).check("ann"), Err(LimiterError::TimeTooLate)));
    let before = Timestamp::from_nanos(late.as_nanos() - 1);
    assert!(funnel.at(before).check("bob").unwrap().is_allowed());
}

#[test]
fn the_latest_time_given_to_a_limiter_counts() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let funnel = funnel(&server);
    let at = |seconds| funnel.at(at_seconds(seconds));
    assert!(at(7).check("ann").unwrap().is_allowed());
    assert!(!at(7).peek("ann").unwrap().is_allowed());
    assert!(at(7).at(at_seconds(8)).peek("ann").unwrap().is_allowed());
    assert!(at(7).peek_n("ann", 0).unwrap().is_allowed());
}
