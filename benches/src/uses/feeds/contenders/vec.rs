//! A sorted `VecDeque`, which suffices if posts arrive in order and are never looked up by id.

use std::collections::VecDeque;

use crate::uses::feeds::{Feed, POST_LATE};

/// `VecDeque<(u64, u64)>`, oldest first, which cannot look up an id.
pub struct VecFeed {
    posts: VecDeque<(u64, u64)>,
    max_len: usize,
}

impl VecFeed {
    /// Visits the last `n` of the first `end` posts, in reverse order.
    #[inline]
    fn visit_back(&self, end: usize, n: usize, mut each: impl FnMut(u64, u64)) {
        for &(at, id) in self.posts.range(end.saturating_sub(n)..end).rev() {
            each(at, id);
        }
    }
}

impl Feed for VecFeed {
    const NAME: &'static str = "VecDeque";
    const LINEAR: &'static [&'static str] = &[POST_LATE];

    fn new(max_len: usize) -> Self {
        VecFeed { posts: VecDeque::new(), max_len }
    }

    #[inline]
    fn post(&mut self, at: u64, id: u64) {
        let post = (at, id);
        if self.posts.back().is_none_or(|last| *last < post) {
            self.posts.push_back(post);
        } else {
            self.posts.insert(self.posts.partition_point(|other| *other < post), post);
        }
        if self.posts.len() > self.max_len {
            self.posts.pop_front();
        }
    }

    #[inline]
    fn latest(&self, n: usize, each: impl FnMut(u64, u64)) {
        self.visit_back(self.posts.len(), n, each);
    }

    #[inline]
    fn before(&self, at: u64, id: u64, n: usize, each: impl FnMut(u64, u64)) {
        self.visit_back(self.posts.partition_point(|other| *other < (at, id)), n, each);
    }
}
