//! [`ServerLimiter`]: the algorithms that scripts implement.

use zset_std::{AnyLimiter, Limiter, Limits, Penalty};
#[cfg(doc)]
use zset_std::{FixedWindow, Funnel, SlidingWindow, WindowCounter};

use super::rule::{Algorithm, One, Rule};
use super::{fixed_window, funnel, sliding_window, window_counter};
use crate::UnsupportedQuota;
use private::{Plan, Unpenalized};

/// An algorithm of [`zset_std`] that runs on a server too, with the same decisions:
/// [`SlidingWindow`], [`Funnel`], [`FixedWindow`], [`WindowCounter`], any one of them as
/// [`AnyLimiter`], several as [`Limits`], and each of these with a [`Penalty`].
///
/// The trait is sealed: a server needs a script for each algorithm.
///
/// | algorithm | state of a key on the server | cost of a call |
/// |---|---|---|
/// | `SlidingWindow` | a sorted set with one entry for all units that were allowed in the same microsecond: at most `count` entries, or more if units were recorded beyond the limit or allowed under other quotas | **O(log n)** amortized for n entries, and **O(log² n)** in the worst case for a denial, a refund or as one of `Limits`; a refund also **O(m log n)** for m entries that it removes |
/// | `Funnel` | a string: the count, the latest time, and the time at which the bucket is empty, without rounding. If the count of the quota changes, it is rounded up to the next microsecond | **O(1)** |
/// | `FixedWindow`, `WindowCounter` | a string: the counts and the time | **O(1)** |
/// | `Limits` | those of its limits; one script decides for all of them in one round trip | the sum |
/// | `Penalty` | that of the algorithm inside, and another key, such as `name:{key}:funnel:penalty` | in the same script |
///
/// A denial writes the key of a penalty, unless the caller's key is blocked or the units exceed the
/// limit. It expires once denials and blocks are forgotten. All machines should use the same
/// [`Block`](zset_std::Block). Its times are rounded up to microseconds, and limited to 71 years.
pub trait ServerLimiter: Limiter + Plan + Send + Sync + 'static {}

impl<L: Limiter + Plan + Send + Sync + 'static> ServerLimiter for L {}

mod private {
    use zset_std::Block;

    use super::Rule;
    use crate::UnsupportedQuota;

    /// What a script needs to know about an algorithm.
    pub trait Plan {
        fn rules(&self) -> Result<Vec<Rule>, UnsupportedQuota>;

        fn block(&self) -> Option<Block> {
            None
        }
    }

    /// One limit or several, without a penalty.
    pub trait Unpenalized: Plan {}
}

/// Lists the algorithms with a single limit. Each has a file in this folder, and a script.
macro_rules! algorithms {
    ($($module:ident $Limiter:ident,)*) => {
        pub(super) const ALGORITHMS: [&dyn Algorithm; [$(stringify!($module)),*].len()] =
            [$(&$module::OnServer),*];

        impl One for AnyLimiter {
            fn rule(&self) -> Result<Rule, UnsupportedQuota> {
                match self {
                    $(AnyLimiter::$Limiter(limiter) => limiter.rule(),)*
                    _ => Err(UnsupportedQuota::NoScript),
                }
            }
        }
    };
}

algorithms! {
    sliding_window SlidingWindow,
    funnel Funnel,
    fixed_window FixedWindow,
    window_counter WindowCounter,
}

impl<L: Limiter + One> Unpenalized for L {}

impl<L: Limiter + One> Plan for L {
    fn rules(&self) -> Result<Vec<Rule>, UnsupportedQuota> {
        Ok(vec![self.rule()?])
    }
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

    fn block(&self) -> Option<zset_std::Block> {
        Some(Penalty::block(self))
    }
}
