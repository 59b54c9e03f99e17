//! Tests scans of sets that change between pages.

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::fmt::Write;
use zset_core::{Score, ZSet};

use crate::both_encodings;

/// The number of members that stay in the set during a scan, unless stated otherwise.
const STAYING: u32 = if cfg!(miri) { 20 } else { 5000 };

fn staying(i: u32) -> String {
    format!("staying {i}")
}

/// Returns a member that is inserted or removed during the scan.
fn guest(i: u32) -> String {
    format!("guest {i}")
}

/// Creates a set of members that stay, in the skip-list encoding.
fn sample(len: u32) -> ZSet {
    let mut set = ZSet::new();
    set.promote();
    set.extend((0..len).map(|i| (staying(i), Score::from(i % 10))));
    set
}

/// Scans a set, calling `change` after each page, and verifies that the scan ends; returns how
/// often each member was returned.
fn scan(
    set: &mut ZSet,
    count: usize,
    mut change: impl FnMut(u32, &mut ZSet),
) -> HashMap<Vec<u8>, u32> {
    let mut seen = HashMap::new();
    let (mut cursor, mut pages, mut most) = (0, 0, set.len());
    loop {
        let (next, page) = set.scan(cursor, count);
        for (member, score) in page {
            assert_eq!(set.score(member), Some(score));
            *seen.entry(member.to_vec()).or_default() += 1;
        }
        if next == 0 {
            return seen;
        }
        assert!(next > cursor, "the cursor increases");
        cursor = next;
        pages += 1;
        change(pages, set);
        most = most.max(set.len());
        assert!(pages as usize <= 1000 + 2 * most, "{pages} pages of {most} members");
    }
}

/// Verifies that members that stayed were returned exactly once, and others at most once.
fn each_once(seen: &HashMap<Vec<u8>, u32>, staying: impl IntoIterator<Item = String>) {
    for member in staying {
        assert_eq!(seen.get(member.as_bytes()), Some(&1), "{member}");
    }
    let twice = seen.iter().find(|&(_, &times)| times > 1);
    assert!(twice.is_none(), "{twice:?}");
}

fn all(len: u32) -> impl Iterator<Item = String> {
    (0..len).map(staying)
}

/// Returns the expected page length in a set with one table: `count`, but at least 1/64 of the set
/// and at most all of it.
fn page_len(len: usize, count: usize) -> usize {
    count.clamp((len / 64).max(1), len)
}

#[test]
fn an_unchanged_set_is_returned_exactly_once_for_any_count() {
    assert_eq!(sample(50).scan(0, 0).1.len(), 1, "an empty page would never end the scan");
    // With a small count, a page visits many more members than it returns, so the set for small
    // counts is smaller.
    let small = if cfg!(miri) { 10 } else { 1000 };
    for (len, counts) in [(small, [0, 1, 2, 3]), (STAYING, [10, 97, 1000, usize::MAX])] {
        let mut set = sample(len);
        for count in counts.into_iter().step_by(if cfg!(miri) { 2 } else { 1 }) {
            let first = page_len(len as usize, count);
            assert_eq!(set.scan(0, count).1.len(), first, "all hashes are distinct");
            let mut pages = 1;
            let seen = scan(&mut set, count, |page, _| pages = page as usize + 1);
            each_once(&seen, all(len));
            assert_eq!(seen.len(), len as usize);
            let fewest = len as usize / first;
            assert!((fewest..=2 * fewest + 64).contains(&pages), "{pages} pages of {count}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "the dict splits at 448 members, which take minutes under Miri")]
fn members_that_stay_are_returned_once_during_insertions() {
    // If `more` is large, the insertions split the first table into segments, and later split these
    // segments too.
    for (count, more) in [(10, 1000), (100, 3000), (997, 9000), (20, 0)] {
        let mut set = sample(STAYING / 2);
        let mut guests = 0;
        let seen = scan(&mut set, count, |_, set| {
            let come = guests..(guests + more).min(70_000);
            guests = come.end;
            set.extend(come.map(|i| (guest(i), Score::from(i % 7))));
        });
        set.check();
        each_once(&seen, all(STAYING / 2));
    }
}

#[test]
#[cfg_attr(miri, ignore = "the dict splits at 448 members, which take minutes under Miri")]
fn members_that_stay_are_returned_once_during_removals() {
    for shrinks in [false, true] {
        let mut set = sample(STAYING / 2);
        set.extend((0..40_000).map(|i| (guest(i), Score::from(i))));
        let mut gone = 0;
        let seen = scan(&mut set, 40, |page, set| {
            for i in gone..(gone + 500).min(40_000) {
                set.remove(guest(i));
            }
            gone += 500;
            if shrinks && page % 9 == 0 {
                set.shrink_to_fit();
            }
        });
        set.check();
        each_once(&seen, all(STAYING / 2));
    }
}

#[test]
fn a_scan_continues_after_the_set_is_rebuilt_smaller() {
    let guests = if cfg!(miri) { 20 } else { 20_000 };
    for at in if cfg!(miri) { 1..2 } else { 1..5 } {
        let mut set = sample(STAYING);
        set.extend((0..guests).map(|i| (guest(i), Score::ZERO)));
        let seen = scan(&mut set, STAYING as usize / 10, |page, set| {
            if page == at {
                set.retain(|member, _| member.starts_with(b"staying"));
                set.shrink_to_fit();
                set.check();
            }
        });
        each_once(&seen, all(STAYING));
    }
}

#[test]
fn a_scan_continues_after_the_set_is_rebuilt_larger() {
    let guests = if cfg!(miri) { 20 } else { 40_000 };
    for at in [1, 3] {
        let mut set = sample(STAYING / 10);
        let seen = scan(&mut set, STAYING as usize / 50, |page, set| {
            if page == at {
                set.extend((0..guests).map(|i| (guest(i), Score::from(i % 3))));
            } else if page == at + 2 {
                set.remove_range_by_rank(..set.len() / 2);
                set.extend(all(STAYING / 10).map(|member| (member, Score::INFINITY)));
            } else if page > at + 100 {
                set.retain(|member, _| member.starts_with(b"staying"));
            }
        });
        // Members that were removed and reinserted may be missing, but no member is returned twice.
        let twice = seen.values().find(|&&times| times > 1);
        assert_eq!(twice, None);
    }
}

#[test]
fn members_whose_scores_change_are_returned_once() {
    let mut random = SmallRng::seed_from_u64(1);
    let mut set = sample(STAYING);
    let seen = scan(&mut set, STAYING as usize / 50, |page, set| {
        for _ in 0..STAYING / 20 {
            let score = Score::from(random.random_range(0..100_u32));
            set.insert(staying(random.random_range(0..STAYING)), score);
        }
        if page % 20 == 0 {
            let mut scores = 0..;
            let all: Vec<_> = set.iter().map(|(member, _)| member.to_vec()).collect();
            for member in all {
                set.update(member, |_| Score::from(scores.next().unwrap_or(0_u32)));
            }
        }
    });
    each_once(&seen, all(STAYING));
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn members_that_stay_are_returned_once_during_random_changes() {
    for seed in 0..3 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut set = sample(STAYING / 5);
        let mut guests = 0;
        let seen =
            scan(&mut set, 1 + seed as usize * 7, |_, set| match random.random_range(0..40) {
                0..=9 => {
                    // Inserts guests until there have been 30,000.
                    let come = if guests < 30_000 { random.random_range(0..3000) } else { 0 };
                    set.extend((guests..guests + come).map(|i| (guest(i), Score::from(i % 50))));
                    guests += come;
                }
                10..=13 => {
                    for _ in 0..guests / 2 {
                        set.remove(guest(random.random_range(0..guests)));
                    }
                }
                14 => set.retain(|member, _| member.starts_with(b"staying")),
                15..=17 => set.shrink_to_fit(),
                18 => *set = set.clone(),
                19 => set.promote(),
                20..=30 => {
                    let member = staying(random.random_range(0..STAYING / 5));
                    set.increment(member, 17.5).unwrap();
                }
                _ => {}
            });
        set.check();
        each_once(&seen, all(STAYING / 5));
    }
}

#[test]
fn a_listpack_or_an_empty_set_is_one_page_for_any_count_and_cursor() {
    let [listpack, _] = both_encodings((0..20_u32).map(|i| (i.to_string(), Score::from(i))));
    let [empty, promoted] = both_encodings::<&str>([]);
    for set in [listpack, empty, promoted] {
        for count in [0, 1, 10, 1000] {
            for cursor in [0, 1, 1 << 63, u64::MAX] {
                let (next, page) = set.scan(cursor, count);
                assert_eq!(next, 0);
                assert!(page.into_iter().eq(&set));
            }
        }
    }
}

#[test]
fn a_scan_started_before_a_promotion_ends_after_its_first_page() {
    let mut set: ZSet = (0..20).map(|i| (staying(i), Score::ZERO)).collect();
    let seen = scan(&mut set, 3, |_, _| unreachable!("the scan ends after one page"));
    each_once(&seen, all(20));
    // A scan that starts after the promotion returns several pages, even if the set is small enough
    // for a listpack.
    set.promote();
    let mut text = String::new();
    let seen = scan(&mut set, 3, |page, set| {
        write!(text, "{page}").unwrap();
        set.promote();
        set.insert(&text, Score::ZERO);
    });
    each_once(&seen, all(20));
    assert!(text.starts_with("123456"), "the scan has several pages: {text}");
}

#[test]
fn a_scan_ends_if_the_set_is_emptied() {
    let empties: [fn(&mut ZSet); 4] = [
        ZSet::clear,
        |set| _ = set.drain(),
        |set| _ = set.remove_range_by_rank(..),
        |set| {
            set.remove_range_by_score(..);
            set.shrink_to_fit();
        },
    ];
    // With one table, and with several.
    let with_each = |len| empties.map(|empty| (len, empty));
    for (len, empty) in [STAYING, 8 * STAYING].into_iter().flat_map(with_each) {
        let mut set = sample(len);
        let (cursor, _) = set.scan(0, 10);
        assert_ne!(cursor, 0);
        empty(&mut set);
        // Before it ends, the scan may return a few more pages, which are empty.
        let (mut next, mut pages) = (cursor, 0);
        while next != 0 {
            let (after, page) = set.scan(next, 10);
            assert!(page.is_empty() && pages < 100);
            (next, pages) = (after, pages + 1);
        }
        set.extend(all(STAYING / 10).map(|member| (member, Score::ZERO)));
        let (_, page) = set.scan(cursor, 10);
        assert!(page.len() <= STAYING as usize / 10);
    }
}

proptest! {
    #![proptest_config(test_support::strategy::config(64, 2))]

    #[test]
    fn every_cursor_returns_a_valid_page(
        len in prop::sample::select(vec![1_u32, 9, if cfg!(miri) { 10 } else { 4000 }]),
        cursors in prop::collection::vec(
            prop_oneof![any::<u64>(), 0..9_u64, (0..9_u64).prop_map(|less| u64::MAX - less)],
            1..20,
        ),
        count in prop_oneof![0..5_usize, 0..2000_usize, Just(usize::MAX)],
    ) {
        let set = sample(len);
        for cursor in cursors {
            let (next, page) = set.scan(cursor, count);
            prop_assert!(next == 0 || next > cursor);
            prop_assert!(page.len() <= len as usize);
            for (member, score) in page {
                prop_assert_eq!(set.score(member), Some(score));
            }
        }
    }
}
