//! The measured queues, schedules and expiring sets.

mod btree_pair;
mod heap;
mod ours;
mod tokio;
mod vec_pair;

pub use self::tokio::TokioQueue;
pub use btree_pair::BTreePair;
pub use heap::HeapQueue;
pub use ours::{ZsetExpiring, ZsetQueue, ZsetSchedule};
pub use vec_pair::VecPair;

/// How a pair of an ordered collection and a hash table orders its elements.
pub trait Entry: Ord + Copy {
    /// The hash table's value for an id.
    type Kept: Copy;

    /// Returns the hash table's value for an element, given its due time and arrival number.
    fn keep(due: u64, arrival: u64) -> Self::Kept;

    /// Returns the ordered entry of an element.
    fn new(id: u64, kept: Self::Kept) -> Self;

    /// Returns the id.
    fn id(self) -> u64;

    /// Returns the due time.
    fn due(self) -> u64;

    /// Returns the due time stored in a hash table value.
    fn kept_due(kept: Self::Kept) -> u64;
}

/// Due time, arrival number, id: elements due at the same time are in order of arrival.
pub type ByArrival = (u64, u64, u64);

impl Entry for ByArrival {
    type Kept = (u64, u64);

    #[inline]
    fn keep(due: u64, arrival: u64) -> (u64, u64) {
        (due, arrival)
    }

    #[inline]
    fn new(id: u64, (due, arrival): (u64, u64)) -> Self {
        (due, arrival, id)
    }

    #[inline]
    fn id(self) -> u64 {
        self.2
    }

    #[inline]
    fn due(self) -> u64 {
        self.0
    }

    #[inline]
    fn kept_due((due, _): (u64, u64)) -> u64 {
        due
    }
}

/// Due time and id.
pub type ByMember = (u64, u64);

impl Entry for ByMember {
    type Kept = u64;

    #[inline]
    fn keep(due: u64, _arrival: u64) -> u64 {
        due
    }

    #[inline]
    fn new(id: u64, due: u64) -> Self {
        (due, id)
    }

    #[inline]
    fn id(self) -> u64 {
        self.1
    }

    #[inline]
    fn due(self) -> u64 {
        self.0
    }

    #[inline]
    fn kept_due(due: u64) -> u64 {
        due
    }
}
