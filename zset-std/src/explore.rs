//! Helpers for tests that explore all interleavings of a few threads with loom.
//!
//! Each test prints the number of interleavings, and fails if there is only one, since then nothing was
//! explored.

use std::println;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::model::Builder;
use loom::thread::{self, JoinHandle};

/// Explores all interleavings.
pub(crate) fn explore(model: impl Fn() + Send + Sync + 'static) {
    explore_by(&Builder::new(), model);
}

/// Explores all interleavings with at most `times` preemptions, not counting blocking. For models with
/// hundreds of thousands of interleavings in total.
pub(crate) fn explore_interrupting(times: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(times);
    explore_by(&builder, model);
}

fn explore_by(builder: &Builder, model: impl Fn() + Send + Sync + 'static) {
    let interleavings = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&interleavings);
    builder.check(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        model();
    });
    let interleavings = interleavings.load(Ordering::Relaxed);
    println!("{interleavings} interleavings");
    assert!(interleavings > 1, "nothing to explore");
}

/// Starts a thread with a clone of a shared value.
pub(crate) fn start<S: Send + Sync + 'static, T: 'static>(
    shared: &Arc<S>,
    function: impl FnOnce(&S) -> T + 'static,
) -> JoinHandle<T> {
    let shared = Arc::clone(shared);
    thread::spawn(move || function(&shared))
}
