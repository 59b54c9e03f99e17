//! [`Observer`]: a hook for metrics.

use std::sync::Arc;

use super::Decision;

/// A hook for metrics, notified of the calls that a [`Keyed`](super::Keyed) limiter allows or
/// denies.
///
/// Its methods are called on the caller's thread, while no lock is held; `allowed` and `denied` are
/// called after the decision. Each of the following makes a decision: a check, with or without its
/// own quota; a new [`Hold`](super::Hold); a [wait](super::WaitReady), when it succeeds. So
/// `allowed` and `denied` count calls, whatever the number of units.
///
/// There is no decision in a call for 0 units, in a peek, or in a wait that fails. Nor is there one
/// when units are recorded or refunded, or when a hold ends. If another call takes the units of a
/// wait between its peek and its check, the check reports a denial.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::Duration;
/// use zset_std::{Keyed, Observer, Quota, SlidingWindow};
///
/// #[derive(Default)]
/// struct Denials(AtomicU64);
///
/// impl Observer for Denials {
///     fn denied(&self) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
/// }
///
/// let denials = Arc::new(Denials::default());
/// let quota = Quota::new(1, Duration::from_secs(60))?;
/// let limiter = Keyed::<u32, _>::new(SlidingWindow::new(quota)).with_observer(denials.clone());
/// let _ = (limiter.check(&1), limiter.check(&1));
/// assert_eq!(denials.0.load(Ordering::Relaxed), 1);
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
pub trait Observer: Send + Sync {
    /// Called when units are allowed.
    fn allowed(&self) {}

    /// Called when units are denied, for now or forever.
    fn denied(&self) {}

    /// Called when `keys` idle keys have been swept.
    fn swept(&self, keys: usize) {
        let _ = keys;
    }

    /// Called when there is no room for a new key. The decision on it, if there is one, is reported
    /// as well.
    fn refused(&self) {}
}

#[derive(Clone, Default)]
pub(super) struct Observers(Option<Arc<dyn Observer>>);

impl Observers {
    pub(super) fn of(observer: Arc<dyn Observer>) -> Self {
        Observers(Some(observer))
    }

    /// Reports a decision on `n` units, and returns it.
    #[inline]
    pub(super) fn report(&self, n: u32, decision: Decision) -> Decision {
        match &self.0 {
            Some(observer) if n > 0 && decision.is_allowed() => observer.allowed(),
            Some(observer) if n > 0 => observer.denied(),
            _ => {}
        }
        decision
    }

    pub(super) fn swept(&self, keys: usize) {
        if let (Some(observer), 1..) = (&self.0, keys) {
            observer.swept(keys);
        }
    }

    /// Reports that there is no room for a new key, and how many keys were swept in the attempt.
    pub(super) fn full(&self, swept: usize) {
        self.swept(swept);
        if let Some(observer) = &self.0 {
            observer.refused();
        }
    }
}
