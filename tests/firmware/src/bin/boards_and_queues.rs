//! Compares types of zset-std with naive references in a small heap: sliding windows, combined
//! limits, delay queues, expiring sets, timelines and leaderboards. All calls are given the time,
//! so no clock is needed.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_firmware::limiter::{
    count, fixed_window_allows, run_limiter_model, sliding_window_allows,
};
use zset_firmware::{Reference, heap, run};
use zset_std::expiring_set::{DeadlinePassed, InsertError};
use zset_std::timeline::{Cursor, Posted};
use zset_std::{
    AnyLimiter, Best, DelayQueue, ExpiringSet, FixedWindow, Funnel, Leaderboard, Limits,
    SlidingWindow, Ties, Timeline, Timestamp,
};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("sliding windows follow the recount", sliding_windows),
        ("combined limits follow the recount", combined_limits),
        ("delay queues follow the reference", || follow(delay_queues)),
        ("expiring sets follow the reference", || follow(expiring_sets)),
        ("timelines follow the reference", || follow(timelines)),
        ("leaderboards follow the reference", || follow(leaderboards)),
        ("all memory is free again", || assert_eq!(heap::used(), 0)),
    ])
}

fn sliding_windows() {
    let window = |funnel: Funnel| SlidingWindow::new(funnel.quota());
    run_limiter_model(window, count, sliding_window_allows, 1);
}

fn combined_limits() {
    let both = |funnel: Funnel| {
        let quota = funnel.quota();
        Limits::new([AnyLimiter::from(FixedWindow::new(quota)), SlidingWindow::new(quota).into()])
    };
    run_limiter_model(
        both,
        count,
        |allowed, funnel, n, now| {
            fixed_window_allows(allowed, funnel, n, now)
                && sliding_window_allows(allowed, funnel, n, now)
        },
        2,
    );
}

/// The number of ids. It is small enough that everything fits in 8 KB.
const IDS: u32 = 24;

/// The maximum length of a set, feed or board.
const MOST: usize = IDS as usize / 2;

const STEPS: u32 = 1_500;

/// Runs a test with an empty reference.
fn follow(test: fn(&mut SmallRng, Reference)) {
    test(&mut SmallRng::seed_from_u64(3), Reference(&mut [None; IDS as usize]));
}

fn at(nanos: u32) -> Timestamp {
    Timestamp::from_nanos(nanos.into())
}

fn nanos(nanos: u32) -> Duration {
    Duration::from_nanos(nanos.into())
}

/// The score of a job in the reference, which orders jobs by due time, then by arrival.
fn arrival(due: u32, step: u32) -> u32 {
    due * STEPS + step
}

fn delay_queues(random: &mut SmallRng, mut reference: Reference) {
    let due_at = |score: u32| at(score / STEPS);
    let mut queue = DelayQueue::<u32, u32>::new();
    for step in 0..STEPS {
        let (id, due) = (random.random_range(0..IDS), random.random_range(0..50));
        let old = reference.score(id);
        match random.random_range(0..8) {
            0..4 => {
                let pushed = queue.push_with_id(id, id * 3, at(due));
                assert_eq!(pushed.is_err(), old.is_some());
                if pushed.is_ok() {
                    reference.insert(id, arrival(due, step));
                }
            }
            4 => {
                assert_eq!(queue.cancel(&id).map(|job| job.due), old.map(due_at));
                reference.remove(id);
            }
            5 => {
                assert_eq!(queue.reschedule(&id, at(due)), old.map(due_at));
                old.map(|_| reference.insert(id, arrival(due, step)));
            }
            _ => {
                let (max, all_due) = (random.random_range(0..4), queue.count_due(at(due)));
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
        let by_time = reference.in_order().map(|(id, score)| (id, due_at(score)));
        assert!(queue.iter().map(|job| (*job.id, job.due)).eq(by_time));
        let is_due = |&(_, score): &(u32, u32)| score < arrival(due + 1, 0);
        assert_eq!(queue.count_due(at(due)), reference.elements().filter(is_due).count());
        assert_eq!(queue.due(&id), reference.score(id).map(due_at));
    }
}

fn expiring_sets(random: &mut SmallRng, mut reference: Reference) {
    let mut set = ExpiringSet::<u32>::new().with_max_len(MOST);
    let mut now = 0;
    for _ in 0..STEPS {
        now += random.random_range(0..3);
        let (id, ttl) = (random.random_range(0..IDS), random.random_range(0..40));
        let live = reference.score(id).filter(|&deadline| deadline > now);
        match random.random_range(0..8) {
            0..5 => {
                let is_full = reference.score(id).is_none() && reference.len() == MOST;
                let expired = reference.first().filter(|&(_, deadline)| deadline <= now);
                let expected = if ttl == 0 {
                    Err(InsertError::DeadlinePassed(id))
                } else if is_full && expired.is_none() {
                    Err(InsertError::Full(id))
                } else {
                    expired.filter(|_| is_full).map(|(expired, _)| reference.remove(expired));
                    reference.insert(id, now + ttl);
                    Ok(live.map(at))
                };
                assert_eq!(set.insert(id, nanos(ttl), at(now)), expected);
            }
            5 => {
                let expected = if ttl == 0 { Err(DeadlinePassed) } else { Ok(live.map(at)) };
                assert_eq!(set.touch(&id, nanos(ttl), at(now)), expected);
                live.filter(|_| ttl > 0).map(|_| reference.insert(id, now + ttl));
            }
            6 => assert_eq!(set.remove(&id), reference.remove(id).map(at)),
            _ => {
                for (id, deadline) in set.expire(3, at(now)) {
                    assert!(deadline <= at(now));
                    let first = reference.first().map(|(id, time)| (id, at(time)));
                    assert_eq!(first, Some((id, deadline)));
                    reference.remove(id);
                }
            }
        }
        set.check_invariants();
        assert_eq!(set.len_with_expired(), reference.len());
        let live = reference.in_order().filter(|&(_, deadline)| deadline > now);
        let live = live.map(|(id, time)| (id, at(time)));
        assert!(set.iter(at(now)).map(|(id, time)| (*id, *time)).eq(live));
        let deadline = reference.score(id);
        assert_eq!(set.contains(&id, at(now)), deadline.is_some_and(|deadline| deadline > now));
    }
}

fn timelines(random: &mut SmallRng, mut reference: Reference) {
    let age = 30;
    let mut feed = Timeline::<u32>::new().with_max_len(MOST).with_max_age(nanos(age));
    let mut newest = 0_u32;
    for _ in 0..STEPS {
        let id = random.random_range(0..IDS);
        let time = (newest + random.random_range(0..3)).saturating_sub(random.random_range(0..35));
        if random.random_range(0..5) == 0 {
            assert_eq!(feed.remove(&id), reference.remove(id).map(at));
        } else {
            let old = reference.score(id);
            let is_last = reference.first().is_none_or(|(id2, first)| (time, id) < (first, id2));
            let is_full = reference.len() == MOST && old.is_none();
            let expected = if time + age <= newest || is_full && is_last {
                Posted::TooOld(id)
            } else {
                newest = newest.max(time);
                reference.insert(id, time);
                while let Some((first, oldest)) = reference.first()
                    && (reference.len() > MOST || oldest + age <= newest)
                {
                    reference.remove(first);
                }
                old.map_or(Posted::New, |old| Posted::Moved { from: at(old) })
            };
            assert_eq!(feed.post(id, at(time)), expected);
        }
        feed.check_invariants();
        let posts: Vec<_> = reference.in_order().map(|(id, time)| (id, at(time))).collect();
        assert!(feed.iter().map(|(id, time)| (*id, time)).eq(posts.iter().rev().copied()));
        let cursor = Cursor { at: at(time), id };
        let older = posts.iter().rev().filter(|&&(id, time)| (time, id) < (cursor.at, cursor.id));
        let page = feed.before(&cursor, 5).map(|(id, time)| (*id, time));
        assert!(page.eq(older.take(5).copied()));
    }
}

fn leaderboards(random: &mut SmallRng, mut reference: Reference) {
    let board = Leaderboard::<u32, u32, Best>::new();
    let mut board = board.with_max_len(MOST).with_dense_standings();
    for _ in 0..STEPS {
        let (id, score) = (random.random_range(0..IDS), random.random_range(0..20));
        if random.random_range(0..3) == 0 {
            assert_eq!(board.remove(&id), reference.remove(id));
        } else {
            let old = reference.score(id);
            reference.insert(id, old.map_or(score, |old| old.max(score)));
            // A full board evicts the lowest score; ties evict the greatest id.
            let lowest = reference.elements().min_by_key(|&(id, score)| (score, u32::MAX - id));
            let dropped = lowest.filter(|_| reference.len() > MOST);
            dropped.map(|(id, _)| reference.remove(id));
            let submission = board.submit(id, score);
            assert_eq!((submission.old, submission.new), (old, reference.score(id)));
            assert_eq!(submission.dropped, dropped);
        }
        board.check_invariants();
        let mut standings: Vec<_> = reference.elements().collect();
        standings.sort_unstable_by_key(|&(id, score)| (u32::MAX - score, id));
        assert!(board.iter().map(|(id, score)| (*id, *score)).eq(standings.iter().copied()));
        let Some(score) = reference.score(id) else { continue };
        let scores = standings.iter().map(|&(_, other)| other);
        let mut above: Vec<_> = scores.filter(|&other| other > score).collect();
        assert_eq!(board.standing(&id, Ties::Competition), Some(above.len() + 1));
        above.dedup();
        assert_eq!(board.standing(&id, Ties::Dense), Some(above.len() + 1));
        let rank = standings.iter().position(|&(other, _)| other == id);
        assert_eq!(board.standing(&id, Ties::Ordinal), rank.map(|rank| rank + 1));
    }
}
