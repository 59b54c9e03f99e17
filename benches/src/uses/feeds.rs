//! Feeds.
//!
//! The feed is full: it holds the `n` newest posts, which were posted in time order, and each new
//! post evicts the oldest.

/// The measured feeds.
pub mod contenders {
    pub mod btree;
    pub mod ours;
    pub mod vec;
}

use std::hint::black_box;

use rand::RngExt;

use crate::comparison::{Comparison, Contender, Contents, digest};
use crate::random::{generator, numbers, repeat};
use contenders::{btree::BTreeFeed, btree::BTreePair, ours::ZsetFeed, vec::VecFeed};

/// Returns the table of feeds.
pub fn feeds() -> Comparison<Workload> {
    Comparison::new("Timeline", Workload::new)
        .with(contender::<ZsetFeed>())
        .with(contender::<BTreePair>())
        .with(contender::<BTreeFeed>())
        .with(contender::<VecFeed>())
}

/// Posts by time, newest first, and at equal times by id, greatest first.
///
/// No id is posted twice, since some contenders would not notice.
pub trait Feed: Sized + 'static {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: &'static [&'static str] = &[];

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

/// Posts at increasing times.
pub const POST: &str = "post, the oldest falls out";

/// Posts at random times between the oldest and the newest.
pub const POST_LATE: &str = "post with a time anywhere";

/// The newest page.
pub const LATEST: &str = "latest 20";

/// The page before a random post.
pub const BEFORE: &str = "20 before a cursor, anywhere";

/// The newest page of many feeds, merged.
pub const MERGE: &str = "latest 20 of 100 feeds merged";

/// The length of a page.
const PAGE: usize = 20;

/// The number of merged feeds; together they have as many posts as the single feed of the other
/// rows.
const FEEDS: usize = 100;

/// The longest step between two posts.
const LONGEST_STEP: u64 = 1_000;

/// Returns a contender with all operations.
fn contender<C: Feed>() -> Contender<Workload, Vec<C>> {
    let contents = |_: &Workload, feeds: Vec<C>| {
        let mut contents = Contents::default();
        for feed in feeds {
            feed.latest(usize::MAX, |at, id| contents.add(digest(id, at)));
        }
        contents.0
    };
    Contender::new(C::NAME, |workload: &Workload| workload.load(1), contents)
        .linear(C::LINEAR.iter().copied())
        .each(
            POST,
            |it| &it.next,
            |feeds: &mut Vec<C>, &(at, id)| {
                feeds[0].post(at, id);
                0
            },
        )
        .each(
            POST_LATE,
            |it| &it.late,
            |feeds, &(at, id)| {
                feeds[0].post(at, id);
                0
            },
        )
        .each(
            LATEST,
            |it| &it.cursors,
            |feeds, _| {
                let mut sum = 0_u64;
                black_box(&feeds[0]).latest(PAGE, |at, id| sum = sum.wrapping_add(digest(id, at)));
                sum
            },
        )
        .each(
            BEFORE,
            |it| &it.cursors,
            |feeds, &(at, id)| {
                let mut sum = 0_u64;
                feeds[0].before(at, id, PAGE, |at, id| sum = sum.wrapping_add(digest(id, at)));
                sum
            },
        )
        .loaded(|workload| workload.load(FEEDS))
        // Each call takes as long as a hundred calls of other operations.
        .each(
            MERGE,
            |it| &it.cursors[..it.cursors.len() / FEEDS],
            |feeds, _| {
                let mut sum = 0_u64;
                C::latest_merged(black_box(feeds), PAGE, |at, id| {
                    sum = sum.wrapping_add(digest(id, at));
                });
                sum
            },
        )
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
        let mut rng = generator(seed);
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
}
