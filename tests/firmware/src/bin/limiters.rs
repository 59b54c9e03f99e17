//! Limiters for one key without an allocator. None is linked: a use of `alloc` would be a linker
//! error.

#![no_std]
#![no_main]

use core::cell::RefCell;
use core::time::Duration;

use cortex_m::interrupt::{self, Mutex};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::Score;
use zset_firmware::{Allowed, run, run_limiter_model};
use zset_std::packed_score::UnpackError;
use zset_std::{AnyLimiter, FixedWindow, Funnel, PackedScore, Quota, Timestamp, WindowCounter};

#[cortex_m_rt::entry]
fn main() -> ! {
    run(&[
        ("funnels follow the recount", funnels),
        ("fixed windows follow the recount", fixed_windows),
        ("window counters follow the recount", window_counters),
        ("a limiter chosen at run time follows the recount", any_limiters),
        ("limiters in statics work in critical sections", statics),
        ("packed scores are ordered by their fields", packed_scores),
    ])
}

fn funnels() {
    run_limiter_model(Funnel::new, Quota::capacity, funnel_allows, 1, 40);
}

fn fixed_windows() {
    run_limiter_model(FixedWindow::new, Quota::count, fixed_window_allows, 2, 40);
}

fn window_counters() {
    run_limiter_model(WindowCounter::new, Quota::count, window_counter_allows, 3, 40);
}

fn any_limiters() {
    let funnel = |quota| AnyLimiter::from(Funnel::new(quota));
    run_limiter_model(funnel, Quota::capacity, funnel_allows, 4, 5);
    let window = |quota| AnyLimiter::from(FixedWindow::new(quota));
    run_limiter_model(window, Quota::count, fixed_window_allows, 5, 5);
    let counter = |quota| AnyLimiter::from(WindowCounter::new(quota));
    run_limiter_model(counter, Quota::count, window_counter_allows, 6, 5);
}

/// A bucket has room if, from each earlier call on, the allowed units do not exceed its capacity
/// plus what has leaked since.
fn funnel_allows(allowed: &Allowed, quota: Quota, n: u32, now: u64) -> bool {
    let period = quota.period().as_nanos() as u64;
    let mut units = u64::from(n);
    units <= u64::from(quota.capacity())
        && allowed.rev().all(|(time, n)| {
            units += u64::from(n);
            let leaked = (now - time) * u64::from(quota.count());
            units * period <= u64::from(quota.capacity()) * period + leaked
        })
}

fn fixed_window_allows(allowed: &Allowed, quota: Quota, n: u32, now: u64) -> bool {
    let start = now - now % quota.period().as_nanos() as u64;
    allowed.units(start..) + u64::from(n) <= u64::from(quota.count())
}

/// Units of the previous window count in proportion to the part of it that a sliding window covers.
fn window_counter_allows(allowed: &Allowed, quota: Quota, n: u32, now: u64) -> bool {
    let period = quota.period().as_nanos() as u64;
    let start = now - now % period;
    let previous = allowed.units(start.saturating_sub(period)..start);
    let weighed = (previous * (start + period - now)).div_ceil(period);
    weighed + allowed.units(start..) + u64::from(n) <= u64::from(quota.count())
}

/// Two at once, and two per second.
const QUOTA: Quota = match Quota::new(2, Duration::from_secs(1)) {
    Ok(quota) => quota,
    Err(_) => panic!("the quota is invalid"),
};

static FUNNEL: Mutex<RefCell<Funnel>> = Mutex::new(RefCell::new(Funnel::new(QUOTA)));
static WINDOW: Mutex<RefCell<FixedWindow>> = Mutex::new(RefCell::new(FixedWindow::new(QUOTA)));
static COUNTER: Mutex<RefCell<WindowCounter>> = Mutex::new(RefCell::new(WindowCounter::new(QUOTA)));

fn statics() {
    let check = |millis| {
        let now = Timestamp::ZERO.saturating_add(Duration::from_millis(millis));
        interrupt::free(|section| {
            let funnel = FUNNEL.borrow(section).borrow_mut().check(now);
            let window = WINDOW.borrow(section).borrow_mut().check(now);
            let counter = COUNTER.borrow(section).borrow_mut().check(now);
            [funnel, window, counter].map(|decision| decision.is_allowed())
        })
    };
    assert_eq!(check(0), [true; 3]);
    assert_eq!(check(0), [true; 3]);
    assert_eq!(check(499), [false; 3]);
    assert_eq!(check(500), [true, false, false]);
    assert_eq!(check(1_000), [true, true, false]);
    assert_eq!(check(1_500), [true, true, true]);
}

fn packed_scores() {
    let layout = PackedScore::bits([5, 20, 12]).expect("it has 37 bits");
    let mut random = SmallRng::seed_from_u64(7);
    let mut fields = || layout.max_values().map(|max| random.random_range(0..=max));
    let mut last = ([0; 3], Score::ZERO);
    for _ in 0..1_000 {
        let fields = fields();
        let score = layout.pack(fields).expect("the fields are in range");
        assert_eq!(layout.unpack(score), Ok(fields));
        assert_eq!(fields.cmp(&last.0), score.cmp(&last.1));
        last = (fields, score);
    }
    let half = Score::new(0.5).expect("it is a number");
    assert_eq!(layout.unpack(half), Err(UnpackError::Fraction));
}
