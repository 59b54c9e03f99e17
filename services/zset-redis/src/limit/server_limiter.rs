//! [`ServerLimiter`]: the algorithms that scripts implement.

use zset_std::{
    AnyLimiter, FixedWindow, Funnel, Limiter, Limits, Penalty, SingleQuota, SlidingWindow,
    WindowCounter,
};

use super::rule::{Kind, Rule};
use crate::UnsupportedQuota;
use private::{One, Plan, Unpenalized};

/// An algorithm of [`zset_std`] that runs on a server too, with the same decisions:
/// [`SlidingWindow`], [`Funnel`], [`FixedWindow`], [`WindowCounter`], any one of them as
/// [`AnyLimiter`], several as [`Limits`], and each of these with a [`Penalty`].
///
/// The trait is sealed: a server needs a script for each algorithm.
///
/// | algorithm | state of a key on the server | cost of a call |
/// |---|---|---|
/// | `SlidingWindow` | a sorted set with one entry for all units that were allowed in the same microsecond: at most `count` entries, or more if units were recorded beyond the limit | **O(log n)** amortized for n entries, and **O(log² n)** in the worst case for a denial; a refund **O(m log n)** for m entries that it removes |
/// | `Funnel` | a string: the time at which the bucket is empty, without rounding. If the count of the quota changes, it is rounded up to the next microsecond | **O(1)** |
/// | `FixedWindow`, `WindowCounter` | a string: the counts and the time | **O(1)** |
/// | `Limits` | those of its limits; one script decides for all of them in one round trip | the sum |
/// | `Penalty` | that of the algorithm inside, and a second key, such as `name:{key}:funnel:penalty` | in the same script |
///
/// A denial writes the key of a penalty unless it is blocked, and it expires once denials and
/// blocks are forgotten. All machines should use the same [`Block`](zset_std::limit::Block). Its
/// times are rounded up to microseconds, and limited to 71 years.
pub trait ServerLimiter: Limiter + Plan + Send + Sync + 'static {}

impl<L: Limiter + Plan + Send + Sync + 'static> ServerLimiter for L {}

mod private {
    use zset_std::limit::Block;

    use super::Rule;
    use crate::UnsupportedQuota;

    /// What a script needs of an algorithm.
    pub trait Plan {
        fn rules(&self) -> Result<Vec<Rule>, UnsupportedQuota>;

        fn block(&self) -> Option<Block> {
            None
        }
    }

    /// One limit.
    pub trait One: Plan {
        fn rule(&self) -> Result<Rule, UnsupportedQuota>;
    }

    /// One limit or several.
    pub trait Unpenalized: Plan {}
}

/// Implements the traits of an algorithm that is one limit.
macro_rules! one {
    ($($Limiter:ident: |$limiter:ident| $rule:expr;)*) => {$(
        impl One for $Limiter {
            fn rule(&self) -> Result<Rule, UnsupportedQuota> {
                let $limiter = self;
                $rule
            }
        }

        impl Unpenalized for $Limiter {}

        impl Plan for $Limiter {
            fn rules(&self) -> Result<Vec<Rule>, UnsupportedQuota> {
                Ok(vec![self.rule()?])
            }
        }
    )*};
}

one! {
    SlidingWindow: |it| Rule::new(Kind::SlidingWindow, it.quota().into());
    Funnel: |it| Rule::new(Kind::Funnel, *it);
    FixedWindow: |it| Rule::new(Kind::FixedWindow, it.quota().into());
    WindowCounter: |it| Rule::new(Kind::WindowCounter, it.quota().into());
    AnyLimiter: |it| match it {
        AnyLimiter::SlidingWindow(limiter) => limiter.rule(),
        AnyLimiter::Funnel(limiter) => limiter.rule(),
        AnyLimiter::FixedWindow(limiter) => limiter.rule(),
        AnyLimiter::WindowCounter(limiter) => limiter.rule(),
        _ => Err(UnsupportedQuota::NoScript),
    };
}

impl<L: Limiter + One> Unpenalized for Limits<L> {}

impl<L: Limiter + One> Plan for Limits<L> {
    fn rules(&self) -> Result<Vec<Rule>, UnsupportedQuota> {
        self.as_slice().iter().map(One::rule).collect()
    }
}

impl<L: Limiter + Unpenalized> Plan for Penalty<L> {
    fn rules(&self) -> Result<Vec<Rule>, UnsupportedQuota> {
        self.limiter().rules()
    }

    fn block(&self) -> Option<zset_std::limit::Block> {
        Some(Penalty::block(self))
    }
}
