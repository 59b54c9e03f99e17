//! The calls of a random sequence, and how they are generated.

use super::*;

#[derive(Clone, Debug)]
pub(super) enum Call {
    Check(Key, u32),
    Peek(Key, u32),
    Refund(Key, u32),
    Sweep(usize),
    // The results of these depend on whether an idle key was swept, so idle keys are swept
    // before each call in sequences that contain them.
    SetQuota(Funnel),
    Reset(Key),
    CheckWith(Key, Funnel, u32),
    PeekWith(Key, Funnel, u32),
    // Sliding windows only.
    Record(Key, u32),
    OverLimit(Key),
}

fn keys() -> impl Strategy<Value = Key> {
    0..5_u8
}

/// Generates the calls of every keyed limiter. Other quotas change only their counts.
pub(super) fn common() -> BoxedStrategy<Call> {
    prop_oneof![
        12 => (keys(), 0..14_u32).prop_map(|(key, n)| Call::Check(key, n)),
        3 => (keys(), 0..14_u32).prop_map(|(key, n)| Call::Peek(key, n)),
        2 => (keys(), 0..9_u32).prop_map(|(key, n)| Call::Refund(key, n)),
        2 => (0..20_usize).prop_map(Call::Sweep),
    ]
    .boxed()
}

/// Adds the calls that require idle keys to be swept before each call.
pub(super) fn more() -> BoxedStrategy<Call> {
    prop_oneof![
        20 => common(),
        1 => quotas().prop_map(Call::SetQuota),
        1 => keys().prop_map(Call::Reset),
    ]
    .boxed()
}

/// Adds calls with another quota.
pub(super) fn with_quotas(calls: BoxedStrategy<Call>) -> BoxedStrategy<Call> {
    let with = || (keys(), quotas(), 0..14_u32);
    prop_oneof![
        16 => calls,
        2 => with().prop_map(|(key, quota, n)| Call::CheckWith(key, quota, n)),
        1 => with().prop_map(|(key, quota, n)| Call::PeekWith(key, quota, n)),
    ]
    .boxed()
}

/// Adds the calls of a sliding window.
pub(super) fn with_records(calls: BoxedStrategy<Call>) -> BoxedStrategy<Call> {
    prop_oneof![
        8 => calls,
        1 => (keys(), 0..5_u32).prop_map(|(key, n)| Call::Record(key, n)),
        1 => keys().prop_map(Call::OverLimit),
    ]
    .boxed()
}

pub(super) fn sequences(calls: BoxedStrategy<Call>) -> impl Strategy<Value = Vec<(Step, Call)>> {
    prop::collection::vec((steps(), calls), 0..100)
}
