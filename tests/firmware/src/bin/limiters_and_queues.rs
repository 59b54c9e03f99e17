//! The exact window, combined limits and delay queues in a small heap, with the time given by the
//! caller. Each follows a naive reference.

#![no_std]
#![no_main]

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_firmware::{Allowed, Reference, heap, run, run_limiter_model};
use zset_std::{AnyLimiter, DelayQueue, FixedWindow, Limits, Quota, Timestamp, WindowLog};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("window logs follow the recount", window_logs),
        ("combined limits follow the recount", combined_limits),
        ("delay queues follow the reference", delay_queues),
        ("all memory is free again", nothing_is_lost),
    ])
}

/// Few enough that everything fits in 8 KB.
const IDS: u32 = 24;

const STEPS: u32 = 1_500;

fn at(nanos: u32) -> Timestamp {
    Timestamp::from_nanos(nanos.into())
}

fn window_logs() {
    run_limiter_model(WindowLog::new, Quota::count, window_allows, 1, 40);
}

fn combined_limits() {
    let both = |quota| {
        Limits::all([AnyLimiter::from(FixedWindow::new(quota)), WindowLog::new(quota).into()])
    };
    run_limiter_model(both, Quota::count, both_allow, 2, 20);
}

/// The window is half-open: a unit stops counting after exactly a period.
fn window_allows(allowed: &Allowed, quota: Quota, n: u32, now: u64) -> bool {
    let period = quota.period().as_nanos() as u64;
    let first = (now + 1).saturating_sub(period);
    allowed.units(first..) + u64::from(n) <= u64::from(quota.count())
}

fn both_allow(allowed: &Allowed, quota: Quota, n: u32, now: u64) -> bool {
    let start = now - now % quota.period().as_nanos() as u64;
    window_allows(allowed, quota, n, now)
        && allowed.units(start..) + u64::from(n) <= u64::from(quota.count())
}

/// The due time and the order of arrival as one score of the reference.
fn arrival(due: u32, step: u32) -> u32 {
    due * STEPS + step
}

fn delay_queues() {
    let mut random = SmallRng::seed_from_u64(3);
    let mut queue = DelayQueue::<u32, u32>::new();
    let mut reference = Reference::default();
    for step in 0..STEPS {
        let (id, due) = (random.random_range(0..IDS), random.random_range(0..50));
        match random.random_range(0..8) {
            0..4 => {
                let pushed = queue.push_with_id(id, id * 3, at(due));
                assert_eq!(pushed.is_err(), reference.score(id).is_some());
                if pushed.is_ok() {
                    reference.insert(id, arrival(due, step));
                }
            }
            4 => {
                let old = reference.remove(id).map(|score| at(score / STEPS));
                assert_eq!(queue.cancel(&id).map(|job| job.due), old);
            }
            5 => {
                let old = reference.score(id).map(|score| at(score / STEPS));
                assert_eq!(queue.reschedule(&id, at(due)), old);
                old.map(|_| reference.insert(id, arrival(due, step)));
            }
            _ => {
                let max = random.random_range(0..4);
                let all_due = queue.count_due(at(due));
                let popped = queue.pop_due(max, at(due));
                assert_eq!(popped.len(), max.min(all_due));
                for job in popped {
                    assert!(job.due <= at(due) && job.payload == job.id * 3);
                    assert_eq!(reference.first().map(|(first, _)| first), Some(job.id));
                    reference.remove(job.id);
                }
            }
        }
        queue.check_invariants();
        let by_time = reference.in_order().map(|(id, score)| (id, at(score / STEPS)));
        assert!(queue.iter().map(|job| (*job.id, job.due)).eq(by_time));
        let is_due = |&(_, score): &(u32, u32)| score < arrival(due + 1, 0);
        assert_eq!(queue.count_due(at(due)), reference.elements().filter(is_due).count());
        assert_eq!(queue.due(&id), reference.score(id).map(|score| at(score / STEPS)));
    }
}

fn nothing_is_lost() {
    assert_eq!(heap::used(), 0);
}
