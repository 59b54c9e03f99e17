//! Checks of a policy, for all types of keys and limiters.

use std::convert::identity;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use zset_std::limit::Held;
use zset_std::{AsyncKeyedLimiter, Decision, KeyedLimiter};

use super::OnFailure;
use crate::decide::{Applied, Outcomes};
use crate::key::{Found, Key, MissingKey, Unkeyed};
use crate::request_head::RequestHead;
use crate::step::Step;
use crate::telemetry::{Elapsed, Timer};

/// The result of a policy for a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    Decided(Decision, Elapsed),
    /// The request has no key, and the policy does not apply to it.
    Skipped,
    /// The request has no key, and is rejected with this status.
    MissingKey(StatusCode),
    Failed(Box<dyn Error + Send + Sync>, OnFailure, Elapsed),
}

impl Outcome {
    pub(crate) fn is_allowed(&self) -> bool {
        matches!(self, Outcome::Decided(decision, _) if decision.is_allowed())
    }

    pub(crate) fn is_rejection(&self) -> bool {
        match self {
            Outcome::Decided(decision, _) => !decision.is_allowed(),
            Outcome::Skipped => false,
            Outcome::MissingKey(_) => true,
            Outcome::Failed(_, on_failure, _) => *on_failure == OnFailure::ServiceUnavailable,
        }
    }

    /// Adds the time of the peek before a check.
    pub(crate) fn add_time_of(&mut self, peek: &Outcome) {
        if let (
            Outcome::Decided(_, elapsed) | Outcome::Failed(_, _, elapsed),
            Outcome::Decided(_, of_peek),
        ) = (self, peek)
        {
            *elapsed += *of_peek;
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

/// How a policy decides on the units of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Peek,
    /// Takes the units, or holds them until the response decides whether they are charged.
    Check,
}

/// A request whose key in a policy is known, or the outcome if it has no key.
pub(crate) type Resolved = Result<Box<dyn Subject>, Outcome>;

/// A key and a number of units in a limiter.
pub(crate) trait Subject: Send + Sync {
    fn perform(&mut self, action: Action) -> Step<Outcome>;

    /// Returns the units of a check, and how many; 0 if that fails, as they stay taken.
    fn refund(&mut self) -> Step<u32>;

    fn units(&self) -> u32;

    /// Returns whether the units depend on the response.
    fn is_charged_by_response(&self) -> bool;

    /// Returns whether units can still be refunded some time after a check whose decision had this
    /// `reset_after`.
    ///
    /// A limiter refunds the newest units of a key. If these belong to failures in the meantime,
    /// the failures then count from the time of the request, which is too early. So the request
    /// must have taken little of the time in which its units come back anyway.
    fn can_refund(&self, elapsed: Duration, reset_after: Duration) -> bool;
}

/// The key and the limiter of a policy.
pub(crate) trait Check: Send + Sync {
    /// Takes `n` units of the request's key; allocates nothing if neither the key nor the decision
    /// is awaited. `place` is the index of the policy: the result is built here, so it need not be
    /// moved again.
    fn check(&self, head: &RequestHead<'_>, n: u32, place: usize) -> Step<Outcomes>;

    /// Finds the key of a request; `by_response` if the units depend on the response.
    fn resolve(&self, head: &RequestHead<'_>, n: u32, by_response: bool) -> Step<Resolved>;
}

/// A limiter with keys of type `K`.
pub(super) trait Engine<K>: Send + Sync + 'static {
    /// Returns the result of `wrap` for the outcome: moving an outcome that has just been written
    /// is slow.
    fn perform<T: 'static>(
        &self,
        action: Action,
        key: &K,
        n: u32,
        wrap: impl FnOnce(Outcome) -> T + Send + 'static,
    ) -> Step<T>;

    fn refund(&self, key: &K, n: u32) -> Step<u32>;

    /// Returns the limiter if it holds units that depend on the response, instead of taking them.
    fn holder(&self) -> Option<&dyn Holder<K>> {
        None
    }
}

/// A limiter that holds units.
pub(super) trait Holder<K> {
    /// Returns what `hold` would.
    fn peek(&self, key: &K, n: u32) -> Decision;

    fn hold(&self, key: &K, n: u32) -> (Decision, Held);
    fn charge(&self, key: &K, held: Held, n: u32);
    fn release(&self, key: &K, held: Held, n: u32) -> u32;
}

/// A limiter in this process.
pub(super) struct Local<L>(pub(super) L);

impl<K, L> Engine<K> for Local<L>
where
    K: Send + Sync + 'static,
    L: KeyedLimiter<K> + Send + Sync + 'static,
{
    fn perform<T: 'static>(
        &self,
        action: Action,
        key: &K,
        n: u32,
        wrap: impl FnOnce(Outcome) -> T + Send + 'static,
    ) -> Step<T> {
        let timer = Timer::start();
        let decided = |decision| Outcome::Decided(decision, timer.elapsed());
        Step::Ready(match action {
            Action::Peek => wrap(decided(self.0.peek_n(key, n))),
            Action::Check => wrap(decided(self.0.check_n(key, n))),
        })
    }

    fn refund(&self, key: &K, n: u32) -> Step<u32> {
        Step::Ready(self.0.refund(key, n))
    }

    fn holder(&self) -> Option<&dyn Holder<K>> {
        Some(self)
    }
}

impl<K, L: KeyedLimiter<K>> Holder<K> for Local<L> {
    fn peek(&self, key: &K, n: u32) -> Decision {
        self.0.preview_hold(key, n, self.0.now())
    }

    fn hold(&self, key: &K, n: u32) -> (Decision, Held) {
        self.0.hold(key, n, self.0.now())
    }

    fn charge(&self, key: &K, held: Held, n: u32) {
        self.0.charge(key, held, n, self.0.now());
    }

    fn release(&self, key: &K, held: Held, n: u32) -> u32 {
        self.0.release(key, held, n)
    }
}

/// A limiter whose calls are awaited.
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
            let timer = Timer::start();
            let decided = |decision| Outcome::Decided(decision, timer.elapsed());
            let outcome = match action {
                Action::Peek => limiter.peek_n(&key, n).await.map(decided),
                Action::Check => limiter.check_n(&key, n).await.map(decided),
            };
            wrap(outcome.unwrap_or_else(|error| {
                Outcome::Failed(Box::new(error), on_failure, timer.elapsed())
            }))
        })
    }

    fn refund(&self, key: &K, n: u32) -> Step<u32> {
        let (limiter, key) = (Arc::clone(&self.limiter), key.clone());
        Step::later(async move { limiter.refund(&key, n).await.unwrap_or(0) })
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

    fn resolve(&self, head: &RequestHead<'_>, n: u32, by_response: bool) -> Step<Resolved> {
        let engine = Arc::clone(&self.engine);
        let subject = move |missing_key: &MissingKey<E::Key>, key: Option<E::Key>| -> Resolved {
            let key = key.map_or_else(|| missing_key.substitute().cloned(), Ok)?;
            Ok(Box::new(Units { engine, key, n, by_response, held: None }))
        };
        match self.key.key(head) {
            Found::Ready(key) => Step::Ready(subject(&self.missing_key, key)),
            Found::Later(key) => {
                let missing_key = self.missing_key.clone();
                Step::later(async move { subject(&missing_key, key.await) })
            }
        }
    }
}

/// Returns the key of a request, or the replacement for a missing key.
fn found<'a, K>(missing_key: &'a MissingKey<K>, key: Option<&'a K>) -> Result<&'a K, Unkeyed> {
    key.map_or_else(|| missing_key.substitute(), Ok)
}

struct Units<D: Engine<K>, K> {
    engine: Arc<D>,
    key: K,
    n: u32,
    /// Whether the units depend on the response.
    by_response: bool,
    /// How the engine holds them, if it does.
    held: Option<Held>,
}

impl<D: Engine<K>, K> Units<D, K> {
    fn holder(&self) -> Option<&dyn Holder<K>> {
        if self.by_response { self.engine.holder() } else { None }
    }
}

impl<K: Send + Sync, D: Engine<K>> Subject for Units<D, K> {
    fn perform(&mut self, action: Action) -> Step<Outcome> {
        let Some(holder) = self.holder() else {
            return self.engine.perform(action, &self.key, self.n, identity);
        };
        let timer = Timer::start();
        let decision = match action {
            Action::Peek => holder.peek(&self.key, self.n),
            Action::Check => {
                let (decision, held) = holder.hold(&self.key, self.n);
                self.held = Some(held).filter(|_| decision.is_allowed() && self.n > 0);
                decision
            }
        };
        Step::Ready(Outcome::Decided(decision, timer.elapsed()))
    }

    fn refund(&mut self) -> Step<u32> {
        let held = self.held.take();
        let Some(holder) = self.holder() else { return self.engine.refund(&self.key, self.n) };
        Step::Ready(held.map_or(0, |held| holder.release(&self.key, held, self.n)))
    }

    fn units(&self) -> u32 {
        self.n
    }

    fn is_charged_by_response(&self) -> bool {
        self.by_response
    }

    fn can_refund(&self, elapsed: Duration, reset_after: Duration) -> bool {
        matches!(self.held, Some(Held::Key | Held::Shared)) || elapsed <= reset_after / 10
    }
}

/// Without a response, the units are charged: the client has disconnected, or the service has
/// failed or panicked.
impl<D: Engine<K>, K> Drop for Units<D, K> {
    fn drop(&mut self) {
        // Taken first: if the limiter panics, the units are not charged again.
        if let (Some(held), Some(holder)) = (self.held.take(), self.holder()) {
            holder.charge(&self.key, held, self.n);
        }
    }
}
