//! The measured leaderboards.

mod btree_pair;
mod ours;
mod vec_pair;

pub use btree_pair::BTreePair;
pub use ours::ZsetBoard;
pub use vec_pair::VecPair;
