//! Flights, in which concurrent checks of a key share a script.
//!
//! If no other check of the same key is in flight, a check is sent alone, by its own caller. The
//! next check of the key starts a flight: a task that sends this check immediately. Checks made
//! before the flight gets its reply wait for that reply, and the flight then sends them together:
//!
//! ```text
//! calls        a  b  c d         e f
//! alone        [ a ]
//! flight          [ b ] [ c d ]     [ e f ]
//! ```
//!
//! So the clones of a limiter usually wait for at most two scripts of a key at a time: one that was
//! sent alone, and one of the flight. If a flight ends before the reply to the lone check, the next
//! check is sent alone as well. The server may also still run scripts whose callers have given up.
//! A lone check needs neither a task nor a clone of the limiter. A script decides its checks one
//! after the other, as if each had been sent alone at that time.
//!
//! A flight is a separate task, and no check waits for a check that was sent alone. So a caller
//! that gives up, or whose future is not polled, delays no other caller. Clones may have different
//! deadlines: a script has the latest deadline of its callers, and each caller gives up just after
//! its own deadline.

#[cfg(test)]
mod tests;

use std::mem;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::timeout_at;
use zset_std::{Decision, Verdict};

use crate::breaker::Pass;
use crate::connection::{Caller, end, instant};
use crate::keys::Keys;
use crate::limit::{Policy, Request};
use crate::{AsyncConnection, Failure};

/// A check that waits for a flight.
pub(crate) struct Waiting {
    /// The channel for the decision.
    reply: oneshot::Sender<Result<Decision, Failure>>,
    /// The deadline of the caller.
    until: Instant,
}

/// The checks of a key that are in flight.
pub(crate) enum InFlight {
    /// One check was sent by its own caller. Its deadline distinguishes it from later checks.
    Alone(Instant),
    /// There is a flight, for which these checks wait.
    Flight(Vec<Waiting>),
}

/// The keys with checks in flight.
pub(crate) type Flights = Keys<InFlight>;

/// Checks one unit: alone, or together with other checks of its key.
pub(crate) async fn check<C: AsyncConnection, T>(
    flights: &Arc<Flights>,
    caller: &Caller<C>,
    request: &Request<'_, T>,
) -> Result<Decision, Failure> {
    let policy = request.policy;
    let pass = Pass::of(policy.breaker.as_ref())?;
    let until = end(policy.deadline);
    let _alone = match (!pass.is_probe).then(|| join(flights, request.key, until)) {
        None => None,
        Some(Joined::Alone(alone)) => Some(alone),
        Some(Joined::Flight(waiting, flight)) => {
            if let Some(flight) = flight {
                // The future is boxed, because `spawn` moves it several times.
                tokio::spawn(Box::pin(fly(caller.clone(), policy.clone(), flight)));
            }
            if let Some(decision) = wait(waiting, until).await {
                return decision;
            }
            None
        }
    };
    let reply = caller.call(&request.call(1), until, pass).await?;
    Ok(request.decisions(reply, 1)?.1)
}

/// Sends the checks of a key until none are waiting. Each script may take as long as its most
/// patient caller waits: clones may have different deadlines.
async fn fly<C: AsyncConnection>(caller: Caller<C>, policy: Policy, mut flight: Flight<InFlight>) {
    let key = flight.key.clone();
    let request = policy.shared(&key);
    while let Some(waiting) = flight.board() {
        let calls = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
        let longest = waiting.iter().map(|waiting| waiting.until).max();
        let until = longest.unwrap_or_else(instant);
        let pass = Pass::shared(policy.breaker.as_ref());
        let reply = caller.call(&request.call(calls), until, pass).await;
        let decided = reply.and_then(|reply| request.decisions(reply, calls));
        for (index, Waiting { reply, .. }) in (0..).zip(waiting) {
            let decision = match &decided {
                Ok((allowed, last)) if index < *allowed => {
                    Ok(Decision { verdict: Verdict::Allowed, ..*last })
                }
                Ok((_, last)) => Ok(*last),
                Err(failure) => Err(failure.clone()),
            };
            // Sending fails if the caller has given up and needs no decision.
            let _ = reply.send(decision);
        }
        // Yield, so that callers that immediately check again can share the next script.
        yield_now().await;
    }
}

/// How a check is sent.
enum Joined<'a> {
    /// The check is sent by its own caller.
    Alone(Alone<'a>),
    /// The check waits for a flight, which is returned if this check created it.
    Flight(oneshot::Receiver<Result<Decision, Failure>>, Option<Flight<InFlight>>),
}

/// Adds a check to the ones in flight for its key.
fn join<'a>(flights: &'a Arc<Flights>, key: &'a [u8], until: Instant) -> Joined<'a> {
    let mut shard = flights.shard(key);
    let Some(in_flight) = shard.get_mut(key) else {
        shard.insert(key.into(), InFlight::Alone(until));
        return Joined::Alone(Alone { flights, key, until });
    };
    let (reply, waiting) = oneshot::channel();
    let check = Waiting { reply, until };
    let flight = match in_flight {
        InFlight::Flight(waiting) => {
            waiting.push(check);
            None
        }
        InFlight::Alone(_) => {
            *in_flight = InFlight::Flight(vec![check]);
            Some(Flight::new(flights, key))
        }
    };
    Joined::Flight(waiting, flight)
}

/// A check that was sent alone. Once it is dropped, the next one may be sent alone too.
struct Alone<'a> {
    flights: &'a Flights,
    key: &'a [u8],
    until: Instant,
}

impl Drop for Alone<'_> {
    fn drop(&mut self) {
        let mut shard = self.flights.shard(self.key);
        if matches!(shard.get(self.key), Some(InFlight::Alone(until)) if *until == self.until) {
            shard.remove(self.key);
        }
    }
}

/// How long after its deadline a caller gives up. By then, a flight with the same deadline has
/// reported its failure to the breaker and to its callers.
const GRACE: Duration = Duration::from_millis(10);

/// Waits for the decision of a flight. Returns `None` if the flight has ended early.
pub(crate) async fn wait(
    reply: oneshot::Receiver<Result<Decision, Failure>>,
    until: Instant,
) -> Option<Result<Decision, Failure>> {
    match timeout_at((until + GRACE).into(), reply).await {
        Ok(Ok(decision)) => Some(decision),
        Ok(Err(_)) => None,
        Err(elapsed) => Some(Err(elapsed.into())),
    }
}

/// A key whose callers wait for a task, which sends their checks or draws a lease for them. If the
/// task ends early, e.g. with its runtime, the key is removed, which wakes the callers.
pub(crate) struct Flight<T> {
    pub(crate) keys: Arc<Keys<T>>,
    pub(crate) key: Box<[u8]>,
    /// Set once no call waits. The key may then have another flight.
    pub(crate) is_over: bool,
}

impl<T> Flight<T> {
    pub(crate) fn new(keys: &Arc<Keys<T>>, key: &[u8]) -> Self {
        Flight { keys: keys.clone(), key: key.into(), is_over: false }
    }
}

impl Flight<InFlight> {
    /// Returns the waiting checks, except those whose callers have given up, which take no units.
    /// If there are none, the flight ends.
    fn board(&mut self) -> Option<Vec<Waiting>> {
        let mut shard = self.keys.shard(&self.key);
        let mut waiting = match shard.get_mut(&self.key) {
            Some(InFlight::Flight(waiting)) => mem::take(waiting),
            _ => Vec::new(),
        };
        waiting.retain(|check| !check.reply.is_closed());
        if waiting.is_empty() {
            shard.remove(&self.key);
            self.is_over = true;
            return None;
        }
        Some(waiting)
    }
}

impl<T> Drop for Flight<T> {
    fn drop(&mut self) {
        if !self.is_over {
            let value = self.keys.shard(&self.key).remove(&self.key);
            // Drop the value only after the lock is released, since this wakes the callers.
            drop(value);
        }
    }
}
