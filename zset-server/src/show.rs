//! SHOW: a drawing of how a sorted set is stored.

mod listpack;
mod skip_list;
#[cfg(test)]
mod tests;
mod text;
mod way;

use crate::error::CommandError;
use crate::keyspace::Value;
use crate::resp::parse_integer;
use crate::shell::Style;

use text::Picture;

/// What to draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Show<'a> {
    pub(crate) key: &'a [u8],
    /// The number of leaves, or of members of a listpack, to draw, if given: half of them from the start,
    /// half from the end.
    limit: Option<usize>,
}

impl<'a> Show<'a> {
    /// Parses the arguments of SHOW: `key [LIMIT count]`.
    pub(crate) fn parse(arguments: &'a [Vec<u8>]) -> Result<Show<'a>, CommandError> {
        match arguments {
            [] => Err(CommandError::WrongArity("show".to_owned())),
            [key] => Ok(Show { key, limit: None }),
            [key, option, count] if option.eq_ignore_ascii_case(b"limit") => {
                let count = parse_integer(count).ok_or(CommandError::NotAnInteger)?;
                let limit = usize::try_from(count)
                    .map_err(|_| CommandError::err("LIMIT can't be negative"))?;
                Ok(Show { key, limit: Some(limit) })
            }
            _ => Err(CommandError::Syntax),
        }
    }
}

/// Draws the value of a key, in lines of at most `width` columns.
pub(crate) fn show(
    what: &Show<'_>,
    value: Option<&Value>,
    style: Style,
    width: usize,
) -> Result<String, CommandError> {
    let key = text::quoted(what.key);
    let mut heading = Picture::new(width);
    let mut picture = Picture::new(width);
    match value {
        None => return Err(CommandError::err("no such key")),
        Some(Value::String(string)) => picture.line(&format!(
            "{key} is a string of {} bytes: {}",
            string.len(),
            text::quoted(string)
        )),
        Some(Value::Set(set)) => {
            let members = text::count(set.len(), "member");
            picture.line(&format!("{key} is a set of {members} without scores, in a hash table"));
        }
        Some(Value::SortedSet(set)) => {
            let members = text::count(set.len(), "member");
            heading.line(&format!("{key} is a {} of {members}", set.encoding()));
            if let Some(list) = set.as_listpack() {
                listpack::draw(list, set.limits(), what.limit, &mut picture);
            }
            if let Some(sorted) = set.as_sorted_set() {
                skip_list::draw(sorted, set.allocation_size(), what.limit, &mut picture);
            }
        }
    }
    let (heading, picture) = (heading.into_text(), picture.into_text());
    Ok(match heading.trim_end() {
        "" => picture,
        heading => format!("{}\n\n{picture}", style.heading(heading)),
    })
}
