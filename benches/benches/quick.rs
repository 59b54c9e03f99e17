//! The workloads of `zset-bench quick` under criterion, for statistics and for comparisons with an
//! earlier run (`cargo bench -p zset-bench -- --save-baseline NAME`).
//!
//! An iteration is a whole batch, so time per operation is the inverse of the throughput shown.

mod config;

use criterion::measurement::WallTime;
use criterion::{
    BatchSize, BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use zset_bench::contender::Contender;
use zset_bench::contenders::{Visitor, visit_all};
use zset_bench::row::Row;
use zset_bench::workload::{Operation, Workload};

const SIZES: [usize; 3] = [1_000, 100_000, 1_000_000];

/// Adds one operation of each contender to a group.
struct Bench<'a, 'c> {
    group: BenchmarkGroup<'c, WallTime>,
    workload: &'a Workload,
    operation: Operation,
}

impl Visitor for Bench<'_, '_> {
    fn visit<C: Contender>(&mut self) {
        let Bench { group, workload, operation } = self;
        let operation = *operation;
        if !operation.is_offered_by::<C>() {
            return;
        }
        group.bench_function(C::NAME, |bencher| {
            if operation.only_reads() {
                let mut contender = workload.load::<C>();
                bencher.iter(|| workload.run(operation, &mut contender));
            } else {
                // What changes a set needs a fresh one each time; one at a time, as they are large.
                let set_up = || {
                    if operation == Operation::Insert { C::new() } else { workload.load() }
                };
                let batch = |contender: &mut C| workload.run(operation, contender);
                bencher.iter_batched_ref(set_up, batch, BatchSize::PerIteration);
            }
        });
    }
}

fn bench_all(criterion: &mut Criterion) {
    for n in SIZES {
        let workload = Workload::new(n, 0);
        for operation in Operation::ALL {
            let mut group =
                criterion.benchmark_group(format!("{}/{n}", Row::Time(operation).name()));
            group.throughput(Throughput::Elements(workload.count(operation) as u64));
            group.sampling_mode(SamplingMode::Flat);
            let mut bench = Bench { group, workload: &workload, operation };
            visit_all(&mut bench);
            bench.group.finish();
        }
    }
}

criterion_group! { name = benches; config = config::config(); targets = bench_all }
criterion_main!(benches);
