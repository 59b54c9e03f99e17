//! The limiter of a policy, and the keys of requests in it.

use std::error::Error;
use std::sync::Arc;

use zset_std::limit::Held;
use zset_std::{AsyncKeyedLimiter, KeyedLimiter};

use super::FailedLimiter;
use crate::decide::{Answer, Call, Later, Outcome, Outcomes, Reply, Step, Units};
use crate::key::{Found, Key, MissingKey};
use crate::request_head::RequestHead;
use crate::telemetry::Timer;

/// The limiter of a policy, with keys of type `K`.
pub(super) enum Limiter<K> {
    /// A limiter in this process.
    Local(Arc<dyn KeyedLimiter<K> + Send + Sync>),
    /// A limiter whose calls are awaited.
    Remote(Arc<Remote<K>>),
}

/// Calls a limiter for a number of units of a key.
type Remote<K> = dyn Fn(Call, K, u32) -> Later<Reply> + Send + Sync;

impl<K: Send + Sync + 'static> Limiter<K> {
    pub(super) fn remote<L>(limiter: L, failed_limiter: FailedLimiter) -> Self
    where
        L: AsyncKeyedLimiter<K, Error: Error + Send + Sync + 'static> + Send + Sync + 'static,
    {
        let limiter = Arc::new(limiter);
        Limiter::Remote(Arc::new(move |call, key, n| {
            let limiter = Arc::clone(&limiter);
            Box::pin(async move {
                let timer = Timer::start();
                let decision = match call {
                    Call::Peek => limiter.peek_n(&key, n).await,
                    Call::Check => limiter.check_n(&key, n).await,
                    Call::Refund => {
                        // If that fails, the units stay taken.
                        return Reply::Refunded(limiter.refund(&key, n).await.unwrap_or(0));
                    }
                    Call::Release => return Reply::Refunded(0),
                };
                Reply::Answer(match decision {
                    Ok(decision) => Answer::Decided(decision, timer.elapsed()),
                    Err(error) => Answer::Failed(Box::new(error), failed_limiter, timer.elapsed()),
                })
            })
        }))
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

/// How the units of a request are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// At once: no other policy applies.
    Alone,
    /// Together with those of other policies.
    Together,
    /// The same, and the response decides whether they are charged.
    ByResponse,
}

/// Where a policy takes units from: its limiter, and the key of a request.
pub(super) struct Source<E: Key> {
    pub(super) key: E,
    pub(super) missing_key: MissingKey<E::Key>,
    pub(super) limiter: Limiter<E::Key>,
}

impl<E: Key> Source<E> {
    /// Takes `n` units of a request's key, or prepares to, for the policy at index `place`.
    /// Allocates nothing if they are taken alone and nothing is awaited.
    pub(super) fn start(
        &self,
        head: &RequestHead<'_>,
        place: usize,
        n: u32,
        mode: Mode,
    ) -> Step<Outcomes> {
        match self.key.key(head) {
            // By reference: moving a key that has just been written, such as an address, is slow.
            Found::Ready(ref key) => match (self.missing_key.or(key.as_ref()), &self.limiter) {
                (Ok(key), Limiter::Local(limiter)) if mode == Mode::Alone => {
                    Step::Ready(check(&**limiter, key, place, n))
                }
                (Ok(key), limiter) => limiter.start(key, place, n, mode),
                (Err(answer), _) => Step::Ready(Outcomes::One(Outcome::new(place, answer, None))),
            },
            Found::Later(key) => {
                let (missing_key, limiter) = (self.missing_key.clone(), self.limiter.clone());
                Step::later(async move {
                    let key = key.await;
                    match missing_key.or(key.as_ref()) {
                        Ok(key) => limiter.start(key, place, n, mode).wait().await,
                        Err(answer) => Outcomes::One(Outcome::new(place, answer, None)),
                    }
                })
            }
        }
    }
}

/// Takes units of a key at once. The list is made here, since moving a decision that has just been
/// written is slow.
#[inline]
fn check<K>(limiter: &dyn KeyedLimiter<K>, key: &K, place: usize, n: u32) -> Outcomes {
    let timer = Timer::start();
    let decision = limiter.check_n(key, n);
    Outcomes::One(Outcome::new(place, Answer::Decided(decision, timer.elapsed()), None))
}

impl<K: Clone + Send + Sync + 'static> Limiter<K> {
    fn start(&self, key: &K, place: usize, n: u32, mode: Mode) -> Step<Outcomes> {
        match (mode, self) {
            (Mode::Alone, Limiter::Local(limiter)) => Step::Ready(check(&**limiter, key, place, n)),
            (Mode::Alone, Limiter::Remote(limiter)) => {
                let reply = limiter(Call::Check, key.clone(), n);
                let outcome = Outcome::new(place, Answer::Skipped, None);
                Step::later(async move { Outcomes::One(outcome.record(reply.await)) })
            }
            (Mode::Together | Mode::ByResponse, _) => {
                let by_response = mode == Mode::ByResponse;
                let (limiter, key) = (self.clone(), key.clone());
                let mut bound = Bound { limiter, key, n, by_response, held: None };
                let units = Units::new(n, move |call| bound.call(call));
                Step::Ready(Outcomes::One(Outcome::new(place, Answer::Skipped, Some(units))))
            }
        }
    }
}

/// Units of a key in a limiter.
struct Bound<K> {
    limiter: Limiter<K>,
    key: K,
    n: u32,
    /// Whether they are held until the response decides, if the limiter can do that.
    by_response: bool,
    held: Option<Held>,
}

impl<K: Clone> Bound<K> {
    fn call(&mut self, call: Call) -> Step<Reply> {
        let Bound { limiter, key, n, by_response, held } = self;
        let limiter = match limiter {
            Limiter::Local(limiter) => &**limiter,
            Limiter::Remote(limiter) => return Step::Later(limiter(call, key.clone(), *n)),
        };
        let (timer, now) = (Timer::start(), limiter.now());
        let decision = match call {
            Call::Peek if *by_response => limiter.preview_hold(key, *n, now),
            Call::Peek => limiter.preview(key, *n, now),
            Call::Check if *by_response => {
                let (decision, how) = limiter.hold(key, *n, now);
                *held = Some(how).filter(|_| decision.is_allowed() && *n > 0);
                decision
            }
            Call::Check => limiter.decide(key, *n, now),
            Call::Release if *held == Some(Held::Taken) => return Step::Ready(Reply::Refunded(0)),
            Call::Refund | Call::Release => {
                return Step::Ready(Reply::Refunded(match held.take() {
                    Some(held) => limiter.release(key, held, *n),
                    None if *by_response => 0,
                    None => limiter.refund(key, *n),
                }));
            }
        };
        Step::Ready(Reply::Answer(Answer::Decided(decision, timer.elapsed())))
    }
}

/// Without a response, the units are charged: the client has disconnected, or the service has
/// failed or panicked.
impl<K> Drop for Bound<K> {
    fn drop(&mut self) {
        // Taken first: if the limiter panics, the units are not charged again.
        if let (Some(held), Limiter::Local(limiter)) = (self.held.take(), &self.limiter) {
            limiter.charge(&self.key, held, self.n, limiter.now());
        }
    }
}
