//! What else of zset-std needs a small heap: the exact window, combined limits, queues, boards and feeds, with
//! the time given by the caller. Each follows a naive reference of members and scores.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_firmware::{Allowed, Reference, heap, run, run_limiter_model};
use zset_std::expiring_set::InsertError;
use zset_std::schedule::Scheduled;
use zset_std::timeline::{Cursor, Posted};
use zset_std::{
    AnyLimiter, Best, DelayQueue, ExpiringSet, FixedWindow, Leaderboard, Limits, Quota, Schedule,
    Ties, Timeline, Timestamp, WindowLog,
};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
        ("window logs follow the recount", window_logs),
        ("combined limits follow the recount", combined_limits),
        ("delay queues follow the reference", delay_queues),
        ("schedules follow the reference", schedules),
        ("expiring sets follow the reference", expiring_sets),
        ("timelines follow the reference", timelines),
        ("leaderboards follow the reference", leaderboards),
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
                let pushed = queue.push_with_id(id, u32::from(id) * 3, at(due));
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
                    assert!(job.due <= at(due) && job.payload == u32::from(job.id) * 3);
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

fn schedules() {
    let mut random = SmallRng::seed_from_u64(4);
    let mut schedule = Schedule::<u32>::new();
    let mut reference = Reference::default();
    let mut now = 0;
    for step in 0..STEPS {
        let (id, time) = (random.random_range(0..IDS), now + random.random_range(0..30));
        match random.random_range(0..8) {
            0..5 => {
                let old = reference.score(id).map(|score| score / STEPS);
                let expected = old.map_or(Scheduled::New, |old| Scheduled::Moved { from: at(old) });
                assert_eq!(schedule.schedule(id, at(time)), expected);
                // An id that already has this time keeps its place.
                if old != Some(time) {
                    reference.insert(id, arrival(time, step));
                }
            }
            5 => {
                let old = reference.remove(id).map(|score| at(score / STEPS));
                assert_eq!(schedule.cancel(&id), old);
            }
            _ => {
                now += random.random_range(0..4);
                for (id, time) in schedule.activate_due(at(now)) {
                    let first = reference.first().map(|(id, score)| (id, at(score / STEPS)));
                    assert_eq!(first, Some((id, time)));
                    reference.remove(id);
                }
                let next = reference.first().map(|(_, score)| score / STEPS);
                assert!(next.is_none_or(|next| next > now), "an id is late");
            }
        }
        schedule.check_invariants();
        let by_time = reference.in_order().map(|(id, score)| (id, at(score / STEPS)));
        assert!(schedule.iter().map(|(id, time)| (*id, time)).eq(by_time));
    }
}

fn expiring_sets() {
    let mut random = SmallRng::seed_from_u64(5);
    let most = IDS as usize / 2;
    let mut set = ExpiringSet::<u32>::new().with_max_len(most);
    let mut reference = Reference::default();
    let mut now = 0;
    for _ in 0..STEPS {
        now += random.random_range(0..3);
        let (id, ttl) = (random.random_range(0..IDS), random.random_range(0..40));
        let duration = Duration::from_nanos(ttl.into());
        let live = reference.score(id).filter(|&deadline| deadline > now);
        match random.random_range(0..8) {
            0..5 => {
                let is_full = reference.score(id).is_none() && reference.len() == most;
                let expired = reference.first().filter(|&(_, deadline)| deadline <= now);
                let expected = if ttl == 0 {
                    Err(InsertError::DeadlinePassed(id))
                } else if is_full && expired.is_none() {
                    Err(InsertError::Full(id))
                } else {
                    if let (true, Some((expired, _))) = (is_full, expired) {
                        reference.remove(expired);
                    }
                    reference.insert(id, now + ttl);
                    Ok(live.map(at))
                };
                assert_eq!(set.insert(id, duration, at(now)), expected);
            }
            5 => {
                assert_eq!(set.touch(&id, duration, at(now)), live.map(at));
                live.map(|_| reference.insert(id, now + ttl));
            }
            6 => assert_eq!(set.remove(&id), reference.remove(id).map(at)),
            _ => {
                for (id, deadline) in set.expire_due(3, at(now)) {
                    assert!(deadline <= at(now));
                    assert_eq!(
                        reference.first().map(|(id, time)| (id, at(time))),
                        Some((id, deadline))
                    );
                    reference.remove(id);
                }
            }
        }
        set.check_invariants();
        assert_eq!(set.len(), reference.len());
        let live = reference.in_order().filter(|&(_, deadline)| deadline > now);
        assert!(
            set.iter(at(now))
                .map(|(id, time)| (*id, time))
                .eq(live.map(|(id, time)| (id, at(time))))
        );
        let deadline = reference.score(id);
        assert_eq!(set.contains(&id, at(now)), deadline.is_some_and(|deadline| deadline > now));
    }
}

fn timelines() {
    let mut random = SmallRng::seed_from_u64(6);
    let (most, age) = (IDS as usize / 2, 30);
    let age_limit = Duration::from_nanos(age.into());
    let mut feed = Timeline::<u32>::new().with_max_len(most).with_max_age(age_limit);
    let mut reference = Reference::default();
    let mut newest = 0_u32;
    for _ in 0..STEPS {
        let id = random.random_range(0..IDS);
        let time = (newest + random.random_range(0..3)).saturating_sub(random.random_range(0..35));
        if random.random_range(0..5) == 0 {
            assert_eq!(feed.remove(&id), reference.remove(id).map(at));
        } else {
            let old = reference.score(id);
            let is_last = reference.first().is_none_or(|(id2, first)| (time, id) < (first, id2));
            let is_full = reference.len() == most && old.is_none();
            let expected = if time + age <= newest || is_full && is_last {
                Posted::TooOld(id)
            } else {
                newest = newest.max(time);
                reference.insert(id, time);
                while let Some((first, oldest)) = reference.first()
                    && (reference.len() > most || oldest + age <= newest)
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

fn leaderboards() {
    let mut random = SmallRng::seed_from_u64(7);
    let most = IDS as usize / 2;
    let board = Leaderboard::<u32, u32, Best>::new();
    let mut board = board.with_max_len(most).with_dense_standings();
    let mut reference = Reference::default();
    for _ in 0..STEPS {
        let (id, score) = (random.random_range(0..IDS), random.random_range(0..20));
        if random.random_range(0..3) == 0 {
            assert_eq!(board.remove(&id), reference.remove(id));
        } else {
            let old = reference.score(id);
            reference.insert(id, old.map_or(score, |old| old.max(score)));
            // The lowest score is evicted, of equal ones the greatest id.
            let lowest = reference.elements().min_by_key(|&(id, score)| (score, u32::MAX - id));
            let dropped = lowest.filter(|_| reference.len() > most);
            dropped.map(|(id, _)| reference.remove(id));
            let submission = board.submit(id, score);
            assert_eq!((submission.old, submission.new), (old, reference.score(id)));
            assert_eq!(submission.dropped, dropped);
        }
        board.check_invariants();
        let mut standings: Vec<_> = reference.elements().collect();
        standings.sort_unstable_by_key(|&(id, score)| (u32::MAX - score, id));
        assert!(board.iter().map(|line| (*line.member, line.score)).eq(standings.iter().copied()));
        let Some(score) = reference.score(id) else { continue };
        let mut above: Vec<_> =
            standings.iter().map(|&(_, other)| other).filter(|&other| other > score).collect();
        assert_eq!(board.standing(&id, Ties::Competition), Some(above.len() + 1));
        above.dedup();
        assert_eq!(board.standing(&id, Ties::Dense), Some(above.len() + 1));
        let rank = standings.iter().position(|&(other, _)| other == id);
        assert_eq!(board.standing(&id, Ties::Ordinal), rank.map(|rank| rank + 1));
    }
}

fn nothing_is_lost() {
    assert_eq!(heap::used(), 0);
}
