//! The tasks of a [`LeasedWindow`]. Each key with waiting calls has a task that sends its draws,
//! and one more task returns unused units.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio::time::sleep;
use zset_std::{Clock, Timestamp};

use super::draw::{Draw, Grant};
use super::slot::Slot;
use super::{LeasedWindow, Local, ReplyTo};
use crate::breaker::Pass;
use crate::connection::{end, instant};
use crate::flights::Flight;
use crate::{AsyncConnection, Failure, LimiterError};

/// The shortest time between two sweeps.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

impl<C: AsyncConnection> LeasedWindow<C> {
    /// Sends draws until no call for the key is waiting. It runs as a separate task, so a caller
    /// that gives up does not stop it.
    pub(super) async fn fly(
        self,
        mut flight: Flight<Slot<ReplyTo>>,
        mut draw: Draw,
        mut until: Instant,
    ) {
        loop {
            let pass = Pass::shared(self.policy.breaker.as_ref());
            let reply = self.exchange(&flight.key, &draw, until, pass).await;
            match self.land(&mut flight, reply, until) {
                Some(next) => (draw, until) = next,
                None => break,
            }
        }
        if let Some(scheduled) = Scheduled::new(&self.local) {
            tokio::spawn(self.sweep(scheduled));
        }
    }

    /// Decides the waiting calls after a draw whose deadline was `until`. If some calls still wait,
    /// returns the next draw and the latest of their deadlines. Otherwise, the flight ends.
    fn land(
        &self,
        flight: &mut Flight<Slot<ReplyTo>>,
        reply: Result<Grant, Failure>,
        until: Instant,
    ) -> Option<(Draw, Instant)> {
        let mut shard = flight.keys.shard(&flight.key);
        let now = self.local.clock.now();
        // A slot with a draw in flight is never removed.
        let slot = shard.get_mut(&flight.key)?;
        match reply {
            Ok(grant) => {
                for (call, decision) in slot.drawn(&self.terms, now, grant) {
                    let has_given_up = call.reply.sender.send(Ok(decision)).is_err();
                    if has_given_up && decision.is_allowed() {
                        slot.refund(call.n);
                    }
                }
            }
            Err(failure) => {
                // Clones may have different deadlines. If the draw has timed out, calls that can
                // wait longer share the next draw.
                let now = instant();
                let is_over = matches!(failure, Failure::Timeout) && now >= until;
                for call in slot.failed(|reply| is_over && reply.until > now) {
                    // Sending fails if the caller has given up and needs no error.
                    let _ = call.reply.sender.send(Err(failure.clone()));
                }
            }
        }
        let draw = slot.draw(&self.terms, now, self.next_id());
        flight.is_over = draw.is_none();
        let longest = slot.waiting().map(|reply| reply.until).max();
        Some((draw?, longest.unwrap_or_else(|| end(self.policy.deadline))))
    }

    /// Returns the unused units of expired leases and removes idle keys. Repeats this after each
    /// life, until no keys are left.
    async fn sweep(self, mut scheduled: Scheduled) {
        loop {
            sleep(self.terms.life.max(SHORTEST_PAUSE)).await;
            drop(scheduled);
            // Ignore a failure: the observer has already received it.
            let _ = self.give_back_if(Slot::is_idle).await;
            // If a key is added after this check, its flight schedules another sweep.
            if self.is_empty() {
                return;
            }
            let Some(next) = Scheduled::new(&self.local) else { return };
            scheduled = next;
        }
    }

    /// Removes keys, and returns the unused units of their leases.
    pub(super) async fn give_back_if(
        &self,
        remove: impl Fn(&Slot<ReplyTo>, Timestamp) -> bool,
    ) -> Result<(), LimiterError> {
        let mut removed = Vec::new();
        self.local.keys.retain(|key, slot| {
            let now = self.local.clock.now();
            if !remove(slot, now) {
                return true;
            }
            let ended = slot.give_back(&self.terms, now);
            if !ended.is_empty() {
                removed.push((Box::<[u8]>::from(key), Draw::give_back(ended)));
            }
            false
        });
        for (key, draw) in removed {
            let until = end(self.policy.deadline);
            if let Err(failure) = self.exchange(&key, &draw, until, Pass::shared(None)).await {
                // Stop after the first failure: the other calls would probably fail too, each after
                // its deadline.
                self.policy.observe(&failure);
                return Err(failure.into());
            }
        }
        Ok(())
    }
}

/// A scheduled sweep. No other can be scheduled until it is dropped, e.g. with its runtime.
struct Scheduled(Arc<Local>);

impl Scheduled {
    /// Schedules a sweep, unless one is scheduled.
    fn new(local: &Arc<Local>) -> Option<Scheduled> {
        let is_scheduled = local.is_sweep_scheduled.swap(true, Ordering::AcqRel);
        (!is_scheduled).then(|| Scheduled(local.clone()))
    }
}

impl Drop for Scheduled {
    fn drop(&mut self) {
        self.0.is_sweep_scheduled.store(false, Ordering::Release);
    }
}
