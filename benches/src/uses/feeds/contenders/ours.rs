//! The subject: `zset_std::Timeline`.

use zset_std::timeline::{Cursor, Posts};
use zset_std::{MergedTimelines, Timeline, Timestamp};

use crate::uses::feeds::Feed;

/// `zset_std::Timeline<u64>`.
pub struct ZsetFeed(Timeline<u64>);

#[inline]
fn visit(posts: Posts<'_, u64>, mut each: impl FnMut(u64, u64)) {
    for (&id, at) in posts {
        each(at.as_nanos(), id);
    }
}

impl Feed for ZsetFeed {
    const NAME: &'static str = "zset";

    fn new(max_len: usize) -> Self {
        ZsetFeed(Timeline::new().with_max_len(max_len))
    }

    #[inline]
    fn post(&mut self, at: u64, id: u64) {
        self.0.post(id, Timestamp::from_nanos(at));
    }

    #[inline]
    fn latest(&self, n: usize, each: impl FnMut(u64, u64)) {
        visit(self.0.latest(n), each);
    }

    #[inline]
    fn before(&self, at: u64, id: u64, n: usize, each: impl FnMut(u64, u64)) {
        let cursor = Cursor { at: Timestamp::from_nanos(at), id };
        visit(self.0.before(&cursor, n), each);
    }

    #[inline]
    fn latest_merged(feeds: &[Self], n: usize, mut each: impl FnMut(u64, u64)) {
        let merged = MergedTimelines::new(feeds.iter().map(|ZsetFeed(feed)| feed));
        for post in merged.latest(n) {
            each(post.at.as_nanos(), *post.id);
        }
    }
}
