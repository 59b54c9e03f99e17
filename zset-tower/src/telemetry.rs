//! Events and counters, behind the features `tracing` and `metrics`.

use crate::policy::Outcome;

/// The counters of a policy.
#[derive(Default)]
pub(crate) struct Telemetry {
    #[cfg(feature = "metrics")]
    counters: std::sync::OnceLock<[metrics::Counter; 4]>,
}

impl Telemetry {
    /// Whether there is anything to report to.
    pub(crate) const IS_ENABLED: bool = cfg!(any(feature = "metrics", feature = "tracing"));

    /// Reports the outcome of a policy for a request.
    #[cfg_attr(
        not(any(feature = "metrics", feature = "tracing")),
        allow(clippy::unused_self, unused_variables, reason = "there is nothing to report to")
    )]
    pub(crate) fn report(&self, policy: &str, outcome: &Outcome) {
        #[cfg(feature = "tracing")]
        trace(policy, outcome);
        #[cfg(feature = "metrics")]
        self.count(policy, outcome);
    }

    #[cfg(feature = "metrics")]
    fn count(&self, policy: &str, outcome: &Outcome) {
        const LABELS: [&str; 4] = ["allowed", "denied", "missing_key", "failed"];
        let counters = self.counters.get_or_init(|| {
            LABELS.map(|outcome| {
                let labels = [("policy", policy.to_owned()), ("outcome", outcome.to_owned())];
                metrics::counter!("zset_tower_requests_total", &labels)
            })
        });
        let place = match outcome {
            Outcome::Decided(decision) if decision.is_allowed() => 0,
            Outcome::Decided(_) => 1,
            Outcome::Skipped | Outcome::MissingKey(_) => 2,
            Outcome::Failed(..) => 3,
        };
        counters[place].increment(1);
    }
}

#[cfg(feature = "tracing")]
fn trace(policy: &str, outcome: &Outcome) {
    use zset_std::Verdict;

    match outcome {
        Outcome::Skipped => {}
        Outcome::Decided(decision) => match decision.verdict {
            Verdict::Allowed => {}
            Verdict::Denied { retry_after } => {
                tracing::debug!(policy, ?retry_after, "request denied");
            }
            Verdict::Never => {
                tracing::debug!(policy, limit = decision.limit, "request exceeds the limit");
            }
        },
        Outcome::MissingKey(status) => {
            tracing::debug!(policy, status = status.as_u16(), "request has no key");
        }
        Outcome::Failed(error, on_failure) => {
            tracing::warn!(policy, %error, ?on_failure, "limiter failed");
        }
    }
}
