//! The subjects: `zset_core::SortedSet` and `zset_core::ZSet`.

use std::borrow::Borrow;

use zset_core::{Score, SortedSet, ZSet};

use crate::member::{Member, digest_bytes};
use crate::sets::{Set, digest, sum};

/// `zset_core::SortedSet<M, Score>`.
pub struct Sorted<M>(SortedSet<M, Score>);

/// `zset_core::ZSet`, which stores members as byte strings.
pub struct Bytes(ZSet);

#[inline]
fn to_score(score: f64) -> Score {
    Score::new(score).expect("a contender is given no NaN")
}

#[inline]
fn digest_of<M: Member>((member, score): (impl Borrow<M>, Score)) -> u64 {
    digest(member.borrow().digest(), score.get())
}

#[inline]
fn digest_of_bytes((member, score): (impl AsRef<[u8]>, Score)) -> u64 {
    digest(digest_bytes(member.as_ref()), score.get())
}

/// The methods that differ only in how a member is passed to the set, `$key`, and in the digest of
/// an element.
macro_rules! same_methods {
    ($Set:ident, $member:ident => $key:expr, $digest_of:path) => {
        fn new() -> Self {
            Self($Set::new())
        }

        fn unite(&mut self, mut other: Self) {
            self.0.append(&mut other.0);
        }

        #[inline]
        fn score(&self, $member: &M) -> Option<f64> {
            self.0.score($key).map(Score::get)
        }

        #[inline]
        fn rank(&self, $member: &M) -> Option<usize> {
            self.0.rank($key)
        }

        #[inline]
        fn select(&self, rank: usize) -> Option<u64> {
            self.0.get_by_rank(rank).map($digest_of)
        }

        #[inline]
        fn sum_by_score(&self, score: f64, limit: usize) -> u64 {
            sum(self.0.range_by_score(to_score(score)..).take(limit).map($digest_of))
        }

        #[inline]
        fn sum_by_rank(&self, rank: usize, limit: usize) -> u64 {
            sum(self.0.range_by_rank(rank..rank + limit).map($digest_of))
        }

        fn sum(&self) -> u64 {
            sum(self.0.iter().map($digest_of))
        }

        #[inline]
        fn count(&self, start: f64, end: f64) -> usize {
            self.0.count_by_score(to_score(start)..to_score(end))
        }

        #[inline]
        fn pop_first(&mut self) -> Option<u64> {
            self.0.pop_first().map($digest_of)
        }

        #[inline]
        fn len(&self) -> usize {
            self.0.len()
        }
    };
}

impl<M: Member> Set<M> for Sorted<M> {
    const NAME: &'static str = "zset";

    same_methods!(SortedSet, member => member, digest_of::<M>);

    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        Sorted(elements.into_iter().map(|(member, score)| (member, to_score(score))).collect())
    }

    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        let elements = elements.into_iter().map(|(member, score)| (member, to_score(score)));
        Sorted(SortedSet::from_sorted_iter(elements).expect("they are in order"))
    }

    #[inline]
    fn insert(&mut self, member: M, score: f64) {
        self.0.insert(member, to_score(score));
    }

    #[inline]
    fn update(&mut self, member: &M, score: f64) {
        self.0.update(member, |_| to_score(score));
    }

    #[inline]
    fn increment(&mut self, member: &M, by: f64) {
        self.0.update(member, |score| to_score(score.get() + by));
    }

    #[inline]
    fn sum_by_member(&self, score: f64, member: &M, limit: usize) -> u64 {
        let range = self.0.range_by_member(to_score(score), member..);
        sum(range.take(limit).map(digest_of::<M>))
    }
}

impl<M: Member> Set<M> for Bytes {
    const NAME: &'static str = "ZSet";

    same_methods!(ZSet, member => member.bytes(), digest_of_bytes);

    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        Bytes(elements.iter().map(|(member, score)| (member.bytes(), to_score(*score))).collect())
    }

    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        let elements = elements.iter().map(|(member, score)| (member.bytes(), to_score(*score)));
        Bytes(ZSet::from_sorted_iter(elements).expect("they are in order"))
    }

    #[inline]
    fn insert(&mut self, member: M, score: f64) {
        self.0.insert(member.bytes(), to_score(score));
    }

    #[inline]
    fn update(&mut self, member: &M, score: f64) {
        self.0.insert(member.bytes(), to_score(score));
    }

    #[inline]
    fn increment(&mut self, member: &M, by: f64) {
        self.0.increment(member.bytes(), by).expect("finite scores add up to no NaN");
    }

    #[inline]
    fn sum_by_member(&self, score: f64, member: &M, limit: usize) -> u64 {
        let bytes = member.bytes();
        let range = self.0.range_by_member(to_score(score), bytes.as_ref()..);
        sum(range.take(limit).map(digest_of_bytes))
    }
}
