//! Boards, feeds and expiring sets in a small heap, with the time given by the caller. Each is
//! compared with a naive reference of members and scores.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_firmware::{Reference, heap, run};
use zset_std::expiring_set::{DeadlinePassed, InsertError};
use zset_std::timeline::{Cursor, Posted};
use zset_std::{Best, ExpiringSet, Leaderboard, Ties, Timeline, Timestamp};

#[cortex_m_rt::entry]
fn main() -> ! {
    heap::init();
    run(&[
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
                let touched = set.touch(&id, duration, at(now));
                if ttl == 0 {
                    assert_eq!(touched, Err(DeadlinePassed));
                } else {
                    assert_eq!(touched, Ok(live.map(at)));
                    live.map(|_| reference.insert(id, now + ttl));
                }
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
            // Evicts the lowest score; ties evict the greatest id.
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
