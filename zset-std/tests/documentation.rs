//! Checks that important items have an example, which runs as a doc test.

// By default, Miri does not let a program read files.
#![cfg(not(miri))]

// The module is included by path, so that this crate does not depend on test-support.
#[path = "../../tests/support/src/documentation.rs"]
pub mod documentation;

use documentation::assert_have_examples;

/// The names of types and functions that need an example, by file. Other items have one only if it
/// is instructive.
const EXAMPLES: &[(&str, &str)] = &[
    ("at.rs", "At"),
    ("clock.rs", "Timestamp Clock"),
    ("clock/fake.rs", "FakeClock"),
    ("clock/quanta.rs", "QuantaClock"),
    ("clock/tokio.rs", "TokioClock"),
    ("delay_queue.rs", "DelayQueue JobId push_with_id reschedule"),
    ("expiring_set.rs", "ExpiringSet InsertError with_max_len"),
    ("leaderboard.rs", "Leaderboard with_policy with_max_len Submission map_scores"),
    ("leaderboard/policy.rs", "Policy"),
    ("leaderboard/standings.rs", "Ties page_after around"),
    ("limit/any_limiter.rs", "AnyLimiter"),
    ("limit/counters.rs", "FixedWindow WindowCounter"),
    ("limit/decision.rs", "Decision"),
    ("limit/direct.rs", "Direct set_limiter over_limit set_quota"),
    ("limit/funnel.rs", "Funnel"),
    ("limit/keyed.rs", "Keyed with_max_keys check_with throttle"),
    ("limit/keyed_limiter.rs", "KeyedLimiter AsyncKeyedLimiter"),
    ("limit/limiter.rs", "Limiter"),
    ("limit/limits.rs", "Limits"),
    ("limit/observer.rs", "Observer"),
    ("limit/penalty.rs", "Block Penalty"),
    ("limit/quota.rs", "Quota"),
    ("limit/sliding_window.rs", "SlidingWindow"),
    ("limit/wait.rs", "WaitReady deadline"),
    ("packed_score.rs", "PackedScore descending"),
    ("shared_delay_queue.rs", "SharedDelayQueue"),
    ("shared_delay_queue/lease.rs", "Lease nack"),
    ("shared_delay_queue/manage.rs", "close DeadLetter requeue"),
    ("shared_delay_queue/runner.rs", "JobRunner"),
    ("shared_delay_queue/wait.rs", "wait_pop"),
    ("timeline.rs", "Timeline before"),
    ("timeline/merge.rs", "MergedTimelines"),
    ("windowed_leaderboard.rs", "WindowedLeaderboard"),
    ("windowed_leaderboard/buckets.rs", "Buckets with_start"),
];

#[test]
fn what_a_newcomer_needs_has_an_example() {
    assert_have_examples(env!("CARGO_MANIFEST_DIR"), EXAMPLES);
}
