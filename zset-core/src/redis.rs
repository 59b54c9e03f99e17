//! Types that mirror Redis's commands: the options and results of `ZADD`, and ranges as text.
//!
//! The methods of `ZSet` and [`PackedZSet`](crate::PackedZSet) that mirror commands take and return
//! these types. None of them needs an allocator.

mod add;
mod range;

pub use add::{AddFlags, AddOptions, AddOptionsError, Added};
pub use range::{LexRange, ParseRangeError, ScoreRange, rank_range};
