//! Tests with numbers that random steps rarely reach.

use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_std::{Decision, Direct, Funnel, Quota, SlidingWindow, WindowCounter};

use super::servers::{Kind, Server, at_micros as at, numbers};

/// A window counter compares products of up to 84 bits, whose difference may be below the precision
/// of a double.
#[test]
fn products_are_exact() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let mut random = SmallRng::seed_from_u64(1);
    for key in 0..200 {
        let period = (1 << 51) - 1 - random.random_range(0..1000);
        let count = u32::MAX - random.random_range(0..1000);
        let quota = Quota::new(count, Duration::from_micros(period)).unwrap();
        let counter = server.keyed("products", WindowCounter::new(quota));
        let mut reference = Direct::new(WindowCounter::new(quota));
        let mut check = |n, micros: u64| -> Decision {
            let ours = counter.at(at(micros)).check_n(&format!("{key}"), n).unwrap();
            assert_eq!(ours, reference.check_n(n, at(micros)), "{quota:?}, {n} at {micros}");
            ours
        };
        assert!(check(count, period - 1).is_allowed());
        let n = random.random_range(1..100);
        let wait = check(n, period).retry_after().unwrap();
        let wait = u64::try_from(wait.as_nanos().div_ceil(1000)).unwrap();
        assert!(!check(n, period + wait - 1).is_allowed());
        assert!(check(n, period + wait).is_allowed());
    }
}

/// If the count changes, the server rounds up to the next microsecond.
#[test]
fn a_funnel_whose_count_changes_errs_towards_denial_by_less_than_a_microsecond() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let mut random = SmallRng::seed_from_u64(1);
    let own = Quota::new(7, Duration::from_millis(1)).unwrap();
    let funnel = server.keyed("counts", Funnel::new(own));
    let mut reference = Direct::new(Funnel::new(own));
    let (mut micros, mut changes) = (0, 0);
    let mut last = own.count();
    for step in 0..2000 {
        micros += random.random_range(0..300);
        let count = random.random_range(1..12);
        let quota = Quota::new(count, own.period()).unwrap();
        changes += u32::from(count != last);
        let n = random.random_range(0..4);
        let ours = funnel.at(at(micros)).check_with("ann", quota, n).unwrap();
        let theirs = reference.peek_with(quota, n, at(micros));
        assert!(theirs.is_allowed() || !ours.is_allowed(), "step {step}: {ours:?} {theirs:?}");
        if ours.verdict == theirs.verdict {
            let late = ours.reset_after.checked_sub(theirs.reset_after);
            let late = late.expect("the server's level is not lower");
            assert!(late <= Duration::from_micros(1) * changes, "step {step}: {late:?}");
        }
        if ours.is_allowed() && n > 0 {
            let _ = reference.check_with(quota, n, at(micros));
            last = count;
        }
        if ours.reset_after.is_zero() {
            changes = 0;
        }
    }
}

/// The totals in a log wrap around at 2^52.
#[test]
fn totals_wrap_around() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let quota = Quota::new(9, Duration::from_micros(10)).unwrap();
    let log = server.keyed("wrap", SlidingWindow::new(quota));
    let mut reference = Direct::new(SlidingWindow::new(quota));
    let key = "wrap:{ann}:sliding_window:0";
    let (time, total) = (0.0_f64, 2_f64.powi(52) - 20.0);
    let entry = [time.to_be_bytes(), total.to_be_bytes()].concat();
    redis::cmd("ZADD").arg(key).arg(time).arg(entry).exec(&mut server.connection()).unwrap();
    for step in 10..80 {
        let (n, now) = (step % 4, at(u64::from(step) * 2));
        assert_eq!(log.at(now).check_n("ann", n).unwrap(), reference.check_n(n, now));
        if step % 7 == 0 {
            assert_eq!(log.at(now).refund("ann", 1).unwrap(), reference.refund(1));
        }
    }
    let mut entries = redis::cmd("ZRANGE");
    let entries: Vec<Vec<u8>> =
        entries.arg(key).arg(&[0, -1]).query(&mut server.connection()).unwrap();
    let totals: Vec<_> = entries.iter().map(|entry| numbers(entry)[1]).collect();
    assert!(totals.iter().all(|&total| total < 1000), "no wrap: {totals:?}");
}
