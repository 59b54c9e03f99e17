//! `bytes`: the memory of a `ZSet` in each of its encodings, as counted by the allocator.

use std::io::{self, Write};
use std::path::Path;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::{Score, ZSet};

use crate::allocator::live_bytes;
use crate::record::{self, Record};
use crate::table::{grouped, write_header};
use crate::tables::draw;
use crate::workload::as_f64;

/// The measured sizes: the largest listpack, and a skip list.
const SIZES: [usize; 2] = [128, 1_000_000];

/// The only table.
const TABLE: &str = "ZSet of 20-byte members";

/// Measures sets of 20-byte members with integer scores, inserted in random order; saves the
/// results in a [file](record::save).
///
/// # Errors
///
/// Returns an error if writing to `out` fails, or if the results cannot be saved.
pub fn run(save: Option<&Path>, out: &mut impl Write) -> io::Result<()> {
    write_header(out)?;
    let mut records = Vec::new();
    for n in SIZES {
        let (set, bytes) = measured(n);
        let record = |what: String, value: f64| {
            Record::new((TABLE, n), "zset", (&what, "bytes"), Some(value))
        };
        let (members, encoding) = (grouped(n), set.encoding());
        if let Some(list) = set.as_listpack() {
            let alone = as_f64(list.as_bytes().len());
            records.push(record(format!("{members} members, {encoding}"), as_f64(bytes)));
            records.push(record(format!("{members} members, {encoding} alone"), alone));
        } else {
            let an_entry = as_f64(bytes) / as_f64(n);
            records.push(record(format!("{members} members, {encoding}, an entry"), an_entry));
        }
    }
    write!(out, "\n{}", draw(&records))?;
    record::save(save, &records)
}

/// Builds a set; returns it with the number of heap bytes it uses.
fn measured(n: usize) -> (ZSet, usize) {
    let mut rng = SmallRng::seed_from_u64(1);
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
