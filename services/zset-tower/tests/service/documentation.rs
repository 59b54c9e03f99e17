//! Tests that important items have an example, which runs as a doc test.

use test_support::documentation::assert_have_examples;

/// The names of types and functions that need an example, by file. Other items have one only if it
/// is instructive.
const EXAMPLES: &[(&str, &str)] = &[
    ("key/forwarded.rs", "ForwardedFor"),
    ("key/request.rs", "PeerIp network Header Extension Path from_fn from_async_fn"),
    ("layer.rs", "RateLimitLayer with_response"),
    (
        "policy.rs",
        "Policy new_async funnel charge_if shadow with_partition_key with_quota_by with_quota_unit",
    ),
];

#[test]
fn what_a_newcomer_needs_has_an_example() {
    assert_have_examples(env!("CARGO_MANIFEST_DIR"), EXAMPLES);
}
