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
    pub(crate) fn report(&self, policy: &str, outcome: &Outcome, is_shadow: bool) {
        #[cfg(feature = "tracing")]
        trace(policy, outcome, is_shadow.then_some(true));
        #[cfg(feature = "metrics")]
        self.count(policy, outcome, is_shadow);
    }

    #[cfg(feature = "metrics")]
    fn count(&self, policy: &str, outcome: &Outcome, is_shadow: bool) {
        const LABELS: [&str; 4] = ["allowed", "denied", "missing_key", "failed"];
        let counters = self.counters.get_or_init(|| {
            LABELS.map(|outcome| {
                let outcome =
                    if is_shadow { ["shadow_", outcome].concat() } else { outcome.to_owned() };
                let labels = [("policy", policy.to_owned()), ("outcome", outcome)];
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
fn trace(policy: &str, outcome: &Outcome, shadow: Option<bool>) {
    use zset_std::Verdict;

    match outcome {
        Outcome::Skipped => {}
        Outcome::Decided(decision) => match decision.verdict {
            Verdict::Allowed => {}
            Verdict::Denied { retry_after } => {
                tracing::debug!(policy, ?retry_after, shadow, "request denied");
            }
            Verdict::Never => {
                tracing::debug!(
                    policy,
                    limit = decision.limit,
                    shadow,
                    "request exceeds the limit"
                );
            }
        },
        Outcome::MissingKey(status) => {
            tracing::debug!(policy, status = status.as_u16(), shadow, "request has no key");
        }
        Outcome::Failed(error, on_failure) => {
            tracing::warn!(policy, %error, ?on_failure, shadow, "limiter failed");
        }
    }
}
