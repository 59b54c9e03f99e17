//! [`Reference`]: two limiters of zset-std with the same rules as a limiter of zset-redis.

use std::fmt::Debug;
use std::num::NonZeroU32;
use std::time::Duration;

use rand::RngExt;
use rand::rngs::SmallRng;
use zset_redis::OnFailure;
use zset_redis::blocking::Pool;
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, Direct, FakeClock, FixedWindow, Funnel, Keyed, Limiter, Limits, Penalty, Quota,
    SlidingWindow, Timestamp, WindowCounter,
};

use super::episode::{Outcome, Step};

/// The kind of limiter to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    SlidingWindow,
    Funnel,
    FixedWindow,
    WindowCounter,
    /// Two or three of the algorithms above.
    Limits,
    /// One or two of the algorithms above, with a penalty.
    Penalty,
}

/// The first four have one algorithm each.
pub(crate) const SORTS: [Sort; 6] = [
    Sort::SlidingWindow,
    Sort::Funnel,
    Sort::FixedWindow,
    Sort::WindowCounter,
    Sort::Limits,
    Sort::Penalty,
];

/// The limiters of zset-std for one key, whose outcomes must be the same.
pub(crate) struct Reference {
    limiter: Inner,
}

enum Inner {
    One(Both<AnyLimiter>),
    Several(Both<Limits<AnyLimiter>>),
    Penalized(Block, Both<Penalty<Limits<AnyLimiter>>>),
}

const KEY: &str = "ann";

/// A limiter of one key and one of many keys, with the same algorithm.
struct Both<L: Limiter + Clone> {
    direct: Direct<L>,
    keyed: Keyed<String, L, FakeClock>,
    clock: FakeClock,
}

#[track_caller]
fn same<T: PartialEq + Debug + Copy>(direct: T, keyed: T) -> T {
    assert_eq!(direct, keyed, "Direct, and Keyed of zset-std");
    direct
}

impl<L: Limiter + Clone> Both<L> {
    fn new(limiter: L) -> Self {
        let clock = FakeClock::new();
        let keyed = Keyed::new(limiter.clone()).with_clock(clock.clone());
        Both { direct: Direct::new(limiter), keyed, clock }
    }

    /// Applies a step to both limiters.
    fn apply(&mut self, step: &Step) -> Outcome {
        let Both { direct, keyed, clock } = self;
        if let Some(now) = step.time() {
            clock.set(now);
        }
        match *step {
            Step::Check(None, n, now) => {
                Outcome::Decision(same(direct.check_n(n, now), keyed.check_n(KEY, n)))
            }
            Step::Peek(None, n, now) => {
                Outcome::Decision(same(direct.peek_n(n, now), keyed.peek_n(KEY, n)))
            }
            Step::Check(..) | Step::Peek(..) => panic!("it has several quotas"),
            Step::OverLimit(now) => {
                Outcome::Bool(same(direct.over_limit(now), keyed.over_limit(KEY)))
            }
            Step::Record(n, now) => {
                direct.record(n, now);
                keyed.record(KEY, n).unwrap();
                Outcome::None
            }
            Step::Refund(n, _) => Outcome::Units(same(direct.refund(n), keyed.refund(KEY, n))),
            Step::Reset => {
                let _ = keyed.reset(KEY);
                assert!(keyed.is_empty());
                // Replace both limiters. The new ones have seen no time, just like the server after
                // a reset.
                *self = Both::new(direct.limiter().clone());
                Outcome::None
            }
        }
    }
}

impl Reference {
    /// Draws quotas, and returns the rules and the reference for them.
    pub(crate) fn draw(sort: Sort, random: &mut SmallRng) -> (Vec<AnyLimiter>, Reference) {
        let sorts = match sort {
            Sort::Limits | Sort::Penalty => {
                let count = match sort {
                    Sort::Penalty => random.random_range(1..=2),
                    _ => random.random_range(2..=3),
                };
                (0..count).map(|_| SORTS[random.random_range(0..4)]).collect()
            }
            sort => vec![sort],
        };
        let drawn = sorts.into_iter().map(|sort| {
            let quota = quota(random);
            let is_whole = sort == Sort::Funnel && random.random();
            limiter(sort, if is_whole { with_whole_interval(quota) } else { quota })
        });
        let drawn: Vec<_> = drawn.collect();
        let limits = Limits::new(drawn.iter().copied());
        let first = limits.as_slice()[0];
        let limiter = match sort {
            Sort::Penalty => {
                let block = block(first.quota(), random);
                Inner::Penalized(block, Both::new(Penalty::new(limits, block)))
            }
            Sort::Limits => Inner::Several(Both::new(limits)),
            _ => Inner::One(Both::new(first)),
        };
        (drawn, Reference { limiter })
    }

    pub(crate) fn block(&self) -> Option<Block> {
        match &self.limiter {
            Inner::One(_) | Inner::Several(_) => None,
            Inner::Penalized(block, _) => Some(*block),
        }
    }

    fn limits(&self) -> &[AnyLimiter] {
        match &self.limiter {
            Inner::One(limiter) => std::slice::from_ref(limiter.direct.limiter()),
            Inner::Several(limits) => limits.direct.limiter().as_slice(),
            Inner::Penalized(_, penalty) => penalty.direct.limiter().limiter().as_slice(),
        }
    }

    /// Returns the maximum number of units allowed at once.
    pub(crate) fn limit(&self) -> u32 {
        let limit = |limiter: &AnyLimiter| Direct::new(*limiter).peek_n(0, Timestamp::ZERO).limit;
        self.limits().iter().map(limit).min().expect("there is a limit")
    }

    pub(crate) fn apply(&mut self, step: &Step) -> Outcome {
        match (&mut self.limiter, *step) {
            (Inner::One(Both { direct, keyed, clock }), Step::Check(Some(quota), n, now)) => {
                clock.set(now);
                let decision = direct.check_with(quota, n, now);
                Outcome::Decision(same(decision, keyed.check_with(KEY, quota, n)))
            }
            (Inner::One(Both { direct, keyed, clock }), Step::Peek(Some(quota), n, now)) => {
                clock.set(now);
                let decision = direct.peek_with(quota, n, now);
                Outcome::Decision(same(decision, keyed.peek_with(KEY, quota, n)))
            }
            (Inner::One(limiter), _) => limiter.apply(step),
            (Inner::Several(limits), _) => limits.apply(step),
            (Inner::Penalized(_, penalty), _) => penalty.apply(step),
        }
    }

    /// Draws a quota for a call, if there is only one limiter. The server accepts this quota, and
    /// both sides round it in the same way.
    pub(crate) fn quota_of_call(&self, random: &mut SmallRng) -> Option<Funnel> {
        let Inner::One(limiter) = &self.limiter else { return None };
        let (limiter, own) = (limiter.direct.limiter(), limiter.direct.quota());
        let drawn = quota(random);
        let quota = match limiter {
            AnyLimiter::SlidingWindow(_) => {
                let period = drawn.quota().period().min(own.period());
                Quota::new(drawn.quota().count(), period).unwrap().into()
            }
            // If the count changes, both sides round up, but the server rounds to whole
            // microseconds. So the count may change only if there are no fractions of microseconds
            // to round.
            AnyLimiter::Funnel(_) if has_whole_interval(own) => with_whole_interval(drawn),
            AnyLimiter::Funnel(_) => {
                let quota = Quota::new(own.count(), drawn.quota().period()).unwrap();
                Funnel::new(quota)
                    .with_capacity(drawn.capacity())
                    .ok()
                    .filter(|quota| is_supported(*quota))?
            }
            _ => Quota::new(drawn.quota().count(), own.period()).unwrap().into(),
        };
        Some(quota)
    }

    pub(crate) fn can_record(&self) -> bool {
        let is_log = |limiter: &AnyLimiter| matches!(limiter, AnyLimiter::SlidingWindow(_));
        // Record nothing with a penalty, which does not see the time of a record.
        self.block().is_none() && self.limits().iter().all(is_log)
    }
}

fn limiter(sort: Sort, quota: Funnel) -> AnyLimiter {
    match sort {
        Sort::SlidingWindow => SlidingWindow::new(quota.quota()).into(),
        Sort::Funnel => quota.into(),
        Sort::FixedWindow => FixedWindow::new(quota.quota()).into(),
        Sort::WindowCounter => WindowCounter::new(quota.quota()).into(),
        Sort::Limits | Sort::Penalty => panic!("it has no quota of its own"),
    }
}

/// Returns whether a server supports a funnel with this quota.
fn is_supported(quota: Funnel) -> bool {
    // No call is made, so the pool never connects.
    let pool = Pool::new(redis::Client::open("redis://localhost/").unwrap());
    zset_redis::Keyed::new(pool, "", quota, OnFailure::Error).is_ok()
}

/// The longest period and block, in microseconds.
const LONGEST: u64 = (1 << 51) - 1;

/// Draws a quota, up to the largest supported one.
fn quota(random: &mut SmallRng) -> Funnel {
    loop {
        let count = match random.random_range(0..10) {
            0 => 1,
            1..6 => random.random_range(2..20),
            6 => random.random_range(20..1000),
            7 => 999_983,
            8 => u32::MAX - random.random_range(0..3),
            _ => random.random_range(1..=u32::MAX),
        };
        let micros = match random.random_range(0..10) {
            0 => random.random_range(1..10),
            1..4 => random.random_range(10..10_000),
            4..6 => 1_000_000,
            6 => 1_000_003,
            7 => 86_400_000_000,
            8 => LONGEST - random.random_range(0..3),
            _ => random.random_range(1..=LONGEST),
        };
        let quota = Quota::new(count, Duration::from_micros(micros)).unwrap();
        let capacity = match random.random_range(0..3) {
            0 => count,
            1 => random.random_range(1..30),
            _ => random.random_range(1..=u32::MAX),
        };
        // Only a funnel uses the capacity. If the capacity takes too long to leak out, draw again.
        if let Ok(quota) = Funnel::new(quota).with_capacity(capacity)
            && is_supported(quota)
        {
            return quota;
        }
    }
}

/// Draws a block: after few denials, for a time that may be much shorter or longer than the period
/// of a quota.
fn block(quota: Quota, random: &mut SmallRng) -> Block {
    let period = quota.period().as_micros() as u64;
    let interval = (period / u64::from(quota.count())).max(1);
    let micros = match random.random_range(0..4) {
        0 => random.random_range(0..=2 * interval),
        1 => random.random_range(0..=period),
        2 => 1,
        _ => random.random_range(0..=4 * interval.min(1 << 48)),
    };
    let time = Duration::from_micros(micros.min(LONGEST));
    let block = Block::after(NonZeroU32::new(random.random_range(1..5)).unwrap(), time);
    let growth = random.random_range(0..20);
    block.doubling_up_to(Duration::from_micros((micros.saturating_mul(growth)).min(LONGEST)))
}

fn has_whole_interval(quota: Quota) -> bool {
    quota.period().as_micros() % u128::from(quota.count()) == 0
}

/// Returns a similar quota under which a unit leaks out of a funnel in whole microseconds.
fn with_whole_interval(drawn: Funnel) -> Funnel {
    let quota = drawn.quota();
    let count = u64::from(quota.count());
    let interval = (quota.period().as_micros() as u64 / count).max(1);
    let whole = Quota::new(quota.count(), Duration::from_micros(interval * count)).unwrap();
    Funnel::new(whole).with_capacity(drawn.capacity()).unwrap()
}
