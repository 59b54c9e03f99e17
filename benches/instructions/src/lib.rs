//! The operations whose instructions are counted. The crate is outside the workspace, so it is
//! built as a user's crate would be.

use std::hint::black_box;

use zset_bench::fixed::{self, ZsetFixed};
use zset_bench::layer::{Requests, Row};
use zset_bench::limiters::workload::{GivenClock, Limits, Workload, hundred_a_minute};
use zset_bench::limiters::{keyed, one_key};
use zset_bench::measure::Measured;
use zset_bench::sets::member::Member;
use zset_bench::sets::operations::contender;
use zset_bench::sets::set::Set;
use zset_bench::sets::workload;
use zset_std::Quota;

/// The number of elements of a set: enough for several leaves in several blocks, yet so few that
/// all benchmarks together take a minute.
pub const N: usize = 10_000;

/// The capacity of a set of fixed capacity.
pub const FIXED: usize = 64;

/// The number of keys of a limiter: so few that all keys, with a log each, fit in a cache.
const KEYS: usize = 1_000;

/// The number of limiters with many keys that are counted together.
const LIMITERS: u64 = 16;

/// Counts an operation on a set of `n` members.
pub fn set<M: Member, C: Set<M>>(n: usize, operation: &str) {
    // The hashers' seeds derive from addresses, which are the same in every run under valgrind.
    let workload = workload::Workload::new(n, 0);
    black_box(contender::<M, C>().measure(operation, &workload));
}

/// Counts an operation on sets of fixed capacity.
pub fn fixed_set(operation: &str) {
    let workload = fixed::Workload::new(N, 0);
    black_box(fixed::contender::<ZsetFixed<FIXED>, FIXED>().measure(operation, &workload));
}

/// Counts checks of a keyed limiter, two thirds of which are allowed.
pub fn keyed_limiter(place: usize) {
    // Several limiters are counted, because each has a random seed. The seed shapes its list of
    // deadlines, and one limiter in ten needs 4 % more instructions.
    for seed in 0..LIMITERS {
        let workload = Workload::new(hundred_a_minute(), KEYS, N, seed);
        black_box((keyed::CONTENDERS[place].1)(&workload));
    }
}

/// Counts checks of a limiter for one key, two thirds of which are allowed.
pub fn limiter<L: Limits>(new: fn(Quota, GivenClock) -> L) {
    black_box(one_key::at_given_time(&Workload::new(hundred_a_minute(), 1, N, 0), new));
}

/// Counts requests through a layer.
pub fn requests(layer: fn(Row, &Requests) -> Measured, row: Row) {
    black_box(layer(row, &Requests { n: 1_000, count: N, seed: 1 }));
}
