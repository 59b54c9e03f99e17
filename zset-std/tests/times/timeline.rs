//! Compares `Timeline` with a list of posts that is sorted and capped for each query.

use super::*;
use zset_std::timeline::{Cursor, Posted};

#[derive(Clone, Debug)]
enum Operation {
    Post(Timestamp, String),
    Extend(Vec<(String, Timestamp)>),
    Remove(String),
    PopOldest,
    Expire(Timestamp),
    Clear,
    SetMaxLen(usize),
    SetMaxAge(Duration),
    Copy,
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        24 => (times(), ids()).prop_map(|(at, id)| Operation::Post(at, id)),
        2 => prop::collection::vec((ids(), times()), 0..6).prop_map(Operation::Extend),
        3 => ids().prop_map(Operation::Remove),
        1 => Just(Operation::PopOldest),
        2 => times().prop_map(Operation::Expire),
        1 => Just(Operation::Clear),
        1 => (0..9usize).prop_map(Operation::SetMaxLen),
        1 => durations(14).prop_map(Operation::SetMaxAge),
        1 => Just(Operation::Copy),
    ]
}

/// A naive timeline: its posts in any order, and its caps.
#[derive(Clone, Default)]
struct Naive {
    posts: Vec<(Timestamp, String)>,
    max_len: Option<usize>,
    max_age: Option<Duration>,
    newest: Timestamp,
}

impl Naive {
    /// Returns the posts within the caps, newest first.
    fn kept(&self, newest: Timestamp) -> Vec<(Timestamp, String)> {
        let mut kept = self.posts.clone();
        kept.sort();
        kept.reverse();
        let age = |at: Timestamp| Duration::from_nanos(newest.as_nanos() - at.as_nanos());
        kept.retain(|&(at, _)| self.max_age.is_none_or(|max_age| age(at) < max_age));
        kept.truncate(self.max_len.unwrap_or(usize::MAX));
        kept
    }

    fn posted_at(&self, id: &str) -> Option<Timestamp> {
        self.posts.iter().find(|(_, other)| other == id).map(|&(at, _)| at)
    }

    fn post(&mut self, id: String, at: Timestamp) -> Posted<String> {
        let old = self.posted_at(&id);
        let mut with = self.clone();
        with.posts.retain(|(_, other)| *other != id);
        with.posts.push((at, id.clone()));
        with.newest = self.newest.max(at);
        with.posts = with.kept(with.newest);
        if with.posted_at(&id).is_none() {
            return Posted::TooOld(id);
        }
        *self = with;
        old.map_or(Posted::New, |from| Posted::Moved { from })
    }

    /// Removes the posts outside the caps and returns them, oldest first.
    fn cut(&mut self) -> Vec<(String, Timestamp)> {
        let kept = self.kept(self.newest);
        let mut cut = std::mem::replace(&mut self.posts, kept);
        cut.retain(|post| !self.posts.contains(post));
        cut.sort();
        cut.into_iter().map(|(at, id)| (id, at)).collect()
    }

    fn remove(&mut self, id: &str) -> Option<Timestamp> {
        let old = self.posted_at(id);
        self.posts.retain(|(_, other)| other != id);
        old
    }

    fn expect(&self, timeline: &Timeline<String>, cursor: &Cursor<String>, n: usize) {
        timeline.check_invariants();
        let all = self.kept(self.newest);
        let all: Vec<_> = all.iter().map(|(at, id)| (id, *at)).collect();
        assert_same(timeline.iter(), &all);
        assert_same(timeline.into_iter(), &all);
        assert_same(timeline.latest(n), &all[..n.min(all.len())]);
        let since: Vec<_> = all.iter().copied().filter(|&(_, at)| at >= cursor.at).collect();
        assert_same(timeline.since(cursor.at), &since);
        let is_behind = |&(id, at): &(&String, Timestamp)| (at, id) < (cursor.at, &cursor.id);
        let behind: Vec<_> = all.iter().copied().filter(is_behind).take(n).collect();
        assert_same(timeline.before(cursor, n), &behind);
        assert_eq!((timeline.len(), timeline.is_empty()), (all.len(), all.is_empty()));
        let id = cursor.id.as_str();
        assert_eq!(timeline.posted_at(id), self.posted_at(id));
        assert_eq!(timeline.contains(id), self.posted_at(id).is_some());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_operations_match_a_sorted_list(
        operations in prop::collection::vec((operations(), times(), ids(), counts()), 0..60),
    ) {
        let mut timeline = Timeline::new();
        let mut naive = Naive::default();
        for (operation, at, id, n) in operations {
            match operation {
                Operation::Post(at, id) => {
                    prop_assert_eq!(timeline.post(id.clone(), at), naive.post(id, at));
                }
                Operation::Extend(posts) => {
                    timeline.extend(posts.clone());
                    for (id, at) in posts {
                        naive.post(id, at);
                    }
                }
                Operation::Remove(id) => {
                    prop_assert_eq!(timeline.remove(id.as_str()), naive.remove(&id));
                }
                Operation::PopOldest => {
                    let oldest = naive.kept(naive.newest).pop().map(|(at, id)| (id, at));
                    if let Some((id, _)) = &oldest {
                        naive.remove(id);
                    }
                    prop_assert_eq!(timeline.pop_oldest(), oldest);
                }
                Operation::Expire(now) => {
                    naive.newest = naive.newest.max(now);
                    let expired = timeline.expire(now);
                    let wanted = naive.cut();
                    prop_assert_eq!(expired.len(), wanted.len());
                    // Expired posts are removed even if they are not taken from the iterator.
                    let taken: Vec<_> = expired.take(n).collect();
                    prop_assert!(taken.into_iter().eq(wanted.into_iter().take(n)));
                }
                Operation::Clear => {
                    timeline.clear();
                    naive.posts.clear();
                    naive.newest = Timestamp::ZERO;
                }
                Operation::SetMaxLen(max_len) => {
                    timeline = timeline.with_max_len(max_len);
                    naive.max_len = Some(max_len);
                    naive.cut();
                }
                Operation::SetMaxAge(max_age) => {
                    timeline = timeline.with_max_age(max_age);
                    naive.max_age = Some(max_age);
                    naive.cut();
                }
                Operation::Copy => {
                    let copied = copy(&timeline);
                    prop_assert_eq!(&copied, &timeline);
                    timeline = copied;
                }
            }
            naive.expect(&timeline, &Cursor { at, id }, n);
        }
        let all = naive.kept(naive.newest).into_iter().map(|(at, id)| (id, at));
        prop_assert!(timeline.into_iter().eq(all));
    }
}
