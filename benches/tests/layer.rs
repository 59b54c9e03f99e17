//! Tests that both layers make the same decisions on the requests of the benchmark.

use zset_bench::layer::{Row, table};

#[test]
fn all_layers_allow_all_requests_or_none() {
    let perform = table(10).prepare(600, 1);
    for Row { label, .. } in Row::ALL {
        let allowed = [0, 1, 2].map(|place| perform(place, label).measured.answer);
        let by_layers = if label.starts_with("allowed") { 600 } else { 0 };
        assert_eq!(allowed, [by_layers, by_layers, 600], "{label}");
    }
}
