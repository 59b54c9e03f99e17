//! Patterns with `*`, `?`, `[a-c]` and `\`.

/// Returns whether a text matches a pattern, as Redis's `stringmatchlen` does.
///
/// It takes time in proportion to the product of their lengths at most: of all stars, only the last one
/// that was met is ever tried again, since whatever one further to the left could take, this one can.
pub(crate) fn matches(pattern: &[u8], text: &[u8], ignore_case: bool) -> bool {
    let (mut pattern, mut text) = (pattern, text);
    // What is behind the last star, and what of the text it has not taken.
    let mut retry: Option<(&[u8], &[u8])> = None;
    loop {
        if let [b'*', rest @ ..] = pattern {
            pattern = rest;
            retry = Some((rest, text));
            continue;
        }
        let Some((byte, behind)) = text.split_first() else { return pattern.is_empty() };
        if let Some(rest) = match_one(pattern, *byte, ignore_case) {
            (pattern, text) = (rest, behind);
        } else {
            let Some((after_star, [_, less @ ..])) = retry else { return false };
            retry = Some((after_star, less));
            (pattern, text) = (after_star, less);
        }
    }
}

/// Returns the rest of a pattern whose beginning, no star, matches a byte.
fn match_one(pattern: &[u8], byte: u8, ignore_case: bool) -> Option<&[u8]> {
    let fold = |byte: u8| if ignore_case { byte.to_ascii_lowercase() } else { byte };
    let (is_match, rest) = match pattern {
        [] => return None,
        [b'?', rest @ ..] => (true, rest),
        [b'[', rest @ ..] => match_class(rest, byte, fold),
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => (fold(*literal) == fold(byte), rest),
    };
    is_match.then_some(rest)
}

/// Returns whether a byte is of the class that a pattern begins with, and what is behind the class.
fn match_class(class: &[u8], byte: u8, fold: impl Fn(u8) -> u8) -> (bool, &[u8]) {
    let (is_negated, mut rest) = match class {
        [b'^', rest @ ..] => (true, rest),
        _ => (false, class),
    };
    let mut is_in = false;
    loop {
        rest = match rest {
            // A class may lack its end.
            [] => return (is_in != is_negated, rest),
            [b'\\', literal, behind @ ..] => {
                is_in |= *literal == byte;
                behind
            }
            [b']', behind @ ..] => return (is_in != is_negated, behind),
            [one, b'-', other, behind @ ..] => {
                let (one, other) = (fold(*one), fold(*other));
                is_in |= (one.min(other)..=one.max(other)).contains(&fold(byte));
                behind
            }
            [literal, behind @ ..] => {
                is_in |= fold(*literal) == fold(byte);
                behind
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_match_as_they_do_in_redis() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("", "a", false),
            ("a*c", "abc", true),
            ("a*c", "abcd", false),
            ("*a*b*", "xxaxxbxx", true),
            ("a?c", "ac", false),
            ("h[ae]llo", "hello", true),
            ("h[^e]llo", "hello", false),
            ("h[c-a]llo", "hbllo", true),
            ("[a", "a", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("a\\", "a\\", true),
            ("[\\]]", "]", true),
            ("A", "a", false),
        ] {
            assert_eq!(matches(pattern.as_bytes(), text.as_bytes(), false), expected, "{pattern}");
        }
        assert!(matches(b"MAX[A-Z]em*", b"maxmemory", true));
    }

    #[test]
    fn many_stars_do_not_take_for_ever() {
        assert!(!matches(&[&b"a*".repeat(100)[..], b"b"].concat(), &[b'a'; 10_000], false));
    }
}
