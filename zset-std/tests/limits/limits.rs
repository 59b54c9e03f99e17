//! Tests `Limits`, which applies several limits at once.

use super::*;

fn log(count: u32, seconds: u64) -> SlidingWindow {
    SlidingWindow::new(quota(count, seconds))
}

#[test]
fn a_changed_limiter_counts_the_units_of_all_keys() {
    let limits = |count| Limits::new([log(count, 1), log(9, 60)]);
    // Only the first key has room; the second uses the shared bucket.
    let keyed = one_key(limits(2), WhenFull::SharedBucket);
    let mut direct = Direct::new(limits(2));
    assert!(direct.check_n(2, at(0)).is_allowed());
    for key in 0..2 {
        assert!(keyed.at(at(0)).check_n(&key, 2).is_allowed());
    }
    direct.set_limiter(limits(5));
    keyed.set_limiter(limits(5));
    assert_eq!(keyed.limiter(), limits(5));
    assert_eq!(direct.peek_n(0, at(0)).remaining, 3);
    for key in 0..2 {
        assert_eq!(keyed.at(at(0)).peek_n(&key, 0), direct.peek_n(0, at(0)));
    }
}

#[test]
fn no_limits_allow_everything() {
    let mut limits = Direct::new(Limits::<SlidingWindow>::new([]));
    let decision = limits.check_n(u32::MAX, at(0));
    assert!(decision.is_allowed());
    assert_eq!((decision.limit, decision.remaining), (u32::MAX, u32::MAX));
    assert_eq!(decision.reset_after, Duration::ZERO);
    assert_eq!(limits.refund(1), 0);
    assert_eq!(limits, Direct::new(Limits::new([])));
}

#[test]
fn a_key_with_several_limits_is_idle_once_all_of_them_are() {
    let keyed: Keyed<u32, _> = Keyed::new(Limits::new([log(2, 1), log(3, 60)]));
    assert!(keyed.at(at(0)).check_n(&1, 2).is_allowed());
    assert_eq!(keyed.at(at(59)).sweep(100), 0);
    assert_eq!(keyed.at(at(60)).sweep(100), 1);
    assert!(keyed.at(at(60)).check_n(&1, 2).is_allowed());
    assert_eq!(keyed.refund(&1, 2), 2);
    assert_eq!(keyed.at(at(60)).sweep(100), 1);
}
