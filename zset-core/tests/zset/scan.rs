//! Scans, while the set changes between their pages.

use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::HashMap;
use std::fmt::Write;
use zset_core::{Encoding, Score, ZSet};

/// Members that stay, unless said otherwise.
const STAYING: u32 = if cfg!(miri) { 20 } else { 5000 };

fn staying(i: u32) -> String {
    format!("staying {i}")
}

/// A member that comes or goes.
fn guest(i: u32) -> String {
    format!("guest {i}")
}

/// Makes a set of the members that stay, in the skip-list encoding.
fn sample(len: u32) -> ZSet {
    let mut set = ZSet::new();
    set.promote();
    set.extend((0..len).map(|i| (staying(i), Score::from(i % 10))));
    set
}

/// Scans a set that `change` changes after each page, and verifies that the scan ends; returns how
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
        assert!(next > cursor, "a cursor goes forward");
        cursor = next;
        pages += 1;
        change(pages, set);
        most = most.max(set.len());
        assert!(pages as usize <= 1000 + 2 * most, "{pages} pages of {most} members");
    }
}

/// Verifies that those that stayed were returned exactly once, and others at most once.
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

/// Returns how many members a page of a set with one table has: as many as asked for, or 1/64.
fn page_len(len: usize, count: usize) -> usize {
    count.clamp((len / 64).max(1), len)
}

#[test]
fn a_set_that_does_not_change_is_returned_exactly_once_by_any_count() {
    // Counts so small that a page looks at many more members than it returns: a set of less.
    let small = if cfg!(miri) { 10 } else { 1000 };
    for (len, counts) in [(small, [0, 1, 2, 3]), (STAYING, [10, 97, 1000, usize::MAX])] {
        let mut set = sample(len);
        for count in counts.into_iter().step_by(if cfg!(miri) { 2 } else { 1 }) {
            let mut pages = 1;
            let seen = scan(&mut set, count, |page, _| pages = page as usize + 1);
            each_once(&seen, all(len));
            assert_eq!(seen.len(), len as usize);
            let fewest = len as usize / page_len(len as usize, count);
            assert!((fewest..=2 * fewest + 64).contains(&pages), "{pages} pages of {count}");
        }
    }
}

#[test]
fn a_page_has_about_as_many_as_asked_for() {
    let set = sample(STAYING);
    for count in [1, 10, 100, 500] {
        let (next, page) = set.scan(0, count);
        assert!(next != 0 || count >= STAYING as usize);
        assert_eq!(page.len(), page_len(STAYING as usize, count), "no two hashes are equal");
    }
    assert_eq!(sample(50).scan(0, 0).1.len(), 1, "a page of none would never end");
}

#[test]
#[cfg_attr(miri, ignore = "the dict splits at 896 members, which take minutes there")]
fn members_that_stay_are_returned_once_while_others_come() {
    // The first table splits at 28,672 members, and segments from 57,000 on.
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
#[cfg_attr(miri, ignore = "the dict splits at 896 members, which take minutes there")]
fn members_that_stay_are_returned_once_while_others_go() {
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
fn a_set_rebuilt_smaller_in_the_middle_goes_on_where_it_was() {
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
fn a_set_rebuilt_larger_in_the_middle_goes_on_where_it_was() {
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
        // Those that were removed and came back may be missing.
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
#[cfg_attr(miri, ignore = "slow, and to memory it does what the others do")]
fn members_that_stay_are_returned_once_whatever_else_happens() {
    for seed in 0..3 {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut set = sample(STAYING / 5);
        let mut guests = 0;
        let seen =
            scan(&mut set, 1 + seed as usize * 7, |_, set| match random.random_range(0..40) {
                0..=9 => {
                    // Beyond some number they only go.
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
fn a_listpack_is_one_page_whatever_the_count_and_the_cursor() {
    let set: ZSet = (0..20_u32).map(|i| (i.to_string(), Score::from(i))).collect();
    assert_eq!(set.encoding(), Encoding::Listpack);
    for count in [0, 1, 1000] {
        for cursor in [0, 1, u64::MAX] {
            let (next, page) = set.scan(cursor, count);
            assert_eq!(next, 0);
            assert!(page.into_iter().eq(&set));
        }
    }
}

#[test]
fn a_scan_that_starts_before_the_promotion_ends_with_its_first_page() {
    let mut set: ZSet = (0..20).map(|i| (staying(i), Score::ZERO)).collect();
    let seen = scan(&mut set, 3, |_, _| unreachable!("there is no second page"));
    each_once(&seen, all(20));
    // One that starts behind it goes on, even if the set is no larger than a listpack.
    set.promote();
    let mut text = String::new();
    let seen = scan(&mut set, 3, |page, set| {
        write!(text, "{page}").unwrap();
        set.promote();
        set.insert(&text, Score::ZERO);
    });
    each_once(&seen, all(20));
    assert!(text.starts_with("123456"), "there are several pages: {text}");
}

#[test]
fn a_scan_of_a_set_that_is_emptied_meanwhile_ends() {
    let empties: [fn(&mut ZSet); 4] = [
        ZSet::clear,
        |set| _ = set.drain(),
        |set| _ = set.remove_range_by_rank(..),
        |set| {
            set.remove_range_by_score(..);
            set.shrink_to_fit();
        },
    ];
    for empty in empties {
        let mut set = sample(STAYING);
        let (cursor, _) = set.scan(0, 10);
        assert_ne!(cursor, 0);
        empty(&mut set);
        // Segments that are empty now may take some pages.
        let mut next = cursor;
        for _ in 0..100 {
            let (after, page) = set.scan(next, 10);
            assert!(page.is_empty());
            next = after;
            if next == 0 {
                break;
            }
        }
        assert_eq!(next, 0);
        set.extend(all(STAYING / 10).map(|member| (member, Score::ZERO)));
        let (_, page) = set.scan(cursor, 10);
        assert!(page.len() <= STAYING as usize / 10);
    }
}

#[test]
fn an_empty_set_has_one_empty_page() {
    let mut promoted = ZSet::new();
    promoted.promote();
    for set in [ZSet::new(), promoted] {
        for cursor in [0, 1, 1 << 63, u64::MAX] {
            assert_eq!(set.scan(cursor, 10), (0, vec![]));
        }
    }
}

proptest! {
    #![proptest_config(test_support::strategy::config(64, 2))]

    #[test]
    fn any_cursor_gives_a_page_of_the_set(
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
