//! Hints shown after an error.

use super::help::usage;
use super::words::WORDS;
use crate::command::Command;

/// Shown after a command that would wait on a server.
pub(super) const DOES_NOT_WAIT: &str =
    "The shell does not wait, because no other client could add a member.";

/// The maximum length of a word that is considered a typo.
const MAX_NAME: usize = 32;

/// The number of letters per tolerated typo.
const LETTERS_FOR_TYPO: usize = 3;

/// Returns advice about an error reply.
pub(super) fn about_error(arguments: &[&[u8]], reply: &[u8]) -> Option<String> {
    if let Some(rest) = reply.strip_prefix(b"-ERR wrong number of arguments for '") {
        let name = std::str::from_utf8(rest.split(|byte| *byte == b'\'').next()?).ok()?;
        return Some(format!("Usage: {}", usage(name)));
    }
    if !reply.starts_with(b"-ERR unknown ") {
        return None;
    }
    let (first, rest) = arguments.split_first()?;
    let name = match Command::find(first) {
        None => {
            let words = WORDS.iter().map(|word| word.name);
            nearest(first, Command::all().map(|command| command.name).chain(words))?.to_owned()
        }
        Some(container) => {
            let names = container.subcommands().iter();
            let names = names.filter_map(|nested| nested.name.split('|').nth(1));
            format!("{} {}", container.name, nearest(rest.first()?, names)?)
        }
    };
    Some(format!("Did you mean {}?", name.to_ascii_uppercase()))
}

/// Returns the name of which a word is most likely a typo.
///
/// The first letter must match: otherwise Redis commands that do not exist here would be mistaken for
/// others, such as HSET for SET.
fn nearest(word: &[u8], names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let word = std::str::from_utf8(word).ok().filter(|word| word.len() <= MAX_NAME)?;
    let word = word.to_ascii_lowercase();
    let typos = |name: &str| strsim::osa_distance(&word, name);
    let most = (word.len() / LETTERS_FOR_TYPO).max(1);
    let alike = names.filter(|name| name.len() > 1 && name.chars().next() == word.chars().next());
    alike
        .map(|name| (typos(name), name))
        .filter(|(typos, _)| *typos <= most)
        .min()
        .map(|(_, name)| name)
}
