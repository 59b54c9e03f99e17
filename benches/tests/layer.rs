//! The layers must allow and deny the same requests.

use zset_bench::layer::{Row, Verdict, measure};

#[test]
fn all_layers_allow_all_requests_or_none() {
    for row in Row::ALL {
        let allowed = [0, 1, 2].map(|place| measure(place, row, 10, 600, 1).answer);
        let expected = match row.verdict {
            Verdict::Allowed => [600, 600, 600],
            Verdict::Denied => [0, 0, 600],
        };
        assert_eq!(allowed, expected, "{row:?}");
    }
}
