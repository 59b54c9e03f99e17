//! The rate limit headers of a response, as in draft-ietf-httpapi-ratelimit-headers-11, and the
//! syntax of structured fields (RFC 9651).
//!
//! `q` is the number of units that a client can use at once, and `w` is the length of a window in
//! seconds. For a funnel, `q` is the capacity, and `w` is the time in which a full funnel empties.
//! A client that uses at most `q` units in any `w` seconds is not denied by a sliding window, a
//! fixed window or a funnel. A window counter may still deny it.
//!
//! ```text
//! RateLimit-Policy: "per-ip";q=100;w=60, "daily";q=1000;w=86400
//! RateLimit: "per-ip";r=50;t=30, "daily";r=912;t=86000
//! ```

use std::borrow::Cow;
use std::cmp::Reverse;
use std::iter;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use zset_std::Decision;

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LEGACY: [HeaderName; 3] = [
    HeaderName::from_static("x-ratelimit-limit"),
    HeaderName::from_static("x-ratelimit-remaining"),
    HeaderName::from_static("x-ratelimit-reset"),
];

/// The rate limit headers that responses have.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shown {
    Nothing,
    Standard,
    StandardAndLegacy,
}

/// The headers of one response.
pub(crate) struct RateHeaders {
    policy: HeaderValue,
    limit: HeaderValue,
    /// The values of [`LEGACY`].
    legacy: Option<[u64; 3]>,
}

/// The part of the headers that shows the decision of one policy.
pub(crate) struct Line<'a> {
    /// The name, as a structured field.
    pub(crate) name: &'a str,
    /// The item of `RateLimit-Policy`.
    pub(crate) policy: Cow<'a, HeaderValue>,
    pub(crate) decision: &'a Decision,
}

impl RateHeaders {
    /// Renders the headers of the only policy that has decided. `retry_after` is the value of
    /// `Retry-After` if the request is rejected, and the upper bound of `t`.
    pub(crate) fn of_one(
        shown: Shown,
        line: Line<'_>,
        retry_after: Option<u64>,
    ) -> Option<Box<Self>> {
        let policy = line.policy.into_owned();
        let limit = limit_item(line.name, line.decision, retry_after).try_into().ok()?;
        Some(Box::new(Self::of(shown, policy, limit, line.decision, retry_after)))
    }

    /// Renders the headers; `None` if no policy has decided. `keys` are the partition keys of the
    /// policies that have decided, or empty.
    pub(crate) fn of_many(
        shown: Shown,
        lines: &[Line<'_>],
        keys: &[String],
        retry_after: Option<u64>,
    ) -> Option<Box<Self>> {
        let strictest = strictest(lines.iter().map(|line| line.decision))?;
        let keys = || keys.iter().map(String::as_str).chain(iter::repeat(""));
        let keyed = || lines.iter().zip(keys());
        let policies = keyed().map(|(line, key)| [line.policy.as_bytes(), key.as_bytes()].concat());
        let limits = keyed()
            .map(|(line, key)| (limit_item(line.name, line.decision, retry_after) + key).into());
        let (policy, limit) = (list(policies)?, list(limits)?);
        Some(Box::new(Self::of(shown, policy, limit, strictest, retry_after)))
    }

    /// Returns the headers. The legacy ones show `decision`.
    #[inline]
    fn of(
        shown: Shown,
        policy: HeaderValue,
        limit: HeaderValue,
        decision: &Decision,
        retry_after: Option<u64>,
    ) -> Self {
        let legacy = matches!(shown, Shown::StandardAndLegacy).then(|| {
            let Decision { limit, remaining, .. } = *decision;
            [limit.into(), remaining.into(), effective_window(decision, retry_after)]
        });
        RateHeaders { policy, limit, legacy }
    }

    /// Adds the headers. If an inner layer has added its own, the lists contain both.
    pub(crate) fn add_to(self, headers: &mut HeaderMap) {
        headers.append(RATE_LIMIT_POLICY, self.policy);
        headers.append(RATE_LIMIT, self.limit);
        for (name, value) in LEGACY.into_iter().zip(self.legacy.into_iter().flatten()) {
            headers.entry(name).or_insert_with(|| value.into());
        }
    }
}

/// Returns the denial with the longest wait or, if none denies, the decision with the fewest units
/// left, and among those the one that resets last.
fn strictest<'a>(decisions: impl Iterator<Item = &'a Decision>) -> Option<&'a Decision> {
    decisions.min_by_key(|decision| {
        // A request that can never be allowed has the longest wait.
        let wait = decision.retry_after().unwrap_or(Duration::MAX);
        let Decision { remaining, reset_after, limit, .. } = **decision;
        (decision.is_allowed(), Reverse(wait), remaining, Reverse(reset_after), limit)
    })
}

/// Returns for how many seconds a client should use no more than the remaining units.
fn effective_window(decision: &Decision, retry_after: Option<u64>) -> u64 {
    seconds(decision.reset_after).min(retry_after.unwrap_or(u64::MAX))
}

/// Returns the item of `RateLimit` for a policy. The string has no spare capacity, so it becomes a
/// header without another allocation.
fn limit_item(name: &str, decision: &Decision, retry_after: Option<u64>) -> String {
    let (mut remaining, mut window) = (itoa::Buffer::new(), itoa::Buffer::new());
    let remaining = remaining.format(decision.remaining);
    let window = window.format(effective_window(decision, retry_after));
    [name, ";r=", remaining, ";t=", window].concat()
}

fn list(items: impl Iterator<Item = Vec<u8>>) -> Option<HeaderValue> {
    items.collect::<Vec<_>>().join(&b", "[..]).try_into().ok()
}

/// The largest integer of a structured field.
pub(crate) const MAX_INTEGER: u64 = 999_999_999_999_999;

/// Renders a string of a structured field; `None` if it is empty or not printable ASCII.
pub(crate) fn string(text: &str) -> Option<String> {
    if text.is_empty() || !text.bytes().all(|it| it == b' ' || it.is_ascii_graphic()) {
        return None;
    }
    Some(quoted(text))
}

/// Quotes a string of printable ASCII, in the syntax that structured fields and JSON share.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        if matches!(character, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(character);
    }
    quoted.push('"');
    quoted
}

/// Returns bytes as a byte sequence of a structured field: base64 between colons.
pub(crate) fn byte_sequence(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut sequence = String::with_capacity(bytes.len().div_ceil(3) * 4 + 2);
    sequence.push(':');
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, place| {
            bits << 8 | usize::from(group.get(place).copied().unwrap_or_default())
        });
        for place in 0..4 {
            let is_padding = place > group.len();
            let digit = ALPHABET[bits >> (18 - 6 * place) & 63];
            sequence.push(if is_padding { '=' } else { digit.into() });
        }
    }
    sequence.push(':');
    sequence
}

/// Returns a duration in seconds, rounded up.
pub(crate) fn seconds(duration: Duration) -> u64 {
    let is_rounded_up = duration.subsec_nanos() > 0;
    (duration.as_secs().saturating_add(is_rounded_up.into())).min(MAX_INTEGER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_rounded_up_and_fit_into_a_structured_field() {
        for (duration, expected) in [
            (Duration::ZERO, 0),
            (Duration::from_nanos(1), 1),
            (Duration::from_secs(5), 5),
            (Duration::new(5, 1), 6),
            (Duration::MAX, MAX_INTEGER),
        ] {
            assert_eq!(seconds(duration), expected, "{duration:?}");
        }
    }

    #[test]
    fn byte_sequences_are_base64_between_colons() {
        for (bytes, expected) in [
            (&b""[..], "::"),
            (b"f", ":Zg==:"),
            (b"fo", ":Zm8=:"),
            (b"foo", ":Zm9v:"),
            (b"foob", ":Zm9vYg==:"),
            (b"\xff\xfe\0", "://4A:"),
        ] {
            assert_eq!(byte_sequence(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn only_printable_ascii_is_a_string() {
        assert_eq!(string("per ip").as_deref(), Some("\"per ip\""));
        assert_eq!(string(r#"a"b\c"#).as_deref(), Some(r#""a\"b\\c""#));
        for text in ["", "tab\t", "line\n", "é", "\u{7f}"] {
            assert_eq!(string(text), None, "{text:?}");
        }
    }
}
