//! The syntax of `Forwarded`, RFC 7239.
//!
//! ```text
//! Forwarded: for=192.0.2.43;proto=http, for="[2001:db8:cafe::17]:4711"
//!            element                    element
//! ```
//!
//! Elements are split off from the right, since those to the left may come from the client. A
//! quoted string can be read from its end too: its opening quote follows `=`, and inner quotes are
//! escaped by an odd number of backslashes. So a well-formed line has the same elements in both
//! directions, and the elements at the end of a line are the same whatever precedes them.

use std::borrow::Cow;

/// Returns the offset of the last comma outside of quoted strings, read from the right.
pub(super) fn last_comma(line: &[u8]) -> Option<usize> {
    let mut is_quoted = false;
    (0..line.len()).rev().find(|&place| {
        if line[place] == b'"' {
            let before = line[..place].iter().rev();
            let is_escaped = before.take_while(|it| **it == b'\\').count() % 2 == 1;
            is_quoted = !is_quoted || is_escaped;
        }
        line[place] == b',' && !is_quoted
    })
}

/// Returns the value of an element's `for`; `None` if there is none, or if the element is
/// malformed.
pub(super) fn node(element: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut node = None;
    let mut rest = element;
    loop {
        rest = rest.trim_ascii_start();
        // A pair may be empty.
        if !matches!(rest, [] | [b';', ..]) {
            let (name, after) = token(rest)?;
            let (value, after) = value(after.strip_prefix(b"=")?)?;
            if name.eq_ignore_ascii_case(b"for") && node.replace(value).is_some() {
                return None;
            }
            rest = after.trim_ascii_start();
        }
        match rest {
            [] => return node,
            [b';', after @ ..] => rest = after,
            _ => return None,
        }
    }
}

/// Splits off a token, which is not empty.
pub(super) fn token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_token = |it: &u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(it);
    let end = text.iter().position(|it| !is_token(it)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Splits off a token or a quoted string.
fn value(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let (value, rest) = token(text)?;
        return Some((value.into(), rest));
    };
    let mut value = Vec::new();
    let mut rest = quoted;
    loop {
        match rest {
            [b'"', after @ ..] => return Some((value.into(), after)),
            [b'\\', byte, after @ ..] | [byte, after @ ..] => {
                value.push(*byte);
                rest = after;
            }
            [] => return None,
        }
    }
}
