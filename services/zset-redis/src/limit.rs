//! The requests of limiters and how their replies are read, for every kind of connection.
//!
//! A [`Request`] becomes one call of one script. The script decides whether the units fit, and
//! returns the state of each rule; the durations of the decision are computed here, in 128-bit
//! integers. If there is no reply, the [`Policy`] decides as set by [`OnFailure`].

mod rule;
mod scripts;
mod server_limiter;
mod state;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use zset_std::limit::{Block, Throttle};
use zset_std::{Decision, Funnel, KeyedLimiter, Timestamp, Verdict};

use crate::breaker::Breaker;
use crate::key::Names;
use crate::operation::{Operation, Received, Reply};
use crate::script::{Call, MOST, NANOS_PER_MICRO};
use crate::{Failure, LimiterError, UnsupportedQuota};
#[cfg(feature = "tokio")]
pub(crate) use rule::Kind;
pub(crate) use rule::Rule;
pub use server_limiter::ServerLimiter;
use state::{Numbers, State, pack};

/// What a limiter does when the server fails or does not reply before the deadline.
///
/// It decides about checks and peeks. The methods that return no decision, such as `record`, return
/// the [`Failure`], unless a limiter in this process replaces the server.
#[derive(Clone)]
pub enum OnFailure {
    /// The call returns the [`Failure`].
    Error,
    /// The units are denied; zero units are allowed, and more than the limit never. `retry_after`
    /// is the limiter's deadline: a guess, since it is not known when the server will be back.
    Deny,
    /// The units are allowed, and more than the limit never: it decides as if no units counted.
    Allow,
    /// A limiter in this process decides; see [`local`](OnFailure::local).
    Local(Arc<dyn KeyedLimiter<[u8]> + Send + Sync>),
}

impl OnFailure {
    /// Returns the policy that uses a limiter in this process, whose keys are `Vec<u8>`. **O(1)**.
    ///
    /// It has seen none of the units that the server has counted. Each process that falls back to
    /// its own limiter allows its whole quota, so that quota is usually a fraction of the server's.
    /// A refund always goes to the server, so one of units that the other limiter has allowed may
    /// return units of other calls.
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

/// The settings of each type that has a [`Policy`]; `$shared` is what its clones share by key.
macro_rules! settings {
    ($(#[$attribute:meta])* $shared:ident) => {
        /// Returns the limiter with hashed keys: the server stores a hash of each key, keyed with
        /// `secret`, instead of the key. **O(n)** for n bytes of the secret.
        ///
        /// Use it for keys such as tokens and addresses. All machines must use the same secret:
        /// another secret means another state. [Hashed keys](crate#hashed-keys) lists the stored
        /// data.
        pub fn with_hashed_keys(mut self, secret: impl AsRef<[u8]>) -> Self {
            self.policy.names.hash_keys(secret.as_ref());
            // A key now has a different state than in other clones.
            $(#[$attribute])*
            {
                self.$shared = std::sync::Arc::default();
            }
            self
        }

        /// Returns the limiter with a different deadline for each call; the default is one second.
        /// Awaited calls use the clock of `tokio`, which tests can pause. **O(1)**.
        pub fn with_deadline(mut self, deadline: std::time::Duration) -> Self {
            self.policy.deadline = deadline;
            self
        }

        /// Returns the limiter with a breaker: while the server is down, calls to it fail
        /// immediately. By default there is none. **O(1)**.
        pub fn with_breaker(mut self, breaker: crate::Breaker) -> Self {
            self.policy.breaker = Some(breaker);
            self
        }

        /// Returns the limiter without a breaker: all calls are sent. **O(1)**.
        ///
        /// Use it for a clone whose calls must reach the server, such as refunds.
        pub fn without_breaker(mut self) -> Self {
            self.policy.breaker = None;
            self
        }

        /// Returns the limiter with an observer that receives each failure, including those of
        /// calls that then succeed by [`OnFailure`](crate::OnFailure), and of leases that were not
        /// returned. **O(1)**.
        ///
        /// It is called on the caller's thread or task, without holding a lock, and should not
        /// block.
        pub fn with_failure_observer(
            mut self,
            observer: impl Fn(&crate::Failure) + Send + Sync + 'static,
        ) -> Self {
            self.policy.observer = Some(std::sync::Arc::new(observer));
            self
        }
    };
}

pub(crate) use settings;

/// All of a limiter except its connection.
#[derive(Clone)]
pub(crate) struct Policy {
    pub(crate) names: Names,
    pub(crate) rules: Arc<[Rule]>,
    /// When keys are blocked, or `None` for never.
    pub(crate) block: Option<Block>,
    pub(crate) deadline: Duration,
    /// The time of all calls, or `None` for the server's.
    pub(crate) at: Option<Timestamp>,
    on_failure: OnFailure,
    pub(crate) observer: Option<FailureObserver>,
    pub(crate) breaker: Option<Breaker>,
}

impl Policy {
    /// Creates the settings of a limiter, which has at least one rule.
    pub(crate) fn new(
        name: &str,
        rules: impl Into<Arc<[Rule]>>,
        on_failure: OnFailure,
    ) -> Result<Policy, UnsupportedQuota> {
        let rules = rules.into();
        if rules.is_empty() {
            return Err(UnsupportedQuota::NoLimit);
        }
        Ok(Policy {
            names: Names::new(name),
            rules,
            block: None,
            deadline: Duration::from_secs(1),
            at: None,
            on_failure,
            observer: None,
            breaker: None,
        })
    }

    pub(crate) fn request<'a>(&'a self, step: Step, key: &'a [u8], n: u32) -> Request<'a> {
        let (rules, block) = (Cow::Borrowed(&*self.rules), self.block);
        Request { step, rules, block, key, n, calls: 1, at: self.at }
    }

    /// Returns the operation of a step by the limiter's rules.
    pub(crate) fn step<'a, T>(
        &'a self,
        step: Step,
        key: &'a [u8],
        n: u32,
        read: ReadReply<T>,
    ) -> Exchange<'a, T> {
        Exchange { policy: self, request: Ok(self.request(step, key, n)), read }
    }

    /// Returns the operation that decides by a different quota than that of the only rule.
    pub(crate) fn with_quota<'a>(
        &'a self,
        step: Step,
        key: &'a [u8],
        terms: Funnel,
        n: u32,
    ) -> Exchange<'a, Decision> {
        let request = self.rules[0]
            .with(terms)
            .map(|rule| Request { rules: Cow::Owned(vec![rule]), ..self.request(step, key, n) });
        let request = request.map_err(LimiterError::Quota);
        Exchange { policy: self, request, read: Policy::decision }
    }

    /// Returns the operation that decides by the arguments of `CL.THROTTLE` instead of the rules.
    pub(crate) fn throttle<'a>(
        &'a self,
        key: &'a [u8],
        numbers: [i64; 4],
    ) -> Exchange<'a, Throttle> {
        let request = Rule::throttle(numbers).map(|(rule, n)| Request {
            rules: Cow::Owned(vec![rule]),
            ..self.request(Step::Check, key, n)
        });
        Exchange { policy: self, request, read: Policy::throttled }
    }

    /// Returns the decision of a check or a peek, by the server or its replacement.
    pub(crate) fn decision(
        &self,
        request: &Request<'_>,
        reply: Received,
    ) -> Result<Decision, LimiterError> {
        let decision = reply.and_then(|reply| match reply {
            Reply::Script(reply) => Ok(request.decision(reply)?.1),
            Reply::Decision(decision) => Ok(decision),
        });
        decision.or_else(|failure| self.instead(request, failure))
    }

    /// Returns the decision of a check or a peek in place of a server that fails.
    pub(crate) fn instead(
        &self,
        request: &Request<'_>,
        failure: Failure,
    ) -> Result<Decision, LimiterError> {
        self.observe(&failure);
        let (limit, n) = (request.limit(), request.n);
        let known = |verdict, remaining, reset_after| Decision {
            verdict: if n > limit { Verdict::Never } else { verdict },
            limit,
            remaining,
            reset_after,
        };
        match &self.on_failure {
            OnFailure::Error => Err(failure.into()),
            OnFailure::Deny if n == 0 => Ok(known(Verdict::Allowed, 0, self.deadline)),
            OnFailure::Deny => {
                let retry_after = self.deadline;
                Ok(known(Verdict::Denied { retry_after }, 0, retry_after))
            }
            // As if the server counted no units.
            OnFailure::Allow => {
                let used = if n > limit { 0 } else { n };
                Ok(known(Verdict::Allowed, limit - used, Duration::ZERO))
            }
            OnFailure::Local(local) => {
                let now = request.at.unwrap_or_else(|| local.now());
                Ok(match request.step {
                    Step::Peek => local.preview(request.key, n, now),
                    _ => local.decide(request.key, n, now),
                })
            }
        }
    }

    /// Returns the reply of `CL.THROTTLE`, by the server or its replacement.
    fn throttled(&self, request: &Request<'_>, reply: Received) -> Result<Throttle, LimiterError> {
        Ok(self.decision(request, reply)?.into())
    }

    /// Returns whether the limit is reached, by the server or its replacement.
    pub(crate) fn over_limit(
        &self,
        request: &Request<'_>,
        reply: Received,
    ) -> Result<bool, LimiterError> {
        Ok(self.decision(request, reply)?.remaining == 0)
    }

    /// Returns whether units were recorded, by the server or its replacement.
    pub(crate) fn recorded(
        &self,
        request: &Request<'_>,
        reply: Received,
    ) -> Result<(), LimiterError> {
        reply.map(|_| ()).or_else(|failure| {
            let local = self.local(failure)?;
            let now = request.at.unwrap_or_else(|| local.now());
            // As many as the limit allows; beyond it, the key is over the limit anyway.
            let n = request.n.min(local.preview(request.key, 0, now).remaining);
            let _ = local.decide(request.key, n, now);
            Ok(())
        })
    }

    /// Returns how many units were refunded, by the server or its replacement.
    pub(crate) fn refunded(
        &self,
        request: &Request<'_>,
        reply: Received,
    ) -> Result<u32, LimiterError> {
        let refunded = reply.and_then(|reply| request.refunded(reply.script()?));
        refunded.or_else(|failure| Ok(self.local(failure)?.refund(request.key, request.n)))
    }

    /// Returns whether a key was removed, by the server or its replacement.
    pub(crate) fn was_reset(
        &self,
        request: &Request<'_>,
        reply: Received,
    ) -> Result<bool, LimiterError> {
        let removed = reply.and_then(|reply| match reply.script()? {
            Value::Int(keys) => Ok(keys > 0),
            _ => Err(Failure::UnexpectedReply),
        });
        removed.or_else(|failure| Ok(self.local(failure)?.reset(request.key)))
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

    /// Reports a failure.
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

/// Reads a reply, or replaces a server that fails.
type ReadReply<T> = fn(&Policy, &Request<'_>, Received) -> Result<T, LimiterError>;

/// An operation of a limiter: a request, and how its reply is read.
pub(crate) struct Exchange<'a, T> {
    policy: &'a Policy,
    /// An error if an argument is invalid.
    request: Result<Request<'a>, LimiterError>,
    read: ReadReply<T>,
}

impl<T> Operation for Exchange<'_, T> {
    type Output = T;
    type Error = LimiterError;

    fn call(&mut self) -> Result<Call<LimiterError>, Result<T, LimiterError>> {
        let request = self.request.as_ref().map_err(|error| Err(error.clone()))?;
        let time = request.time().map_err(Err)?;
        Ok(request.call(&self.policy.names, time))
    }

    fn read(&self, reply: Received) -> Result<Option<T>, LimiterError> {
        let request = self.request.as_ref().map_err(Clone::clone)?;
        (self.read)(self.policy, request, reply).map(Some)
    }
}

#[cfg(feature = "tokio")]
impl<T> Exchange<'_, T> {
    /// Returns the key of a check that can share a script with others.
    pub(crate) fn shared(&self) -> Option<&[u8]> {
        self.request.as_ref().ok().filter(|request| request.can_share()).map(|request| request.key)
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

/// One step of a limiter.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) step: Step,
    /// The limiter's rules, unless the call has its own.
    rules: Cow<'a, [Rule]>,
    block: Option<Block>,
    pub(crate) key: &'a [u8],
    /// The units of a call.
    pub(crate) n: u32,
    /// The number of calls made together: one, except for checks.
    pub(crate) calls: u32,
    /// The time, or `None` for the server's.
    pub(crate) at: Option<Timestamp>,
}

impl Request<'_> {
    /// Returns whether the request can share a script with others of its key: a check of one unit,
    /// at the server's time, by the limiter's rules.
    #[cfg(feature = "tokio")]
    fn can_share(&self) -> bool {
        let has_own_rules = matches!(self.rules, Cow::Owned(_));
        self.step == Step::Check && self.n == 1 && self.at.is_none() && !has_own_rules
    }

    fn is_decision(&self) -> bool {
        matches!(self.step, Step::Check | Step::Peek)
    }

    /// Returns the maximum number of units allowed at once.
    pub(crate) fn limit(&self) -> u32 {
        self.rules.iter().map(|rule| rule.limit).min().unwrap_or(u32::MAX)
    }

    /// Returns the time in microseconds, or `None` for the server's.
    fn time(&self) -> Result<Option<u64>, LimiterError> {
        match self.at.map(|at| at.as_nanos() / NANOS_PER_MICRO) {
            Some(micros) if micros > MOST => Err(LimiterError::TimeTooLate),
            time => Ok(time),
        }
    }

    /// Returns the script call at a time, for keys with these names.
    pub(crate) fn call(&self, names: &Names, time: Option<u64>) -> Call<LimiterError> {
        let limit = self.limit();
        let is_decision = self.is_decision();
        // Units beyond the limit leave the state unchanged in any case.
        let n = if is_decision && self.n > limit { 0 } else { self.n };
        let scripts = scripts::of(&self.rules);
        let block = self.block.filter(|_| is_decision);
        let script = match self.step {
            Step::Check if block.is_some() && n > 0 => &scripts::PENALTY[0],
            Step::Check | Step::Peek if block.is_some() => &scripts::PENALTY[1],
            Step::Check if n > 0 => &scripts.check,
            Step::Record if n > 0 => &scripts.record,
            Step::Check | Step::Peek | Step::Record => &scripts.peek,
            Step::Refund => &scripts.refund,
            Step::Reset => &scripts::RESET,
        };
        let keys = self.rules.iter().enumerate();
        let keys = keys.map(|(index, rule)| names.of(self.key, &rule.suffix(index)));
        let has_penalty = block.is_some() || self.block.is_some() && self.step == Step::Reset;
        let keys =
            keys.chain(has_penalty.then(|| names.of(self.key, &rule::penalty_suffix(&self.rules))));
        let mut call = Call::new(script, keys.collect());
        if self.step == Step::Reset {
            return call;
        }
        call = call.argument(pack([n, self.calls].map(u64::from).into_iter().chain(time)));
        for rule in &*self.rules {
            if self.rules.len() > 1 || block.is_some() {
                call = call.argument(rule.kind.name());
            }
            call = call.argument(rule.numbers(n, limit));
        }
        if let Some(block) = block {
            let times = [block.shortest(), block.longest()].map(rule::whole_micros);
            let numbers = [block.denials().into()].into_iter().chain(times);
            call = call.argument("penalty").argument(pack(numbers));
        }
        call
    }

    /// Reads the reply of a check or a peek: the number of allowed calls, and the decision of the
    /// last call.
    pub(crate) fn decision(&self, reply: Value) -> Result<(u32, Decision), Failure> {
        let reply = self.parse(reply)?;
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
        let mut decision = Decision {
            verdict,
            limit,
            remaining: remaining.unwrap_or(u32::MAX),
            reset_after: longest(State::reset_after, limit),
        };
        if let Some(rest) = reply.blocked_for {
            if let Verdict::Denied { retry_after } = &mut decision.verdict {
                *retry_after = rest.max(*retry_after);
            }
            decision.remaining = 0;
            decision.reset_after = rest.max(decision.reset_after);
        }
        Ok((reply.allowed, decision))
    }

    /// Reads the reply of a refund: the units that were refunded.
    fn refunded(&self, reply: Value) -> Result<u32, Failure> {
        let reply = self.parse(reply)?;
        let refunds = reply.states.iter().map(|(rule, state)| state.refunded(rule, self.n));
        Ok(refunds.max().unwrap_or(0))
    }

    /// Rounds up to the ticks of the server's clock, so waiting that long is enough.
    fn round(&self, wait: Duration) -> Duration {
        if self.at.is_some() {
            return wait;
        }
        let nanos = wait.as_nanos().next_multiple_of(NANOS_PER_MICRO.into());
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    /// Reads the reply of a check, a peek or a refund.
    fn parse(&self, reply: Value) -> Result<Parsed<'_>, Failure> {
        let Value::BulkString(reply) = reply else { return Err(Failure::UnexpectedReply) };
        let mut numbers = Numbers::new(&reply);
        let (allowed, now) = (numbers.next()?, numbers.next()?);
        let allowed = u32::try_from(allowed).map_err(|_| Failure::UnexpectedReply)?;
        let mut states = Vec::with_capacity(self.rules.len());
        for rule in &*self.rules {
            states.push((rule, State::parse(rule, &mut numbers)?));
        }
        let is_decision = self.is_decision();
        let blocked_until = match self.block {
            Some(_) if is_decision => numbers.next_or_none()?,
            _ => None,
        };
        let blocked_for = blocked_until.map(|end| Duration::from_micros(end.saturating_sub(now)));
        Ok(Parsed { allowed, now, states, blocked_for })
    }
}

/// The reply of a check, a peek or a refund.
struct Parsed<'a> {
    /// The number of allowed calls.
    allowed: u32,
    /// The time of the call, in microseconds.
    now: u64,
    states: Vec<(&'a Rule, State)>,
    /// The remaining block time of the key.
    blocked_for: Option<Duration>,
}
