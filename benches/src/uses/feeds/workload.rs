//! The operations on every feed, generated in advance.
//!
//! The feed is full: it holds the `n` newest posts, which were posted in time order, and each new
//! post evicts the oldest.

use std::hint::black_box;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::contender::Feed;
use crate::names::numbers;
use crate::rounds::Measured;
use crate::uses::{Contents, LINEAR_CALLS, Outcome, digest};
use crate::workload::repeat;

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

    /// Loads `C` and times an operation.
    pub(super) fn measure<C: Feed>(&self, operation: Operation) -> Measured<u64> {
        self.perform::<C>(operation).0
    }

    /// Like [`measure`](Self::measure), but reads the whole feed afterwards.
    pub(super) fn outcome<C: Feed>(&self, operation: Operation) -> Outcome {
        let (Measured { calls, answer, .. }, feeds) = self.perform::<C>(operation);
        let mut contents = Contents::default();
        for feed in feeds {
            feed.latest(usize::MAX, |at, id| contents.add(digest(id, at)));
        }
        Outcome { calls, answer, contents: contents.0 }
    }

    fn perform<C: Feed>(&self, operation: Operation) -> (Measured<u64>, Vec<C>) {
        let mut feeds = self.load(if operation == Operation::Merge { FEEDS } else { 1 });
        let limit = if C::LINEAR.contains(&operation) { LINEAR_CALLS } else { usize::MAX };
        let calls = self.calls(operation).min(limit);
        let measured = Measured::of(calls, || self.run(operation, calls, &mut feeds));
        (measured, feeds)
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

fn post_all(feed: &mut impl Feed, posts: &[(u64, u64)]) {
    for &(at, id) in posts {
        feed.post(at, id);
    }
}
