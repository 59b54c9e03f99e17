//! [`Request`]: from the arguments of a method to the call of a script, and from its reply to the result.

use std::time::Duration;

use redis::Value;
use zset_std::{Decision, Timestamp, Verdict};

use super::packed::{self, Numbers};
use super::rule::{MOST, NANOS_PER_MICRO, Rule};
use super::scripts;
use super::state::State;
use crate::Error;
use crate::key::Names;
use crate::script::Call;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Check,
    Peek,
    Record,
    Refund,
    Reset,
}

/// One step of a limiter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) step: Step,
    pub(crate) rules: &'a [Rule],
    pub(crate) key: &'a [u8],
    /// The units of a call.
    pub(crate) n: u32,
    /// How many calls are made together: one, but for checks.
    pub(crate) calls: u32,
    /// The time, or `None` for the server's.
    pub(crate) at: Option<Timestamp>,
}

impl Request<'_> {
    /// Returns the most units that are allowed at once.
    pub(crate) fn limit(&self) -> u32 {
        self.rules.iter().map(Rule::limit).min().unwrap_or(u32::MAX)
    }

    /// Returns the call for keys with these names.
    pub(crate) fn call(&self, names: &Names) -> Result<Call, Error> {
        let limit = self.limit();
        let is_decision = matches!(self.step, Step::Check | Step::Peek);
        // Units beyond the limit leave the state unchanged, whatever it is.
        let n = if is_decision && self.n > limit { 0 } else { self.n };
        let scripts = scripts::of(self.rules);
        let mut call = Call::new(match self.step {
            Step::Check if n > 0 => &scripts.check,
            Step::Record if n > 0 => &scripts.record,
            Step::Check | Step::Peek | Step::Record => &scripts.peek,
            Step::Refund => &scripts.refund,
            Step::Reset => &scripts::RESET,
        });
        for (index, rule) in self.rules.iter().enumerate() {
            call.key(names.of(self.key, &rule.suffix(index)));
        }
        if self.step == Step::Reset {
            return Ok(call);
        }
        let time = match self.at.map(|at| at.as_nanos() / NANOS_PER_MICRO) {
            Some(micros) if micros > MOST => return Err(Error::TimeTooLate),
            time => time,
        };
        call.argument(packed::pack([n, self.calls].map(u64::from).into_iter().chain(time)));
        for rule in self.rules {
            if self.rules.len() > 1 {
                call.argument(rule.limiter.name());
            }
            call.argument(rule.numbers(n, limit));
        }
        Ok(call)
    }

    /// Reads the reply of a check or a peek: how many calls are allowed, and the decision of the last call.
    pub(crate) fn decision(&self, reply: Value) -> Result<(u32, Decision), Error> {
        let reply = Reply::parse(self, reply)?;
        let limit = self.limit();
        let longest = |wait: fn(&State, &Rule, u32, u64) -> Duration, n| {
            let waits = reply.states.iter().map(|(rule, state)| wait(state, rule, n, reply.now));
            self.round(waits.max().unwrap_or_default())
        };
        let verdict = if self.n > limit {
            Verdict::Never
        } else if reply.allowed == self.calls {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: longest(State::retry_after, self.n) }
        };
        let remaining = reply.states.iter().map(|(rule, state)| state.remaining(rule)).min();
        let decision = Decision {
            verdict,
            limit,
            remaining: remaining.unwrap_or(u32::MAX),
            reset_after: longest(State::reset_after, limit),
        };
        Ok((reply.allowed, decision))
    }

    /// Reads the reply of a refund: the units that were refunded.
    pub(crate) fn refunded(&self, reply: Value) -> Result<u32, Error> {
        let reply = Reply::parse(self, reply)?;
        let refunds = reply.states.iter().map(|(rule, state)| state.refunded(rule, self.n));
        Ok(refunds.max().unwrap_or(0))
    }

    /// Rounds up to the ticks of the server's clock, so that waiting is enough.
    fn round(&self, wait: Duration) -> Duration {
        if self.at.is_some() {
            return wait;
        }
        let nanos = wait.as_nanos().next_multiple_of(NANOS_PER_MICRO.into());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }
}

/// The reply of a check, a peek or a refund.
struct Reply<'a> {
    /// How many calls are allowed.
    allowed: u32,
    /// The time of the call, in microseconds.
    now: u64,
    states: Vec<(&'a Rule, State)>,
}

impl<'a> Reply<'a> {
    fn parse(request: &Request<'a>, reply: Value) -> Result<Reply<'a>, Error> {
        let Value::BulkString(reply) = reply else { return Err(Error::UnexpectedReply) };
        let mut numbers = Numbers::new(&reply);
        let (allowed, now) = (numbers.next()?, numbers.next()?);
        let allowed = u32::try_from(allowed).map_err(|_| Error::UnexpectedReply)?;
        let mut states = Vec::with_capacity(request.rules.len());
        for rule in request.rules {
            states.push((rule, State::parse(rule, &mut numbers)?));
        }
        Ok(Reply { allowed, now, states })
    }
}
