//! Types that mirror Redis's commands: the options and results of `ZADD`, and ranges parsed from
//! text.
//!
//! The methods of `ZSet` and [`PackedZSet`](crate::PackedZSet) that mirror commands take and return
//! these types, none of which needs an allocator.

use core::error::Error;
use core::fmt;
use core::ops::{Bound, Range, RangeBounds};

use crate::score::text::parse;
use crate::{NanScore, Score};

/// How to treat existing and new members when adding.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{AddOptions, Added};
/// use zset_core::{Score, ZSet};
///
/// let mut set = ZSet::new();
/// let only_higher = AddOptions::new().gt();
/// set.add("a", Score::from(5), only_higher)?;
/// assert_eq!(set.add("a", Score::from(3), only_higher)?, Added::Blocked);
/// assert_eq!(set.score("a"), Some(Score::from(5)));
/// # Ok::<(), zset_core::NanScore>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddOptions {
    condition: Condition,
    changed: bool,
    increment: bool,
}

/// The meaningful combinations of NX, XX, GT and LT.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Condition {
    #[default]
    Always,
    IfNew,
    IfThere,
    IfGreater,
    IfLess,
    IfThereAndGreater,
    IfThereAndLess,
}

/// The flags of a `ZADD` command, in any combination.
///
/// [`AddOptions::from_flags`] rejects contradictory combinations. Set the flags of a command in a
/// struct literal, with `..AddFlags::default()` for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "the command has these flags")]
pub struct AddFlags {
    /// Only adds new members.
    pub nx: bool,
    /// Only updates existing members.
    pub xx: bool,
    /// Only updates a member to a greater score; new members are still added, unless `xx` is set.
    pub gt: bool,
    /// Only updates a member to a lesser score; new members are still added, unless `xx` is set.
    pub lt: bool,
    /// Counts updated members too.
    pub ch: bool,
    /// Adds to the score instead of replacing it.
    pub incr: bool,
}

/// The error returned for contradictory flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AddOptionsError {
    /// NX with XX.
    NxAndXx,
    /// Two of GT, LT and NX.
    GtLtAndNx,
}

impl fmt::Display for AddOptionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddOptionsError::NxAndXx => "XX and NX options at the same time are not compatible",
            AddOptionsError::GtLtAndNx => {
                "GT, LT, and/or NX options at the same time are not compatible"
            }
        })
    }
}

impl Error for AddOptionsError {}

impl AddOptions {
    /// Returns the default options: adds new members and updates existing ones. **O(1)**.
    pub const fn new() -> Self {
        AddOptions { condition: Condition::Always, changed: false, increment: false }
    }

    /// Converts a command's flags into options. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`AddOptionsError`] for NX with XX, and for more than one of GT, LT and NX.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddFlags, AddOptions, AddOptionsError};
    ///
    /// let flags = AddFlags { xx: true, gt: true, ..AddFlags::default() };
    /// assert_eq!(AddOptions::from_flags(flags), Ok(AddOptions::new().gt().xx()));
    /// let flags = AddFlags { nx: true, ..flags };
    /// assert_eq!(AddOptions::from_flags(flags), Err(AddOptionsError::NxAndXx));
    /// ```
    pub const fn from_flags(flags: AddFlags) -> Result<Self, AddOptionsError> {
        let AddFlags { nx, xx, gt, lt, ch, incr } = flags;
        let condition = match (nx, xx, gt, lt) {
            (true, true, ..) => return Err(AddOptionsError::NxAndXx),
            (true, _, true, _) | (true, _, _, true) | (_, _, true, true) => {
                return Err(AddOptionsError::GtLtAndNx);
            }
            (true, false, false, false) => Condition::IfNew,
            (false, true, false, false) => Condition::IfThere,
            (false, true, true, false) => Condition::IfThereAndGreater,
            (false, true, false, true) => Condition::IfThereAndLess,
            (false, false, true, false) => Condition::IfGreater,
            (false, false, false, true) => Condition::IfLess,
            (false, false, false, false) => Condition::Always,
        };
        Ok(AddOptions { condition, changed: ch, increment: incr })
    }

    /// Sets NX, replacing XX, GT and LT: only adds new members. **O(1)**.
    pub const fn nx(self) -> Self {
        AddOptions { condition: Condition::IfNew, ..self }
    }

    /// Sets XX, replacing NX: only updates existing members. **O(1)**.
    pub const fn xx(self) -> Self {
        let condition = match self.condition {
            Condition::IfGreater | Condition::IfThereAndGreater => Condition::IfThereAndGreater,
            Condition::IfLess | Condition::IfThereAndLess => Condition::IfThereAndLess,
            Condition::Always | Condition::IfNew | Condition::IfThere => Condition::IfThere,
        };
        AddOptions { condition, ..self }
    }

    /// Sets GT, replacing NX and LT: only updates a member to a greater score. **O(1)**.
    ///
    /// New members are still added, unless XX is set.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::from([("a", Score::from(5))]);
    /// let gt = AddOptions::new().gt();
    /// assert_eq!(set.add("a", Score::from(3), gt)?, Added::Blocked);
    /// assert!(set.add("a", Score::from(7), gt)?.is_changed());
    /// assert!(set.add("b", Score::from(3), gt)?.is_inserted());
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn gt(self) -> Self {
        let condition = match self.condition {
            Condition::IfThere | Condition::IfThereAndGreater | Condition::IfThereAndLess => {
                Condition::IfThereAndGreater
            }
            _ => Condition::IfGreater,
        };
        AddOptions { condition, ..self }
    }

    /// Sets LT, replacing NX and GT: only updates a member to a lesser score. **O(1)**.
    ///
    /// New members are still added, unless XX is set.
    pub const fn lt(self) -> Self {
        let condition = match self.condition {
            Condition::IfThere | Condition::IfThereAndGreater | Condition::IfThereAndLess => {
                Condition::IfThereAndLess
            }
            _ => Condition::IfLess,
        };
        AddOptions { condition, ..self }
    }

    /// Sets CH: [`Added::count`] counts updated members too. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::AddOptions;
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// let added = set.add("a", Score::from(2), AddOptions::new())?;
    /// assert_eq!(added.count(AddOptions::new()), 0);
    /// assert_eq!(added.count(AddOptions::new().ch()), 1);
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn ch(self) -> Self {
        AddOptions { changed: true, ..self }
    }

    /// Sets INCR: adds to the score instead of replacing it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::AddOptions;
    /// use zset_core::{Score, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.insert("a", Score::from(1));
    /// let added = set.add("a", Score::from(2), AddOptions::new().incr())?;
    /// assert_eq!(added.score(), Some(Score::from(3)));
    /// # Ok::<(), zset_core::NanScore>(())
    /// ```
    pub const fn incr(self) -> Self {
        AddOptions { increment: true, ..self }
    }

    /// Returns the new score of a member, given its old score if the member exists; `None` if an
    /// option prevents the change.
    pub(crate) fn new_score(
        self,
        old: Option<Score>,
        score: Score,
    ) -> Result<Option<Score>, NanScore> {
        let Some(old) = old else {
            let must_be_there = matches!(
                self.condition,
                Condition::IfThere | Condition::IfThereAndGreater | Condition::IfThereAndLess
            );
            return Ok((!must_be_there).then_some(score));
        };
        if self.condition == Condition::IfNew {
            return Ok(None);
        }
        let score = if self.increment { old.checked_add(score.get())? } else { score };
        let is_blocked = match self.condition {
            Condition::IfGreater | Condition::IfThereAndGreater => score <= old,
            Condition::IfLess | Condition::IfThereAndLess => score >= old,
            Condition::Always | Condition::IfNew | Condition::IfThere => false,
        };
        Ok((!is_blocked).then_some(score))
    }

    /// Returns the outcome for a member, given its old score if the member exists.
    pub(crate) fn outcome(self, old: Option<Score>, score: Score) -> Result<Added, NanScore> {
        Ok(match (old, self.new_score(old, score)?) {
            (_, None) => Added::Blocked,
            (None, Some(score)) => Added::Inserted { score },
            (Some(old), Some(score)) if score == old => Added::Unchanged { score },
            (Some(old), Some(score)) => Added::Updated { old, score },
        })
    }
}

/// The outcome of adding a member.
///
/// The enum is exhaustive, so that a `match` can name every case.
///
/// # Examples
///
/// ```
/// use zset_core::redis::{AddOptions, Added};
/// use zset_core::{Score, ZSet};
///
/// let mut set = ZSet::new();
/// let (one, two) = (Score::from(1), Score::from(2));
/// assert_eq!(set.add("a", one, AddOptions::new())?, Added::Inserted { score: one });
/// assert_eq!(set.add("a", two, AddOptions::new())?, Added::Updated { old: one, score: two });
/// assert_eq!(set.add("a", two, AddOptions::new())?, Added::Unchanged { score: two });
/// assert_eq!(set.add("a", one, AddOptions::new().nx())?, Added::Blocked);
/// # Ok::<(), zset_core::NanScore>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// The member is new.
    Inserted {
        /// The new member's score.
        score: Score,
    },
    /// The member's score changed.
    Updated {
        /// The old score.
        old: Score,
        /// The new score.
        score: Score,
    },
    /// The member already had this score.
    Unchanged {
        /// The member's score.
        score: Score,
    },
    /// An option prevented the change.
    Blocked,
}

impl Added {
    /// Returns whether the member is new. **O(1)**.
    pub const fn is_inserted(self) -> bool {
        matches!(self, Added::Inserted { .. })
    }

    /// Returns whether the member is new or its score changed. **O(1)**.
    pub const fn is_changed(self) -> bool {
        matches!(self, Added::Inserted { .. } | Added::Updated { .. })
    }

    /// Returns this member's contribution to the result of `ZADD`: 1 if it is new or, with CH,
    /// updated; otherwise 0. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::redis::{AddOptions, Added};
    /// use zset_core::Score;
    ///
    /// let updated = Added::Updated { old: Score::ZERO, score: Score::from(1) };
    /// assert_eq!(updated.count(AddOptions::new()), 0);
    /// assert_eq!(updated.count(AddOptions::new().ch()), 1);
    /// ```
    pub const fn count(self, options: AddOptions) -> usize {
        (if options.changed { self.is_changed() } else { self.is_inserted() }) as usize
    }

    /// Returns the member's current score, as `ZADD INCR` does, or `None` if it was blocked.
    /// **O(1)**.
    pub const fn score(self) -> Option<Score> {
        match self {
            Added::Inserted { score }
            | Added::Updated { score, .. }
            | Added::Unchanged { score } => Some(score),
            Added::Blocked => None,
        }
    }
}

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
    /// Creates a range of the scores between two numbers. **O(1)**.
    ///
    /// # Errors
    ///
    /// [`NanScore`] if either bound is NaN.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::Bound::{Excluded, Unbounded};
    /// use zset_core::redis::ScoreRange;
    /// use zset_core::{NanScore, Score, ZSet};
    ///
    /// let set = ZSet::from([("a", Score::from(1)), ("b", Score::from(2))]);
    /// let above = ScoreRange::new(Excluded(1.5), Unbounded)?;
    /// assert!(set.range_by_score(above).all(|(member, _)| member == "b"));
    /// assert_eq!(ScoreRange::new(Unbounded, Excluded(f64::NAN)), Err(NanScore));
    /// # Ok::<(), NanScore>(())
    /// ```
    pub const fn new(start: Bound<f64>, end: Bound<f64>) -> Result<ScoreRange, NanScore> {
        match (number_bound(start), number_bound(end)) {
            (Ok(start), Ok(end)) => Ok(ScoreRange { start, end }),
            _ => Err(NanScore),
        }
    }

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

const fn number_bound(bound: Bound<f64>) -> Result<Bound<Score>, NanScore> {
    let (number, is_included) = match bound {
        Bound::Included(number) => (number, true),
        Bound::Excluded(number) => (number, false),
        Bound::Unbounded => return Ok(Bound::Unbounded),
    };
    match Score::new(number) {
        Ok(score) if is_included => Ok(Bound::Included(score)),
        Ok(score) => Ok(Bound::Excluded(score)),
        Err(NanScore) => Err(NanScore),
    }
}

fn score_bound(text: &[u8]) -> Result<Bound<Score>, ParseRangeError> {
    let (number, bound): (_, fn(Score) -> Bound<Score>) = match text {
        [b'(', number @ ..] => (number, Bound::Excluded),
        number => (number, Bound::Included),
    };
    let number = parse(number).ok_or(ParseRangeError::NotFloat)?;
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
        // As both bounds of a range, this makes the range empty: no string is both greater and less
        // than the empty string.
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
    /// A bound before all strings.
    First,
    At(Bound<&'a [u8]>),
    /// A bound after all strings.
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

/// Converts Redis's indexes to ranks. Both indexes are inclusive; negative ones count from the end.
///
/// Indexes past the ends are clamped, and an inverted range is empty. **O(1)**.
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
    fn score_ranges_of_numbers_are_those_of_their_texts() {
        use Bound::{Excluded, Included, Unbounded};

        for (start, end, texts) in [
            (Included(1.5), Excluded(-2.0), ["1.5", "(-2"]),
            (Excluded(-0.0), Included(f64::INFINITY), ["(0", "inf"]),
            (Included(f64::NEG_INFINITY), Excluded(5e-324), ["-inf", "(5e-324"]),
        ] {
            let parsed = ScoreRange::parse(texts[0].as_bytes(), texts[1].as_bytes()).unwrap();
            assert_eq!(ScoreRange::new(start, end), Ok(parsed));
        }
        let all = ScoreRange::new(Unbounded, Unbounded).unwrap();
        assert!(all.contains(&Score::NEG_INFINITY) && all.contains(&Score::INFINITY));
        for nan in [Included(f64::NAN), Excluded(-f64::NAN)] {
            for other in [Unbounded, Included(0.0), nan] {
                assert_eq!(ScoreRange::new(nan, other), Err(NanScore));
                assert_eq!(ScoreRange::new(other, nan), Err(NanScore));
            }
        }
    }

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
