//! What is counted: the calls of each operation, in a crate outside of the workspace, as a user's
//! crate is.

use std::hint::black_box;

use zset_bench::comparison;
use zset_bench::contender::Contender;
use zset_bench::fixed;
use zset_bench::layer::{self, Row};
use zset_bench::limiters::clock::GivenClock;
use zset_bench::limiters::workload::{Workload as Calls, hundred_a_minute};
use zset_bench::limiters::{Keyed, OneKey};
use zset_bench::member::Member;
use zset_bench::operation::Operation;
use zset_bench::rounds::Measured;
use zset_bench::workload::Workload;
use zset_std::Quota;

/// Several leaves in several blocks, yet small enough that all benchmarks take a minute.
pub const N: usize = 10_000;

/// The capacity of a set of fixed capacity.
pub const FIXED: usize = 64;

/// The number of keys of a limiter: the keys, and a log for each, fit in a cache.
const KEYS: usize = 1_000;

/// Counts an operation on a set of `n` members.
pub fn set<M: Member, C: Contender<M>>(n: usize, make_up: fn(u64) -> M, operation: Operation) {
    let workload = Workload::new(n, 0, make_up);
    let mut set = workload.prepare::<C>(operation);
    // The hashers' seeds derive from addresses, which are the same in every run.
    black_box(workload.measure(operation, &mut set));
}

/// Counts an operation on sets of fixed capacity.
pub fn fixed_set<C: fixed::Contender>(operation: fixed::Operation) {
    let workload = fixed::Workload::<FIXED>::new(N, 0);
    black_box(<fixed::Workload<FIXED> as comparison::Calls<C>>::perform(&workload, operation));
}

/// Counts checks of a keyed limiter, two thirds of which are allowed.
pub fn keyed_limiter<L: Keyed>() {
    let (calls, clock) = (Calls::new(hundred_a_minute(), KEYS, N, 0), GivenClock::default());
    let mut limiter = calls.load::<L>(&clock);
    calls.run(&mut limiter, &clock);
    black_box(Measured::of(calls.calls(), || calls.run(&mut limiter, &clock)));
}

/// Counts checks of a limiter for one key, two thirds of which are allowed.
pub fn limiter<L: OneKey>(new: fn(Quota, GivenClock) -> L) {
    let (calls, clock) = (Calls::new(hundred_a_minute(), 1, N, 0), GivenClock::default());
    let mut limiter = new(calls.quota(), clock.clone());
    limiter.fill();
    black_box(Measured::of(calls.calls(), || calls.run_one(&mut limiter, &clock)));
}

/// Counts requests through the layer at this place in [`layer::measure`].
pub fn requests(place: usize, row: Row) {
    black_box(layer::measure(place, row, 1_000, N, 1));
}
