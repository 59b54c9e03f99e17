//! [`Draw`] and [`Grant`]: a request to the server, and its reply; draws in flight, and the task
//! that returns unused units.

use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use redis::{FromRedisValue, Value};
use tokio::time::sleep;
use zset_std::{Clock, Decision, Timestamp};

use super::slot::{Slot, Terms};
use super::{LeasedWindow, Local, ReplyTo};
use crate::breaker::Pass;
use crate::connection::{end, instant};
use crate::flights::Flight;
use crate::key::Names;
use crate::script::{Call, NANOS_PER_MICRO, Script};
use crate::{AsyncConnection, Failure, LimiterError};

const SOURCE: &str = include_str!("../scripts/lease.lua");

/// Draws units. If the server refuses it since memory is full, leases still end, and a draw that
/// would be denied is denied.
static DRAW: LazyLock<Script> = LazyLock::new(|| {
    // It draws nothing, and returns whether it could. In the first line, so that lines in errors
    // are those of the file.
    let peek = Script::freeing(&format!("ARGV[6] = '0' {SOURCE}"));
    Script::writing(SOURCE).or_if_refused(peek, |reply| {
        let Value::Array(reply) = reply else { return false };
        matches!(reply.get(2), Some(Value::Int(retry_after)) if *retry_after > 0)
    })
});

/// Draws nothing.
static GIVE_BACK: LazyLock<Script> = LazyLock::new(|| Script::freeing(SOURCE));

/// A call of the script: ends leases, and draws units for a new one.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) id: u64,
    /// The units that are used at once; if fewer are available, none are drawn.
    pub(super) least: u32,
    /// The most units to draw; 0 draws nothing.
    pub(super) most: u32,
    pub(super) ended: Vec<Ended>,
}

/// A lease that is no longer used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) id: u64,
    /// The units that were used. The others are returned.
    pub(super) used: u32,
}

/// The reply to a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    /// The units drawn: 0, or at least `least`.
    pub(super) units: u32,
    /// The units left for other draws.
    pub(super) remaining: u32,
    /// How long until `least` units can be drawn, if no lease ends earlier; zero if now.
    pub(super) retry_after: Duration,
    /// How long until no units count.
    pub(super) reset_after: Duration,
}

impl Draw {
    /// A call that draws nothing.
    pub(super) fn give_back(ended: Vec<Ended>) -> Draw {
        Draw { id: 0, least: 0, most: 0, ended }
    }

    /// A call that returns whether `n` units could be drawn.
    pub(super) fn peek(n: u32) -> Draw {
        Draw { id: 0, least: n, most: 0, ended: Vec::new() }
    }

    /// Returns the call for the caller's `key`. `process` makes ids unique among all machines; only
    /// tests give the time.
    pub(super) fn call(
        &self,
        names: &Names,
        key: &[u8],
        process: &str,
        terms: &Terms,
        at: Option<Timestamp>,
    ) -> Call<Failure> {
        let id = |id: u64| format!("{process}.{id:x}");
        let script = if self.most == 0 { &GIVE_BACK } else { &DRAW };
        let call = Call::new(script, vec![names.of(key, "leases")]);
        let call = match at {
            None => call.argument(""),
            Some(at) => call.number(at.as_nanos() / NANOS_PER_MICRO),
        };
        // At most 71 years, like the life.
        let call = call.number(terms.quota.period().as_micros() as u64).number(terms.limit());
        let call = call.number(terms.life.as_nanos().div_ceil(NANOS_PER_MICRO.into()) as u64);
        let call = call.number(self.least).number(self.most).argument(id(self.id));
        self.ended.iter().fold(call, |call, ended| call.argument(id(ended.id)).number(ended.used))
    }

    /// Reads the reply.
    pub(super) fn grant(&self, reply: Value) -> Result<Grant, Failure> {
        let numbers = <[u64; 4]>::from_redis_value(reply).map_err(|_| Failure::UnexpectedReply)?;
        let [units, remaining, retry_after, reset_after] = numbers;
        let units = u32::try_from(units).map_err(|_| Failure::UnexpectedReply)?;
        if units > self.most || units > 0 && units < self.least {
            return Err(Failure::UnexpectedReply);
        }
        Ok(Grant {
            units,
            remaining: u32::try_from(remaining).map_err(|_| Failure::UnexpectedReply)?,
            retry_after: Duration::from_micros(retry_after),
            reset_after: Duration::from_micros(reset_after),
        })
    }
}

/// The shortest time between two sweeps.
const SHORTEST_PAUSE: Duration = Duration::from_millis(1);

impl<C: AsyncConnection> LeasedWindow<C> {
    /// Sends draws until no call for the key is waiting. It is a separate task, so a caller that
    /// gives up does not stop it.
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

    /// Decides the waiting calls after a draw, which could take until the given time. If some still
    /// wait, returns the next draw and the latest of their deadlines. Otherwise, the flight ends.
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
                // Clones may have different deadlines: calls that can wait longer share the next
                // draw.
                let now = instant();
                let is_over = matches!(failure, Failure::Timeout) && now >= until;
                for call in slot.failed(|reply| is_over && reply.until > now) {
                    // Callers that have given up need no error.
                    let _ = call.reply.sender.send(Err(failure.clone()));
                }
            }
        }
        let draw = slot.draw(&self.terms, now, self.next_id());
        flight.is_over = draw.is_none();
        let longest = slot.waiting().map(|reply| reply.until).max();
        Some((draw?, longest.unwrap_or_else(|| end(self.policy.deadline))))
    }

    /// Decides a call by a draw of only its own units.
    pub(super) async fn check_without_lease(
        &self,
        key: &[u8],
        n: u32,
        until: Instant,
        pass: Pass<'_>,
    ) -> Result<Decision, Failure> {
        let mut slot = Slot::new();
        slot.wait(n, ());
        let draw = slot.draw(&self.terms, self.local.clock.now(), self.next_id());
        let draw = draw.ok_or(Failure::UnexpectedReply)?;
        let grant = self.exchange(key, &draw, until, pass).await?;
        let decided = slot.drawn(&self.terms, self.local.clock.now(), grant).pop();
        decided.map(|(_, decision)| decision).ok_or(Failure::UnexpectedReply)
    }

    pub(super) async fn exchange(
        &self,
        key: &[u8],
        draw: &Draw,
        until: Instant,
        pass: Pass<'_>,
    ) -> Result<Grant, Failure> {
        let call = draw.call(&self.policy.names, key, &self.local.process, &self.terms, None);
        draw.grant(self.caller.call(&call, until, pass).await?)
    }

    /// Returns the unused units of ended leases and removes idle keys, each time that a lease
    /// could have ended, until no keys are left.
    async fn sweep(self, mut scheduled: Scheduled) {
        loop {
            sleep(self.terms.life.max(SHORTEST_PAUSE)).await;
            drop(scheduled);
            // The observer has received the failure.
            let _ = self.give_back_if(Slot::is_idle).await;
            // A key that was added since has scheduled another sweep.
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
                // The other calls would probably fail too, each after its deadline.
                self.policy.observe(&failure);
                return Err(failure.into());
            }
        }
        Ok(())
    }
}

/// A sweep that is scheduled: the only one, until it is dropped, e.g. with its runtime.
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
