//! Structured fields, RFC 9651: the syntax of the headers.

use std::time::Duration;

/// The largest integer of a structured field.
pub(crate) const MAX_INTEGER: u64 = 999_999_999_999_999;

/// Returns a string as a string of a structured field; `None` if it is empty or not printable
/// ASCII.
pub(crate) fn string(text: &str) -> Option<String> {
    if text.is_empty() || !text.bytes().all(|it| it == b' ' || it.is_ascii_graphic()) {
        return None;
    }
    Some(quoted(text))
}

/// Returns printable ASCII in quotes, as structured fields and JSON write it.
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
