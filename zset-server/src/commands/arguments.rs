//! Reading arguments.

use zset_core::Score;
use zset_core::redis::{ParseRangeError, ScoreRange};

use crate::error::{CommandError, MAX_SHOWN, shown, until_zero};
use crate::glob;

/// Reads an integer, as Redis does: only in the way that it would be written.
pub(super) fn integer(text: &[u8]) -> Result<i64, CommandError> {
    crate::resp::parse_integer(text).ok_or(CommandError::NotAnInteger)
}

/// Reads a score.
pub(super) fn score(text: &[u8]) -> Result<Score, CommandError> {
    let text = std::str::from_utf8(text).map_err(|_| CommandError::NotAFloat)?;
    text.parse().map_err(|_| CommandError::NotAFloat)
}

/// Reads the cursor of a scan.
pub(super) fn cursor(text: &[u8]) -> Result<u64, CommandError> {
    // As for C's `strtoull`, there is a zero with a minus.
    let number = std::str::from_utf8(text).ok().and_then(|text| text.parse::<i128>().ok());
    let number = number.and_then(|number| u64::try_from(number).ok());
    number.ok_or_else(|| CommandError::err("invalid cursor"))
}

/// The elements of a page of a scan, unless it says how many.
pub(super) const PAGE: usize = 10;

/// Reads the COUNT of a scan.
pub(super) fn page_len(text: &[u8]) -> Result<usize, CommandError> {
    let count = usize::try_from(integer(text)?).ok().filter(|count| *count > 0);
    count.ok_or(CommandError::Syntax)
}

/// The options of a scan of the members of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) count: usize,
    /// None stands for all members.
    pub(super) pattern: Option<&'a [u8]>,
}

impl<'a> Page<'a> {
    /// Reads the options; those that not every such scan has, in lower case, are left to `other`.
    pub(super) fn parse(
        mut options: &[&'a [u8]],
        mut other: impl FnMut(&[u8]) -> Result<(), CommandError>,
    ) -> Result<Self, CommandError> {
        let mut page = Page { count: PAGE, pattern: None };
        while let [option, behind @ ..] = options {
            options = behind;
            match (option.to_ascii_lowercase().as_slice(), behind) {
                (b"count", [number, behind @ ..]) => {
                    page.count = page_len(number)?;
                    options = behind;
                }
                (b"match", [text, behind @ ..]) => {
                    page.pattern = Some(*text).filter(|text| !glob::is_everything(text));
                    options = behind;
                }
                (option, _) => other(option)?,
            }
        }
        Ok(page)
    }
}

/// Reads a range of scores. A bound without a number is 0, and one ends at a zero byte, as for Redis.
pub(super) fn score_range(min: &[u8], max: &[u8]) -> Result<ScoreRange, ParseRangeError> {
    fn bound(text: &[u8]) -> &[u8] {
        match until_zero(text) {
            b"" => b"0",
            b"(" => b"(0",
            text => text,
        }
    }
    ScoreRange::parse(bound(min), bound(max))
}

/// Reads a number of something; whatever else it is, there is one error.
pub(super) fn not_negative(text: &[u8], error: &'static str) -> Result<usize, CommandError> {
    let number = integer(text).ok().and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| CommandError::err(error))
}

/// Reads an integer of 32 bits.
pub(super) fn small_integer(text: &[u8]) -> Result<i32, CommandError> {
    let range = "value is out of range, value must between -2147483648 and 2147483647";
    i32::try_from(integer(text)?).map_err(|_| CommandError::err(range))
}

/// Returns whether an option says how to remove all of something; there is one way to do it.
pub(super) fn is_sync_or_async(option: &[u8]) -> bool {
    option.eq_ignore_ascii_case(b"sync") || option.eq_ignore_ascii_case(b"async")
}

/// Returns the error of a command that does not know what to do with a subcommand.
pub(super) fn wrong_arguments(container: &str, subcommand: &[u8]) -> CommandError {
    let before = "unknown subcommand or wrong number of arguments for '";
    let subcommand = shown(subcommand, MAX_SHOWN);
    CommandError::quoting(before, subcommand, &format!("'. Try {container} HELP."))
}
