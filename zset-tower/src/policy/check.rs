//! Checks of a policy, whatever the types of its key and its limiter.

use std::convert::identity;
use std::error::Error;
use std::sync::Arc;

use http::StatusCode;
use zset_std::{AsyncKeyedLimiter, Decision, KeyedLimiter};

use super::OnFailure;
use crate::decide::{Applied, Outcomes};
use crate::key::{Found, Key, MissingKey, Unkeyed};
use crate::request_head::RequestHead;
use crate::step::Step;

/// The result of a policy for a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Decided(Decision),
    /// The request has no key, and the policy does not apply to it.
    Skipped,
    /// The request has no key, and is rejected with this status.
    MissingKey(StatusCode),
    Failed(Box<dyn Error + Send + Sync>, OnFailure),
}

impl Outcome {
    pub(crate) fn is_allowed(&self) -> bool {
        matches!(self, Outcome::Decided(decision) if decision.is_allowed())
    }

    pub(crate) fn is_rejection(&self) -> bool {
        match self {
            Outcome::Decided(decision) => !decision.is_allowed(),
            Outcome::Skipped => false,
            Outcome::MissingKey(_) => true,
            Outcome::Failed(_, on_failure) => *on_failure == OnFailure::ServiceUnavailable,
        }
    }
}

impl From<Unkeyed> for Outcome {
    fn from(unkeyed: Unkeyed) -> Self {
        match unkeyed {
            Unkeyed::Allowed => Outcome::Skipped,
            Unkeyed::Denied(status) => Outcome::MissingKey(status),
        }
    }
}

/// What to do with the units of a request.
#[derive(Clone, Copy)]
pub(crate) enum Action {
    Peek,
    Check,
    Refund,
}

/// A request whose key in a policy is known, or the outcome without one.
pub(crate) type Resolved = Result<Box<dyn Subject>, Outcome>;

/// A key and a number of units of a limiter.
pub(crate) trait Subject: Send + Sync {
    fn perform(&self, action: Action) -> Step<Outcome>;

    fn units(&self) -> u32;
}

/// The key and the limiter of a policy.
pub(crate) trait Check: Send + Sync {
    /// Takes `n` units of the request's key; allocates nothing if the key and the decision need no
    /// waiting. `place` is the index of the policy: the result is made here, where it need not be
    /// moved again.
    fn check(&self, head: &RequestHead<'_>, n: u32, place: usize) -> Step<Outcomes>;

    fn resolve(&self, head: &RequestHead<'_>, n: u32) -> Step<Resolved>;
}

/// A limiter with keys of type `K`.
pub(super) trait Engine<K>: Send + Sync + 'static {
    /// Returns what `wrap` makes of the outcome: moving one that has just been written is slow. The
    /// outcome of a refund does not matter.
    fn perform<T: 'static>(
        &self,
        action: Action,
        key: &K,
        n: u32,
        wrap: impl FnOnce(Outcome) -> T + Send + 'static,
    ) -> Step<T>;
}

/// A limiter in this process.
pub(super) struct Local<L>(pub(super) L);

impl<K, L> Engine<K> for Local<L>
where
    L: KeyedLimiter<K> + Send + Sync + 'static,
{
    fn perform<T: 'static>(
        &self,
        action: Action,
        key: &K,
        n: u32,
        wrap: impl FnOnce(Outcome) -> T + Send + 'static,
    ) -> Step<T> {
        Step::Ready(match action {
            Action::Peek => wrap(Outcome::Decided(self.0.peek_n(key, n))),
            Action::Check => wrap(Outcome::Decided(self.0.check_n(key, n))),
            Action::Refund => {
                self.0.refund(key, n);
                wrap(Outcome::Skipped)
            }
        })
    }
}

/// A limiter that is awaited.
pub(super) struct Remote<L> {
    limiter: Arc<L>,
    on_failure: OnFailure,
}

impl<L> Remote<L> {
    pub(super) fn new(limiter: L, on_failure: OnFailure) -> Self {
        Remote { limiter: Arc::new(limiter), on_failure }
    }
}

impl<K, L> Engine<K> for Remote<L>
where
    K: Clone + Send + Sync + 'static,
    L: AsyncKeyedLimiter<K, Error: Error + Send + Sync + 'static> + Send + Sync + 'static,
{
    fn perform<T: 'static>(
        &self,
        action: Action,
        key: &K,
        n: u32,
        wrap: impl FnOnce(Outcome) -> T + Send + 'static,
    ) -> Step<T> {
        let (limiter, on_failure) = (Arc::clone(&self.limiter), self.on_failure);
        let key = key.clone();
        Step::later(async move {
            let outcome = match action {
                Action::Peek => limiter.peek_n(&key, n).await.map(Outcome::Decided),
                Action::Check => limiter.check_n(&key, n).await.map(Outcome::Decided),
                Action::Refund => limiter.refund(&key, n).await.map(|_| Outcome::Skipped),
            };
            wrap(outcome.unwrap_or_else(|error| Outcome::Failed(Box::new(error), on_failure)))
        })
    }
}

/// A key and a limiter for it.
pub(super) struct Keyed<E: Key, D> {
    key: E,
    missing_key: MissingKey<E::Key>,
    engine: Arc<D>,
}

impl<E: Key, D> Keyed<E, D> {
    pub(super) fn new(key: E, missing_key: MissingKey<E::Key>, engine: D) -> Self {
        Keyed { key, missing_key, engine: Arc::new(engine) }
    }
}

impl<E: Key, D: Engine<E::Key>> Check for Keyed<E, D> {
    fn check(&self, head: &RequestHead<'_>, n: u32, place: usize) -> Step<Outcomes> {
        let one = move |outcome| Outcomes::One(Applied { place, outcome });
        match self.key.key(head) {
            // By reference: moving a key that has just been written, such as an address, is slow.
            Found::Ready(ref key) => match found(&self.missing_key, key.as_ref()) {
                Ok(key) => self.engine.perform(Action::Check, key, n, one),
                Err(unkeyed) => Step::Ready(one(unkeyed.into())),
            },
            Found::Later(key) => {
                let (missing_key, engine) = (self.missing_key.clone(), Arc::clone(&self.engine));
                Step::later(async move {
                    let key = key.await;
                    match found(&missing_key, key.as_ref()) {
                        Ok(key) => engine.perform(Action::Check, key, n, one).wait().await,
                        Err(unkeyed) => one(unkeyed.into()),
                    }
                })
            }
        }
    }

    fn resolve(&self, head: &RequestHead<'_>, n: u32) -> Step<Resolved> {
        let engine = Arc::clone(&self.engine);
        match self.key.key(head) {
            Found::Ready(key) => Step::Ready(subject(&self.missing_key, key, engine, n)),
            Found::Later(key) => {
                let missing_key = self.missing_key.clone();
                Step::later(async move { subject(&missing_key, key.await, engine, n) })
            }
        }
    }
}

fn subject<K, D>(missing_key: &MissingKey<K>, key: Option<K>, engine: Arc<D>, n: u32) -> Resolved
where
    K: Clone + Send + Sync + 'static,
    D: Engine<K>,
{
    let key = key.map_or_else(|| missing_key.substitute().cloned(), Ok)?;
    Ok(Box::new(Units { engine, key, n }))
}

/// Returns the key of a request, or the one that stands for a missing key.
fn found<'a, K>(missing_key: &'a MissingKey<K>, key: Option<&'a K>) -> Result<&'a K, Unkeyed> {
    key.map_or_else(|| missing_key.substitute(), Ok)
}

struct Units<D, K> {
    engine: Arc<D>,
    key: K,
    n: u32,
}

impl<K: Send + Sync, D: Engine<K>> Subject for Units<D, K> {
    fn perform(&self, action: Action) -> Step<Outcome> {
        self.engine.perform(action, &self.key, self.n, identity)
    }

    fn units(&self) -> u32 {
        self.n
    }
}
