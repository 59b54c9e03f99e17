//! The layers do the same to the requests that the benchmark makes.

use zset_bench::comparison::Sheet;
use zset_bench::layer::{Row, table};

#[test]
fn all_layers_allow_all_requests_or_none() {
    for Row { label, .. } in Row::ALL {
        let answers = table(10).outcomes(label, 600, 1);
        let allowed: Vec<_> = answers.iter().map(|outcome| outcome.answer).collect();
        let by_layers = if label.starts_with("allowed") { 600 } else { 0 };
        assert_eq!(allowed, [by_layers, by_layers, 600], "{label}");
    }
}
