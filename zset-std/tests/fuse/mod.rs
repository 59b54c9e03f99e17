//! A fuse that makes user code panic at a chosen call. Several test binaries include this module.

use std::cell::Cell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

thread_local! {
    /// The number of calls until one panics, or 0 if none does.
    static LENGTH: Cell<u32> = const { Cell::new(0) };
}

/// Makes the `length`-th call of [`burn`] on this thread panic.
pub(crate) fn arm(length: u32) {
    LENGTH.set(length);
}

/// Disarms the fuse; returns whether it has blown.
pub(crate) fn disarm() -> bool {
    LENGTH.replace(0) == 0
}

/// Counts a call, and panics if it is the call for which the fuse was armed.
pub(crate) fn burn() {
    let left = LENGTH.get();
    LENGTH.set(left.saturating_sub(1));
    assert!(left != 1, "the fuse has blown");
}

/// An id, a member or a payload whose trait methods burn the fuse.
#[derive(Debug)]
pub(crate) struct Fused(pub(crate) u64);

impl Clone for Fused {
    fn clone(&self) -> Self {
        burn();
        Fused(self.0)
    }
}

impl PartialEq for Fused {
    fn eq(&self, other: &Self) -> bool {
        burn();
        self.0 == other.0
    }
}

impl Eq for Fused {}

impl PartialOrd for Fused {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Fused {
    fn cmp(&self, other: &Self) -> Ordering {
        burn();
        self.0.cmp(&other.0)
    }
}

impl Hash for Fused {
    fn hash<H: Hasher>(&self, state: &mut H) {
        burn();
        self.0.hash(state);
    }
}
