//! A penalty, compared with a list of all denials and blocks.

use std::num::NonZeroU32;

use super::reference::{Reference, any_limiter};
use super::*;
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, Direct, Funnel, Keyed, Limits, Penalty, SlidingWindow, Verdict, WhenFull,
};

fn nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}

fn after(denials: u32, time: Duration) -> Block {
    Block::after(NonZeroU32::new(denials).unwrap(), time)
}

#[derive(Clone, Copy, Debug)]
enum Call {
    Check(u32),
    Peek(u32),
    CheckWith(Funnel, u32),
    PeekWith(Funnel, u32),
    Refund(u32),
    Reset,
    SetQuota(Funnel),
}

/// Checks of single units, so that many are denied in a row, and other calls.
fn calls() -> impl Strategy<Value = Vec<((i8, i8), u8, Call)>> {
    let n = || prop_oneof![6 => Just(1_u32), 2 => 0..14_u32];
    let call = prop_oneof![
        30 => n().prop_map(Call::Check),
        4 => n().prop_map(Call::Peek),
        4 => (quotas(), n()).prop_map(|(quota, n)| Call::CheckWith(quota, n)),
        2 => (quotas(), n()).prop_map(|(quota, n)| Call::PeekWith(quota, n)),
        2 => (0..9_u32).prop_map(Call::Refund),
        1 => Just(Call::Reset),
        1 => quotas().prop_map(Call::SetQuota),
    ];
    let step = prop_oneof![3 => Just((0_i8, 0_i8)), 2 => steps()];
    // The second part moves to the end of a wait instead, or just before it.
    prop::collection::vec((step, 0..12_u8, call), 0..150)
}

fn blocks() -> impl Strategy<Value = Block> {
    let time = prop_oneof![0..20_u64, 1..5_000_000_000_u64];
    (1..5_u32, time, prop::option::of(0..20_u64)).prop_map(|(denials, time, growth)| {
        let block = after(denials, nanos(time));
        growth.map_or(block, |growth| block.doubling_up_to(nanos(time * growth)))
    })
}

/// Returns whether the key is indistinguishable from a new one at the latest time; for a funnel.
fn is_idle(model: &Reference<AnyLimiter>) -> bool {
    model.has_no_denials_at(model.newest)
        && model.inside.peek_n(0, model.newest).reset_after.is_zero()
}

/// Returns the time of a call: after a step, or at the end of the latest wait or just before it.
fn moved(
    now: Timestamp,
    quota: Funnel,
    (quarters, by): (i8, i8),
    at: u8,
    wait: Duration,
) -> Timestamp {
    match at {
        0 => now.saturating_add(wait),
        1 => now.saturating_add(wait.saturating_sub(nanos(1))),
        _ => step(now, quota, quarters, by),
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_penalty_matches_the_model(
        (kind, quota, block) in (0..4_usize, quotas(), blocks()),
        calls in calls(),
    ) {
        let inside = any_limiter(kind, quota);
        let mut penalty = Direct::new(Penalty::new(inside, block));
        let mut model = Reference::new(inside, Some(block));
        let (mut now, mut wait) = (Timestamp::ZERO, Duration::ZERO);
        for (by, at, call) in calls {
            now = moved(now, quota, by, at, wait);
            match call {
                Call::Check(n) => {
                    let expected = model.peek(None, n, now);
                    let _ = model.check(None, n, now);
                    prop_assert_eq!(penalty.peek_n(n, now), expected);
                    prop_assert_eq!(penalty.check_n(n, now), expected);
                    wait = expected.retry_after().unwrap_or_default();
                    if !wait.is_zero() {
                        let at = now.saturating_add(wait);
                        prop_assert!(penalty.peek_n(n, at).is_allowed(), "the wait is sufficient");
                        let before = now.saturating_add(wait.saturating_sub(nanos(1)));
                        prop_assert!(!penalty.peek_n(n, before).is_allowed(), "the wait is necessary");
                    }
                }
                Call::Peek(n) => {
                    let before = penalty.clone();
                    prop_assert_eq!(penalty.peek_n(n, now), model.peek(None, n, now));
                    prop_assert_eq!(&before, &penalty, "a peek leaves it unchanged");
                }
                Call::Refund(n) => prop_assert_eq!(penalty.refund(n), model.inside.refund(n)),
                Call::Reset => {
                    penalty.reset();
                    model.reset();
                }
                Call::SetQuota(quota) => {
                    penalty.set_quota(quota);
                    model.inside.set_quota(quota);
                }
                Call::CheckWith(quota, n) => {
                    let expected = model.check(Some(quota), n, now);
                    prop_assert_eq!(penalty.peek_with(quota, n, now), expected);
                    prop_assert_eq!(penalty.check_with(quota, n, now), expected);
                }
                Call::PeekWith(quota, n) => {
                    let expected = model.peek(Some(quota), n, now);
                    prop_assert_eq!(penalty.peek_with(quota, n, now), expected);
                }
            }
        }
    }

    /// Idle keys are swept before each call, and others stay.
    #[test]
    fn a_key_with_denials_or_a_block_is_kept(
        (quota, block) in (quotas(), blocks()),
        calls in calls(),
    ) {
        let keyed: Keyed<u8, _> = Keyed::new(Penalty::new(quota, block));
        let mut model = Reference::new(AnyLimiter::from(quota), Some(block));
        let mut is_there = false;
        let (mut now, mut wait) = (Timestamp::ZERO, Duration::ZERO);
        for (by, at, call) in calls {
            now = moved(now, quota, by, at, wait);
            keyed.at(now).sweep(usize::MAX);
            model.newest = model.newest.max(now);
            is_there &= !is_idle(&model);
            prop_assert_eq!(keyed.len(), usize::from(is_there));
            match call {
                Call::Check(n) | Call::CheckWith(_, n) => {
                    let quota = if let Call::CheckWith(quota, _) = call { Some(quota) } else { None };
                    let expected = model.peek(quota, n, now);
                    let decision = match quota {
                        Some(quota) => keyed.at(now).check_with(&1, quota, n),
                        None => keyed.at(now).check_n(&1, n),
                    };
                    prop_assert_eq!(decision, expected);
                    if is_there || n > 0 {
                        let _ = model.check(quota, n, now);
                        is_there = true;
                    }
                    wait = expected.retry_after().unwrap_or_default();
                }
                Call::Peek(n) => {
                    prop_assert_eq!(keyed.at(now).peek_n(&1, n), model.peek(None, n, now));
                }
                Call::PeekWith(quota, n) => {
                    let decision = keyed.at(now).peek_with(&1, quota, n);
                    prop_assert_eq!(decision, model.peek(Some(quota), n, now));
                }
                Call::Refund(n) => {
                    let refunded = if is_there { model.inside.refund(n) } else { 0 };
                    prop_assert_eq!(keyed.refund(&1, n), refunded);
                }
                Call::Reset => {
                    prop_assert_eq!(keyed.reset(&1), is_there);
                    model.reset();
                    is_there = false;
                }
                Call::SetQuota(quota) => {
                    keyed.set_quota(quota);
                    prop_assert_eq!(keyed.quota(), quota.quota());
                    model.inside.set_quota(quota);
                }
            }
            keyed.check_invariants();
        }
    }
}

fn per_second(count: u32) -> Quota {
    Quota::new(count, Duration::from_secs(1)).unwrap()
}

/// Returns how long a check is denied.
fn denied(penalty: &mut Direct<Penalty<impl zset_std::Limiter>>, second: u64) -> u64 {
    penalty.check(at(second)).retry_after().unwrap().as_secs()
}

#[test]
fn blocks_grow_until_they_are_forgotten() {
    let block = after(3, Duration::from_secs(60)).doubling_up_to(Duration::from_secs(200));
    let mut penalty = Direct::new(Penalty::new(Funnel::new(per_second(1)), block));
    let mut start = 0;
    for length in [60, 120, 200, 200] {
        assert_eq!(denied(&mut penalty, start), 0, "nothing was taken during the block");
        assert_eq!(denied(&mut penalty, start), 1);
        assert_eq!(denied(&mut penalty, start), 1);
        assert_eq!(denied(&mut penalty, start), length);
        // Denials during a block are not counted.
        for second in start + 1..start + length {
            assert_eq!(denied(&mut penalty, second), start + length - second);
        }
        start += length;
    }
    // After the same time without a block, the next block is a first one again.
    start += 200;
    for wait in [0, 1, 1, 60] {
        assert_eq!(denied(&mut penalty, start), wait);
    }
}

#[test]
fn units_that_are_allowed_end_a_row_of_denials() {
    let mut penalty =
        Direct::new(Penalty::new(Funnel::new(per_second(1)), after(2, Duration::from_secs(60))));
    for second in 0..100 {
        assert_eq!((denied(&mut penalty, second), denied(&mut penalty, second)), (0, 1));
    }
    // A check of 0 units, or of more than the limit, counts neither as allowed nor as denied.
    assert_eq!(denied(&mut penalty, 99), 60);
    penalty.reset();
    assert_eq!((denied(&mut penalty, 99), denied(&mut penalty, 99)), (0, 1));
    assert!(penalty.check_n(0, at(99)).is_allowed());
    assert_eq!(penalty.check_n(2, at(99)).verdict, Verdict::Never);
    assert_eq!(denied(&mut penalty, 99), 60);
    assert!(penalty.check_n(0, at(99)).is_allowed());
    assert_eq!(penalty.check_n(2, at(99)).verdict, Verdict::Never);
    assert_eq!(penalty.peek(at(99)).remaining, 0);
}

#[test]
fn denials_far_apart_are_not_in_a_row() {
    let quota = Quota::new(1, Duration::from_secs(1000)).unwrap();
    let mut penalty =
        Direct::new(Penalty::new(Funnel::new(quota), after(2, Duration::from_secs(60))));
    assert_eq!(denied(&mut penalty, 0), 0);
    assert_eq!(denied(&mut penalty, 100), 900);
    assert_eq!(denied(&mut penalty, 160), 840, "a minute later");
    assert_eq!(denied(&mut penalty, 980), 20);
    assert_eq!(denied(&mut penalty, 990), 60, "longer than the limiter would deny");
}

#[test]
fn a_clock_that_steps_back_does_not_end_a_block() {
    let mut penalty =
        Direct::new(Penalty::new(Funnel::new(per_second(1)), after(1, Duration::from_secs(60))));
    assert_eq!((denied(&mut penalty, 100), denied(&mut penalty, 0)), (0, 160));
    assert_eq!(denied(&mut penalty, 159), 1);
    assert_eq!(denied(&mut penalty, 160), 0);
    assert_eq!(denied(&mut penalty, 0), 160 + 60, "blocked from the latest time seen");
}

#[test]
fn a_penalty_wraps_several_limits_inside_a_keyed_limiter() {
    let limits =
        Limits::new([SlidingWindow::new(per_second(2)), SlidingWindow::new(per_second(3))]);
    let limiter: Keyed<u8, _> = Keyed::new(Penalty::new(limits, after(2, Duration::from_secs(9))))
        .with_max_keys(1, WhenFull::RefuseNew);
    let retry_after = || limiter.at(at(0)).check(&1).retry_after().unwrap().as_secs();
    assert_eq!([retry_after(), retry_after(), retry_after(), retry_after()], [0, 0, 1, 9]);
    assert!(!limiter.at(at(8)).check(&2).is_allowed(), "the first key is blocked, and kept");
    assert!(!limiter.at(at(9)).check(&2).is_allowed(), "its block is not forgotten yet");
    assert!(limiter.at(at(18)).check(&2).is_allowed());
}

#[test]
fn blocks_at_the_end_of_time_last_forever() {
    let block = after(1, Duration::MAX).doubling_up_to(Duration::ZERO);
    assert_eq!(block.shortest(), block.longest());
    let mut penalty = Direct::new(Penalty::new(Funnel::new(per_second(1)), block));
    let end = Timestamp::MAX;
    let _ = (penalty.check(end), penalty.check(end));
    assert!(penalty.check(Timestamp::ZERO).retry_after().is_some_and(|wait| !wait.is_zero()));
    let mut early =
        Direct::new(Penalty::new(Funnel::new(per_second(1)), block.doubling_up_to(Duration::MAX)));
    assert_eq!(denied(&mut early, 0), 0);
    assert!(denied(&mut early, 0) > 145 * 365 * 86_400);
}
