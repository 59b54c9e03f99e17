//! The interface of a measured feed.

use super::workload::Operation;

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
