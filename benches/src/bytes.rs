//! `bytes` measures the memory of a `ZSet` in each of its encodings, as counted by the allocator.

use rand::RngExt;
use zset_core::{Score, ZSet};

use crate::allocator::live_bytes;
use crate::measure::as_f64;
use crate::random::generator;
use crate::record::Record;
use crate::table::grouped;

/// The measured numbers of elements: those of the largest listpack, and of a skip list.
const SIZES: [usize; 2] = [128, 1_000_000];

/// The name of the only table.
const TABLE: &str = "ZSet of 20-byte members";

/// Measures sets of 20-byte members with integer scores, inserted in random order.
pub fn measure() -> Vec<Record> {
    let mut records = Vec::new();
    for n in SIZES {
        let (set, bytes) = measured(n);
        let mut push = |what: String, value: f64| {
            records.push(Record::new((TABLE, n), "zset", (&what, "bytes"), Some(value)));
        };
        let label = format!("{} members, {}", grouped(n), set.encoding());
        if let Some(list) = set.as_listpack() {
            push(label.clone(), as_f64(bytes));
            push(format!("{label} alone"), as_f64(list.as_bytes().len()));
        } else {
            push(format!("{label}, an entry"), as_f64(bytes) / as_f64(n));
        }
    }
    records
}

/// Builds a set, and returns it with the number of heap bytes that it uses.
fn measured(n: usize) -> (ZSet, usize) {
    let mut rng = generator(1);
    let before = live_bytes();
    let mut set = ZSet::new();
    for i in 0..n {
        set.insert(format!("member:{i:013}"), Score::from(rng.random_range(0..1_000_000u32)));
    }
    (set, (live_bytes() - before).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use zset_core::Encoding;

    #[test]
    fn the_sizes_are_of_both_encodings() {
        assert_eq!(measured(SIZES[0]).0.encoding(), Encoding::Listpack);
        assert_eq!(measured(SIZES[0] + 1).0.encoding(), Encoding::Skiplist);
    }
}
