//! [`Draw`] and [`Grant`]: what is sent to the server, and its reply.

use std::sync::LazyLock;
use std::time::Duration;

use redis::{FromRedisValue, Value};
use zset_std::Timestamp;

use super::slot::Terms;

use crate::Error;
use crate::key::Names;
use crate::script::{Call, Script};

static LEASE: LazyLock<Script> =
    LazyLock::new(|| Script::new(include_str!("../scripts/lease.lua")));

/// A call of the script: ends leases, and draws units for a new one.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    pub(super) id: u64,
    /// The units that are used at once; if there are fewer, none are drawn.
    pub(super) least: u32,
    /// The most units to draw; 0 draws nothing.
    pub(super) most: u32,
    pub(super) ended: Vec<Ended>,
}

/// A lease whose units are no longer used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) id: u64,
    /// The units that were used. The others are given back.
    pub(super) used: u32,
}

/// The reply to a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grant {
    /// The units drawn: 0, or at least `least`.
    pub(super) units: u32,
    /// The units that are left for other draws.
    pub(super) remaining: u32,
    /// How long until `least` units can be drawn, if no lease ends earlier; zero if they can be drawn now.
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

    /// Returns the call for the caller's `key`. `process` makes ids unique among all machines; only tests
    /// give the time.
    pub(super) fn call(
        &self,
        names: &Names,
        key: &[u8],
        process: &str,
        terms: &Terms,
        at: Option<Timestamp>,
    ) -> Call {
        let id = |id: u64| format!("{process}.{id:x}");
        let mut call = Call::new(&LEASE);
        call.key(names.of(key, "leases"));
        match at {
            None => call.argument(""),
            Some(at) => call.number(at.as_nanos() / 1000),
        }
        // At most 71 years, as the life.
        call.number(terms.quota.period().as_micros() as u64);
        call.number(terms.limit().into());
        call.number(terms.life.as_nanos().div_ceil(1000) as u64);
        call.number(self.least.into());
        call.number(self.most.into());
        call.argument(id(self.id));
        for ended in &self.ended {
            call.argument(id(ended.id));
            call.number(ended.used.into());
        }
        call
    }

    /// Reads the reply.
    pub(super) fn grant(&self, reply: Value) -> Result<Grant, Error> {
        let numbers = <[u64; 4]>::from_redis_value(reply).map_err(|_| Error::UnexpectedReply)?;
        let [units, remaining, retry_after, reset_after] = numbers;
        let units = u32::try_from(units).map_err(|_| Error::UnexpectedReply)?;
        if units > self.most || units > 0 && units < self.least {
            return Err(Error::UnexpectedReply);
        }
        Ok(Grant {
            units,
            remaining: u32::try_from(remaining).map_err(|_| Error::UnexpectedReply)?,
            retry_after: Duration::from_micros(retry_after),
            reset_after: Duration::from_micros(reset_after),
        })
    }
}
