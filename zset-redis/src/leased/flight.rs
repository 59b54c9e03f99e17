//! Draws in flight, and the task that gives back what is left of leases.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::aio::ConnectionLike;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use zset_std::{Clock, Decision, Timestamp};

use super::exchange::{Draw, Grant};
use super::slot::Slot;
use super::{LeasedWindow, Reply};
use crate::Error;
use crate::run::run;

/// The shortest time between two sweeps.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

impl<C: ConnectionLike + Clone + Send + Sync + 'static> LeasedWindow<C> {
    /// Sends draws until no call for the key waits. It is a task of its own, so a caller that gives up
    /// does not end it.
    pub(super) async fn fly(self, key: Box<[u8]>, mut draw: Draw) {
        loop {
            let reply = self.exchange(&key, &draw).await;
            match self.land(&key, reply) {
                Some(next) => draw = next,
                None => break,
            }
        }
        if !self.local.is_sweep_scheduled.swap(true, Ordering::AcqRel) {
            tokio::spawn(self.sweep());
        }
    }

    /// Decides the calls that wait, and returns the next draw if some still wait.
    fn land(&self, key: &[u8], reply: Result<Grant, Error>) -> Option<Draw> {
        let mut shard = self.local.keys.shard(key);
        let now = self.local.clock.now();
        // No slot is removed that has a draw in flight.
        let slot = shard.get_mut(key)?;
        match reply {
            Ok(grant) => {
                for (call, decision) in slot.drawn(&self.terms, now, grant) {
                    let has_given_up = call.reply.send(Ok(decision)).is_err();
                    if has_given_up && decision.is_allowed() {
                        slot.refund(call.n);
                    }
                }
            }
            Err(error) => {
                for call in slot.failed() {
                    // Callers that have given up need no error.
                    let _ = call.reply.send(Err(error.clone()));
                }
            }
        }
        slot.draw(&self.terms, now, self.next_id())
    }

    /// Waits for the decision of a draw.
    pub(super) async fn wait(
        &self,
        reply: oneshot::Receiver<Result<Decision, Error>>,
    ) -> Result<Decision, Error> {
        // The sender is dropped only with the runtime of its task.
        let reply = timeout(self.policy.deadline, reply).await;
        reply.map_err(|_| Error::Timeout)?.map_err(|_| Error::Timeout)?
    }

    /// Decides a call by a draw of its units alone.
    pub(super) async fn check_without_lease(&self, key: &[u8], n: u32) -> Result<Decision, Error> {
        let mut slot = Slot::new();
        slot.wait(n, ());
        let draw = slot.draw(&self.terms, self.local.clock.now(), self.next_id());
        let draw = draw.ok_or(Error::UnexpectedReply)?;
        let grant = self.exchange(key, &draw).await?;
        let decided = slot.drawn(&self.terms, self.local.clock.now(), grant).pop();
        decided.map(|(_, decision)| decision).ok_or(Error::UnexpectedReply)
    }

    pub(super) async fn exchange(&self, key: &[u8], draw: &Draw) -> Result<Grant, Error> {
        let call = draw.call(&self.policy.names, key, &self.local.process, &self.terms, None);
        draw.grant(run(&self.connection, &call, self.policy.deadline).await?)
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
            if let Err(error) = self.exchange(&key, &draw).await {
                // The others would probably fail too, each after the deadline.
                return Err(self.policy.observe(error)?);
            }
        }
        Ok(())
    }
}

/// Resets the flag, also if the runtime of the task ends.
struct Scheduled<'a>(&'a AtomicBool);

impl Drop for Scheduled<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}
