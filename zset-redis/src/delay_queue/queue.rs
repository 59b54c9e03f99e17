//! [`Queue`]: the keys and the settings of a queue, and its operations.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use zset_std::Timestamp;
use zset_std::shared_delay_queue::Nacked;

use super::job::{
    Attempt, DeadLetter, Job, Lease, Stats, read_attempt, read_dead_letters, read_job, read_nacked,
    refused,
};
use super::scripts;
use super::time::{self, When, timestamp};
use crate::Error;
use crate::key::Names;
use crate::operation::{Operation, read};
use crate::script::{Call, Script};

/// In the order in which `queue.lua` takes them.
const KEYS: [&str; 8] =
    ["due", "jobs", "deliveries", "receipts", "dead", "dead_jobs", "counts", "wake"];

/// As in zset-std.
const DEFAULT_MAX_DEAD_LETTERS: u32 = 1024;

#[derive(Clone, Debug)]
pub(crate) struct Queue {
    name: Arc<str>,
    keys: [Vec<u8>; 8],
    pub(crate) max_len: Option<u64>,
    pub(crate) max_deliveries: Option<NonZeroU32>,
    pub(crate) max_dead_letters: u32,
    pub(crate) deadline: Duration,
}

impl Queue {
    pub(crate) fn new(name: &str) -> Queue {
        Queue {
            name: name.into(),
            keys: keys(&Names::new("queue"), name),
            max_len: None,
            max_deliveries: None,
            max_dead_letters: DEFAULT_MAX_DEAD_LETTERS,
            deadline: Duration::from_secs(1),
        }
    }

    pub(crate) fn hash_keys(&mut self, secret: &[u8]) {
        let mut names = Names::new("queue");
        names.hash_keys(secret);
        self.keys = keys(&names, &self.name);
    }

    /// Returns the key of the stream that waiting workers read.
    pub(crate) fn stream(&self) -> &[u8] {
        &self.keys[7]
    }

    pub(crate) fn push(
        &self,
        id: Option<&[u8]>,
        payload: &[u8],
        when: When,
    ) -> Result<Operation<String>, Error> {
        let mut call = self.call(&scripts::PUSH);
        call.number(id.is_some().into());
        call.argument(id.unwrap_or_default());
        call.argument(payload);
        push_when(&mut call, when)?;
        self.push_max_len(&mut call);
        Ok(Operation::new(call, |reply| {
            refused(&reply)?;
            let (id,) = read::<(Vec<u8>,)>(reply)?;
            // A caller's id may be any bytes, but only one that was made here is needed.
            Ok(String::from_utf8_lossy(&id).into_owned())
        }))
    }

    pub(crate) fn lease(
        &self,
        visibility: Duration,
        now: Option<Timestamp>,
    ) -> Result<Operation<Attempt<Lease>>, Error> {
        let mut call = self.call_at(&scripts::LEASE, now)?;
        self.push_limits(&mut call);
        call.number(time::micros(visibility));
        Ok(Operation::new(call, |reply| read_attempt(reply, Lease::read)))
    }

    pub(crate) fn pop(&self, now: Option<Timestamp>) -> Result<Operation<Attempt<Job>>, Error> {
        let mut call = self.call_at(&scripts::POP, now)?;
        self.push_limits(&mut call);
        Ok(Operation::new(call, |reply| read_attempt(reply, read_job)))
    }

    pub(crate) fn ack(&self, lease: &Lease) -> Operation<()> {
        let mut call = self.call(&scripts::ACK);
        push_lease(&mut call, lease);
        Operation::new(call, |reply| if read(reply)? { Ok(()) } else { Err(Error::StaleLease) })
    }

    pub(crate) fn nack(
        &self,
        lease: &Lease,
        delay: Duration,
        now: Option<Timestamp>,
    ) -> Result<Operation<Nacked>, Error> {
        let mut call = self.call_at(&scripts::NACK, now)?;
        push_lease(&mut call, lease);
        call.number(time::micros(delay));
        self.push_limits(&mut call);
        Ok(Operation::new(call, read_nacked))
    }

    pub(crate) fn extend(
        &self,
        lease: &Lease,
        visibility: Duration,
        now: Option<Timestamp>,
    ) -> Result<Operation<Timestamp>, Error> {
        let mut call = self.call_at(&scripts::EXTEND, now)?;
        push_lease(&mut call, lease);
        call.number(time::micros(visibility));
        Ok(Operation::new(call, |reply| {
            read::<Option<u64>>(reply)?.map(timestamp).ok_or(Error::StaleLease)
        }))
    }

    pub(crate) fn cancel(&self, id: &[u8]) -> Operation<Option<Job>> {
        let mut call = self.call(&scripts::CANCEL);
        call.argument(id);
        Operation::new(call, |reply| match reply {
            Value::Nil => Ok(None),
            reply => read_job(reply).map(Some),
        })
    }

    pub(crate) fn reschedule(
        &self,
        id: &[u8],
        when: When,
    ) -> Result<Operation<Option<Timestamp>>, Error> {
        let mut call = self.call(&scripts::RESCHEDULE);
        call.argument(id);
        push_when(&mut call, when)?;
        Ok(Operation::new(call, read_time))
    }

    pub(crate) fn due(&self, id: &[u8]) -> Operation<Option<Timestamp>> {
        let mut call = self.call(&scripts::DUE);
        call.argument(id);
        Operation::new(call, read_time)
    }

    pub(crate) fn stats(&self) -> Operation<Stats> {
        Operation::new(self.call(&scripts::STATS), Stats::read)
    }

    pub(crate) fn clear(&self) -> Operation<u64> {
        Operation::new(self.call(&scripts::CLEAR), read)
    }

    /// Returns no operation if there is nothing to ask for.
    pub(crate) fn dead_letters(
        &self,
        max: u32,
        removes: bool,
    ) -> Option<Operation<Vec<DeadLetter>>> {
        if max == 0 {
            return None;
        }
        let mut call = self.call(&scripts::DEAD_LETTERS);
        call.number(removes.into());
        call.number(max.into());
        Some(Operation::new(call, read_dead_letters))
    }

    pub(crate) fn requeue(&self, id: &[u8], delay: Duration) -> Result<Operation<bool>, Error> {
        let mut call = self.call(&scripts::REQUEUE);
        call.argument(id);
        push_when(&mut call, When::After(delay))?;
        self.push_max_len(&mut call);
        Ok(Operation::new(call, |reply| {
            refused(&reply)?;
            read(reply)
        }))
    }

    pub(crate) fn purge(&self) -> Operation<u64> {
        Operation::new(self.call(&scripts::PURGE), read)
    }

    /// Returns a call at the server's time.
    fn call(&self, script: &'static Script) -> Call {
        let mut call = Call::new(script);
        self.keys.iter().for_each(|key| call.key(key.clone()));
        call.argument("");
        call
    }

    /// Returns a call at a time, or at the server's.
    fn call_at(&self, script: &'static Script, now: Option<Timestamp>) -> Result<Call, Error> {
        let Some(now) = now else { return Ok(self.call(script)) };
        let mut call = Call::new(script);
        self.keys.iter().for_each(|key| call.key(key.clone()));
        call.number(time::now(now)?);
        Ok(call)
    }

    fn push_limits(&self, call: &mut Call) {
        call.number(self.max_deliveries.map_or(0, NonZeroU32::get).into());
        call.number(self.max_dead_letters.into());
    }

    fn push_max_len(&self, call: &mut Call) {
        call.argument(self.max_len.map_or(String::new(), |max_len| max_len.to_string()));
    }
}

fn keys(names: &Names, name: &str) -> [Vec<u8>; 8] {
    KEYS.map(|part| names.of(name.as_bytes(), part))
}

fn push_when(call: &mut Call, when: When) -> Result<(), Error> {
    match when {
        When::At(due) => {
            call.number(time::due(due)?);
            call.argument("");
        }
        When::After(delay) => {
            call.argument("");
            call.number(time::micros(delay));
        }
    }
    Ok(())
}

fn push_lease(call: &mut Call, lease: &Lease) {
    call.argument(&lease.id[..]);
    call.argument(&lease.receipt[..]);
}

fn read_time(reply: Value) -> Result<Option<Timestamp>, Error> {
    Ok(read::<Option<u64>>(reply)?.map(timestamp))
}
