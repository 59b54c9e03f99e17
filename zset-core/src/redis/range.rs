//! Ranges in the syntax of commands.

use core::error::Error;
use core::fmt;
use core::ops::{Bound, Range, RangeBounds};
use core::str;

use crate::Score;

/// A range of scores in Redis's syntax: `1.5`, `(1.5`, `-inf`, `+inf`.
///
/// # Examples
///
/// ```
/// use std::ops::RangeBounds;
/// use zset_core::redis::ScoreRange;
/// use zset_core::Score;
///
/// let range = ScoreRange::parse(b"(1.5", b"+inf")?;
/// assert!(!range.contains(&Score::new(1.5)?));
/// assert!(range.contains(&Score::INFINITY));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreRange {
    start: Bound<Score>,
    end: Bound<Score>,
}

/// A range of members with equal scores in Redis's syntax: `[abc`, `(abc`, `-`, `+`.
///
/// # Examples
///
/// ```
/// use std::ops::RangeBounds;
/// use zset_core::redis::LexRange;
///
/// let range = LexRange::parse(b"[b", b"(d")?;
/// assert!(range.contains(&&b"cat"[..]));
/// assert!(!range.contains(&&b"d"[..]));
/// # Ok::<(), zset_core::redis::ParseRangeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexRange<'a> {
    start: Bound<&'a [u8]>,
    end: Bound<&'a [u8]>,
}

/// The error returned for text that is not the bound of a range.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{LexRange, ParseRangeError, ScoreRange};
///
/// assert_eq!(ScoreRange::parse(b"1", b"ten"), Err(ParseRangeError::NotFloat));
/// assert_eq!(LexRange::parse(b"b", b"+"), Err(ParseRangeError::NotString));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseRangeError {
    /// A bound of a score range is not a number, or is NaN.
    NotFloat,
    /// A bound of a lexicographic range is not `-` or `+` and does not begin with `[` or `(`.
    NotString,
}

impl fmt::Display for ParseRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseRangeError::NotFloat => "min or max is not a float",
            ParseRangeError::NotString => "min or max not valid string range item",
        })
    }
}

impl Error for ParseRangeError {}

impl ScoreRange {
    /// Parses the two bounds, lowest first. **O(1)**.
    ///
    /// A number too large for an `f64` is treated as infinite.
    ///
    /// # Errors
    ///
    /// [`ParseRangeError::NotFloat`] if either bound is not a number, or is NaN.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::ScoreRange;
    ///
    /// assert!(ScoreRange::parse(b"-inf", b"(1e3").is_ok());
    /// assert!(ScoreRange::parse(b"(nan", b"[5").is_err());
    /// ```
    pub fn parse(min: &[u8], max: &[u8]) -> Result<ScoreRange, ParseRangeError> {
        Ok(ScoreRange { start: score_bound(min)?, end: score_bound(max)? })
    }
}

fn score_bound(text: &[u8]) -> Result<Bound<Score>, ParseRangeError> {
    let (number, bound): (_, fn(Score) -> Bound<Score>) = match text {
        [b'(', number @ ..] => (number, Bound::Excluded),
        number => (number, Bound::Included),
    };
    let number = str::from_utf8(number).map_err(|_| ParseRangeError::NotFloat)?;
    let number: f64 = number.parse().map_err(|_| ParseRangeError::NotFloat)?;
    Score::new(number).map(bound).map_err(|_| ParseRangeError::NotFloat)
}

impl<'a> LexRange<'a> {
    /// Parses the two bounds, lowest first. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`ParseRangeError::NotString`] if either bound is malformed.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::LexRange;
    ///
    /// assert!(LexRange::parse(b"-", b"[abc").is_ok());
    /// assert!(LexRange::parse(b"abc", b"+").is_err());
    /// ```
    pub fn parse(min: &'a [u8], max: &'a [u8]) -> Result<LexRange<'a>, ParseRangeError> {
        // No string is both greater and less than the empty string.
        const NOTHING: Bound<&[u8]> = Bound::Excluded(b"");
        match (lex_bound(min)?, lex_bound(max)?) {
            (LexBound::Last, _) | (_, LexBound::First) => {
                Ok(LexRange { start: NOTHING, end: NOTHING })
            }
            (min, max) => Ok(LexRange { start: min.bound(), end: max.bound() }),
        }
    }
}

enum LexBound<'a> {
    /// Before all strings.
    First,
    At(Bound<&'a [u8]>),
    /// After all strings.
    Last,
}

impl<'a> LexBound<'a> {
    fn bound(self) -> Bound<&'a [u8]> {
        match self {
            LexBound::At(bound) => bound,
            LexBound::First | LexBound::Last => Bound::Unbounded,
        }
    }
}

fn lex_bound(text: &[u8]) -> Result<LexBound<'_>, ParseRangeError> {
    match text {
        b"-" => Ok(LexBound::First),
        b"+" => Ok(LexBound::Last),
        [b'[', member @ ..] => Ok(LexBound::At(Bound::Included(member))),
        [b'(', member @ ..] => Ok(LexBound::At(Bound::Excluded(member))),
        _ => Err(ParseRangeError::NotString),
    }
}

impl RangeBounds<Score> for ScoreRange {
    fn start_bound(&self) -> Bound<&Score> {
        self.start.as_ref()
    }

    fn end_bound(&self) -> Bound<&Score> {
        self.end.as_ref()
    }
}

impl<'a> RangeBounds<&'a [u8]> for LexRange<'a> {
    fn start_bound(&self) -> Bound<&&'a [u8]> {
        self.start.as_ref()
    }

    fn end_bound(&self) -> Bound<&&'a [u8]> {
        self.end.as_ref()
    }
}

/// Converts Redis's indexes to ranks. Both are inclusive; negative ones count from the end.
///
/// Indexes beyond the ends are ignored, and an inverted range is empty. **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_core::redis::rank_range;
///
/// assert_eq!(rank_range(0, -1, 10), 0..10);
/// assert_eq!(rank_range(-3, -2, 10), 7..9);
/// assert_eq!(rank_range(5, 1000, 10), 5..10);
/// assert!(rank_range(3, 1, 10).is_empty());
/// ```
pub fn rank_range(start: i64, stop: i64, len: usize) -> Range<usize> {
    let place = |index: i64| {
        let distance = usize::try_from(index.unsigned_abs()).unwrap_or(usize::MAX);
        if index < 0 { len.checked_sub(distance) } else { Some(distance) }
    };
    let start = place(start).unwrap_or(0).min(len);
    let end = place(stop).map_or(0, |stop| stop.saturating_add(1));
    start..end.clamp(start, len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn score_bounds_parse_as_in_redis() {
        let parsed = |text: &str| score_bound(text.as_bytes());
        assert_eq!(parsed("1"), Ok(Bound::Included(Score::from(1))));
        assert_eq!(parsed("(1"), Ok(Bound::Excluded(Score::from(1))));
        assert_eq!(parsed("-inf"), Ok(Bound::Included(Score::NEG_INFINITY)));
        assert_eq!(parsed("+inf"), Ok(Bound::Included(Score::INFINITY)));
        assert_eq!(parsed("(+Infinity"), Ok(Bound::Excluded(Score::INFINITY)));
        assert_eq!(parsed("-0"), Ok(Bound::Included(Score::ZERO)));
        assert_eq!(parsed("1e999"), Ok(Bound::Included(Score::INFINITY)));
        for text in ["", "(", "nan", "(nan", "((1", "[1", "1)", "1 ", "one", "\u{e9}"] {
            assert_eq!(parsed(text), Err(ParseRangeError::NotFloat), "{text:?}");
        }
        assert_eq!(score_bound(b"1\xFF"), Err(ParseRangeError::NotFloat));
    }

    #[test]
    fn lex_bounds_parse_as_in_redis() {
        let range = |min: &'static str, max: &'static str| {
            LexRange::parse(min.as_bytes(), max.as_bytes()).map(|range| (range.start, range.end))
        };
        assert_eq!(range("-", "+"), Ok((Bound::Unbounded, Bound::Unbounded)));
        assert_eq!(range("[", "(a"), Ok((Bound::Included(&b""[..]), Bound::Excluded(&b"a"[..]))));
        for (min, max) in [("+", "-"), ("+", "+"), ("-", "-"), ("+", "[z"), ("[a", "-")] {
            let range = LexRange::parse(min.as_bytes(), max.as_bytes()).unwrap();
            for member in [&b""[..], b"a", b"\xFF\xFF"] {
                assert!(!range.contains(&member), "{min} {max}");
            }
        }
        for (min, max) in [("a", "+"), ("-", ""), ("-a", "+"), ("++", "+"), ("-", "a]")] {
            assert_eq!(range(min, max), Err(ParseRangeError::NotString));
        }
    }

    #[test]
    fn ranks_are_clamped() {
        for (start, stop, ranks) in [
            (0, -1, 0..3),
            (i64::MIN, i64::MAX, 0..3),
            (-2, -2, 1..2),
            (2, 2, 2..3),
            (-1, 0, 2..2),
            (3, 9, 3..3),
            (i64::MAX, i64::MIN, 3..3),
            (0, -4, 0..0),
            (-9, 0, 0..1),
        ] {
            assert_eq!(rank_range(start, stop, 3), ranks, "{start} {stop}");
        }
        assert_eq!(rank_range(0, -1, 0), 0..0);
    }
}
