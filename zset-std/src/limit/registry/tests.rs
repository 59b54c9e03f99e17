//! Tests the memory of a table of keys.

use super::*;

#[test]
fn a_table_shrinks_if_less_than_an_eighth_is_in_use() {
    for (len, buckets, left) in [(4, 32, 32), (4, 64, 16), (8, 64, 64), (7, 64, 16)] {
        let mut table = HashTable::with_capacity(buckets / 2);
        (0..len).for_each(|key| _ = table.insert_unique(key, key, |key| *key));
        assert_eq!(table.num_buckets(), buckets);
        shrink(&mut table, |key| *key);
        assert_eq!(table.num_buckets(), left, "{len} of {buckets}");
    }
}
