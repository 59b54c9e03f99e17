//! The rows of the tables under criterion, for statistics and for comparisons with an earlier run
//! (`cargo bench -p zset-bench -- --save-baseline NAME`; a part of a name selects rows).
//!
//! Only the calls are timed, not the load before them.

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use zset_bench::comparison::Sheet;
use zset_bench::limiters::workload::{Workload, hundred_a_minute};
use zset_bench::limiters::{keyed, one_key};
use zset_bench::member::Kind;
use zset_bench::rounds::Measured;
use zset_bench::{contenders, uses};

/// The sizes of sorted sets, and the numbers of keys of limiters.
const SIZES: [usize; 2] = [1_000, 100_000];

/// The elements of the other collections, and the calls of limiters.
const N: usize = 100_000;

/// Adds contenders to the benchmarks, given their names and how each is measured.
fn bench(
    criterion: &mut Criterion,
    group: String,
    names: Vec<&'static str>,
    measure: &dyn Fn(usize) -> Measured,
) {
    let mut group = criterion.benchmark_group(group);
    group.sampling_mode(SamplingMode::Flat);
    for (place, name) in names.into_iter().enumerate() {
        group.bench_function(name, |bencher| {
            // The time of a call: the numbers of calls differ.
            bencher.iter_custom(|iterations| {
                let nanos = |_| measure(place).nanos_a_call().unwrap_or(0.0);
                Duration::from_secs_f64((0..iterations).map(nanos).sum::<f64>() / 1e9)
            });
        });
    }
    group.finish();
}

fn bench_sheet(criterion: &mut Criterion, sheet: &dyn Sheet, n: usize) {
    for row in sheet.rows() {
        let group = format!("{}/{n}/{row}", sheet.title());
        bench(criterion, group, sheet.names(row), &sheet.timer(row, n, 0));
    }
}

fn bench_all(criterion: &mut Criterion) {
    for n in SIZES {
        bench_sheet(criterion, &*contenders::all(Kind::Integers).times, n);
    }
    for sheet in uses::sheets() {
        bench_sheet(criterion, &*sheet, N);
    }
    bench_sheet(criterion, &one_key::table(), N);
    for keys in SIZES {
        let workload = Workload::new(hundred_a_minute(), keys, N, 0);
        let measure = |place: usize| (keyed::CONTENDERS[place].1)(&workload).0;
        let names = keyed::CONTENDERS.map(|(name, _)| name).into();
        bench(criterion, format!("limiters/{keys}"), names, &measure);
    }
}

/// Takes few samples, so that all rows finish in some ten minutes.
fn config() -> Criterion {
    Criterion::default()
        .sample_size(10)
        .nresamples(10_000)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(300))
}

criterion_group! { name = benches; config = config(); targets = bench_all }
criterion_main!(benches);
