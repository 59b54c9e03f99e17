//! Events and metrics, behind the features `tracing` and `metrics`. The crate's documentation lists
//! the metrics.

use crate::outcome::Answer;

/// The metrics of a policy. They are registered with its first report, since a policy may be
/// created before a recorder is installed.
#[derive(Default)]
pub(crate) struct Telemetry {
    #[cfg(feature = "metrics")]
    metrics: std::sync::OnceLock<Metrics>,
    /// The keys of the limiter, if the policy has created it.
    #[cfg(feature = "metrics")]
    keys: Option<keys::Keys>,
}

impl Telemetry {
    /// Whether a feature that receives reports is enabled.
    pub(crate) const IS_ENABLED: bool = cfg!(any(feature = "metrics", feature = "tracing"));

    /// Reports the answer of a policy for a request.
    #[cfg_attr(
        not(all(feature = "metrics", feature = "tracing")),
        allow(clippy::unused_self, unused_variables, reason = "there is nothing to report to")
    )]
    pub(crate) fn report(&self, policy: &str, answer: &Answer, is_shadow: bool) {
        #[cfg(feature = "tracing")]
        trace(policy, answer, is_shadow.then_some(true));
        #[cfg(feature = "metrics")]
        {
            self.metrics.get_or_init(|| Metrics::of(policy, is_shadow)).report(answer);
            self.keys.iter().for_each(keys::Keys::report);
        }
    }
}

#[cfg(feature = "metrics")]
struct Metrics {
    /// The numbers of requests by outcome: allowed, denied, failed, and without a key.
    requests: [metrics::Counter; 4],
    /// The times by outcome: allowed, denied, failed. Without a key, no limiter is called.
    seconds: [metrics::Histogram; 3],
}

#[cfg(feature = "metrics")]
impl Metrics {
    fn of(policy: &str, is_shadow: bool) -> Self {
        const OUTCOMES: [&str; 4] = ["allowed", "denied", "failed", "missing_key"];
        let [allowed, denied, failed, missing_key] = OUTCOMES.map(|outcome| {
            let outcome =
                if is_shadow { ["shadow_", outcome].concat() } else { outcome.to_owned() };
            [("policy", policy.to_owned()), ("outcome", outcome)]
        });
        let seconds = [&allowed, &denied, &failed]
            .map(|labels| metrics::histogram!("zset_tower_decision_seconds", labels));
        let requests = [allowed, denied, failed, missing_key]
            .map(|labels| metrics::counter!("zset_tower_requests_total", &labels));
        Metrics { requests, seconds }
    }

    fn report(&self, answer: &Answer) {
        let (place, elapsed) = match answer {
            Answer::Decided(decision, elapsed) => {
                (usize::from(!decision.is_allowed()), Some(elapsed))
            }
            Answer::Failed(_, _, elapsed) => (2, Some(elapsed)),
            Answer::Skipped | Answer::MissingKey(_) => (3, None),
        };
        self.requests[place].increment(1);
        if let (Some(seconds), Some(elapsed)) = (self.seconds.get(place), elapsed) {
            seconds.record(elapsed.time);
        }
    }
}

#[cfg(feature = "metrics")]
mod keys {
    //! Metrics about the keys of a limiter.

    use std::hash::Hash;
    use std::sync::{Arc, OnceLock};

    use metrics::{Counter, Gauge};
    use zset_std::{Keyed, Limiter, Observer};

    use super::Telemetry;

    impl Telemetry {
        /// Returns the telemetry of a policy that creates its own limiter, so that the limiter's
        /// keys are reported too. Also returns the limiter, with an observer.
        pub(crate) fn of_keys<K, L>(policy: &str, limiter: Keyed<K, L>) -> (Self, Arc<Keyed<K, L>>)
        where
            K: Eq + Hash,
            L: Limiter,
            Keyed<K, L>: Send + Sync + 'static,
        {
            let (limiter, keys) = Keys::of(policy, limiter);
            (Telemetry { keys: Some(keys), ..Telemetry::default() }, limiter)
        }
    }

    /// Reports the number of keys in a limiter, which changes only during its calls.
    pub(super) struct Keys {
        len: Box<dyn Fn() -> usize + Send + Sync>,
        metrics: Arc<Metrics>,
    }

    impl Keys {
        fn of<K, L>(policy: &str, limiter: Keyed<K, L>) -> (Arc<Keyed<K, L>>, Self)
        where
            K: Eq + Hash,
            L: Limiter,
            Keyed<K, L>: Send + Sync + 'static,
        {
            let metrics =
                Arc::new(Metrics { policy: policy.to_owned(), registered: OnceLock::new() });
            let limiter = Arc::new(limiter.with_observer(metrics.clone()));
            let keyed = Arc::clone(&limiter);
            (limiter, Keys { len: Box::new(move || keyed.len()), metrics })
        }

        pub(super) fn report(&self) {
            let len = u32::try_from((self.len)()).unwrap_or(u32::MAX);
            self.metrics.registered().keys.set(len);
        }
    }

    struct Metrics {
        policy: String,
        registered: OnceLock<Registered>,
    }

    struct Registered {
        keys: Gauge,
        swept: Counter,
        refused: Counter,
    }

    impl Metrics {
        fn registered(&self) -> &Registered {
            self.registered.get_or_init(|| {
                let labels = [("policy", self.policy.clone())];
                Registered {
                    keys: metrics::gauge!("zset_tower_keys", &labels),
                    swept: metrics::counter!("zset_tower_keys_swept_total", &labels),
                    refused: metrics::counter!("zset_tower_keys_refused_total", &labels),
                }
            })
        }
    }

    impl Observer for Metrics {
        fn swept(&self, keys: usize) {
            self.registered().swept.increment(keys as u64);
        }

        fn refused(&self) {
            self.registered().refused.increment(1);
        }
    }
}

#[cfg(feature = "tracing")]
fn trace(policy: &str, answer: &Answer, shadow: Option<bool>) {
    use zset_std::Verdict;

    match answer {
        Answer::Skipped => {}
        Answer::Decided(decision, _) => match decision.verdict {
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
        Answer::MissingKey(status) => {
            tracing::debug!(policy, status = status.as_u16(), shadow, "request has no key");
        }
        Answer::Failed(error, failed_limiter, _) => {
            tracing::warn!(policy, %error, ?failed_limiter, shadow, "limiter failed");
        }
    }
}
