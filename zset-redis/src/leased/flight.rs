//! Draws in flight, and the task that gives back what is left of leases.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::ConnectionLike;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};
use zset_std::{Clock, Decision, Timestamp};

use super::exchange::{Draw, Grant};
use super::slot::Slot;
use super::{LeasedWindow, Reply};
use crate::Error;
use crate::run::end;

/// The shortest time between two sweeps.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

impl<C: ConnectionLike + Clone + Send + Sync + 'static> LeasedWindow<C> {
    /// Sends draws until no call for the key waits. It is a task of its own, so a caller that gives up
    /// does not end it.
    pub(super) async fn fly(self, key: Box<[u8]>, mut draw: Draw, mut until: Instant) {
        loop {
            let reply = self.exchange(&key, &draw, until).await;
            match self.land(&key, reply, until) {
                Some(next) => (draw, until) = next,
                None => break,
            }
        }
        if !self.local.is_sweep_scheduled.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.sweep());
        }
    }

    /// Decides the calls that wait after a draw that could take until a time. Returns the next draw
    /// if some still wait, and until when the most patient of them does.
    fn land(
        &self,
        key: &[u8],
        reply: Result<Grant, Error>,
        until: Instant,
    ) -> Option<(Draw, Instant)> {
        let mut shard = self.local.keys.shard(key);
        let now = self.local.clock.now();
        // No slot is removed that has a draw in flight.
        let slot = shard.get_mut(key)?;
        match reply {
            Ok(grant) => {
                for (call, decision) in slot.drawn(&self.terms, now, grant) {
                    let has_given_up = call.reply.sender.send(Ok(decision)).is_err();
                    if has_given_up && decision.is_allowed() {
                        slot.refund(call.n);
                    }
                }
            }
            Err(error) => {
                // Clones may have other deadlines: calls that can wait for longer have the next
                // draw.
                let is_over = matches!(error, Error::Timeout) && Instant::now() >= until;
                for call in slot.failed(|reply| is_over && reply.until > until) {
                    // Callers that have given up need no error.
                    let _ = call.reply.sender.send(Err(error.clone()));
                }
            }
        }
        let draw = slot.draw(&self.terms, now, self.next_id())?;
        let longest = slot.waiting().map(|reply| reply.until).max();
        Some((draw, longest.unwrap_or_else(|| end(self.policy.deadline))))
    }

    /// Decides a call by a draw of its units alone.
    pub(super) async fn check_without_lease(&self, key: &[u8], n: u32) -> Result<Decision, Error> {
        let mut slot = Slot::new();
        slot.wait(n, ());
        let draw = slot.draw(&self.terms, self.local.clock.now(), self.next_id());
        let draw = draw.ok_or(Error::UnexpectedReply)?;
        let grant = self.exchange_unless_open(key, &draw).await?;
        let decided = slot.drawn(&self.terms, self.local.clock.now(), grant).pop();
        decided.map(|(_, decision)| decision).ok_or(Error::UnexpectedReply)
    }

    /// Sends the draw of a call, unless the breaker is open.
    pub(super) async fn exchange_unless_open(
        &self,
        key: &[u8],
        draw: &Draw,
    ) -> Result<Grant, Error> {
        let pass = self.policy.pass()?;
        let grant = self.exchange(key, draw, end(self.policy.deadline)).await;
        pass.end(&grant);
        grant
    }

    async fn exchange(&self, key: &[u8], draw: &Draw, until: Instant) -> Result<Grant, Error> {
        let call = draw.call(&self.policy.names, key, &self.local.process, &self.terms, None);
        draw.grant(self.link.run(&call, until).await?)
    }

    /// Gives back what is left of ended leases and removes idle keys, once a life, until there are no keys.
    async fn sweep(self) {
        loop {
            let scheduled = Scheduled(&self.local.is_sweep_scheduled);
            sleep(self.terms.life.max(SHORTEST_PAUSE)).await;
            drop(scheduled);
            // The observer has received the failure.
            let _ = self.give_back_if(Slot::is_idle).await;
            // A key that came after the look has scheduled another sweep.
            if self.is_empty() || self.local.is_sweep_scheduled.swap(true, Ordering::AcqRel) {
                return;
            }
        }
    }

    /// Removes keys, and gives back what is left of their leases.
    pub(super) async fn give_back_if(
        &self,
        remove: impl Fn(&Slot<Reply>, Timestamp) -> bool,
    ) -> Result<(), Error> {
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
            if let Err(error) = self.exchange(&key, &draw, end(self.policy.deadline)).await {
                // The others would probably fail too, each after the deadline.
                return Err(self.policy.observe(error)?);
            }
        }
        Ok(())
    }
}

/// Waits for the decision of a draw.
pub(super) async fn wait(
    reply: oneshot::Receiver<Result<Decision, Error>>,
    until: Instant,
) -> Result<Decision, Error> {
    // The sender is dropped only with the runtime of its task.
    let reply = timeout_at(until, reply).await;
    reply.map_err(|_| Error::Timeout)?.map_err(|_| Error::Timeout)?
}

/// Resets the flag, also if the runtime of the task ends.
struct Scheduled<'a>(&'a AtomicBool);

impl Drop for Scheduled<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
