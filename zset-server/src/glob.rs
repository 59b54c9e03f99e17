//! [`matches()`]: the patterns of KEYS, SCAN and related commands.
//!
//! Patterns have the semantics of Redis's `stringmatchlen`, with all its quirks, which clients may rely
//! on. On a mismatch, only the last `*` is extended: extending an earlier one could not help (the usual
//! algorithm for wildcards, as in R. Krauss, "Matching Wildcards: An Algorithm", Dr. Dobb's, 2008). So
//! the time is at most proportional to the product of the lengths, without recursion.

/// Returns whether a text matches a pattern.
///
/// `?` matches any byte, `*` any number of bytes, `[a-c_]` one byte of a class, `[^ab]` one byte outside
/// of a class, and a backslash escapes the next byte. An unclosed class extends to the end of the
/// pattern. Of patterns of stars, only a lone one matches an empty text.
pub(crate) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    if pattern == b"*" {
        return true;
    }
    let (mut rest, mut left) = (pattern, text);
    // The pattern after the last star, and the text not matched by that star.
    let mut star: Option<(&[u8], &[u8])> = None;
    while let Some((&byte, behind)) = left.split_first() {
        if let [b'*', after @ ..] = rest {
            star = Some((after, left));
            rest = after;
        } else if let Some(after) = one(rest, byte) {
            (rest, left) = (after, behind);
        } else if let Some((after, [_, fewer @ ..])) = star {
            star = Some((after, fewer));
            (rest, left) = (after, fewer);
        } else {
            return false;
        }
    }
    if !text.is_empty() {
        rest = &rest[rest.iter().take_while(|&&byte| byte == b'*').count()..];
    }
    rest.is_empty()
}

/// Matches one byte; returns the remaining pattern.
fn one(pattern: &[u8], byte: u8) -> Option<&[u8]> {
    let (is_match, rest) = match pattern {
        [] => return None,
        [b'?', rest @ ..] => (true, rest),
        [b'[', b'^', class @ ..] => {
            let (is_in, rest) = class_of(class, byte);
            (!is_in, rest)
        }
        [b'[', class @ ..] => class_of(class, byte),
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => (*literal == byte, rest),
    };
    is_match.then_some(rest)
}

/// Returns whether a byte is in a class, and the pattern after the class.
fn class_of(mut class: &[u8], byte: u8) -> (bool, &[u8]) {
    let mut is_in = false;
    loop {
        let (is_match, rest) = match class {
            [] => return (is_in, class),
            [b'\\', literal, rest @ ..] => (*literal == byte, rest),
            [b']', rest @ ..] => return (is_in, rest),
            // The bounds may be in either order, and the upper one may be a `]`.
            [start, b'-', end, rest @ ..] => {
                ((start.min(end)..=start.max(end)).contains(&&byte), rest)
            }
            [literal, rest @ ..] => (*literal == byte, rest),
        };
        is_in |= is_match;
        class = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abusive_pattern_is_matched_quickly() {
        let pattern = b"a*".repeat(5_000);
        let text = b"a".repeat(20_000);
        assert!(matches(&pattern, &text));
        assert!(!matches(&[&pattern[..], b"b"].concat(), &text));
    }
}
