//! The subjects: `zset_core::SortedSet` and `zset_core::ZSet`.

use std::borrow::Borrow;

use zset_core::{Score, SortedSet, ZSet};

use crate::sets::member::{Member, digest_bytes};
use crate::sets::set::{Set, digest, sum};

/// The set of any members.
pub type Sorted<M> = SortedSet<M, Score>;

/// The set that stores members as byte strings.
pub type Bytes = ZSet;

#[inline]
fn to_score(score: f64) -> Score {
    Score::new(score).expect("a contender is given no NaN")
}

#[inline]
fn digest_of<M: Member>((member, score): (impl Borrow<M>, impl Borrow<Score>)) -> u64 {
    digest(member.borrow().digest(), score.borrow().get())
}

#[inline]
fn digest_of_bytes((member, score): (impl AsRef<[u8]>, Score)) -> u64 {
    digest(digest_bytes(member.as_ref()), score.get())
}

/// The methods that differ only in how a member is passed to the set, `$key`, and in the digest of
/// an element.
macro_rules! same_methods {
    ($member:ident => $key:expr, $digest_of:path) => {
        fn new() -> Self {
            Self::new()
        }

        fn unite(&mut self, mut other: Self) {
            self.append(&mut other);
        }

        #[inline]
        fn insert(&mut self, $member: M, score: f64) {
            self.insert($key, to_score(score));
        }

        #[inline]
        fn score(&self, $member: &M) -> Option<f64> {
            self.score($key).map(|score| score.get())
        }

        #[inline]
        fn rank(&self, $member: &M) -> Option<usize> {
            self.rank($key)
        }

        #[inline]
        fn select(&self, rank: usize) -> Option<u64> {
            self.get_by_rank(rank).map($digest_of)
        }

        #[inline]
        fn sum_by_score(&self, score: f64, limit: usize) -> u64 {
            sum(self.range_by_score(to_score(score)..).take(limit).map($digest_of))
        }

        #[inline]
        fn sum_by_rank(&self, rank: usize, limit: usize) -> u64 {
            sum(self.range_by_rank(rank..rank + limit).map($digest_of))
        }

        fn sum(&self) -> u64 {
            sum(self.iter().map($digest_of))
        }

        #[inline]
        fn count(&self, start: f64, end: f64) -> usize {
            self.count_by_score(to_score(start)..to_score(end))
        }

        #[inline]
        fn pop_first(&mut self) -> Option<u64> {
            self.pop_first().map($digest_of)
        }
    };
}

impl<M: Member> Set<M> for Sorted<M> {
    const NAME: &'static str = "zset";

    same_methods!(member => member, digest_of::<M>);

    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        elements.into_iter().map(|(member, score)| (member, to_score(score))).collect()
    }

    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        let elements = elements.into_iter().map(|(member, score)| (member, to_score(score)));
        SortedSet::from_sorted_iter(elements).expect("they are in order")
    }

    #[inline]
    fn update(&mut self, member: &M, score: f64) {
        self.update(member, |_| to_score(score));
    }

    #[inline]
    fn increment(&mut self, member: &M, by: f64) {
        self.update(member, |score| to_score(score.get() + by));
    }

    #[inline]
    fn sum_by_member(&self, score: f64, member: &M, limit: usize) -> u64 {
        let range = self.range_by_member(&to_score(score), member..);
        sum(range.take(limit).map(digest_of::<M>))
    }
}

impl<M: Member> Set<M> for Bytes {
    const NAME: &'static str = "ZSet";

    same_methods!(member => member.bytes(), digest_of_bytes);

    fn from_unsorted(elements: Vec<(M, f64)>) -> Self {
        elements.iter().map(|(member, score)| (member.bytes(), to_score(*score))).collect()
    }

    fn from_sorted(elements: Vec<(M, f64)>) -> Self {
        let elements = elements.iter().map(|(member, score)| (member.bytes(), to_score(*score)));
        ZSet::from_sorted_iter(elements).expect("they are in order")
    }

    #[inline]
    fn update(&mut self, member: &M, score: f64) {
        self.insert(member.bytes(), to_score(score));
    }

    #[inline]
    fn increment(&mut self, member: &M, by: f64) {
        self.increment(member.bytes(), by).expect("finite scores add up to no NaN");
    }

    #[inline]
    fn sum_by_member(&self, score: f64, member: &M, limit: usize) -> u64 {
        let bytes = member.bytes();
        let range = self.range_by_member(to_score(score), bytes.as_ref()..);
        sum(range.take(limit).map(digest_of_bytes))
    }
}
