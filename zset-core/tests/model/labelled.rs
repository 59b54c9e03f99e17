//! A value with a label that distinguishes it from equal values.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Equality, order and hash ignore the label.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Labelled<T, L>(pub(crate) T, pub(crate) L);

impl<T: PartialEq, L> PartialEq for Labelled<T, L> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq, L> Eq for Labelled<T, L> {}

impl<T: Ord, L> PartialOrd for Labelled<T, L> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ord, L> Ord for Labelled<T, L> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T: Hash, L> Hash for Labelled<T, L> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}
