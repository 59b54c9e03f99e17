//! Runs the rows of the tables as criterion benchmarks, for statistics and for comparisons with an
//! earlier run (`cargo bench -p zset-bench -- --save-baseline NAME`). An argument selects the rows
//! whose names contain it.
//!
//! Only the calls are timed, not the construction of the collections.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use zset_bench::comparison::Comparison;
use zset_bench::limiters::workload::{Workload, hundred_a_minute};
use zset_bench::limiters::{keyed, one_key};
use zset_bench::measure::Measured;
use zset_bench::sets::member::Kind;
use zset_bench::{sets, uses};

/// The sizes of sorted sets, and the numbers of keys of limiters.
const SIZES: [usize; 2] = [1_000, 100_000];

/// The numbers of elements of the other collections, and of calls of limiters.
const N: usize = 100_000;

/// Adds a contender to a group of benchmarks, given how it is measured.
fn bench(criterion: &mut Criterion, group: &str, name: &str, measure: &dyn Fn() -> Measured) {
    let mut group = criterion.benchmark_group(group);
    group.sampling_mode(SamplingMode::Flat);
    group.bench_function(name, |bencher| {
        // Reports the time per call, since measurements make different numbers of calls.
        bencher.iter_custom(|iterations| {
            let nanos = |_| measure().nanos_a_call().unwrap_or(0.0);
            Duration::from_secs_f64((0..iterations).map(nanos).sum::<f64>() / 1e9)
        });
    });
    group.finish();
}

fn bench_table(criterion: &mut Criterion, table: &Comparison, n: usize) {
    let time = table.timer(n, 0);
    for row in table.rows() {
        for (place, name) in table.offering(row) {
            let group = format!("{}/{n}/{row}", table.title());
            bench(criterion, &group, name, &|| time(place, row));
        }
    }
}

fn bench_all(criterion: &mut Criterion) {
    for n in SIZES {
        bench_table(criterion, &sets::all(Kind::Integers).times, n);
    }
    for table in uses::tables() {
        bench_table(criterion, &table, N);
    }
    bench_table(criterion, &one_key::table(), N);
    for keys in SIZES {
        let workload = Workload::new(hundred_a_minute(), keys, N, 0);
        for (name, measure) in keyed::CONTENDERS {
            bench(criterion, &format!("limiters/{keys}"), name, &|| measure(&workload).0);
        }
    }
}

/// Takes few samples, so that all rows finish in about ten minutes.
fn config() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
}

criterion_group! { name = benches; config = config(); targets = bench_all }
criterion_main!(benches);
