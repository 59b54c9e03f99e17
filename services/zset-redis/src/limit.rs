//! Builds the requests of limiters and reads their replies, for every kind of connection.
//!
//! A [`Request`] becomes a single script call. The script decides whether the units fit, and
//! returns the state of each rule. From those states, this module computes the durations that the
//! decision reports, such as the time to wait. If the server fails or does not reply, the
//! [`OnFailure`] of the [`Policy`] decides.

mod fixed_window;
mod funnel;
mod numbers;
mod rule;
mod scripts;
mod server_limiter;
mod sliding_window;
mod window_counter;

use std::fmt;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use zset_std::limit::{Block, Throttle};
use zset_std::{Decision, Funnel, KeyedLimiter, Timestamp, Verdict};

use crate::breaker::Breaker;
use crate::key::Names;
use crate::script::{Call, MOST, NANOS_PER_MICRO};
use crate::{Failure, LimiterError, UnsupportedQuota};
use numbers::{Numbers, pack};
use rule::{Rule, State};
use scripts::Scripts;
pub use server_limiter::ServerLimiter;

/// What a limiter does when the server fails or does not reply before the deadline.
///
/// The policy decides checks and peeks. `record` and `refund` return the [`Failure`], unless a
/// limiter in this process replaces the server. `reset` returns it with every policy, since the
/// server may still have the key.
#[derive(Clone)]
pub enum OnFailure {
    /// The call returns the [`Failure`].
    Error,
    /// The units are denied. Zero units are allowed, and more than the limit get
    /// [`Verdict::Never`]. `retry_after` is the limiter's deadline: a guess, since it is not known
    /// when the server will be back.
    Deny,
    /// The units are allowed unless they exceed the limit, as if no units had been used yet.
    Allow,
    /// A limiter in this process decides; see [`local`](OnFailure::local).
    Local(Arc<dyn KeyedLimiter<[u8]> + Send + Sync>),
}

impl OnFailure {
    /// Returns the policy that uses a limiter in this process, whose keys are `Vec<u8>`. **O(1)**.
    ///
    /// That limiter has seen none of the units that the server has counted. Each process that falls
    /// back to its own limiter allows its whole quota, so that quota is usually a fraction of the
    /// server's. It denies more units than its own limit, up to the server's limit, since the
    /// server may allow them once it is back. `retry_after` is then a guess, as with
    /// [`OnFailure::Deny`].
    ///
    /// Once the server is back, it receives the refunds. A refund of units that the other limiter
    /// had allowed may then return units of other calls.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// use zset_redis::OnFailure;
    /// use zset_std::{Funnel, Keyed, Quota};
    ///
    /// let quota = Quota::new(10, Duration::from_secs(60))?;
    /// let on_failure = OnFailure::local(Keyed::<Vec<u8>, _>::new(Funnel::new(quota)));
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub fn local(limiter: impl KeyedLimiter<[u8]> + Send + Sync + 'static) -> OnFailure {
        OnFailure::Local(Arc::new(limiter))
    }
}

impl fmt::Debug for OnFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnFailure::Error => "Error",
            OnFailure::Deny => "Deny",
            OnFailure::Allow => "Allow",
            OnFailure::Local(_) => "Local(..)",
        })
    }
}

/// An observer that receives each failure.
pub(crate) type FailureObserver = Arc<dyn Fn(&Failure) + Send + Sync>;

/// All parts of a limiter except its connection.
#[derive(Clone)]
pub(crate) struct Policy {
    pub(crate) names: Names,
    rules: Arc<[Rule]>,
    scripts: &'static Scripts,
    /// When keys are blocked, or `None` for never.
    block: Option<Block>,
    pub(crate) deadline: Duration,
    /// The fixed time of all calls, or `None` for the server's clock.
    pub(crate) at: Option<Timestamp>,
    /// The terms of all calls, or `None` for those of the rules.
    pub(crate) terms: Option<Funnel>,
    on_failure: OnFailure,
    pub(crate) observer: Option<FailureObserver>,
    pub(crate) breaker: Option<Breaker>,
}

impl Policy {
    /// Creates the policy of a limiter, which must have at least one rule.
    pub(crate) fn new(
        name: &str,
        limiter: &impl ServerLimiter,
        on_failure: OnFailure,
    ) -> Result<Policy, UnsupportedQuota> {
        let rules: Arc<[Rule]> = limiter.rules()?.into();
        if rules.is_empty() {
            return Err(UnsupportedQuota::NoLimit);
        }
        Ok(Policy {
            names: Names::new(name),
            scripts: scripts::of(&rules),
            rules,
            block: limiter.block(),
            deadline: Duration::from_secs(1),
            at: None,
            terms: None,
            on_failure,
            observer: None,
            breaker: None,
        })
    }

    /// Returns a request under the limiter's rules, or under the terms of all calls if these are
    /// set.
    pub(crate) fn request<'a, T>(
        &'a self,
        step: Step,
        key: &'a [u8],
        n: u32,
        read: Read<'a, T>,
    ) -> Result<Request<'a, T>, LimiterError> {
        if self.micros().is_some_and(|micros| micros > MOST) {
            return Err(LimiterError::TimeTooLate);
        }
        let own_rule = self.terms.map(|terms| self.rules[0].with(terms)).transpose()?;
        Ok(Request { policy: self, step, key, n, own_rule, read })
    }

    /// Returns a check of one unit at the server's time, shared by several callers.
    #[cfg(feature = "tokio")]
    pub(crate) fn shared<'a>(&'a self, key: &'a [u8]) -> Request<'a, Decision> {
        Request { policy: self, step: Step::Check, key, n: 1, own_rule: None, read: Read::DECISION }
    }

    /// Returns a request under a different quota than that of the limiter's only rule.
    pub(crate) fn with_quota<'a>(
        &'a self,
        step: Step,
        key: &'a [u8],
        terms: Funnel,
        n: u32,
    ) -> Result<Request<'a, Decision>, LimiterError> {
        let own_rule = Some(self.rules[0].with(terms)?);
        Ok(Request { own_rule, ..self.request(step, key, n, Read::DECISION)? })
    }

    /// Returns a request under the arguments of `CL.THROTTLE` instead of the limiter's only rule.
    pub(crate) fn throttle<'a>(
        &'a self,
        key: &'a [u8],
        numbers: [i64; 4],
    ) -> Result<Request<'a, Throttle>, LimiterError> {
        let [max_burst, count, period, quantity] = numbers;
        let (funnel, n) = Throttle::arguments(max_burst, count, period, quantity)?;
        let own_rule = Some(self.rules[0].with(funnel)?);
        let read = Read::Decision(Throttle::from);
        Ok(Request { own_rule, ..self.request(Step::Check, key, n, read)? })
    }

    /// Returns the time of all calls in microseconds, or `None` for the server's.
    fn micros(&self) -> Option<u64> {
        self.at.map(|at| at.as_nanos() / NANOS_PER_MICRO)
    }

    /// Reports a failure, and returns the limiter that replaces the server, or the error if there
    /// is none.
    fn local(&self, failure: Failure) -> Result<&dyn KeyedLimiter<[u8]>, LimiterError> {
        self.observe(&failure);
        match &self.on_failure {
            OnFailure::Local(local) => Ok(&**local),
            _ => Err(failure.into()),
        }
    }

    /// Reports a failure to the observer.
    pub(crate) fn observe(&self, failure: &Failure) {
        if let Some(observer) = &self.observer {
            observer(failure);
        }
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("names", &self.names)
            .field("rules", &self.rules)
            .field("block", &self.block)
            .field("deadline", &self.deadline)
            .field("on_failure", &self.on_failure)
            .finish_non_exhaustive()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Check,
    Peek,
    Record,
    Refund,
    Reset,
}

/// How a reply is read, or a failed server is replaced.
#[derive(Clone, Copy)]
pub(crate) enum Read<'a, T> {
    /// For a check or a peek: converts the decision to the result.
    Decision(fn(Decision) -> T),
    Reply(fn(&Request<'a, T>, Result<Value, Failure>) -> Result<T, LimiterError>),
}

impl Read<'_, Decision> {
    /// Returns the decision unchanged.
    pub(crate) const DECISION: Self = Read::Decision(|decision| decision);
}

/// One call of a limiter.
pub(crate) struct Request<'a, T> {
    pub(crate) policy: &'a Policy,
    step: Step,
    pub(crate) key: &'a [u8],
    /// The units of the call.
    n: u32,
    /// The rule of this call, if it replaces the limiter's rules.
    own_rule: Option<Rule>,
    read: Read<'a, T>,
}

impl<T> Request<'_, T> {
    /// If the request can share a script with others of its key, returns the conversion of its
    /// decision. Such a request is a check of one unit, at the server's time, under the limiter's
    /// rules.
    #[cfg(feature = "tokio")]
    pub(crate) fn if_shared(&self) -> Option<fn(Decision) -> T> {
        let has_own_terms = self.policy.at.is_some() || self.own_rule.is_some();
        let can_share = self.step == Step::Check && self.n == 1 && !has_own_terms;
        match self.read {
            Read::Decision(read) if can_share => Some(read),
            _ => None,
        }
    }

    fn rules(&self) -> &[Rule] {
        self.own_rule.as_ref().map_or(&self.policy.rules, slice::from_ref)
    }

    fn is_decision(&self) -> bool {
        matches!(self.step, Step::Check | Step::Peek)
    }

    /// Returns the maximum number of units allowed at once.
    fn limit(&self) -> u32 {
        self.rules().iter().map(|rule| rule.limit).min().unwrap_or(u32::MAX)
    }

    /// Returns the script call for `calls` equal calls made together.
    pub(crate) fn call(&self, calls: u32) -> Call<LimiterError> {
        let (names, rules, limit) = (&self.policy.names, self.rules(), self.limit());
        let is_decision = self.is_decision();
        // A check of more units than the limit is never allowed, so it only reads the state.
        let n = if is_decision && self.n > limit { 0 } else { self.n };
        let scripts = self.policy.scripts;
        let block = self.policy.block.filter(|_| is_decision);
        let script = match self.step {
            Step::Check if block.is_some() && n > 0 => &scripts::PENALTY[0],
            Step::Check | Step::Peek if block.is_some() => &scripts::PENALTY[1],
            Step::Check if n > 0 => &scripts.check,
            Step::Record if n > 0 => &scripts.record,
            Step::Check | Step::Peek | Step::Record => &scripts.peek,
            Step::Refund => &scripts.refund,
            Step::Reset => &scripts::RESET,
        };
        let has_penalty = match self.step {
            Step::Reset => self.policy.block.is_some(),
            _ => block.is_some(),
        };
        let penalty = has_penalty.then(|| names.of(self.key, &rule::penalty_suffix(rules)));
        let keys = rules.iter().enumerate();
        let keys = keys.map(|(index, rule)| names.of(self.key, &rule.suffix(index)));
        let mut call = Call::new(script, keys.chain(penalty).collect());
        if self.step == Step::Reset {
            return call;
        }
        let time = self.policy.micros();
        call = call.argument(pack([n, calls].map(u64::from).into_iter().chain(time)));
        for rule in rules {
            if rules.len() > 1 || block.is_some() {
                call = call.argument(rule.algorithm.name());
            }
            call = call.argument(rule.algorithm.numbers(rule, n, limit));
        }
        if let Some(block) = block {
            let times = [block.shortest(), block.longest()].map(rule::whole_micros);
            let numbers = [block.denials().into()].into_iter().chain(times);
            call = call.argument("penalty").argument(pack(numbers));
        }
        call
    }

    /// Reads a reply, or replaces a failed server.
    pub(crate) fn read(&self, reply: Result<Value, Failure>) -> Result<T, LimiterError> {
        match self.read {
            Read::Decision(read) => {
                let decision = reply.and_then(|reply| Ok(self.decisions(reply, 1)?.1));
                Ok(read(self.or_instead(decision)?))
            }
            Read::Reply(read) => read(self, reply),
        }
    }

    /// Returns an error unless units were recorded, by the server or its replacement.
    pub(crate) fn recorded(&self, reply: Result<Value, Failure>) -> Result<(), LimiterError> {
        reply.map(drop).or_else(|failure| {
            let local = self.policy.local(failure)?;
            let now = self.policy.at.unwrap_or_else(|| local.now());
            // Record at most the remaining units: after these, the key is over the limit anyway.
            let n = self.n.min(local.preview(self.key, 0, now).remaining);
            let _ = local.decide(self.key, n, now);
            Ok(())
        })
    }

    /// Returns how many units were refunded, by the server or its replacement.
    pub(crate) fn refunded(&self, reply: Result<Value, Failure>) -> Result<u32, LimiterError> {
        let units = reply.and_then(|reply| {
            let states = self.parse(reply)?.states;
            let units = states.iter().map(|state| state.used.min(self.n.into()));
            // The count is at most `n`, so it fits in a `u32`.
            Ok(units.max().unwrap_or(0) as u32)
        });
        units.or_else(|failure| Ok(self.policy.local(failure)?.refund(self.key, self.n)))
    }

    /// Returns whether the server has removed a key. A failure is an error under every policy,
    /// since the server may still block the key.
    pub(crate) fn was_reset(&self, reply: Result<Value, Failure>) -> Result<bool, LimiterError> {
        let removed = reply.and_then(|reply| match reply {
            Value::Int(keys) => Ok(keys > 0),
            _ => Err(Failure::UnexpectedReply),
        });
        removed.map_err(|failure| {
            if let Ok(local) = self.policy.local(failure.clone()) {
                local.reset(self.key);
            }
            failure.into()
        })
    }

    /// Reads the reply of a check or a peek for `calls` calls: the number of allowed calls, and the
    /// decision of the last call.
    pub(crate) fn decisions(&self, reply: Value, calls: u32) -> Result<(u32, Decision), Failure> {
        let reply = self.parse(reply)?;
        let limit = self.limit();
        let longest = |index: usize| {
            let states = reply.states.iter();
            let waits = states.map(|state| state.counted_from(reply.now, state.waits[index]));
            self.round(waits.max().unwrap_or_default())
        };
        let verdict = if self.n > limit {
            Verdict::Never
        } else if reply.allowed == calls {
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: longest(0) }
        };
        let remaining = reply.states.iter().map(|state| state.remaining).min();
        let remaining = remaining.and_then(|remaining| remaining.try_into().ok());
        let remaining = remaining.unwrap_or(u32::MAX);
        let mut decision = Decision { verdict, limit, remaining, reset_after: longest(1) };
        if let Some(rest) = reply.blocked_for {
            if let Verdict::Denied { retry_after } = &mut decision.verdict {
                *retry_after = rest.max(*retry_after);
            }
            decision.remaining = 0;
            decision.reset_after = rest.max(decision.reset_after);
        }
        Ok((reply.allowed, decision))
    }

    /// Returns the decision of a check or a peek. If the server has failed, the policy decides
    /// instead.
    pub(crate) fn or_instead(
        &self,
        decision: Result<Decision, Failure>,
    ) -> Result<Decision, LimiterError> {
        let failure = match decision {
            Ok(decision) => return Ok(decision),
            Err(failure) => failure,
        };
        let (policy, limit, n) = (self.policy, self.limit(), self.n);
        policy.observe(&failure);
        let known = |verdict, remaining, reset_after| Decision {
            verdict: if n > limit { Verdict::Never } else { verdict },
            limit,
            remaining,
            reset_after,
        };
        match &policy.on_failure {
            OnFailure::Error => Err(failure.into()),
            OnFailure::Deny if n == 0 => Ok(known(Verdict::Allowed, 0, policy.deadline)),
            OnFailure::Deny => {
                let retry_after = policy.deadline;
                Ok(known(Verdict::Denied { retry_after }, 0, retry_after))
            }
            // Decide as if no units had been used yet.
            OnFailure::Allow => {
                let used = if n > limit { 0 } else { n };
                Ok(known(Verdict::Allowed, limit - used, Duration::ZERO))
            }
            OnFailure::Local(local) => {
                let now = policy.at.unwrap_or_else(|| local.now());
                let mut decision = match self.step {
                    Step::Peek => local.preview(self.key, n, now),
                    _ => local.decide(self.key, n, now),
                };
                // The server may allow these units once it is back, so the denial is not final.
                if decision.verdict == Verdict::Never && n <= limit {
                    decision.verdict = Verdict::Denied { retry_after: policy.deadline };
                }
                Ok(decision)
            }
        }
    }

    /// Rounds up to the ticks of the server's clock, so waiting that long is enough.
    fn round(&self, wait: Duration) -> Duration {
        if self.policy.at.is_some() {
            return wait;
        }
        let nanos = wait.as_nanos().next_multiple_of(NANOS_PER_MICRO.into());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Reads the reply of a check, a peek or a refund.
    fn parse(&self, reply: Value) -> Result<Parsed, Failure> {
        let Value::BulkString(reply) = reply else { return Err(Failure::UnexpectedReply) };
        let mut numbers = Numbers::new(&reply);
        let (allowed, now) = (numbers.next()?, numbers.next()?);
        let allowed = u32::try_from(allowed).map_err(|_| Failure::UnexpectedReply)?;
        let mut states = Vec::with_capacity(self.rules().len());
        let limit = self.limit();
        for rule in self.rules() {
            states.push(rule.algorithm.state(rule, &mut numbers, [self.n.min(limit), limit])?);
        }
        let blocked_until = match self.policy.block {
            Some(_) if self.is_decision() => numbers.next_or_none()?,
            _ => None,
        };
        let blocked_for = blocked_until.map(|end| Duration::from_micros(end.saturating_sub(now)));
        Ok(Parsed { allowed, now, states, blocked_for })
    }
}

/// The reply of a check, a peek or a refund.
struct Parsed {
    /// The number of allowed calls.
    allowed: u32,
    /// The time of the call, in microseconds.
    now: u64,
    states: Vec<State>,
    /// The remaining block time of the key.
    blocked_for: Option<Duration>,
}
