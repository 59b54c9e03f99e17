//! The measured collections of fixed capacity.

mod heapless;
mod ours;

pub use heapless::{Heap, IndexMap, LinkedList};
pub use ours::ZsetFixed;
