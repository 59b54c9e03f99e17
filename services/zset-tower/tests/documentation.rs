//! Important items have an example, which runs as a doc test.

// The test reads files.
#![cfg(not(miri))]

// By path, so that this crate does not depend on test-support.
#[path = "../../../tests/support/src/documentation.rs"]
pub mod documentation;

use documentation::assert_have_examples;

/// The names of types and functions that need an example, by file. Other items have one only if it
/// is instructive.
const EXAMPLES: &[(&str, &str)] = &[
    ("key/address.rs", "network"),
    ("key/extension.rs", "Extension"),
    ("key/forwarded_for.rs", "ForwardedFor"),
    ("key/function.rs", "from_fn from_async_fn"),
    ("key/header.rs", "Header"),
    ("key/peer_ip.rs", "PeerIp"),
    ("key/plain.rs", "Path"),
    ("layer.rs", "RateLimitLayer with_response"),
    ("policy.rs", "Policy new_async"),
    ("policy/bounded.rs", "funnel"),
    ("policy/with.rs", "charge_if shadow with_partition_key with_quota_unit"),
];

#[test]
fn what_a_newcomer_needs_has_an_example() {
    assert_have_examples(env!("CARGO_MANIFEST_DIR"), EXAMPLES);
}
