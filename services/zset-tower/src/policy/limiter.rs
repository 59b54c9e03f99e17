//! The limiter of a policy, and how it is called with the keys of requests.

use std::any::Any;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use zset_std::{AsyncKeyedLimiter, Funnel, Hold, KeyedLimiter, Quota};

use super::error::PolicyError;
use crate::key::{Found, Key, MissingKey};
use crate::outcome::{Answer, Call, FailedLimiter, Outcome, Outcomes, Reply, Units};
use crate::request_head::RequestHead;
use crate::step::{Later, Step};
use crate::timer::Timer;

/// The limiter of a policy, with keys of type `K`.
pub(super) enum Limiter<K> {
    /// A limiter in this process.
    Local(Local<K>),
    /// A limiter whose calls are awaited.
    Remote(Arc<dyn Remote<K>>),
}

type Local<K> = Arc<dyn KeyedLimiter<K> + Send + Sync>;

/// A limiter whose calls are awaited.
pub(super) trait Remote<K>: Send + Sync {
    /// Calls the limiter for `n` units of a key. `terms` are those of the key, if it has its own.
    fn call(self: Arc<Self>, call: Call, key: K, terms: Option<Funnel>, n: u32) -> Later<Reply>;

    /// Returns the limiter's own terms.
    fn terms(&self) -> Option<Funnel>;

    /// Returns whether keys may have terms that differ from the limiter's.
    fn has_terms_by_key(&self) -> bool;
}

/// A limiter, and what happens if it fails.
struct Failing<L> {
    limiter: L,
    failed_limiter: FailedLimiter,
}

impl<K, L> Remote<K> for Failing<L>
where
    K: Send + Sync + 'static,
    L: AsyncKeyedLimiter<K, Error: Error + Send + Sync + 'static> + Send + Sync + 'static,
{
    fn call(self: Arc<Self>, call: Call, key: K, terms: Option<Funnel>, n: u32) -> Later<Reply> {
        Box::pin(async move {
            let Failing { limiter, failed_limiter } = &*self;
            match terms.and_then(|terms| limiter.under(terms)) {
                Some(limiter) => ask(&limiter, call, &key, n, *failed_limiter).await,
                None => ask(limiter, call, &key, n, *failed_limiter).await,
            }
        })
    }

    fn terms(&self) -> Option<Funnel> {
        self.limiter.terms()
    }

    fn has_terms_by_key(&self) -> bool {
        self.limiter.under(ANY_TERMS).is_some()
    }
}

async fn ask<K, L>(limiter: &L, call: Call, key: &K, n: u32, failed_limiter: FailedLimiter) -> Reply
where
    L: AsyncKeyedLimiter<K, Error: Error + Send + Sync + 'static>,
{
    let timer = Timer::start();
    let decision = match call {
        Call::Peek => limiter.peek_n(key, n).await,
        Call::Check => limiter.check_n(key, n).await,
        // If the refund fails, the units stay taken.
        Call::Refund => return Reply::Refunded(limiter.refund(key, n).await.unwrap_or(0)),
        Call::Release => return Reply::Refunded(0),
    };
    Reply::Answer(match decision {
        Ok(decision) => Answer::Decided(decision, timer.elapsed()),
        Err(error) => Answer::Failed(Box::new(error), failed_limiter, timer.elapsed()),
    })
}

/// Any terms, used only to find out whether a limiter accepts terms with a call.
const ANY_TERMS: Funnel = match Quota::new(1, Duration::from_secs(1)) {
    Ok(quota) => Funnel::new(quota),
    Err(_) => unreachable!(),
};

impl<K: Send + Sync + 'static> Limiter<K> {
    pub(super) fn remote<L>(limiter: L, failed_limiter: FailedLimiter) -> Self
    where
        L: AsyncKeyedLimiter<K, Error: Error + Send + Sync + 'static> + Send + Sync + 'static,
    {
        Limiter::Remote(Arc::new(Failing { limiter, failed_limiter }))
    }

    pub(super) fn terms(&self) -> Option<Funnel> {
        match self {
            Limiter::Local(limiter) => limiter.terms(),
            Limiter::Remote(limiter) => limiter.terms(),
        }
    }

    fn has_terms_by_key(&self) -> bool {
        match self {
            // A limiter with several quotas returns no terms, and accepts no quota with a call.
            Limiter::Local(limiter) => {
                limiter.terms().is_some() && limiter.under(ANY_TERMS).is_some()
            }
            Limiter::Remote(limiter) => limiter.has_terms_by_key(),
        }
    }
}

impl<K> Clone for Limiter<K> {
    fn clone(&self) -> Self {
        match self {
            Limiter::Local(limiter) => Limiter::Local(Arc::clone(limiter)),
            Limiter::Remote(limiter) => Limiter::Remote(Arc::clone(limiter)),
        }
    }
}

/// Calls a limiter under the terms of a key, if it has its own.
fn under<K, R>(
    limiter: &dyn KeyedLimiter<K>,
    terms: Option<Funnel>,
    call: impl FnOnce(&dyn KeyedLimiter<K>) -> R,
) -> R {
    match terms.and_then(|terms| limiter.under(terms)) {
        Some(limiter) => call(&*limiter),
        None => call(limiter),
    }
}

/// How the units of a request are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// With a single check, without regard to other policies.
    Alone,
    /// Together with the units of other policies.
    Together,
    /// Like [`Mode::Together`], but the response decides whether the units are charged.
    ByResponse,
}

/// Returns the terms of a key.
pub(super) type TermsByKey<K> = Arc<dyn Fn(&K) -> Funnel + Send + Sync>;

/// Where a policy takes units from: its limiter, and the key of a request.
pub(super) struct Source<E: Key> {
    pub(super) key: E,
    pub(super) missing_key: MissingKey<E::Key>,
    pub(super) limiter: Limiter<E::Key>,
    /// `None` if all keys have the terms of the limiter.
    pub(super) terms_by_key: Option<TermsByKey<E::Key>>,
}

/// A source with keys of any type.
pub(super) trait AnySource: Send + Sync {
    /// Takes `n` units of a request's key, or prepares to take them. Under the limiter's own terms,
    /// [`Mode::Alone`] allocates nothing unless something must be awaited.
    fn start(&self, head: &RequestHead<'_>, n: u32, mode: Mode) -> Step<Outcomes>;

    /// Returns the limiter's own terms.
    fn terms(&self) -> Option<Funnel>;

    /// Sets the terms by key, a [`TermsByKey`].
    fn set_terms_by_key(&mut self, terms_by_key: &dyn Any) -> Result<(), PolicyError>;
}

// These functions are not inlined, so that the usual request does not pay for them.
impl<E: Key> Source<E> {
    /// Starts an unusual request. The usual one is checked alone, in this process, under the
    /// limiter's own terms.
    #[inline(never)]
    fn start_with(&self, key: &E::Key, n: u32, mode: Mode) -> Step<Outcomes> {
        let terms = self.terms_by_key.as_ref().map(|terms| terms(key));
        self.limiter.start(key, terms, n, mode)
    }

    #[inline(never)]
    fn start_later(&self, key: Later<Option<E::Key>>, n: u32, mode: Mode) -> Step<Outcomes> {
        let (missing_key, limiter) = (self.missing_key.clone(), self.limiter.clone());
        let terms_by_key = self.terms_by_key.clone();
        Step::later(async move {
            let key = key.await;
            match key_or_answer(key.as_ref(), &missing_key) {
                Ok(key) => {
                    let terms = terms_by_key.map(|terms| terms(key));
                    limiter.start(key, terms, n, mode).wait().await
                }
                Err(answer) => Outcomes::One(Outcome::new(answer, None)),
            }
        })
    }
}

impl<E: Key> AnySource for Source<E> {
    fn start(&self, head: &RequestHead<'_>, n: u32, mode: Mode) -> Step<Outcomes> {
        match self.key.key(head) {
            // Matched by reference: moving a key that has just been written, such as an address, is
            // slow.
            Found::Ready(ref key) => {
                match (key_or_answer(key.as_ref(), &self.missing_key), &self.limiter) {
                    (Ok(key), Limiter::Local(limiter))
                        if mode == Mode::Alone && self.terms_by_key.is_none() =>
                    {
                        Step::Ready(check(&**limiter, key, n))
                    }
                    (Ok(key), _) => self.start_with(key, n, mode),
                    (Err(answer), _) => Step::Ready(Outcomes::One(Outcome::new(answer, None))),
                }
            }
            Found::Later(key) => self.start_later(key, n, mode),
        }
    }

    fn terms(&self) -> Option<Funnel> {
        self.limiter.terms()
    }

    fn set_terms_by_key(&mut self, terms_by_key: &dyn Any) -> Result<(), PolicyError> {
        let terms_by_key = terms_by_key.downcast_ref::<TermsByKey<E::Key>>();
        let terms_by_key = terms_by_key.ok_or(PolicyError::OtherKey)?;
        if !self.limiter.has_terms_by_key() {
            return Err(PolicyError::QuotaNotByKey);
        }
        self.terms_by_key = Some(Arc::clone(terms_by_key));
        Ok(())
    }
}

/// Returns the key of a request or the one that replaces it, or the answer to a request without a
/// key.
#[inline]
fn key_or_answer<'a, K>(
    key: Option<&'a K>,
    missing_key: &'a MissingKey<K>,
) -> Result<&'a K, Answer> {
    match (key, missing_key) {
        (Some(key), _) | (None, MissingKey::Shared(key)) => Ok(key),
        (None, MissingKey::Allow) => Err(Answer::Skipped),
        (None, MissingKey::Deny(status)) => Err(Answer::MissingKey(*status)),
        (None, MissingKey::Challenge(_)) => Err(Answer::MissingKey(StatusCode::UNAUTHORIZED)),
    }
}

/// Takes units of a key at once. Returns [`Outcomes`] directly, since moving a decision that has
/// just been written is slow.
#[inline]
fn check<K>(limiter: &dyn KeyedLimiter<K>, key: &K, n: u32) -> Outcomes {
    let timer = Timer::start();
    let decision = limiter.check_n(key, n);
    Outcomes::One(Outcome::new(Answer::Decided(decision, timer.elapsed()), None))
}

impl<K: Clone + Send + Sync + 'static> Limiter<K> {
    fn start(&self, key: &K, terms: Option<Funnel>, n: u32, mode: Mode) -> Step<Outcomes> {
        let quota = terms.map(Funnel::quota);
        match (mode, self) {
            (Mode::Alone, Limiter::Local(limiter)) => {
                let outcomes = under(&**limiter, terms, |limiter| check(limiter, key, n));
                Step::Ready(outcomes.with_quota(quota))
            }
            (Mode::Alone, Limiter::Remote(limiter)) => {
                let reply = Arc::clone(limiter).call(Call::Check, key.clone(), terms, n);
                let outcome = Outcome::new(Answer::Skipped, None);
                Step::later(
                    async move { Outcomes::One(outcome.record(reply.await)).with_quota(quota) },
                )
            }
            (Mode::Together | Mode::ByResponse, _) => {
                let by_response = mode == Mode::ByResponse;
                let (limiter, key) = (self.clone(), key.clone());
                let mut bound = Bound { limiter, key, terms, n, by_response, hold: None };
                let units = Units::new(n, move |call| bound.call(call));
                let outcome = Outcome::new(Answer::Skipped, Some(units));
                Step::Ready(Outcomes::One(outcome).with_quota(quota))
            }
        }
    }
}

/// Units of a key in a limiter.
struct Bound<K: Clone> {
    limiter: Limiter<K>,
    key: K,
    /// The terms of the key, if it has its own.
    terms: Option<Funnel>,
    n: u32,
    /// Whether the units are held until the response decides, if the limiter can hold them.
    by_response: bool,
    /// The held units. Dropping the hold charges them. That happens if there is no response: the
    /// client has disconnected, or the service has failed or panicked.
    hold: Option<Hold<Local<K>, K>>,
}

impl<K: Clone> Bound<K> {
    fn call(&mut self, call: Call) -> Step<Reply> {
        let Bound { limiter, key, terms, n, by_response, hold } = self;
        let (terms, n) = (*terms, *n);
        let limiter = match limiter {
            Limiter::Local(limiter) => limiter,
            Limiter::Remote(limiter) => {
                return Step::Later(Arc::clone(limiter).call(call, key.clone(), terms, n));
            }
        };
        let timer = Timer::start();
        let decision = match call {
            Call::Peek => under(&**limiter, terms, |limiter| limiter.peek_n(key, n)),
            Call::Check if *by_response => {
                let (decision, held) = Hold::under(Arc::clone(limiter), key, terms, n);
                *hold = held;
                decision
            }
            Call::Check => under(&**limiter, terms, |limiter| limiter.check_n(key, n)),
            Call::Release if hold.as_ref().is_some_and(Hold::is_on_record) => {
                return Step::Ready(Reply::Refunded(0));
            }
            Call::Refund | Call::Release => {
                return Step::Ready(Reply::Refunded(match hold.take() {
                    Some(hold) => hold.release(),
                    None if *by_response => 0,
                    None => under(&**limiter, terms, |limiter| limiter.refund(key, n)),
                }));
            }
        };
        Step::Ready(Reply::Answer(Answer::Decided(decision, timer.elapsed())))
    }
}
