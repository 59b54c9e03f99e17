//! The main operations under callgrind: what `zset-bench instructions` runs.
//!
//! Each benchmark is a process of its own. What is counted is what the other front ends time: the calls,
//! and not how their set and their arguments are made.

// What gungraun's macros make has no documentation.
#![allow(missing_docs)]

use std::hint::black_box;

use gungraun::{
    Callgrind, EntryPoint, LibraryBenchmarkConfig, library_benchmark, library_benchmark_group, main,
};
use zset_bench::contender::Contender;
use zset_bench::contenders::{Bytes, Sorted};
use zset_bench::member::Member;
use zset_bench::names;
use zset_bench::operation::Operation;
use zset_bench::workload::Workload;

/// Several leaves in several blocks; few enough that all benchmarks take half a minute.
const N: usize = 10_000;

/// As many as a `ZSet` packs into a listpack at most.
const PACKED: usize = 128;

/// What calls the function that makes the calls, and nothing else, in [`zset_bench::rounds`].
const CALLS: &str = "zset_bench::rounds::measured_calls*";

/// The caches, as bytes, lines that share a place, and bytes of a line. The last one is as small beside
/// these sets as those of processors are beside sets of a million.
const CACHES: [&str; 3] = ["--I1=32768,8,64", "--D1=32768,8,64", "--LL=131072,8,64"];

fn measure<M: Member, C: Contender<M>>(n: usize, make_up: fn(u64) -> M, operation: Operation) {
    let workload = Workload::new(n, 0, make_up);
    let mut set = workload.prepare::<C>(operation);
    // The hashers' seeds are made of addresses, and those are the same each time.
    black_box(workload.measure(operation, &mut set));
}

#[library_benchmark]
#[bench::insert(Operation::Insert)]
#[bench::append(Operation::Append)]
#[bench::update(Operation::Update)]
#[bench::small_step(Operation::SmallStep)]
#[bench::score(Operation::Score)]
#[bench::rank(Operation::Rank)]
#[bench::select(Operation::Select)]
#[bench::hundred_by_score(Operation::HundredByScore)]
#[bench::count(Operation::Count)]
#[bench::iterate(Operation::Iterate)]
#[bench::pop(Operation::PopFirst)]
#[bench::bulk(Operation::BulkUnsorted)]
#[bench::bulk_sorted(Operation::BulkSorted)]
#[bench::union(Operation::Union)]
fn sorted_set_u64(operation: Operation) {
    measure::<u64, Sorted<u64>>(N, names::scramble, operation);
}

#[library_benchmark]
#[bench::insert(Operation::Insert)]
#[bench::update(Operation::Update)]
#[bench::score(Operation::Score)]
#[bench::by_member(Operation::ByMember)]
fn sorted_set_strings(operation: Operation) {
    measure::<String, Sorted<String>>(N, names::string, operation);
}

#[library_benchmark]
#[bench::insert(Operation::Insert)]
#[bench::score(Operation::Score)]
#[bench::hundred_by_score(Operation::HundredByScore)]
fn zset_listpack(operation: Operation) {
    measure::<String, Bytes>(PACKED, names::string, operation);
}

#[library_benchmark]
#[bench::insert(Operation::Insert)]
#[bench::score(Operation::Score)]
#[bench::hundred_by_score(Operation::HundredByScore)]
fn zset_skip_list(operation: Operation) {
    measure::<String, Bytes>(N, names::string, operation);
}

library_benchmark_group!(
    name = sets,
    benchmarks = [sorted_set_u64, sorted_set_strings, zset_listpack, zset_skip_list]
);
main!(
    config = LibraryBenchmarkConfig::default()
        .tool(Callgrind::with_args(CACHES).entry_point(EntryPoint::Custom(CALLS.into()))),
    library_benchmark_groups = sets
);
