//! The criterion configuration shared by all benchmarks.

use std::time::Duration;

use criterion::Criterion;

/// Takes few samples of long batches, so that all benchmarks finish in a few minutes.
pub(crate) fn config() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
}
