//! Tests recorded units, within and above the limit, with every algorithm.

use super::*;

/// Records twelve units in a limiter with a limit of three.
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
    for limiter in all(per_minute(3)) {
        record(limiter);
        record(Penalty::new(limiter, block(9, 60)));
    }
    record(Limits::new([0, 3].map(|kind| any_limiter(kind, per_minute(3)))));
}

#[test]
fn a_funnel_with_more_units_than_leak_out_in_146_years_denies() {
    let mut funnel = Direct::new(Funnel::new(quota(1, 100 * 365 * 86_400)));
    for _ in 0..3 {
        funnel.record(u32::MAX, at(0));
        assert!(!funnel.check(at(0)).is_allowed());
    }
    assert_eq!(funnel.refund(u32::MAX), 1, "a unit takes a century");
    assert!(funnel.check(Timestamp::MAX).is_allowed());
    // The volume is 2^62 - 1/2 ns.
    let mut funnel =
        Direct::new(Funnel::new(Quota::new(2, nanos(1_317_624_576_693_539_401)).unwrap()));
    funnel.record(7, at(0));
    assert_eq!(funnel.peek_n(0, at(0)).reset_after, nanos((1 << 62) - 1));
}

#[test]
fn limiters_are_equal_if_their_units_are() {
    for limiter in all(per_minute(2)) {
        let [mut checked, mut recorded] = [(), ()].map(|()| Direct::new(limiter));
        assert_eq!(checked, recorded);
        assert!(checked.check(at(0)).is_allowed());
        assert_ne!(checked, recorded);
        recorded.record(1, at(0));
        assert_eq!(checked, recorded);
    }
}
