//! The operations of `zset-bench report` under criterion, for statistics and for comparisons with
//! an earlier run (`cargo bench -p zset-bench -- --save-baseline NAME`).
//!
//! An iteration is a whole batch, so the time per operation is the inverse of the throughput shown.

mod config;

use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use zset_bench::operation::Operation;
use zset_bench::workload::Workload;
use zset_bench::{contenders, names};

const SIZES: [usize; 2] = [1_000, 100_000];

fn bench_all(criterion: &mut Criterion) {
    for n in SIZES {
        let workload = Workload::new(n, 0, names::scramble);
        for operation in Operation::ALL {
            let mut group = criterion.benchmark_group(format!("{}/{n}", operation.name()));
            group.sampling_mode(SamplingMode::Flat);
            for entrant in contenders::all().iter().filter(|it| (it.offers)(operation)) {
                let perform = || (entrant.perform_one)(&workload, operation);
                group.throughput(Throughput::Elements(perform().calls as u64));
                group.bench_function(entrant.name, |bencher| {
                    bencher.iter_custom(|iterations| {
                        (0..iterations).map(|_| perform().time).sum::<Duration>()
                    });
                });
            }
            group.finish();
        }
    }
}

criterion_group! { name = benches; config = config::config(); targets = bench_all }
criterion_main!(benches);
