//! Feeds.
//!
//! The operations on every feed, generated in advance.
//!
//! The feed is full: it holds the `n` newest posts, which were posted in time order, and each new
//! post evicts the oldest.

/// The measured feeds.
pub mod contenders {
    mod btree;
    mod ours;
    mod vec;

    pub use btree::{BTreeFeed, BTreePair};
    pub use ours::ZsetFeed;
    pub use vec::VecFeed;
}

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::comparison::{self, Calls, Comparison, Contents, Entrant, bounded, digest};
use crate::names::numbers;
use crate::rounds::Measured;
use crate::workload::repeat;
use contenders::{BTreeFeed, BTreePair, VecFeed, ZsetFeed};

/// Returns the table of feeds.
pub fn feeds() -> Comparison<Workload> {
    Comparison {
        title: "Timeline",
        capacity: None,
        sizes: &[],
        rows: &[
            (Operation::Post, "post, the oldest falls out"),
            (Operation::PostLate, "post with a time anywhere"),
            (Operation::Latest, "latest 20"),
            (Operation::Before, "20 before a cursor, anywhere"),
            (Operation::Merge, "latest 20 of 100 feeds merged"),
        ],
        entrants: vec![
            Entrant::of::<Vec<ZsetFeed>>(),
            Entrant::of::<Vec<BTreePair>>(),
            Entrant::of::<Vec<BTreeFeed>>(),
            Entrant::of::<Vec<VecFeed>>(),
        ],
        prepare: Workload::new,
    }
}

/// Posts by time, newest first, and at equal times by id, greatest first.
///
/// No id is posted twice, since some contenders would not notice.
pub trait Feed: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [Operation] = &[];

    /// Returns an empty feed that keeps the `max_len` newest posts.
    fn new(max_len: usize) -> Self;

    /// Posts an id, unless the feed is full and all of its posts are newer.
    fn post(&mut self, at: u64, id: u64);

    /// Visits the `n` newest posts: times and ids.
    fn latest(&self, n: usize, each: impl FnMut(u64, u64));

    /// Visits the `n` newest posts before a given one.
    fn before(&self, at: u64, id: u64, n: usize, each: impl FnMut(u64, u64));

    /// Visits the `n` newest posts of several feeds, without duplicates.
    #[inline]
    fn latest_merged(feeds: &[Self], n: usize, mut each: impl FnMut(u64, u64)) {
        // The overall newest posts are among the newest of each feed.
        let mut posts = Vec::with_capacity(feeds.len() * n);
        for feed in feeds {
            feed.latest(n, |at, id| posts.push((at, id)));
        }
        posts.sort_unstable_by(|a, b| b.cmp(a));
        posts.dedup();
        for &(at, id) in posts.iter().take(n) {
            each(at, id);
        }
    }
}

/// The length of a page.
const PAGE: usize = 20;

/// The number of merged feeds; together they have as many posts as the single feed of the other
/// rows.
const FEEDS: usize = 100;

/// The longest step between two posts.
const LONGEST_STEP: u64 = 1_000;

/// A measured operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// Posts at increasing times.
    Post,
    /// Posts at random times between the oldest and the newest.
    PostLate,
    /// The newest page.
    Latest,
    /// The page before a random post.
    Before,
    /// The newest page of many feeds, merged.
    Merge,
}

/// The posts of one round, and the arguments of all operations.
pub struct Workload {
    /// Times and ids.
    posts: Vec<(u64, u64)>,
    next: Vec<(u64, u64)>,
    late: Vec<(u64, u64)>,
    cursors: Vec<(u64, u64)>,
}

impl Workload {
    /// Generates the workload for `n` posts, deterministically for each `seed`.
    ///
    /// # Panics
    ///
    /// Panics if `n` is 0.
    pub fn new(n: usize, seed: u64) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut ids = numbers(rng.random());
        let mut now = 0;
        let mut in_order = |count| -> Vec<_> {
            let ids = ids.by_ref().take(count);
            ids.map(|id| {
                now += rng.random_range(0..=LONGEST_STEP);
                (now, id)
            })
            .collect()
        };
        let (posts, next) = (in_order(n), in_order(n / 2));
        let newest = posts[n - 1].0;
        let late = ids.take(n / 2).map(|id| (rng.random_range(0..=newest), id)).collect();
        let cursors = repeat(n, || posts[rng.random_range(0..n)]);
        Workload { posts, next, late, cursors }
    }

    /// Builds `count` feeds, distributing the posts among them in turn.
    fn load<C: Feed>(&self, count: usize) -> Vec<C> {
        let max_len = self.posts.len().div_ceil(count);
        let mut feeds: Vec<C> = (0..count).map(|_| C::new(max_len)).collect();
        for (place, &(at, id)) in self.posts.iter().enumerate() {
            feeds[place % count].post(at, id);
        }
        feeds
    }

    /// Returns the number of calls for an operation.
    fn calls(&self, operation: Operation) -> usize {
        match operation {
            Operation::Post => self.next.len(),
            Operation::PostLate => self.late.len(),
            Operation::Latest | Operation::Before => self.cursors.len(),
            // Each call takes as long as a hundred calls of other operations.
            Operation::Merge => self.cursors.len() / FEEDS,
        }
    }

    /// Performs an operation `calls` times; returns the sum of the answers.
    fn run<C: Feed>(&self, operation: Operation, calls: usize, feeds: &mut [C]) -> u64 {
        let mut sum = 0u64;
        let mut add = |at, id| sum = sum.wrapping_add(digest(id, at));
        let feed = &mut feeds[0];
        match operation {
            Operation::Post => post_all(feed, &self.next[..calls]),
            Operation::PostLate => post_all(feed, &self.late[..calls]),
            Operation::Latest => {
                for _ in 0..calls {
                    black_box(&*feed).latest(PAGE, &mut add);
                }
            }
            Operation::Before => {
                for &(at, id) in &self.cursors[..calls] {
                    feed.before(at, id, PAGE, &mut add);
                }
            }
            Operation::Merge => {
                for _ in 0..calls {
                    C::latest_merged(black_box(feeds), PAGE, &mut add);
                }
            }
        }
        black_box(sum)
    }
}

impl comparison::Workload for Workload {
    type Operation = Operation;
}

impl<C: Feed> Calls<Vec<C>> for Workload {
    const NAME: &'static str = C::NAME;

    fn perform(&self, operation: Operation) -> (Measured<u64>, Vec<C>) {
        let mut feeds = self.load(if operation == Operation::Merge { FEEDS } else { 1 });
        let calls = bounded(self.calls(operation), operation, C::LINEAR);
        let measured = Measured::of(calls, || self.run(operation, calls, &mut feeds));
        (measured, feeds)
    }

    fn contents(&self, feeds: Vec<C>) -> u64 {
        let mut contents = Contents::default();
        for feed in feeds {
            feed.latest(usize::MAX, |at, id| contents.add(digest(id, at)));
        }
        contents.0
    }
}

fn post_all(feed: &mut impl Feed, posts: &[(u64, u64)]) {
    for &(at, id) in posts {
        feed.post(at, id);
    }
}
