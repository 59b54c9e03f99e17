//! The operations of `zset-bench report` under criterion, for statistics and for comparisons with
//! an earlier run (`cargo bench -p zset-bench -- --save-baseline NAME`).
//!
//! An iteration is a whole batch, so the time per operation is the inverse of the throughput shown.

mod config;

use std::time::Duration;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use zset_bench::contender::Contender;
use zset_bench::contenders::{Visitor, visit_all};
use zset_bench::names;
use zset_bench::operation::Operation;
use zset_bench::workload::Workload;

const SIZES: [usize; 2] = [1_000, 100_000];

/// Adds an operation of each contender to a group.
struct Bench<'a, 'c> {
    group: BenchmarkGroup<'c, WallTime>,
    workload: &'a Workload<u64>,
    operation: Operation,
}

impl Visitor<u64> for Bench<'_, '_> {
    fn visit<C: Contender<u64>>(&mut self) {
        let Bench { group, workload, operation } = self;
        let operation = *operation;
        if !C::offers(operation) {
            return;
        }
        let calls = workload.measure(operation, &mut workload.prepare::<C>(operation)).calls;
        group.throughput(Throughput::Elements(calls as u64));
        group.bench_function(C::NAME, |bencher| {
            let mut loaded = operation.only_reads().then(|| workload.prepare::<C>(operation));
            bencher.iter_custom(|iterations| {
                let mut time = Duration::ZERO;
                for _ in 0..iterations {
                    let mut fresh = None;
                    let set = loaded
                        .as_mut()
                        .unwrap_or_else(|| fresh.insert(workload.prepare(operation)));
                    time += workload.measure(operation, set).time;
                }
                time
            });
        });
    }
}

fn bench_all(criterion: &mut Criterion) {
    for n in SIZES {
        let workload = Workload::new(n, 0, names::scramble);
        for operation in Operation::ALL {
            let mut group = criterion.benchmark_group(format!("{}/{n}", operation.name()));
            group.sampling_mode(SamplingMode::Flat);
            let mut bench = Bench { group, workload: &workload, operation };
            visit_all(&mut bench);
            bench.group.finish();
        }
    }
}

criterion_group! { name = benches; config = config::config(); targets = bench_all }
criterion_main!(benches);
