//! [`Hold`]: units of which it is known later whether they count.

use std::borrow::{Borrow, ToOwned};
use std::fmt;

use super::{Decision, Funnel, KeyedLimiter};

/// Units of a key of which it is known later whether they count: a failed login does, and a
/// successful one does not.
///
/// A hold is settled once: by [`charge`](Self::charge), by [`release`](Self::release), or by
/// dropping it, which charges all of its units. So a unit counts unless the caller says that it
/// does not, even if a task is cancelled or panics. A hold that is leaked by [`std::mem::forget`]
/// never ends.
///
/// - **Held units count** in every call for the key, as those on record do: a check, a peek, a
///   quota of a call, another hold. Both together never exceed the limit. If only held units are in
///   the way, `retry_after` is a guess of a second, since they may be released at any time.
/// - **Units that are charged** are recorded at the time of the charge or, of a limiter
///   [at a given time](crate::At), at that time. Units that are released are available again.
/// - **A key stays** while units of it are held, even if it would be idle. A
///   [reset](KeyedLimiter::reset) forgets its units on record, and not those that are held. Units
///   of keys without room are held in their
///   [shared bucket](super::WhenFull::SharedBucket).
/// - **A penalty** counts a denial of units because of others that are held. Units end a row of
///   denials when they are charged; if they are released, the row goes on.
///
/// Limiters that cannot hold units, e.g. those of your own, take them when the hold is made. Units
/// that are released are refunded: see [`is_on_record`](Self::is_on_record).
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// use zset_std::{Hold, Keyed, Quota, SlidingWindow};
///
/// /// Three failures a minute.
/// struct Logins(Keyed<String, SlidingWindow>);
///
/// impl Logins {
///     fn log_in(&self, user: &str, password: &str) -> Result<(), &'static str> {
///         let (_, hold) = Hold::new(&self.0, user, 1);
///         let Some(hold) = hold else { return Err("too many failures") };
///         // As many as three at a time get here.
///         if password == "secret" {
///             hold.release();
///             Ok(())
///         } else {
///             hold.charge(1);
///             Err("wrong password")
///         }
///     }
/// }
///
/// let quota = Quota::new(3, Duration::from_secs(60))?;
/// let logins = Logins(Keyed::new(SlidingWindow::new(quota)));
/// for _ in 0..5 {
///     assert_eq!(logins.log_in("ann", "secret"), Ok(()));
/// }
/// for _ in 0..3 {
///     assert_eq!(logins.log_in("ann", "guess"), Err("wrong password"));
/// }
/// assert_eq!(logins.log_in("ann", "secret"), Err("too many failures"));
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[must_use = "units are charged when their hold is dropped"]
pub struct Hold<L: KeyedLimiter<Q>, Q: ToOwned + ?Sized> {
    limiter: L,
    key: Q::Owned,
    /// The terms of the call, or `None` for the limiter's own.
    terms: Option<Funnel>,
    units: u32,
    /// Where they are held; `None` once they are settled.
    place: Option<Place>,
}

/// Where units are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// With the key whose units they are.
    Key,
    /// In the bucket shared by keys without room.
    Shared,
    /// They are on record, by a limiter that cannot hold units.
    Record,
}

impl<L: KeyedLimiter<Q>, Q: ToOwned + ?Sized> Hold<L, Q> {
    /// Decides on `n` units of a key and, if they are allowed, holds them. It costs as much as a
    /// check.
    ///
    /// The limiter is usually a reference or an `Arc`. There is no hold if the units are denied, or
    /// if there are none. A denial counts as that of a check does.
    pub fn new(limiter: L, key: &Q, n: u32) -> (Decision, Option<Self>) {
        Hold::under(limiter, key, None, n)
    }

    /// The same under the terms of the call, if there are any. For zset-tower.
    #[doc(hidden)]
    pub fn under(limiter: L, key: &Q, terms: Option<Funnel>, n: u32) -> (Decision, Option<Self>) {
        // Before the units are held: it may panic.
        let owned = key.to_owned();
        let now = limiter.now();
        let (decision, place) = match terms.and_then(|terms| limiter.under(terms)) {
            Some(limiter) => limiter.hold_raw(key, n, now),
            None => limiter.hold_raw(key, n, now),
        };
        if n == 0 || !decision.is_allowed() {
            return (decision, None);
        }
        (decision, Some(Hold { limiter, key: owned, terms, units: n, place: Some(place) }))
    }

    /// Records `n` of the units, or all if there are fewer, and releases the others. Costs as much
    /// as a check.
    ///
    /// They are recorded even if the limit is exceeded in the meantime, by
    /// [`record`](super::Keyed::record) or because of another quota.
    pub fn charge(mut self, n: u32) {
        self.settle(n);
    }

    /// Releases all units, and returns how many are available again: all of them, unless they are
    /// [on record](Self::is_on_record). Costs as much as a check.
    pub fn release(mut self) -> u32 {
        self.settle(0)
    }

    /// Returns whether the units are on record until they are settled, since the limiter cannot
    /// hold units. **O(1)**.
    ///
    /// A release is then a [refund](KeyedLimiter::refund): it takes back the newest units of the
    /// key, which may be those of other calls, and only as many as are still on record.
    pub fn is_on_record(&self) -> bool {
        self.place == Some(Place::Record)
    }

    /// Ends the hold, unless it has ended.
    fn settle(&mut self, charged: u32) -> u32 {
        // Taken first: if the limiter panics, the units are not settled again.
        let Some(place) = self.place.take() else { return 0 };
        let (limiter, key, held) = (&self.limiter, self.key.borrow(), self.units);
        let (charged, now) = (charged.min(held), limiter.now());
        match self.terms.and_then(|terms| limiter.under(terms)) {
            Some(limiter) => limiter.settle_raw(key, place, held, charged, now),
            None => limiter.settle_raw(key, place, held, charged, now),
        }
    }
}

/// Charges the units, unless they are settled.
impl<L: KeyedLimiter<Q>, Q: ToOwned + ?Sized> Drop for Hold<L, Q> {
    fn drop(&mut self) {
        self.settle(u32::MAX);
    }
}

impl<L: KeyedLimiter<Q>, Q: ToOwned + fmt::Debug + ?Sized> fmt::Debug for Hold<L, Q> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hold")
            .field("key", &self.key.borrow())
            .field("units", &self.units)
            .finish_non_exhaustive()
    }
}
