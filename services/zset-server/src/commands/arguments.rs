//! Parses arguments, and matches the patterns of commands such as KEYS and SCAN.

use zset_core::Score;
use zset_core::redis::{LexRange, ScoreRange};

use crate::replies::{CommandError, MAX_SHOWN, shown, until_zero};

/// Parses an integer in canonical form only, like Redis.
pub(super) fn integer(text: &[u8]) -> Result<i64, CommandError> {
    crate::requests::parse_integer(text).ok_or(CommandError::NOT_AN_INTEGER)
}

pub(super) fn score(text: &[u8]) -> Result<Score, CommandError> {
    let text = std::str::from_utf8(text).map_err(|_| CommandError::NOT_A_FLOAT)?;
    text.parse().map_err(|_| CommandError::NOT_A_FLOAT)
}

/// Parses a SCAN cursor.
pub(super) fn cursor(text: &[u8]) -> Result<u64, CommandError> {
    // Parsing as `i128` accepts `-0`, as C's `strtoull` does.
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i128>().ok());
    let number = number.and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| CommandError::err("invalid cursor"))
}

/// The default COUNT of a scan.
pub(super) const PAGE: usize = 10;

/// Parses the COUNT of a scan.
pub(super) fn page_len(text: &[u8]) -> Result<usize, CommandError> {
    let count = usize::try_from(integer(text)?).ok().filter(|count| *count > 0);
    count.ok_or(CommandError::SYNTAX)
}

/// Parses a range of scores. As in Redis, a bound without a number is 0, and a NUL byte ends a
/// bound.
pub(super) fn score_range(min: &[u8], max: &[u8]) -> Result<ScoreRange, CommandError> {
    fn bound(text: &[u8]) -> &[u8] {
        match until_zero(text) {
            b"" => b"0",
            b"(" => b"(0",
            text => text,
        }
    }
    ScoreRange::parse(bound(min), bound(max)).map_err(CommandError::err)
}

/// Parses a lexicographic range.
pub(super) fn lex_range<'a>(min: &'a [u8], max: &'a [u8]) -> Result<LexRange<'a>, CommandError> {
    LexRange::parse(min, max).map_err(CommandError::err)
}

/// Parses a nonnegative number; returns `error` for anything else.
pub(super) fn not_negative(text: &[u8], error: &'static str) -> Result<usize, CommandError> {
    let number = integer(text).ok().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| CommandError::err(error))
}

/// Parses a positive number; returns `error` for anything else.
pub(super) fn positive(text: &[u8], error: &'static str) -> Result<usize, CommandError> {
    match not_negative(text, error)? {
        0 => Err(CommandError::err(error)),
        number => Ok(number),
    }
}

/// Parses the index of a database; only 0 is valid.
pub(super) fn check_database(text: &[u8]) -> Result<(), CommandError> {
    let range = "value is out of range, value must between -2147483648 and 2147483647";
    let index = i32::try_from(integer(text)?).map_err(|_| CommandError::err(range))?;
    if index == 0 { Ok(()) } else { Err(CommandError::err("DB index is out of range")) }
}

/// The options at the end of a command's arguments.
pub(super) struct Options<'a>(pub(super) &'a [&'a [u8]]);

impl<'a> Options<'a> {
    /// Returns the name of the next option, in lowercase.
    pub(super) fn name(&mut self) -> Option<Vec<u8>> {
        let (name, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(name.to_ascii_lowercase())
    }

    /// Returns the next `number` arguments, the values of an option.
    pub(super) fn values(&mut self, number: usize) -> Result<&'a [&'a [u8]], CommandError> {
        let (values, rest) = self.0.split_at_checked(number).ok_or(CommandError::SYNTAX)?;
        self.0 = rest;
        Ok(values)
    }

    /// Returns the next argument, the only value of an option.
    pub(super) fn value(&mut self) -> Result<&'a [u8], CommandError> {
        self.values(1).map(|values| values[0])
    }
}

/// Returns whether an option is SYNC or ASYNC, which this server does not distinguish.
pub(super) fn is_sync_or_async(option: &[u8]) -> bool {
    option.eq_ignore_ascii_case(b"sync") || option.eq_ignore_ascii_case(b"async")
}

/// Returns the error for an unknown subcommand or a wrong number of arguments.
pub(super) fn wrong_arguments(container: &str, subcommand: &[u8]) -> CommandError {
    let before = "unknown subcommand or wrong number of arguments for '";
    let subcommand = shown(subcommand, MAX_SHOWN);
    CommandError::quoting(before, subcommand, &format!("'. Try {container} HELP."))
}

/// Returns whether a string matches a pattern, as in Redis's `stringmatchlen`. **O(n m)** in the
/// worst case.
///
/// `?` matches any byte, `*` any number of bytes, `[a-c_]` one byte of a class, `[^ab]` one byte
/// outside of a class, and a backslash escapes the next byte. An unclosed class extends to the end
/// of the pattern. An empty string matches `*`, but not `**`.
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    if pattern == b"*" {
        return true;
    }
    let (mut rest, mut left) = (pattern, text);
    // The pattern after the last star, and the rest of the string that this star does not cover. On
    // a mismatch, this star covers one more byte. Extending an earlier star could not help.
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
            // As in Redis, the bounds of a range may be in either order, and the second one may be
            // a `]`.
            [start, b'-', end, rest @ ..] => {
                ((start.min(end)..=start.max(end)).contains(&&byte), rest)
            }
            [literal, rest @ ..] => (*literal == byte, rest),
        };
        is_in |= is_match;
        class = rest;
    }
}
