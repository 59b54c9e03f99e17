//! The details shown by COMMAND: an embedded text table, parsed on first use.

use std::collections::HashMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("details.txt");

/// The details of a command shown by COMMAND.
#[derive(Debug, Default)]
pub(crate) struct Details {
    pub(crate) group: &'static str,
    pub(crate) since: &'static str,
    pub(crate) flags: Vec<&'static str>,
    /// The access control categories, without the leading `@`.
    pub(crate) categories: Vec<&'static str>,
    pub(crate) tips: Vec<&'static str>,
    pub(crate) keys: Vec<KeySpec>,
}

/// The positions of keys among the arguments, and how the command uses these keys.
#[derive(Debug)]
pub(crate) struct KeySpec {
    pub(crate) flags: Vec<&'static str>,
    pub(crate) begin: usize,
    pub(crate) finds: Finds,
}

/// How to find the remaining keys from the position of the first.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finds {
    /// Up to the last key, whose position counts from `begin`, or from the end if negative.
    Range { last: i64, step: usize, limit: i64 },
    /// The number of keys is itself an argument.
    Number { index: usize, first: usize, step: usize },
}

/// Returns the details of a command, or empty ones if there are none.
pub(super) fn of(name: &str) -> &'static Details {
    static DETAILS: LazyLock<HashMap<String, Details>> =
        LazyLock::new(|| TEXT.lines().filter(|line| !line.starts_with('#')).map(parse).collect());
    static NONE: LazyLock<Details> = LazyLock::new(Details::default);
    DETAILS.get(name).unwrap_or(&NONE)
}

fn parse(line: &'static str) -> (String, Details) {
    let mut columns = line.split('|').map(str::trim);
    let mut column = || columns.next().unwrap_or_default();
    let name = column().replace(' ', "|");
    let details = Details {
        group: column(),
        since: column(),
        flags: words(column(), ','),
        categories: words(column(), ','),
        tips: words(column(), ','),
        keys: words(column(), ';').into_iter().filter_map(key_spec).collect(),
    };
    (name, details)
}

fn words(text: &'static str, separator: char) -> Vec<&'static str> {
    text.split(separator).filter(|word| !word.is_empty()).collect()
}

fn key_spec(text: &'static str) -> Option<KeySpec> {
    let mut parts = text.split(':');
    let flags = words(parts.next()?, ' ');
    let begin = parts.next()?.parse().ok()?;
    let (kind, numbers) = parts.next()?.split_once(' ')?;
    let numbers: Vec<i64> = numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
    let &[one, two, three] = numbers.as_slice() else { return None };
    let (size, last) = (usize::try_from(two).ok()?, usize::try_from(three).ok());
    let finds = match kind {
        "range" => Finds::Range { last: one, step: size, limit: three },
        _ => Finds::Number { index: usize::try_from(one).ok()?, first: size, step: last? },
    };
    Some(KeySpec { flags, begin, finds })
}

impl KeySpec {
    /// Returns the positions of the keys among the arguments, the first of which is the command's name;
    /// `None` if the arguments do not match.
    pub(crate) fn places(&self, arguments: &[&[u8]]) -> Option<Vec<usize>> {
        let begin = self.begin;
        let (first, last, step) = match self.finds {
            Finds::Range { last, step, .. } => {
                let last = match usize::try_from(last) {
                    Ok(last) => begin + last,
                    Err(_) => arguments.len().checked_add_signed(isize::try_from(last).ok()?)?,
                };
                (begin, last, step)
            }
            Finds::Number { index, first, step } => {
                let number = crate::resp::parse_integer(arguments.get(begin + index)?)?;
                let number = usize::try_from(number).ok().filter(|number| *number > 0)?;
                let last = (number - 1).checked_mul(step)?.checked_add(begin + first)?;
                (begin + first, last, step)
            }
        };
        (last < arguments.len()).then(|| (first..=last).step_by(step.max(1)).collect())
    }
}
