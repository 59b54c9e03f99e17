//! [`Draw`], a request to the server, and [`Grant`], the reply to it.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{FromRedisValue, Value};
use zset_std::{Quota, Timestamp};

use crate::Failure;
use crate::key::Names;
use crate::script::{Call, NANOS_PER_MICRO, Script};

const SOURCE: &str = include_str!("../scripts/lease.lua");

/// Draws units. If the server refuses the script since its memory is full, the leases still end,
/// and a draw that would be denied anyway is denied.
static DRAW: LazyLock<Script> = LazyLock::new(|| {
    // With this assignment to `most`, the script draws nothing, but returns whether it could. The
    // assignment shares the first line of the file, so line numbers in errors do not change.
    let peek = Script::freeing(&format!("ARGV[6] = '0' {SOURCE}"));
    Script::writing(SOURCE).or_if_refused(peek, |reply| {
        let Value::Array(reply) = reply else { return false };
        matches!(reply.get(2), Some(Value::Int(retry_after)) if *retry_after > 0)
    })
});

/// Ends leases, if any, and draws nothing. It also runs while the server's memory is full.
static GIVE_BACK: LazyLock<Script> = LazyLock::new(|| Script::freeing(SOURCE));

/// The settings that the slots of a limiter share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) quota: Quota,
    /// How long the units of a lease may be used, by the server's clock; at most the quota's
    /// period.
    pub(super) life: Duration,
    /// The most units that a lease may have in addition to those for which calls are waiting.
    pub(super) max_batch: u32,
}

impl Terms {
    pub(super) fn limit(&self) -> u32 {
        self.quota.count()
    }

    /// Returns how long, by the local clock, the units of a lease may be used. That clock may be
    /// slower than the server's by a thousandth.
    pub(super) fn local_life(&self) -> Duration {
        self.life.saturating_sub(self.life / 1000)
    }
}

/// A call of the script: ends leases, and draws units for a new one.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) id: u64,
    /// The units needed immediately; if fewer are available, none are drawn.
    pub(super) least: u32,
    /// The maximum number of units to draw; with 0, none are drawn.
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
    /// How long until `least` units can be drawn, if no lease ends earlier; zero if they can be
    /// now.
    pub(super) retry_after: Duration,
    /// How long until no units count.
    pub(super) reset_after: Duration,
}

impl Draw {
    /// Returns a call that only ends leases.
    pub(super) fn give_back(ended: Vec<Ended>) -> Draw {
        Draw { id: 0, least: 0, most: 0, ended }
    }

    /// Returns a call that asks whether `n` units could be drawn.
    pub(super) fn peek(n: u32) -> Draw {
        Draw { id: 0, least: n, most: 0, ended: Vec::new() }
    }

    /// Returns the call for the caller's `key`. `process` makes ids unique among all machines; only
    /// tests pass a time.
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
        // The period and the life are at most 71 years, so their microseconds fit in a `u64`.
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
