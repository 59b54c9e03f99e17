//! [`Settings`]: the policies of a layer, and how its responses show them.

use std::sync::Arc;

use bytes::Bytes;
use http::Response;

use crate::headers::{RateHeaders, Shown};
use crate::outcome::Outcomes;
use crate::policy::Policy;
use crate::rejection::Rejection;
use crate::request_head::RequestHead;

type Respond = dyn Fn(&Rejection<'_>, &RequestHead<'_>) -> Response<Bytes> + Send + Sync;

/// What the services of a layer share.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) policies: Vec<Arc<Policy>>,
    /// The policies in shadow mode.
    pub(crate) shadows: Vec<Arc<Policy>>,
    pub(crate) shown: Shown,
    /// Whether an allowed request needs only headers, without partition keys.
    pub(crate) is_plain: bool,
    /// Creates the response to a rejected request; problem details by default.
    pub(crate) respond: Option<Arc<Respond>>,
}

impl Settings {
    /// Returns the headers, if they are shown and a policy has decided.
    #[inline]
    pub(crate) fn headers(
        &self,
        outcomes: &Outcomes,
        keys: &[String],
        retry_after: Option<u64>,
    ) -> Option<Box<RateHeaders>> {
        match self.shown {
            Shown::Nothing => None,
            shown => self.render(shown, outcomes, keys, retry_after),
        }
    }

    fn render(
        &self,
        shown: Shown,
        outcomes: &Outcomes,
        keys: &[String],
        retry_after: Option<u64>,
    ) -> Option<Box<RateHeaders>> {
        match outcomes {
            Outcomes::One(outcome) if keys.is_empty() => {
                RateHeaders::of_one(shown, self.policies[outcome.place].line(outcome)?, retry_after)
            }
            _ => {
                let lines = outcomes.iter();
                let lines: Vec<_> =
                    lines.filter_map(|it| self.policies[it.place].line(it)).collect();
                RateHeaders::of_many(shown, &lines, keys, retry_after)
            }
        }
    }

    /// Returns the partition keys of the policies that have decided; empty if
    /// [`Settings::is_plain`].
    pub(crate) fn partition_keys(
        &self,
        outcomes: &Outcomes,
        head: &RequestHead<'_>,
    ) -> Vec<String> {
        if self.is_plain {
            return Vec::new();
        }
        let decided = outcomes.iter().filter(|outcome| outcome.decision().is_some());
        decided.map(|outcome| self.policies[outcome.place].partition_key(head)).collect()
    }

    /// Reports the outcomes of a request.
    pub(crate) fn report(&self, outcomes: &Outcomes, is_rejected: bool) {
        for outcome in outcomes.iter() {
            // A rejected request takes no units from the policies that allow it, so they do not
            // report it.
            if !(is_rejected && outcome.is_allowed()) {
                self.policies[outcome.place].report(outcome);
            }
        }
    }
}
