//! The interfaces of measured limiters.

use zset_std::Quota;

use super::clock::GivenClock;

/// A limiter's answer in its own type, so that a call computes all of it.
pub trait Answer {
    /// Returns whether the unit is allowed.
    fn is_allowed(&self) -> bool;
}

/// A limiter for a single key.
pub trait OneKey {
    /// The answer to a call.
    type Answer: Answer;

    /// Allows or denies one unit.
    fn check(&mut self) -> Self::Answer;

    /// Uses up the whole quota of a new limiter.
    fn fill(&mut self);
}

/// A keyed limiter, with its default hasher and number of shards.
pub trait Keyed: Sized {
    /// The name shown in the tables.
    const NAME: &'static str;

    /// The answer to a call.
    type Answer: Answer;

    /// Returns a limiter without keys.
    fn new(quota: Quota, clock: GivenClock) -> Self;

    /// Allows or denies one unit of a key.
    fn check(&mut self, key: u64) -> Self::Answer;

    /// Uses up the whole quota of a new key.
    fn fill(&mut self, key: u64);

    /// Returns the number of keys.
    fn len(&self) -> usize;

    /// Returns whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
