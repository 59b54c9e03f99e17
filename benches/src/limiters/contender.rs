//! What a limiter must offer to be measured.

use zset_std::Quota;

use super::clock::GivenClock;

/// What a limiter answers, in its own type: all of it is what a call is measured to compute.
pub trait Answer {
    /// Returns whether the unit passes.
    fn is_allowed(&self) -> bool;
}

/// A limiter of one key.
pub trait OneKey {
    /// What it answers.
    type Answer: Answer;

    /// Lets one unit pass, or denies it.
    fn check(&mut self) -> Self::Answer;

    /// Takes up the whole quota of a limiter that is new.
    fn fill(&mut self);
}

/// A limiter of many keys, with the hasher and the number of shards that it has by default.
pub trait Keyed: Sized {
    /// What the tables call it.
    const NAME: &'static str;

    /// What it answers.
    type Answer: Answer;

    /// Makes a limiter without keys.
    fn new(quota: Quota, clock: GivenClock) -> Self;

    /// Lets one unit of a key pass, or denies it.
    fn check(&mut self, key: u64) -> Self::Answer;

    /// Takes up the whole quota of a key that is new.
    fn fill(&mut self, key: u64);

    /// Returns the number of keys.
    fn len(&self) -> usize;

    /// Returns whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
