//! Counts the nodes that an operation looks at, for the tests that bound them.

use std::cell::Cell;

std::thread_local! {
    static VISITS: Cell<usize> = const { Cell::new(0) };
}

/// Counts one look at a node.
pub(crate) fn count() {
    VISITS.set(VISITS.get() + 1);
}

/// Returns how many looks at nodes `operation` takes.
pub(crate) fn during(operation: impl FnOnce()) -> usize {
    let before = VISITS.get();
    operation();
    VISITS.get() - before
}
