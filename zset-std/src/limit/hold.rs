//! [`Hold`]: units that are reserved until the caller knows whether they count.

use std::borrow::{Borrow, ToOwned};
use std::fmt;

use super::{Decision, Funnel, KeyedLimiter};

/// Units of a key that are reserved until the caller knows whether they count. For example, a
/// failed login counts, and a successful one does not.
///
/// A hold ends when it is [charged](Self::charge), [released](Self::release) or dropped. Dropping
/// it charges all of its units. So units count unless the caller releases them, even if a task is
/// cancelled or panics. A hold that is leaked by [`std::mem::forget`] never ends.
///
/// - **Held units count** like units on record in every decision on the key: in checks, peeks,
///   calls with their own quotas, and other holds. A call is denied if its units, those held and
///   those on record would together exceed its limit. If only held units prevent a call,
///   `retry_after` is one second. This is a guess, since the units may be released at any time.
/// - **Charged units** are recorded at the time of the charge. If the limiter is one [at a given
///   time](crate::At), they are recorded at that time. Released units are available again.
/// - **A key is kept** while units of it are held, even if it would otherwise be idle. A
///   [reset](KeyedLimiter::reset) forgets the units on record, but not the held units. Units of
///   keys without room are held in the [shared bucket](super::WhenFull::SharedBucket).
/// - **A [`Penalty`](super::Penalty)** also counts denials that are caused by held units. Units
///   that were held end a row of denials when they are charged, but not when they are released.
///
/// A [`KeyedLimiter`] of your own cannot hold units. It takes them when the hold is made, and
/// refunds them if they are released: see [`is_on_record`](Self::is_on_record).
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
    /// Where the units are held; `None` once they are settled.
    place: Option<Place>,
}

/// Where units are held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the entry of their key.
    Key,
    /// In the bucket shared by keys without room.
    Shared,
    /// Not held but recorded, by a limiter that cannot hold units.
    Record,
}

impl<L: KeyedLimiter<Q>, Q: ToOwned + ?Sized> Hold<L, Q> {
    /// Decides on `n` units of a key and, if they are allowed, holds them. It costs as much as a
    /// check.
    ///
    /// The limiter is usually a reference or an `Arc`. There is no hold if the units are denied, or
    /// if there are none. A denial counts like that of a check.
    pub fn new(limiter: L, key: &Q, n: u32) -> (Decision, Option<Self>) {
        Hold::under(limiter, key, None, n)
    }

    /// Like [`new`](Self::new), under `terms` if there are any. For zset-tower.
    #[doc(hidden)]
    pub fn under(limiter: L, key: &Q, terms: Option<Funnel>, n: u32) -> (Decision, Option<Self>) {
        // `to_owned` may panic, so it is called before the units are held.
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

    /// Ends the hold, unless it has ended. Returns how many units are available again.
    fn settle(&mut self, charged: u32) -> u32 {
        // Take the place first: if the limiter panics, dropping the hold must not settle the units
        // again.
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
