//! The workloads of `zset-bench limiters` under criterion, for statistics and for comparisons with
//! an earlier run (`cargo bench -p zset-bench --bench limiters -- --save-baseline NAME`).
//!
//! An iteration is a whole batch, so the time per call is the inverse of the throughput shown.

mod config;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use zset_bench::limiters::Row;
use zset_bench::limiters::clock::GivenClock;
use zset_bench::limiters::contenders::{DirectGovernor, OneFunnel};
use zset_bench::limiters::workload::{Workload, hundred_a_minute};
use zset_bench::limiters::{Keyed, OneKey};
use zset_bench::limiters::{Visitor, visit_all};

const KEYS: [usize; 2] = [1_000, 1_000_000];

const CALLS: usize = 1_000_000;

/// Adds each keyed limiter to a group.
struct Bench<'a, 'c> {
    group: BenchmarkGroup<'c, WallTime>,
    workload: &'a Workload,
}

impl Visitor for Bench<'_, '_> {
    fn visit<L: Keyed>(&mut self) {
        let Bench { group, workload } = self;
        group.bench_function(L::NAME, |bencher| {
            let clock = GivenClock::default();
            let mut limiter = workload.load::<L>(&clock);
            bencher.iter(|| workload.run(&mut limiter, &clock));
        });
    }
}

fn bench_keyed(criterion: &mut Criterion) {
    for keys in KEYS {
        let workload = Workload::new(hundred_a_minute(), keys, CALLS, 0);
        let group = group(criterion, format!("keyed/{keys}"));
        let mut bench = Bench { group, workload: &workload };
        visit_all(&mut bench);
        bench.group.finish();
    }
}

fn bench_one_key(criterion: &mut Criterion) {
    for (row, name) in [(Row::Minute, "minute"), (Row::Day, "day")] {
        let quota = row.quota();
        let workload = Workload::new(quota, 1, CALLS, 0);
        let mut group = group(criterion, format!("one-key/{name}"));
        bench_one(&mut group, "Funnel", &workload, |clock| OneFunnel::new(quota, clock));
        bench_one(&mut group, "governor", &workload, |clock| DirectGovernor::new(quota, clock));
        group.finish();
    }
}

fn bench_one<L: OneKey>(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    workload: &Workload,
    new: impl FnOnce(GivenClock) -> L,
) {
    let clock = GivenClock::default();
    let mut limiter = new(clock.clone());
    limiter.fill();
    group.bench_function(name, |bencher| {
        bencher.iter(|| workload.run_one(&mut limiter, &clock));
    });
}

fn group(criterion: &mut Criterion, name: String) -> BenchmarkGroup<'_, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(CALLS as u64));
    group.sampling_mode(SamplingMode::Flat);
    group
}

criterion_group! { name = benches; config = config::config(); targets = bench_one_key, bench_keyed }
criterion_main!(benches);
