//! [`Policy`]: the settings of a limiter.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::Value;
use zset_std::{Decision, Timestamp};

use super::{Request, Rule, Step};
use crate::breaker::{Breaker, Pass};
use crate::key::Names;
use crate::{Error, OnFailure, UnsupportedQuota, on_failure};

/// A function that receives each failure.
pub(crate) type FailureObserver = Arc<dyn Fn(&Error) + Send + Sync>;

/// How long a call may take, unless `with_deadline` says otherwise.
const DEFAULT_DEADLINE: Duration = Duration::from_secs(1);

/// What a limiter has besides its connection.
#[derive(Clone)]
pub(crate) struct Policy {
    pub(crate) names: Names,
    pub(crate) rules: Arc<[Rule]>,
    pub(crate) deadline: Duration,
    on_failure: OnFailure,
    observer: Option<FailureObserver>,
    pub(crate) breaker: Option<Breaker>,
}

impl Policy {
    pub(crate) fn new(name: &str, rules: impl Into<Arc<[Rule]>>, on_failure: OnFailure) -> Policy {
        let (names, rules) = (Names::new(name), rules.into());
        Policy {
            names,
            rules,
            deadline: DEFAULT_DEADLINE,
            on_failure,
            observer: None,
            breaker: None,
        }
    }

    /// Returns the settings of several limits, of which there must be one at least.
    pub(crate) fn all(
        name: &str,
        rules: impl IntoIterator<Item = Rule>,
        on_failure: OnFailure,
    ) -> Result<Policy, UnsupportedQuota> {
        let rules: Arc<[Rule]> = rules.into_iter().collect();
        if rules.is_empty() {
            return Err(UnsupportedQuota::NoLimit);
        }
        Ok(Policy::new(name, rules, on_failure))
    }

    pub(crate) fn set_observer(&mut self, observer: FailureObserver) {
        self.observer = Some(observer);
    }

    /// Lets a call pass, unless the breaker is open.
    pub(crate) fn pass(&self) -> Result<Pass<'_>, Error> {
        self.breaker.as_ref().map_or_else(|| Ok(Pass::free()), Breaker::pass)
    }

    pub(crate) fn request<'a>(
        &'a self,
        step: Step,
        key: &'a [u8],
        n: u32,
        at: Option<Timestamp>,
    ) -> Request<'a> {
        Request { step, rules: &self.rules, key, n, calls: 1, at }
    }

    /// Returns the decision of a check or a peek, by the server or in its place.
    pub(crate) fn decision(
        &self,
        request: &Request<'_>,
        reply: Result<Value, Error>,
    ) -> Result<Decision, Error> {
        let decision = reply.and_then(|reply| Ok(request.decision(reply)?.1));
        decision.or_else(|error| {
            let error = self.observe(error)?;
            self.on_failure.decide(error, request.limit(), request.n, |local| {
                let (key, n, now) = (request.key, request.n, on_failure::time(local, request.at));
                match request.step {
                    Step::Peek => local.preview(key, n, now),
                    _ => local.decide(key, n, now),
                }
            })
        })
    }

    /// Returns whether units were recorded, by the server or in its place.
    pub(crate) fn recorded(
        &self,
        request: &Request<'_>,
        reply: Result<Value, Error>,
    ) -> Result<(), Error> {
        reply.map(|_| ()).or_else(|error| match (self.observe(error)?, &self.on_failure) {
            (_, OnFailure::Local(local)) => {
                let now = on_failure::time(&**local, request.at);
                // As many as its limit allows; beyond it, the key is over the limit anyway.
                let n = request.n.min(local.preview(request.key, 0, now).remaining);
                let _ = local.decide(request.key, n, now);
                Ok(())
            }
            (error, _) => Err(error),
        })
    }

    /// Returns how many units were refunded, by the server or in its place.
    pub(crate) fn refunded(
        &self,
        request: &Request<'_>,
        reply: Result<Value, Error>,
    ) -> Result<u32, Error> {
        let refunded = reply.and_then(|reply| request.refunded(reply));
        refunded.or_else(|error| match (self.observe(error)?, &self.on_failure) {
            (_, OnFailure::Local(local)) => Ok(local.refund(request.key, request.n)),
            (error, _) => Err(error),
        })
    }

    /// Returns whether a key was removed, by the server or in its place.
    pub(crate) fn reset(
        &self,
        request: &Request<'_>,
        reply: Result<Value, Error>,
    ) -> Result<bool, Error> {
        let removed = reply.and_then(|reply| match reply {
            Value::Int(keys) => Ok(keys > 0),
            _ => Err(Error::UnexpectedReply),
        });
        removed.or_else(|error| match (self.observe(error)?, &self.on_failure) {
            (_, OnFailure::Local(local)) => Ok(local.reset(request.key)),
            (error, _) => Err(error),
        })
    }

    /// Reports a failure and returns it; an error of the caller's is an `Err`, which is not reported.
    pub(crate) fn observe(&self, error: Error) -> Result<Error, Error> {
        if !error.is_failure() {
            return Err(error);
        }
        if let Some(observer) = &self.observer {
            observer(&error);
        }
        Ok(error)
    }
}

impl fmt::Debug for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Policy")
            .field("names", &self.names)
            .field("rules", &self.rules)
            .field("deadline", &self.deadline)
            .field("on_failure", &self.on_failure)
            .finish_non_exhaustive()
    }
}
