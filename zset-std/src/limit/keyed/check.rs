//! Checking, peeking at and waiting for the units of a key.

use std::borrow::{Borrow, ToOwned};
use std::hash::{BuildHasher, Hash};

use super::super::decision::decide_late;
use super::super::registry::Full;
use super::super::when_full::refused;
use super::super::{Decision, KeyState, UntilReady};
use super::Keyed;
use crate::{Clock, Timestamp};

impl<K: Eq + Hash, L: KeyState, C: Clock, H: BuildHasher> Keyed<K, L, C, H> {
    /// Allows one unit of a key, or denies it.
    /// **O(1)** expected to find the key, plus the cost of its limiter; **O(log n)** amortized for a new key.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<String>::new(Quota::new(1, Duration::from_secs(60))?);
    /// assert!(limiter.check("ann").is_allowed());
    /// assert!(!limiter.check("ann").is_allowed());
    /// assert!(limiter.check("bob").is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn check<Q>(&self, key: &Q) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_n_at(key, 1, self.clock.now())
    }

    /// Like [`check`](Self::check), at time `now`.
    /// **O(1)** expected to find the key, plus the cost of its limiter; **O(log n)** amortized for a new key.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow, Timestamp};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(limiter.check_at(&1, Timestamp::ZERO).remaining, 4);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_at<Q>(&self, key: &Q, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_n_at(key, 1, now)
    }

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    /// **O(1)** expected to find the key, plus the cost of its limiter; **O(log n)** amortized for a new key.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert!(limiter.check_n(&1, 5).is_allowed());
    /// assert!(!limiter.check_n(&1, 1).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_n<Q>(&self, key: &Q, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.check_n_at(key, n, self.clock.now())
    }

    /// Like [`check_n`](Self::check_n), at time `now`. No key is inserted for 0 units.
    /// **O(1)** expected to find the key, plus the cost of its limiter; **O(log n)** amortized for a new key.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow, Timestamp};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(limiter.check_n_at(&1, 2, Timestamp::ZERO).remaining, 3);
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    #[inline]
    pub fn check_n_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        // One unit is the usual cost: a copy of the code with that constant takes fewer
        // instructions.
        if n == 1 {
            return self
                .decide(key, 1, now, |state, settings, now| state.check_under(settings, 1, now));
        }
        self.decide(key, n, now, |state, settings, now| state.check_under(settings, n, now))
    }

    /// Returns what [`check_n`](Self::check_n) would return, without recording any units or inserting a key.
    /// **O(1)** expected to find the key, plus the cost of its limiter.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(limiter.peek(&1, 2).remaining, 3);
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek<Q>(&self, key: &Q, n: u32) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.peek_at(key, n, self.clock.now())
    }

    /// Like [`peek`](Self::peek), at time `now`.
    /// **O(1)** expected to find the key, plus the cost of its limiter.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Quota, SlidingWindow, Timestamp};
    ///
    /// let limiter = SlidingWindow::<u32>::new(Quota::new(5, Duration::from_secs(60))?);
    /// assert_eq!(limiter.peek_at(&1, 2, Timestamp::ZERO).remaining, 3);
    /// assert!(limiter.is_empty());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn peek_at<Q>(&self, key: &Q, n: u32, now: Timestamp) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.foresee(key, n, now, |state, settings, now| state.peek_under(settings, n, now))
    }

    /// Waits until units of a key are allowed, either by blocking or as a future. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_std::{Funnels, Quota};
    ///
    /// let limiter = Funnels::<String>::new(Quota::new(1, Duration::from_millis(1))?);
    /// for _ in 0..3 {
    ///     limiter.until_ready("ann").block().unwrap();
    /// }
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn until_ready<'a, Q>(&'a self, key: &'a Q) -> UntilReady<'a, Self, Q>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        UntilReady::new(self, key)
    }

    /// Decides on `n` units of a key with `check`, and reports the decision.
    #[inline]
    pub(in super::super) fn decide<Q, O: Into<Decision>>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
        check: impl Fn(&mut L, &L::Settings, Timestamp) -> O,
    ) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let checked = self.keys.get(key, now, |state, settings, counted| {
            state.map(|state| (check(state, settings, counted), counted))
        });
        let observers = &self.observers;
        // Each arm reports, so that the decision is constructed in place; see `decide_late`.
        match checked {
            Some((outcome, counted)) if counted <= now => observers.report(outcome.into()),
            Some((outcome, counted)) => {
                observers.report(decide_late(now, counted, |_| outcome.into()))
            }
            None => observers.report(self.decide_new(key, n, now, check)),
        }
    }

    /// Decides on a key that was absent a moment ago.
    #[cold]
    fn decide_new<Q, O: Into<Decision>>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
        check: impl Fn(&mut L, &L::Settings, Timestamp) -> O,
    ) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let peek = |state: &L, settings: &L::Settings, now| {
            let mut copy = state.clone();
            check(&mut copy, settings, now).into()
        };
        if n == 0 {
            // There is nothing to record for the key.
            return self.foresee(key, n, now, peek);
        }
        let checked = self.change(key, now, |state, settings, counted| {
            check(state, settings, counted).into().counted_from(now, counted)
        });
        checked.unwrap_or_else(|full| refused(self.peek_new(key, now, peek), n, now, &full))
    }

    /// Changes the state of a key, inserting the key if it is absent, or the state shared by keys
    /// without room if there is none for it. `change` receives the effective time.
    pub(in super::super) fn change<Q, R>(
        &self,
        key: &Q,
        now: Timestamp,
        change: impl Fn(&mut L, &L::Settings, Timestamp) -> R,
    ) -> Result<R, Full>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        match self.keys.get_or_insert(key, now, &change) {
            Ok((result, evicted)) => {
                self.observers.evicted(evicted);
                Ok(result)
            }
            Err(full) => {
                self.observers.evicted(full.evicted);
                self.observers.refused();
                let Some(shared) = &self.shared else { return Err(full) };
                Ok(self.keys.settings(key, now, |settings, now| {
                    shared.change(now, |state, now| change(state, settings, now))
                }))
            }
        }
    }

    /// Returns the decision of `peek` on the state of a key, on a new state if the key is absent, or on
    /// the state shared by keys without room.
    pub(in super::super) fn foresee<Q>(
        &self,
        key: &Q,
        n: u32,
        now: Timestamp,
        peek: impl Fn(&L, &L::Settings, Timestamp) -> Decision,
    ) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let peek = |state: &L, settings: &L::Settings, counted| {
            peek(state, settings, counted).counted_from(now, counted)
        };
        if let Some(decision) = self.keys.read(key, now, peek) {
            return decision;
        }
        match (self.keys.has_room(key, now), &self.shared) {
            (Ok(()), _) => self.peek_new(key, now, peek),
            (Err(_), Some(shared)) => self.keys.settings(key, now, |settings, now| {
                shared.read(now, |state, now| peek(state, settings, now))
            }),
            (Err(full), None) => refused(self.peek_new(key, now, peek), n, now, &full),
        }
    }

    /// Returns the decision of `peek` on a new key.
    fn peek_new<Q>(
        &self,
        key: &Q,
        now: Timestamp,
        peek: impl FnOnce(&L, &L::Settings, Timestamp) -> Decision,
    ) -> Decision
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.keys.settings(key, now, |settings, now| peek(&L::new(settings), settings, now))
    }
}
