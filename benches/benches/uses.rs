//! The workloads of `zset-bench uses` under criterion, for statistics and for comparisons with an
//! earlier run (`cargo bench -p zset-bench --bench uses -- --save-baseline NAME`).
//!
//! Only the operation is timed, not the load before it.

mod config;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use zset_bench::uses::sheets;

const N: usize = 100_000;

fn bench_all(criterion: &mut Criterion) {
    for sheet in sheets() {
        for row in sheet.rows() {
            let time = sheet.timer(row, N, 0);
            let mut group = criterion.benchmark_group(format!("{}/{row}", sheet.title()));
            group.sampling_mode(SamplingMode::Flat);
            for (place, name) in sheet.names(row).into_iter().enumerate() {
                group.bench_function(name, |bencher| {
                    // The time of a call: the numbers of calls differ.
                    bencher.iter_custom(|iterations| {
                        let nanos = |_| time(place).nanos_a_call().unwrap_or(0.0);
                        Duration::from_secs_f64((0..iterations).map(nanos).sum::<f64>() / 1e9)
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group! { name = benches; config = config::config(); targets = bench_all }
criterion_main!(benches);
