//! Edge cases: times, caps, pages, and ids whose code panics.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use std::vec::Vec;

use super::{Cursor, MergedTimelines, Posted, Timeline};
use crate::Timestamp;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
}

fn ids(timeline: &Timeline<u32>) -> Vec<u32> {
    timeline.iter().map(|(&id, _)| id).collect()
}

#[test]
fn the_first_and_last_timestamps_are_valid_times() {
    let mut timeline = Timeline::from([(1, Timestamp::ZERO), (2, Timestamp::MAX)]);
    assert_eq!(ids(&timeline), [2, 1]);
    assert_eq!(timeline.since(Timestamp::ZERO).len(), 2);
    assert_eq!(timeline.since(Timestamp::MAX).len(), 1);
    let beyond = Cursor { at: Timestamp::MAX, id: 3 };
    assert_eq!(timeline.before(&beyond, 9).len(), 2);
    assert_eq!(timeline.before(&Cursor { at: Timestamp::ZERO, id: 1 }, 9).len(), 0);
    assert_eq!(timeline.post(2, Timestamp::ZERO), Posted::Moved { from: Timestamp::MAX });
    timeline.check_invariants();
}

#[test]
fn a_page_of_zero_entries_is_empty() {
    let timeline = Timeline::from([(1, at(1)), (2, at(2))]);
    assert_eq!(timeline.latest(0).next(), None);
    assert_eq!(timeline.before(&Cursor { at: at(2), id: 2 }, 0).next(), None);
    assert_eq!(MergedTimelines::new([&timeline]).latest(0).next(), None);
    assert_eq!(MergedTimelines::<u32>::default().iter().next(), None);
    assert_eq!(Timeline::<u32>::new().latest(9).next(), None);
}

#[test]
fn equal_times_are_paged_by_descending_id() {
    let timeline: Timeline<u32> = (0..7).map(|id| (id, at(5))).collect();
    assert_eq!(ids(&timeline), [6, 5, 4, 3, 2, 1, 0]);
    let page = |id| timeline.before(&Cursor { at: at(5), id }, 3).map(|(&id, _)| id);
    assert!(page(4).eq([3, 2, 1]));
    assert!(page(1).eq([0]));
    assert_eq!(page(0).len(), 0);
}

#[test]
fn a_cap_of_zero_keeps_nothing() {
    let mut by_len = Timeline::new().with_max_len(0);
    let mut by_age = Timeline::new().with_max_age(Duration::ZERO);
    for time in [Timestamp::ZERO, at(7), Timestamp::MAX] {
        assert_eq!(by_len.post("a", time), Posted::TooOld("a"));
        assert_eq!(by_age.post("a", time), Posted::TooOld("a"));
    }
    by_len.check_invariants();
    by_age.check_invariants();
}

#[test]
fn a_cap_beyond_all_times_keeps_everything() {
    let mut timeline = Timeline::new().with_max_age(Duration::MAX).with_max_len(usize::MAX);
    timeline.extend([(1, Timestamp::ZERO), (2, Timestamp::MAX)]);
    assert_eq!(timeline.expire(Timestamp::MAX).len(), 0);
    assert_eq!(timeline.len(), 2);
}

#[test]
fn the_newest_time_seen_never_goes_back() {
    let mut timeline = Timeline::new().with_max_age(Duration::from_nanos(10));
    timeline.post(1, at(20));
    assert_eq!(timeline.post(2, at(10)), Posted::TooOld(2));
    assert_eq!(timeline.expire(at(5)).len(), 0);
    timeline.remove(&1);
    assert_eq!(timeline.post(2, at(10)), Posted::TooOld(2), "time 20 was seen before");
    assert_eq!(timeline.post(2, at(11)), Posted::New);
}

#[test]
fn a_cleared_timeline_is_as_new() {
    let mut timeline = Timeline::new().with_max_age(Duration::from_nanos(10)).with_max_len(2);
    timeline.post(1, at(1000));
    assert_eq!(timeline.post(2, at(20)), Posted::TooOld(2), "a clock that ran ahead");
    timeline.clear();
    assert_eq!(timeline.post(2, at(20)), Posted::New);
    assert_eq!(timeline.post(3, at(10)), Posted::TooOld(3), "the caps stay");
    timeline.extend([(3, at(21)), (4, at(22))]);
    assert_eq!(ids(&timeline), [4, 3]);
    timeline.check_invariants();
}

#[test]
fn a_time_that_is_bounded_by_the_present_expires_nothing_early() {
    let mut timeline = Timeline::new().with_max_age(Duration::from_nanos(10));
    let mut post = |id, claimed: Timestamp, now: Timestamp| timeline.post(id, claimed.min(now));
    assert_eq!(post(1, at(15), at(15)), Posted::New);
    assert_eq!(post(2, at(1000), at(16)), Posted::New);
    assert_eq!(post(3, at(17), at(17)), Posted::New);
    assert_eq!(ids(&timeline), [3, 2, 1]);
}

#[test]
fn a_post_keeps_its_time_if_the_new_one_is_too_old() {
    let mut timeline = Timeline::new().with_max_age(Duration::from_nanos(10));
    timeline.extend([(1, at(20)), (2, at(15))]);
    assert_eq!(timeline.post(2, at(3)), Posted::TooOld(2));
    assert_eq!(timeline.posted_at(&2), Some(at(15)));
}

#[test]
fn a_post_can_move_to_the_end_of_a_full_timeline() {
    let mut timeline = Timeline::from([(1, at(5)), (2, at(6))]).with_max_len(2);
    assert_eq!(timeline.post(2, at(1)), Posted::Moved { from: at(6) });
    assert_eq!(ids(&timeline), [1, 2]);
    // A post is not older than itself. Among equal times, the smaller id is older.
    assert_eq!(timeline.post(2, at(1)), Posted::Moved { from: at(1) });
    assert_eq!(timeline.post(0, at(1)), Posted::TooOld(0));
    assert_eq!(timeline.post(3, at(1)), Posted::New);
    assert_eq!(ids(&timeline), [1, 3]);
    timeline.check_invariants();
}

#[test]
fn caps_apply_to_existing_posts_by_the_newest_time_seen() {
    let mut timeline = Timeline::from([(1, at(1)), (2, at(2)), (3, at(3))]);
    assert_eq!(timeline.expire(at(12)).len(), 0, "without a cap, no post is too old");
    let timeline = timeline.with_max_age(Duration::from_nanos(10));
    assert_eq!(ids(&timeline), [3]);
    timeline.check_invariants();
}

#[test]
fn a_timeline_merged_with_itself_has_no_duplicates() {
    let timeline = Timeline::from([(1, at(1)), (2, at(2))]);
    let merged = MergedTimelines::new([&timeline, &timeline, &timeline]);
    assert!(merged.iter().map(|post| (*post.id, post.timeline)).eq([(2, 0), (1, 0)]));
    let mut one_left = merged.iter();
    one_left.next();
    assert!(one_left.clone().map(|post| *post.id).eq([1]));
    assert_eq!(one_left.size_hint().0, 1);
}

#[test]
fn timelines_are_equal_if_their_posts_are() {
    let posts = [(1, at(1)), (2, at(2))];
    assert_eq!(Timeline::from(posts), Timeline::from(posts).with_max_len(7));
    assert_ne!(Timeline::from(posts), Timeline::from([(1, at(1)), (2, at(3))]));
}

/// An id that counts its comparisons.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Counted(u32);

std::thread_local! {
    static COMPARISONS: Cell<u32> = const { Cell::new(0) };
}

impl Ord for Counted {
    fn cmp(&self, other: &Self) -> Ordering {
        COMPARISONS.set(COMPARISONS.get() + 1);
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Counted {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow, and other tests cover the same code under Miri")]
fn a_merged_page_makes_few_comparisons() {
    const FEEDS: u32 = 64;
    const POSTS: u32 = 128;
    // Equal times, so that ids are compared.
    let feed = |feed| (0..POSTS).map(move |post| (Counted(post * FEEDS + feed), Timestamp::ZERO));
    let feeds: Vec<_> = (0..FEEDS).map(|index| feed(index).collect::<Timeline<_>>()).collect();
    let merged = MergedTimelines::new(&feeds);
    let comparisons = |page: &dyn Fn() -> usize| {
        COMPARISONS.set(0);
        assert_eq!(page(), 10);
        COMPARISONS.get()
    };
    // Two comparisons per feed to build the heap, and two per heap level for each entry.
    let first = comparisons(&|| merged.latest(10).count());
    assert!(first <= 2 * FEEDS + 10 * 2 * 7, "{first} comparisons");
    let cursor = Cursor { at: Timestamp::ZERO, id: Counted(POSTS * FEEDS / 2) };
    let next = comparisons(&|| merged.before(&cursor, 10).count());
    assert!(next <= FEEDS * 2 * (7 + 7) + 10 * 2 * 7, "{next} comparisons");
}

/// An id that panics in the operation named by the second field.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Panics(u32, &'static str);

impl Panics {
    fn in_its(&self, code: &str) {
        assert!(self.1 != code || std::thread::panicking(), "panics in its {code}");
    }
}

impl Ord for Panics {
    fn cmp(&self, other: &Self) -> Ordering {
        self.in_its("order");
        other.in_its("order");
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Panics {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Panics {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.in_its("hash");
        self.0.hash(state);
    }
}

impl Drop for Panics {
    fn drop(&mut self) {
        self.in_its("drop");
    }
}

#[test]
fn a_panicking_id_leaves_the_timeline_usable() {
    for code in ["order", "hash", "drop"] {
        let mut timeline = Timeline::new().with_max_len(2);
        timeline.extend([(Panics(1, ""), at(1)), (Panics(2, ""), at(2))]);
        let posted = catch_unwind(AssertUnwindSafe(|| {
            timeline.post(Panics(3, code), at(2));
            timeline.post(Panics(4, ""), at(4));
            timeline.post(Panics(5, ""), at(5));
        }));
        assert!(posted.is_err(), "{code}");
        timeline.check_invariants();
        timeline.extend([(Panics(6, ""), at(6)), (Panics(7, ""), at(7))]);
        assert!(timeline.iter().map(|(id, _)| id.0).eq([7, 6]), "{code}");
        timeline.check_invariants();
    }
}
