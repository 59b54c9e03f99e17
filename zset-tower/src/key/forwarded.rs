//! The syntax of `Forwarded`, RFC 7239.
//!
//! ```text
//! Forwarded: for=192.0.2.43;proto=http, for="[2001:db8:cafe::17]:4711"
//!            element                    element
//! ```

use std::borrow::Cow;

/// Returns the value of `for` of each element, `None` for an element without; `None` if the line is
/// malformed.
pub(super) fn elements(line: &str) -> Option<std::vec::IntoIter<Option<Cow<'_, str>>>> {
    let mut elements = Vec::new();
    let mut rest = skip_space(line);
    while !rest.is_empty() {
        // An empty element does not count, as in any list of HTTP.
        if let Some(after) = rest.strip_prefix(',') {
            rest = skip_space(after);
            continue;
        }
        let mut node = None;
        loop {
            let (name, after) = token(rest)?;
            let (value, after) = value(after.strip_prefix('=')?)?;
            if name.eq_ignore_ascii_case("for") && node.replace(value).is_some() {
                return None;
            }
            rest = skip_space(after);
            match rest.strip_prefix(';') {
                Some(after) => rest = skip_space(after),
                None => break,
            }
        }
        elements.push(node);
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
    Some(elements.into_iter())
}

fn skip_space(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// Splits off a token, which is not empty.
fn token(text: &str) -> Option<(&str, &str)> {
    let is_token = |it: char| it.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(it);
    let end = text.find(|it| !is_token(it)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Splits off a token or a quoted string.
fn value(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, rest) = token(text)?;
        return Some((value.into(), rest));
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    loop {
        match characters.next()? {
            (end, '"') => return Some((value.into(), &quoted[end + 1..])),
            (_, '\\') => value.push(characters.next()?.1),
            (_, character) => value.push(character),
        }
    }
}
