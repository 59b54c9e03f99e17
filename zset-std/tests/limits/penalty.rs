//! Compares `Penalty` with a list of all denials and blocks.

use super::reference::{Reference, check_by};
use super::*;

#[derive(Clone, Copy, Debug)]
enum Call {
    /// Checks units, with the call's own quota if it has one.
    Check(Option<Funnel>, u32),
    Peek(Option<Funnel>, u32),
    Refund(u32),
    Reset,
    SetQuota(Funnel),
}

/// Generates mostly checks of single units, so that many are denied in a row.
fn calls() -> impl Strategy<Value = Vec<((i8, i8), u8, Call)>> {
    let n = || prop_oneof![6 => Just(1_u32), 2 => 0..14_u32];
    let of_call = |share| prop::option::weighted(share, quotas());
    let call = prop_oneof![
        34 => (of_call(0.12), n()).prop_map(|(quota, n)| Call::Check(quota, n)),
        6 => (of_call(0.33), n()).prop_map(|(quota, n)| Call::Peek(quota, n)),
        2 => (0..9_u32).prop_map(Call::Refund),
        1 => Just(Call::Reset),
        1 => quotas().prop_map(Call::SetQuota),
    ];
    let step = prop_oneof![3 => Just((0_i8, 0_i8)), 2 => steps()];
    // Usually the time changes by `step`. If the `u8` is 0, the time jumps by the last wait; if it
    // is 1, by a nanosecond less.
    prop::collection::vec((step, 0..12_u8, call), 0..150)
}

fn blocks() -> impl Strategy<Value = Block> {
    let time = prop_oneof![0..20_u64, 1..5_000_000_000_u64];
    (1..5_u32, time, prop::option::of(0..20_u64)).prop_map(|(denials, time, growth)| {
        let block = Block::after(denials.try_into().unwrap(), nanos(time));
        growth.map_or(block, |growth| block.doubling_up_to(nanos(time * growth)))
    })
}

fn peek_by<L: SingleQuota>(
    one: &Direct<L>,
    quota: Option<Funnel>,
    n: u32,
    now: Timestamp,
) -> Decision {
    match quota {
        Some(quota) => one.peek_with(quota, n, now),
        None => one.peek_n(n, now),
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
        for ((quarters, by), at, call) in calls {
            now = match at {
                0 => after(now, wait),
                1 => after(now, wait.saturating_sub(nanos(1))),
                _ => step(now, quota, quarters, by),
            };
            match call {
                Call::Check(of_call, n) => {
                    let expected = model.check(of_call, n, now);
                    prop_assert_eq!(peek_by(&penalty, of_call, n, now), expected);
                    prop_assert_eq!(check_by(&mut penalty, of_call, n, now), expected);
                    if of_call.is_some() {
                        continue;
                    }
                    wait = expected.retry_after().unwrap_or_default();
                    if !wait.is_zero() {
                        let end = after(now, wait);
                        prop_assert!(penalty.peek_n(n, end).is_allowed(), "the wait is sufficient");
                        let before = after(now, wait.saturating_sub(nanos(1)));
                        prop_assert!(!penalty.peek_n(n, before).is_allowed(), "the wait is necessary");
                    }
                }
                Call::Peek(of_call, n) => {
                    let before = penalty.clone();
                    let expected = model.peek(of_call, n, now);
                    prop_assert_eq!(peek_by(&penalty, of_call, n, now), expected);
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
            }
        }
    }
}

/// Returns the wait of a check in seconds; 0 if it is allowed.
fn denied(penalty: &mut Direct<Penalty<impl Limiter>>, second: u64) -> u64 {
    seconds(penalty.check(at(second)))
}

#[test]
fn blocks_grow_until_they_are_forgotten() {
    let block = block(3, 60).doubling_up_to(Duration::from_secs(200));
    let mut penalty = Direct::new(Penalty::new(Funnel::new(quota(1, 1)), block));
    let mut start = 0;
    for length in [60, 120, 200, 200] {
        assert_eq!(denied(&mut penalty, start), 0, "nothing was taken during the block");
        assert_eq!(denied(&mut penalty, start), 1);
        assert_eq!(denied(&mut penalty, start), 1);
        assert_eq!(denied(&mut penalty, start), length);
        // Denials during a block do not count, so they do not prolong it.
        for second in start + 1..start + length {
            assert_eq!(denied(&mut penalty, second), start + length - second);
        }
        start += length;
    }
    // After 200 s without a block, the next block is as short as the first.
    start += 200;
    for wait in [0, 1, 1, 60] {
        assert_eq!(denied(&mut penalty, start), wait);
    }
}

#[test]
fn blocks_at_the_end_of_time_last_forever() {
    let block = Block::after(1.try_into().unwrap(), Duration::MAX).doubling_up_to(Duration::ZERO);
    assert_eq!(block.shortest(), block.longest());
    let mut penalty = Direct::new(Penalty::new(Funnel::new(quota(1, 1)), block));
    let end = Timestamp::MAX;
    let _ = (penalty.check(end), penalty.check(end));
    assert!(penalty.check(Timestamp::ZERO).retry_after().is_some_and(|wait| !wait.is_zero()));
    let mut early =
        Direct::new(Penalty::new(Funnel::new(quota(1, 1)), block.doubling_up_to(Duration::MAX)));
    assert_eq!(denied(&mut early, 0), 0);
    let years = Duration::from_secs(145 * 365 * 86_400);
    assert!(early.check(at(0)).retry_after() > Some(years));
}
