//! Feeds.
//!
//! The feed is full: it holds the `n` newest posts, which were posted in time order. Each further
//! post evicts the oldest one.

use std::collections::{BTreeSet, VecDeque};
use std::hint::black_box;

use hashbrown::HashMap;
use rand::RngExt;
use zset_std::timeline::Cursor;
use zset_std::{MergedTimelines, Timeline, Timestamp};

use crate::comparison::{Comparison, Contender, Operation, build, calls};
use crate::measure::{Measured, contents, digest, each, sum};
use crate::random::{generator, numbers, repeat};

/// Returns the table of feeds.
pub fn feeds() -> Comparison {
    let contenders = vec![
        contender::<ZsetFeed>(),
        contender::<BTreePair>(),
        contender::<BTreeFeed>(),
        contender::<VecFeed>(),
    ];
    Comparison::new("Timeline", Workload::new, contenders)
}

/// The time and the id of a post.
pub type Post = (u64, u64);

/// Posts ordered by time, newest first. Posts with equal times are ordered by id, greatest first.
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
    fn post(&mut self, post: Post);

    /// Returns the `n` newest posts.
    fn latest(&self, n: usize) -> impl Iterator<Item = Post>;

    /// Returns the `n` newest posts before a given one.
    fn before(&self, cursor: Post, n: usize) -> impl Iterator<Item = Post>;

    /// Returns the `n` newest posts of several feeds, without duplicates.
    fn latest_merged(feeds: &[Self], n: usize) -> impl Iterator<Item = Post> {
        // The `n` newest posts overall are among the `n` newest posts of the single feeds.
        let mut posts = Vec::with_capacity(feeds.len() * n);
        for feed in feeds {
            posts.extend(feed.latest(n));
        }
        posts.sort_unstable_by(|a, b| b.cmp(a));
        posts.dedup();
        posts.into_iter().take(n)
    }
}

/// The operation that takes linear time on some contender.
const POST_LATE: &str = "post with a time anywhere";

/// The length of a page.
const PAGE: usize = 20;

/// The number of merged feeds; together they have as many posts as the single feed of the other
/// rows.
const FEEDS: usize = 100;

/// The longest step between two posts.
const LONGEST_STEP: u64 = 1_000;

/// Returns a contender with all operations.
fn contender<C: Feed>() -> Contender<Workload> {
    let operations: [Operation<Workload, C>; _] = [
        // Posts at increasing times.
        calls("post, the oldest is evicted", |it, feed, most| post(feed, &it.next, most)),
        // Posts at random times, none later than the newest post.
        calls(POST_LATE, |it, feed, most| post(feed, &it.late, most)),
        calls("latest 20", |it, feed, most| {
            each(&it.cursors, most, |_| sum(black_box(&*feed).latest(PAGE).map(digest_of)))
        }),
        // Reads the posts before a random post.
        calls("20 before a cursor, anywhere", |it, feed, most| {
            each(&it.cursors, most, |cursor| sum(feed.before(*cursor, PAGE).map(digest_of)))
        }),
        build("latest 20 of 100 feeds merged", |it| {
            let mut feeds: Vec<C> = it.load(FEEDS);
            // Makes fewer calls, since each takes about as long as a hundred calls of the other
            // operations.
            let measured = each(&it.cursors, it.cursors.len() / FEEDS, |_| {
                sum(C::latest_merged(black_box(&feeds), PAGE).map(digest_of))
            });
            (measured, feeds.swap_remove(0))
        }),
    ];
    let load = |it: &Workload| it.load(1).swap_remove(0);
    let contents = |_: &_, feed: C| contents(feed.latest(usize::MAX).map(digest_of));
    Contender::new(C::NAME, load, contents, operations).linear(C::LINEAR)
}

fn post<C: Feed>(feed: &mut C, posts: &[Post], most: usize) -> Measured {
    each(posts, most, |post| {
        feed.post(*post);
        0
    })
}

fn digest_of((at, id): Post) -> u64 {
    digest(id, at)
}

/// The posts of one round, and the arguments of all operations.
pub struct Workload {
    posts: Vec<Post>,
    next: Vec<Post>,
    late: Vec<Post>,
    cursors: Vec<Post>,
}

impl Workload {
    /// Generates the workload for `n` posts, at least 1, deterministically for each `seed`.
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
        for (place, post) in self.posts.iter().enumerate() {
            feeds[place % count].post(*post);
        }
        feeds
    }
}

/// `zset_std::Timeline<u64>`.
pub struct ZsetFeed(Timeline<u64>);

impl Feed for ZsetFeed {
    const NAME: &'static str = "zset";

    fn new(max_len: usize) -> Self {
        ZsetFeed(Timeline::new().with_max_len(max_len))
    }

    fn post(&mut self, (at, id): Post) {
        self.0.post(id, Timestamp::from_nanos(at));
    }

    fn latest(&self, n: usize) -> impl Iterator<Item = Post> {
        self.0.latest(n).map(|(&id, at)| (at.as_nanos(), id))
    }

    fn before(&self, (at, id): Post, n: usize) -> impl Iterator<Item = Post> {
        let cursor = Cursor { at: Timestamp::from_nanos(at), id };
        self.0.before(&cursor, n).map(|(&id, at)| (at.as_nanos(), id))
    }

    fn latest_merged(feeds: &[Self], n: usize) -> impl Iterator<Item = Post> {
        let merged = MergedTimelines::new(feeds.iter().map(|ZsetFeed(feed)| feed));
        merged.latest(n).map(|post| (post.at.as_nanos(), *post.id))
    }
}

/// `BTreeSet<(u64, u64)>`, which cannot look up an id.
pub struct BTreeFeed {
    posts: BTreeSet<Post>,
    max_len: usize,
}

impl BTreeFeed {
    /// Inserts a post; returns the evicted one, which may be the new one.
    fn insert(&mut self, post: Post) -> Option<Post> {
        self.posts.insert(post);
        if self.posts.len() > self.max_len { self.posts.pop_first() } else { None }
    }
}

impl Feed for BTreeFeed {
    const NAME: &'static str = "BTreeSet";

    fn new(max_len: usize) -> Self {
        BTreeFeed { posts: BTreeSet::new(), max_len }
    }

    fn post(&mut self, post: Post) {
        self.insert(post);
    }

    fn latest(&self, n: usize) -> impl Iterator<Item = Post> {
        self.posts.iter().rev().take(n).copied()
    }

    fn before(&self, cursor: Post, n: usize) -> impl Iterator<Item = Post> {
        self.posts.range(..cursor).rev().take(n).copied()
    }
}

/// `BTreeSet<(u64, u64)>` and `HashMap<u64, u64>`: ids can be looked up, and an id that is posted
/// again moves to its new time.
pub struct BTreePair {
    feed: BTreeFeed,
    times: HashMap<u64, u64>,
}

impl Feed for BTreePair {
    const NAME: &'static str = "BTreeSet + HashMap";

    fn new(max_len: usize) -> Self {
        BTreePair { feed: BTreeFeed::new(max_len), times: HashMap::new() }
    }

    fn post(&mut self, (at, id): Post) {
        if let Some(old) = self.times.insert(id, at) {
            self.feed.posts.remove(&(old, id));
        }
        if let Some((_, dropped)) = self.feed.insert((at, id)) {
            self.times.remove(&dropped);
        }
    }

    fn latest(&self, n: usize) -> impl Iterator<Item = Post> {
        self.feed.latest(n)
    }

    fn before(&self, cursor: Post, n: usize) -> impl Iterator<Item = Post> {
        self.feed.before(cursor, n)
    }
}

/// `VecDeque<(u64, u64)>`, oldest first, which cannot look up an id. It suffices if posts arrive in
/// order.
pub struct VecFeed {
    posts: VecDeque<Post>,
    max_len: usize,
}

impl VecFeed {
    /// Returns the last `n` of the first `end` posts, in reverse order.
    fn back(&self, end: usize, n: usize) -> impl Iterator<Item = Post> {
        self.posts.range(end.saturating_sub(n)..end).rev().copied()
    }
}

impl Feed for VecFeed {
    const NAME: &'static str = "VecDeque";
    const LINEAR: &'static [&'static str] = &[POST_LATE];

    fn new(max_len: usize) -> Self {
        VecFeed { posts: VecDeque::new(), max_len }
    }

    fn post(&mut self, post: Post) {
        if self.posts.back().is_none_or(|last| *last < post) {
            self.posts.push_back(post);
        } else {
            self.posts.insert(self.posts.partition_point(|other| *other < post), post);
        }
        if self.posts.len() > self.max_len {
            self.posts.pop_front();
        }
    }

    fn latest(&self, n: usize) -> impl Iterator<Item = Post> {
        self.back(self.posts.len(), n)
    }

    fn before(&self, cursor: Post, n: usize) -> impl Iterator<Item = Post> {
        self.back(self.posts.partition_point(|other| *other < cursor), n)
    }
}
