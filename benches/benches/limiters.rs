//! The workloads of `zset-bench limiters` under criterion, for statistics and for comparisons with
//! an earlier run (`cargo bench -p zset-bench --bench limiters -- --save-baseline NAME`).
//!
//! An iteration is a whole batch, so the time per call is the inverse of the throughput shown.

mod config;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use zset_bench::comparison::Sheet;
use zset_bench::limiters::workload::{Workload, hundred_a_minute};
use zset_bench::limiters::{keyed, one_key};
use zset_bench::rounds::Measured;

const KEYS: [usize; 2] = [1_000, 1_000_000];

const CALLS: usize = 1_000_000;

/// Adds limiters to the benchmarks, given how each is measured.
fn bench<'a>(
    criterion: &mut Criterion,
    group: String,
    limiters: impl IntoIterator<Item = (&'static str, Box<dyn Fn() -> Measured + 'a>)>,
) {
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(CALLS as u64));
    group.sampling_mode(SamplingMode::Flat);
    for (name, measure) in limiters {
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| {
                (0..iterations).map(|_| measure().time).sum::<Duration>()
            });
        });
    }
    group.finish();
}

fn bench_keyed(criterion: &mut Criterion) {
    for keys in KEYS {
        let workload = &Workload::new(hundred_a_minute(), keys, CALLS, 0);
        let limiters = keyed::CONTENDERS.map(|(name, measure)| {
            let measure: Box<dyn Fn() -> Measured> = Box::new(move || measure(workload).0);
            (name, measure)
        });
        bench(criterion, format!("keyed/{keys}"), limiters);
    }
}

fn bench_one_key(criterion: &mut Criterion) {
    let table = one_key::table();
    for row in table.rows() {
        let time = &table.timer(row, CALLS, 0);
        let limiters = table.names(row).into_iter().enumerate().map(|(place, name)| {
            let measure: Box<dyn Fn() -> Measured> = Box::new(move || time(place));
            (name, measure)
        });
        bench(criterion, format!("one-key/{row}"), limiters);
    }
}

criterion_group! { name = benches; config = config::config(); targets = bench_one_key, bench_keyed }
criterion_main!(benches);
