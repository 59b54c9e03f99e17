//! What COMMAND tells of commands: a table in a text, read when it is first asked for.

use std::collections::HashMap;
use std::sync::LazyLock;

const TEXT: &str = include_str!("details.txt");

/// What COMMAND tells of a command, besides what the server goes by.
#[derive(Debug, Default)]
pub(crate) struct Details {
    pub(crate) group: &'static str,
    pub(crate) since: &'static str,
    pub(crate) flags: Vec<&'static str>,
    /// The categories of access, without the `@` before them.
    pub(crate) categories: Vec<&'static str>,
    pub(crate) tips: Vec<&'static str>,
    pub(crate) keys: Vec<KeySpec>,
}

/// Where keys are among the arguments, and what is done with them.
#[derive(Debug)]
pub(crate) struct KeySpec {
    pub(crate) flags: Vec<&'static str>,
    pub(crate) begin: usize,
    pub(crate) finds: Finds,
}

/// How the keys are found from where they begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Finds {
    /// To the last one, counted from the beginning, or from the end if it is below zero.
    Range { last: i64, step: usize, limit: i64 },
    /// Their number comes first.
    Number { index: usize, first: usize, step: usize },
}

/// Returns the details of a command; empty ones if there are none.
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
    /// Returns the places of the keys among arguments, of which the first is the command's name;
    /// none if the arguments are not such.
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
