//! `bytes`: the memory of a `ZSet` in each of its encodings, as counted by the allocator.

use std::io::{self, Write};

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::{Score, ZSet};

use crate::allocator::live_bytes;
use crate::table::{Table, write_header};

/// The measured sizes: the largest listpack, and a skip list.
const SIZES: [usize; 2] = [128, 1_000_000];

/// Measures sets of 20-byte members with integer scores, inserted in random order.
///
/// # Errors
///
/// Returns an error if writing to `out` fails.
pub fn run(out: &mut impl Write) -> io::Result<()> {
    write_header(out)?;
    let head = ["ZSet, members of 20 bytes", "encoding", "bytes", "bytes/entry"];
    let mut table = Table::new(head.map(String::from).into());
    for n in SIZES {
        let (set, bytes) = measured(n);
        #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
        let per_entry = bytes as f64 / n as f64;
        table.push(vec![
            n.to_string(),
            set.encoding().to_string(),
            bytes.to_string(),
            format!("{per_entry:.1}"),
        ]);
        if let Some(list) = set.as_listpack() {
            let bytes = list.as_bytes().len();
            table.push(vec!["its bytes alone".into(), "–".into(), bytes.to_string(), "–".into()]);
        }
    }
    write!(out, "\n{table}")
}

/// Builds a set; returns it with the number of heap bytes it uses.
fn measured(n: usize) -> (ZSet, isize) {
    let mut rng = SmallRng::seed_from_u64(1);
    let before = live_bytes();
    let mut set = ZSet::new();
    for i in 0..n {
        set.insert(format!("member:{i:013}"), Score::from(rng.random_range(0..1_000_000u32)));
    }
    (set, live_bytes() - before)
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
