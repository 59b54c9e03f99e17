//! The queues, schedules and expiring sets that are measured.

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
    /// What the table has for each id.
    type Kept: Copy;

    /// Returns what the table is to have for an element, the number of whose arrival is given.
    fn keep(due: u64, arrival: u64) -> Self::Kept;

    /// Makes the entry of an element.
    fn new(id: u64, kept: Self::Kept) -> Self;

    /// Returns the id.
    fn id(self) -> u64;

    /// Returns the time.
    fn due(self) -> u64;

    /// Returns the time of what the table has.
    fn kept_due(kept: Self::Kept) -> u64;
}

/// Time, arrival, and id: those that are due at once are in the order in which they came.
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

/// Time and id.
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
