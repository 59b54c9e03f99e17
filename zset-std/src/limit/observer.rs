//! [`Observer`]: a hook for metrics.

use std::sync::Arc;

use super::Decision;
use super::registry::Full;

/// A hook for metrics that receives each decision of a keyed limiter.
///
/// It is called after the decision, on the caller's thread, without holding a lock.
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

    /// Called when there is no room for a new key. The decision on it is reported as well.
    fn refused(&self) {}
}

#[derive(Clone, Default)]
pub(super) struct Observers(Option<Arc<dyn Observer>>);

impl Observers {
    pub(super) fn of(observer: Arc<dyn Observer>) -> Self {
        Observers(Some(observer))
    }

    /// Reports a decision, and returns it.
    #[inline]
    pub(super) fn report(&self, decision: Decision) -> Decision {
        if let Some(observer) = &self.0 {
            if decision.is_allowed() { observer.allowed() } else { observer.denied() }
        }
        decision
    }

    pub(super) fn swept(&self, keys: usize) {
        if let (Some(observer), 1..) = (&self.0, keys) {
            observer.swept(keys);
        }
    }

    /// Reports that units that were held are charged.
    pub(super) fn allowed(&self) {
        if let Some(observer) = &self.0 {
            observer.allowed();
        }
    }

    /// Reports that there is no room for a new key.
    pub(super) fn full(&self, full: &Full) {
        self.swept(full.swept);
        if let Some(observer) = &self.0 {
            observer.refused();
        }
    }
}
