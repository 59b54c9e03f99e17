//! std's B-tree, alone and with a hash table.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use crate::uses::feeds::Feed;

/// `BTreeSet<(u64, u64)>`, which cannot look up an id.
pub struct BTreeFeed {
    posts: BTreeSet<(u64, u64)>,
    max_len: usize,
}

impl BTreeFeed {
    /// Posts an id; returns the evicted post, which may be the new one.
    #[inline]
    fn insert(&mut self, at: u64, id: u64) -> Option<(u64, u64)> {
        self.posts.insert((at, id));
        if self.posts.len() > self.max_len { self.posts.pop_first() } else { None }
    }
}

#[inline]
fn visit<'a>(posts: impl Iterator<Item = &'a (u64, u64)>, mut each: impl FnMut(u64, u64)) {
    for &(at, id) in posts {
        each(at, id);
    }
}

impl Feed for BTreeFeed {
    const NAME: &'static str = "BTreeSet";

    fn new(max_len: usize) -> Self {
        BTreeFeed { posts: BTreeSet::new(), max_len }
    }

    #[inline]
    fn post(&mut self, at: u64, id: u64) {
        self.insert(at, id);
    }

    #[inline]
    fn latest(&self, n: usize, each: impl FnMut(u64, u64)) {
        visit(self.posts.iter().rev().take(n), each);
    }

    #[inline]
    fn before(&self, at: u64, id: u64, n: usize, each: impl FnMut(u64, u64)) {
        visit(self.posts.range(..(at, id)).rev().take(n), each);
    }
}

/// `BTreeSet<(u64, u64)>` and `HashMap<u64, u64>`: ids can be looked up, and an id posted again
/// moves.
pub struct BTreePair {
    feed: BTreeFeed,
    times: HashMap<u64, u64>,
}

impl Feed for BTreePair {
    const NAME: &'static str = "BTreeSet + HashMap";

    fn new(max_len: usize) -> Self {
        BTreePair { feed: BTreeFeed::new(max_len), times: HashMap::new() }
    }

    #[inline]
    fn post(&mut self, at: u64, id: u64) {
        if let Some(old) = self.times.insert(id, at) {
            self.feed.posts.remove(&(old, id));
        }
        if let Some((_, dropped)) = self.feed.insert(at, id) {
            self.times.remove(&dropped);
        }
    }

    #[inline]
    fn latest(&self, n: usize, each: impl FnMut(u64, u64)) {
        self.feed.latest(n, each);
    }

    #[inline]
    fn before(&self, at: u64, id: u64, n: usize, each: impl FnMut(u64, u64)) {
        self.feed.before(at, id, n, each);
    }
}
