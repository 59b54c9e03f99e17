//! Units that are recorded, also beyond the limit, with every algorithm.

use super::*;
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, Direct, FixedWindow, Funnel, Keyed, Limiter, Limits, Penalty, SlidingWindow,
    WindowCounter,
};

/// With a limit of three.
fn record(limiter: impl Limiter) {
    let mut one = Direct::new(limiter.clone());
    let many = Keyed::<u8, _>::new(limiter);
    let many_now = many.at(at(0));
    for recorded in [1, 2, 9] {
        assert!(!one.over_limit(at(0)) || recorded == 9);
        one.record(recorded, at(0));
        assert_eq!(many_now.record(&1, recorded), Ok(()));
        for n in 0..5 {
            assert_eq!(one.peek_n(n, at(0)), many_now.peek_n(&1, n));
        }
    }
    assert!(one.over_limit(at(0)) && many_now.over_limit(&1));
    assert!(!one.check(at(0)).is_allowed());
    assert_eq!((one.refund(9), many.refund(&1, 9)), (9, 9));
    assert!(one.over_limit(at(0)) && many_now.over_limit(&1));
    assert_eq!((one.refund(1), many.refund(&1, 1)), (1, 1));
    assert_eq!(one.check(at(0)), many_now.check(&1));
    assert!(one.over_limit(at(0)) && many_now.over_limit(&1));
    assert_eq!(many.at(at(180)).sweep(9), 1);
}

#[test]
fn recorded_units_count_beyond_the_limit() {
    let quota = Quota::new(3, Duration::from_secs(60)).unwrap();
    record(SlidingWindow::new(quota));
    record(WindowCounter::new(quota));
    record(FixedWindow::new(quota));
    record(Funnel::new(quota));
    record(AnyLimiter::from(WindowCounter::new(quota)));
    record(Limits::new([AnyLimiter::from(Funnel::new(quota)), SlidingWindow::new(quota).into()]));
    let block = Block::after(9.try_into().unwrap(), Duration::from_secs(60));
    record(Penalty::new(Funnel::new(quota), block));
}

#[test]
fn a_funnel_with_more_units_than_leak_out_in_146_years_denies() {
    let century = Quota::new(1, Duration::from_secs(100 * 365 * 86_400)).unwrap();
    let mut funnel = Direct::new(Funnel::new(century));
    for _ in 0..3 {
        funnel.record(u32::MAX, at(0));
        assert!(!funnel.check(at(0)).is_allowed());
    }
    assert_eq!(funnel.refund(u32::MAX), 1, "a unit takes a century");
    assert!(funnel.check(Timestamp::MAX).is_allowed());
}
