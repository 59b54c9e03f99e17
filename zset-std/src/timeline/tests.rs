//! Tests what `tests/times` does not cover: equality, the cost of a merge, and ids whose code
//! panics.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::vec::Vec;

use super::{Cursor, MergedTimelines, Timeline};
use crate::Timestamp;

fn at(nanos: u64) -> Timestamp {
    Timestamp::from_nanos(nanos)
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
    assert!(MergedTimelines::<u32>::default().iter().next().is_none());
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
    // All times are equal, so the merge has to compare ids.
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
