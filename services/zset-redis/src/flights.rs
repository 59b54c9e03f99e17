//! Flights: concurrent checks of a key share a script.
//!
//! The first check starts a flight, a task that sends it immediately. Checks made in the meantime
//! wait for its reply, and are then sent together:
//!
//! ```text
//! calls        a    b  c d         e f
//! scripts        [ a ]    [ b c d ]   [ e f ]
//! ```
//!
//! So each process has at most one script in flight for a key, whatever the number of callers. The
//! script decides the calls one after the other, as if each had been sent alone at that time.
//!
//! A flight is a separate task, so a caller that gives up, or whose future is not polled, delays no
//! other. Clones may have different deadlines: a script may take as long as its most patient caller
//! waits, and each caller gives up at its own deadline.

#[cfg(test)]
mod tests;

use std::collections::hash_map::Entry;
use std::mem;
use std::sync::Arc;

use redis::aio::ConnectionLike;
use tokio::sync::oneshot;
use tokio::task::yield_now;
use tokio::time::{Instant, timeout_at};
use zset_std::{Decision, Verdict};

use crate::keys::Keys;
use crate::limit::{ServerLimiter, Step};
use crate::link::end;
use crate::{Error, Keyed};

/// A check that waits for a flight.
pub(crate) struct Waiting {
    /// The channel for the decision.
    reply: oneshot::Sender<Result<Decision, Error>>,
    /// The deadline of its caller.
    until: Instant,
}

/// The keys with a flight, each with its waiting checks.
pub(crate) type Flights = Keys<Vec<Waiting>>;

impl<C: ConnectionLike + Clone + Send + Sync + 'static, L: ServerLimiter> Keyed<C, L> {
    /// Checks one unit, together with other checks of the key.
    pub(crate) async fn check_together(&self, key: &[u8]) -> Result<Decision, Error> {
        let pass = self.policy.pass()?;
        let (reply, receiver) = oneshot::channel();
        let until = end(self.policy.deadline);
        if let Some(flight) = Flight::join(&self.flights, key, Waiting { reply, until }) {
            // In a box, as a spawned future is copied several times.
            tokio::spawn(Box::pin(self.clone().fly(flight)));
        }
        let decision = async {
            match receiver.await {
                Ok(decision) => decision,
                // The runtime of the flight has ended. The box keeps a check's future small.
                Err(_) => Ok(Box::pin(self.check_calls(key, 1, until)).await?.1),
            }
        };
        let decision = timeout_at(until, decision).await.unwrap_or(Err(Error::Timeout));
        pass.end(&decision);
        decision
    }

    /// Sends the checks of a key until none are waiting. Each script may take as long as its most
    /// patient caller waits: clones may have different deadlines.
    async fn fly(self, mut flight: Flight) {
        while let Some(waiting) = flight.board() {
            let calls = u32::try_from(waiting.len()).unwrap_or(u32::MAX);
            let longest = waiting.iter().map(|waiting| waiting.until).max();
            let until = longest.unwrap_or_else(Instant::now);
            let decided = self.check_calls(&flight.key, calls, until).await;
            for (call, Waiting { reply, .. }) in (0..).zip(waiting) {
                let decision = match &decided {
                    Ok((allowed, last)) if call < *allowed => {
                        Ok(Decision { verdict: Verdict::Allowed, ..*last })
                    }
                    Ok((_, last)) => Ok(*last),
                    Err(error) => Err(error.clone()),
                };
                // Callers that have given up need no decision.
                let _ = reply.send(decision);
            }
            if calls > 1 {
                // Callers that call again can share the next script.
                yield_now().await;
            }
        }
    }

    /// Checks one unit for each call; returns how many are allowed, and the decision of the last.
    async fn check_calls(
        &self,
        key: &[u8],
        calls: u32,
        until: Instant,
    ) -> Result<(u32, Decision), Error> {
        let mut request = self.policy.request(Step::Check, key, 1);
        request.calls = calls;
        let call = request.call(&self.policy.names)?;
        request.decision(self.link.run(&call, until).await?)
    }
}

/// The flight of a key. Once it is dropped, no check waits for it.
struct Flight {
    flights: Arc<Flights>,
    key: Box<[u8]>,
    is_over: bool,
}

impl Flight {
    /// Adds a check to the flight of its key; returns the flight if it is new.
    fn join(flights: &Arc<Flights>, key: &[u8], check: Waiting) -> Option<Flight> {
        match flights.shard(key).entry(key.into()) {
            Entry::Occupied(waiting) => {
                waiting.into_mut().push(check);
                None
            }
            Entry::Vacant(waiting) => {
                waiting.insert(vec![check]);
                Some(Flight { flights: flights.clone(), key: key.into(), is_over: false })
            }
        }
    }

    /// Returns the waiting checks, except those whose callers have given up, which take no units.
    /// If there are none, the flight ends.
    fn board(&mut self) -> Option<Vec<Waiting>> {
        let mut shard = self.flights.shard(&self.key);
        let mut waiting = shard.get_mut(&self.key).map(mem::take).unwrap_or_default();
        waiting.retain(|check| !check.reply.is_closed());
        if waiting.is_empty() {
            shard.remove(&self.key);
            self.is_over = true;
            return None;
        }
        Some(waiting)
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        // From here on, the key may have another flight.
        if !self.is_over {
            let waiting = self.flights.shard(&self.key).remove(&self.key);
            // Without the lock, since this wakes the callers.
            drop(waiting);
        }
    }
}
