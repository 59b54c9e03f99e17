//! [`Observer`]: a hook for metrics.

use std::sync::Arc;

use super::Decision;

/// A hook for metrics that receives each decision of a keyed limiter, once.
///
/// It is called after the decision, on the caller's thread, without holding a lock. There is a
/// decision in every check, also one with a quota of its own, in every [`Hold`](super::Hold) when
/// it is made, and at the end of a [wait](super::WaitReady) that succeeds. So `allowed` and
/// `denied` together count calls, whatever the number of units.
///
/// There is none in a call for 0 units, in a peek, or in a wait that fails, nor when units are
/// recorded or refunded, or when a hold ends.
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

    /// Reports that there is no room for a new key, although keys have been swept.
    pub(super) fn full(&self, swept: usize) {
        self.swept(swept);
        if let Some(observer) = &self.0 {
            observer.refused();
        }
    }
}
