//! What must be offered to be measured as a feed.

use super::workload::Operation;

/// Posts by time, newest first, and at equal times by id, greatest first.
///
/// No id is posted twice, for the sake of those that would not notice.
pub trait Feed: Sized {
    /// What the tables call it.
    const NAME: &'static str;

    /// What takes linear time.
    const LINEAR: &'static [Operation] = &[];

    /// Makes an empty feed that keeps the newest `max_len`.
    fn new(max_len: usize) -> Self;

    /// Posts an id, unless it is older than all of a full feed.
    fn post(&mut self, at: u64, id: u64);

    /// Visits the `n` newest: their times and ids.
    fn latest(&self, n: usize, each: impl FnMut(u64, u64));

    /// Visits the `n` newest behind a post.
    fn before(&self, at: u64, id: u64, n: usize, each: impl FnMut(u64, u64));

    /// Visits the `n` newest of several feeds; what is in several of them once.
    #[inline]
    fn latest_merged(feeds: &[Self], n: usize, mut each: impl FnMut(u64, u64)) {
        // The newest of all are among the newest of each.
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
