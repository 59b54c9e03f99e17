//! How long all benchmarks take.

use std::time::Duration;

use criterion::Criterion;

/// Few samples of much work each: a batch is long, and all benchmarks shall take a few minutes.
pub(crate) fn config() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
}
