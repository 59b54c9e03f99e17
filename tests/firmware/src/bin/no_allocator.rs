//! Tests the types that work without an allocator. No allocator is linked, so any allocation would
//! break the build.

#![no_std]
#![no_main]

use core::cell::RefCell;
use core::num::NonZeroU32;
use core::time::Duration;

use cortex_m::interrupt::{self, Mutex};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::redis::listpack::Value;
use zset_core::{FixedSortedSet, Listpack, PackedZSet, Score};
use zset_firmware::limiter::{
    count, fixed_window_allows, funnel_allows, run_limiter_model, window_counter_allows,
};
use zset_firmware::{run, run_model, scatter};
use zset_std::packed_score::UnpackError;
use zset_std::{
    AnyLimiter, Direct, FixedWindow, Funnel, PackedScore, Quota, Timestamp, WindowCounter,
};

#[cortex_m_rt::entry]
fn main() -> ! {
    run(&[
        ("fixed sets follow the reference", fixed_sets),
        ("the best of many are kept", best),
        ("packed sets follow the reference", packed_sets),
        ("scores that are not integers keep their values and their order", fractions),
        ("a listpack in an array is read from both ends", listpacks),
        ("limiters follow the recount", limiters),
        ("limiters in statics work in critical sections", statics),
        ("packed scores are ordered by their fields", packed_scores),
    ])
}

fn fixed_sets() {
    run_model(&mut FixedSortedSet::<u32, u32, 64>::new(), 1, 2_000);
    run_model(&mut FixedSortedSet::<u32, u32, 100, u8>::new(), 2, 2_000);
    run_model(&mut FixedSortedSet::<u32, u32, 1, u8>::new(), 3, 200);
}

fn best() {
    let mut best = FixedSortedSet::<u32, u32, 10, u8>::new();
    for i in 0..1_000 {
        best.insert_or_evict_first(i, scatter(i));
        best.check();
    }
    let tenth = best.get_by_rank(0).map(|(member, _)| scatter(*member)).expect("it is full");
    assert_eq!((0..1_000).filter(|&i| scatter(i) >= tenth).count(), 10);
}

fn packed_sets() {
    let mut set = PackedZSet::with_storage([0; 512]).expect("there is room for a header");
    run_model(&mut set, 4, 500);
}

fn fractions() {
    let mut set = PackedZSet::with_storage([0; 2048]).expect("there is room for a header");
    let mut scale = 1e-20;
    for member in 0..60_u8 {
        let score = Score::new((f64::from(member) - 29.5) / 7.0 * scale).expect("a number");
        set.try_insert([member], score).expect("there is room");
        assert_eq!(set.score([member]), Some(score));
        scale *= 5.0;
    }
    assert_eq!(set.len(), 60);
    assert!(set.iter().is_sorted_by(|(_, a), (_, b)| a.get() < b.get()));
    assert_eq!(Score::parse(b"-0.1").map(Score::get), Ok(-0.1));
}

fn listpacks() {
    let mut list = Listpack::with_storage([0; 64]).expect("there is room for a header");
    let mut len = 0;
    while list.try_push_back(i64::from(len)).is_ok() {
        len += 1;
    }
    assert_eq!(list.len(), len as usize);
    assert!(len > 10);
    let forward = (0..i64::from(len)).map(Value::Integer);
    assert!(list.iter().eq(forward.clone()));
    assert!(list.iter().rev().eq(forward.rev()));
}

fn limiters() {
    run_limiter_model(|funnel| funnel, Funnel::capacity, funnel_allows, 1);
    let window = |funnel: Funnel| FixedWindow::new(funnel.quota());
    run_limiter_model(window, count, fixed_window_allows, 2);
    let counter = |funnel: Funnel| WindowCounter::new(funnel.quota());
    run_limiter_model(counter, count, window_counter_allows, 3);
    run_limiter_model(AnyLimiter::from, Funnel::capacity, funnel_allows, 4);
    run_limiter_model(|funnel| AnyLimiter::from(window(funnel)), count, fixed_window_allows, 5);
    run_limiter_model(|funnel| AnyLimiter::from(counter(funnel)), count, window_counter_allows, 6);
}

/// Two units per second, which may both come at once.
const QUOTA: Quota = Quota::per_second(NonZeroU32::new(2).unwrap());

type Shared<L> = Mutex<RefCell<Direct<L>>>;

static FUNNEL: Shared<Funnel> = Mutex::new(RefCell::new(Direct::new(Funnel::new(QUOTA))));
static WINDOW: Shared<FixedWindow> = Mutex::new(RefCell::new(Direct::new(FixedWindow::new(QUOTA))));
static COUNTER: Shared<WindowCounter> =
    Mutex::new(RefCell::new(Direct::new(WindowCounter::new(QUOTA))));

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
    assert_eq!([check(0), check(0)], [[true; 3]; 2]);
    assert_eq!(check(499), [false; 3]);
    assert_eq!(check(500), [true, false, false]);
    assert_eq!(check(1_000), [true, true, false]);
    assert_eq!(check(1_500), [true, true, true]);
}

fn packed_scores() {
    let layout = PackedScore::with_bits([5, 20, 12]).expect("it has 37 bits");
    let mut random = SmallRng::seed_from_u64(7);
    let mut last = ([0; 3], Score::ZERO);
    for _ in 0..1_000 {
        let fields = layout.max_values().map(|max| random.random_range(0..=max));
        let score = layout.pack(fields).expect("the fields are in range");
        assert_eq!(layout.unpack(score), Ok(fields));
        assert_eq!(fields.cmp(&last.0), score.cmp(&last.1));
        last = (fields, score);
    }
    let half = Score::new(0.5).expect("it is a number");
    assert_eq!(layout.unpack(half), Err(UnpackError::Fraction));
}
