//! [`Limiter`]: what a keyed limiter keeps of each key.

use super::Decision;
use crate::Timestamp;

/// A limiter of one key, of which [`Keyed`](super::Keyed) has one for each.
///
/// All limiters of this crate are; to implement it for another is not possible.
pub trait Limiter: Clone + private::Sealed {
    /// Lets `n` units pass together, or denies all of them.
    fn check_n_at(&mut self, n: u32, now: Timestamp) -> Decision;

    /// Returns what [`check_n_at`](Self::check_n_at) would answer; nothing passes.
    fn peek_at(&self, n: u32, now: Timestamp) -> Decision;
}

pub(crate) mod private {
    use crate::Timestamp;

    pub trait Sealed {
        /// Returns from when on, if nothing happens, it is as good as new.
        fn idle_at(&self) -> Timestamp;
    }
}
