//! Completions and hints for a line being typed.

use crate::command::Command;
use crate::keyspace::Keyspace;
use crate::resp::split_line;

use super::escape::typed;
use super::help::groups;
use super::syntax::{arguments_of, options_in, rest_of};
use super::words::{WORDS, Word, WordKind};

/// The maximum number of keys offered.
const MAX_KEYS: usize = 100;

/// Returns the start of the last word of a line, and its completions.
pub(super) fn complete(line: &str, keyspace: &Keyspace) -> (usize, Vec<String>) {
    let start = last_word(line);
    let word = &line[start..];
    let Ok(before) = split_line(&line.as_bytes()[..start]) else { return (start, Vec::new()) };
    let before: Vec<&[u8]> = before.iter().map(Vec::as_slice).collect();
    let mut candidates = match before.split_first() {
        None => of_case(command_names(), word),
        Some((name, rest)) => match Word::find(name) {
            Some(found) if found.name == "show" && rest.is_empty() => keys(keyspace, word),
            Some(found) if found.kind == WordKind::Help && rest.is_empty() => {
                let groups = groups().into_iter().map(|group| format!("@{group}"));
                of_case(command_names().map(str::to_owned).chain(groups), word)
            }
            Some(found) => of_case(options_in(found.arguments), word),
            None => arguments(&before, word, keyspace),
        },
    };
    candidates.sort_unstable();
    candidates.dedup();
    (start, candidates)
}

/// Returns the arguments of a line's command that are still to be typed.
pub(super) fn hint(line: &str) -> Option<String> {
    let typed = split_line(line.as_bytes()).ok()?;
    let typed: Vec<&[u8]> = typed.iter().map(Vec::as_slice).collect();
    let (name, names) = if let Some(word) = Word::find(typed.first()?) {
        (word.name, 1)
    } else {
        let command = Command::named_by(&typed).ok()?;
        (command.name, command.name.split('|').count())
    };
    let is_between_words = line.ends_with(|last: char| last.is_ascii_whitespace());
    // The word at the cursor is still being typed.
    let behind = typed.len() - names;
    let rest = match (behind, is_between_words) {
        (0, _) => rest_of(arguments_of(name)?, 0),
        (behind, true) => rest_of(arguments_of(name)?, behind),
        (_, false) => "",
    };
    let space = if is_between_words { "" } else { " " };
    (!rest.is_empty()).then(|| format!("{space}{rest}"))
}

/// Returns the start of the last word, which may be within an open quote.
fn last_word(line: &str) -> usize {
    let (mut start, mut quote, mut is_escaped) = (0, None, false);
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, _) if letter.is_ascii_whitespace() => start = at + 1,
            _ => {}
        }
    }
    start
}

fn command_names() -> impl Iterator<Item = &'static str> {
    Command::all().map(|command| command.name).chain(WORDS.iter().map(|word| word.name))
}

/// Returns the names that start with a word, in the word's case: uppercase unless it contains lowercase
/// letters.
fn of_case<T: AsRef<str>>(names: impl Iterator<Item = T>, word: &str) -> Vec<String> {
    let is_small = word.contains(|letter: char| letter.is_ascii_lowercase());
    let in_case = |name: &str| {
        if is_small { name.to_ascii_lowercase() } else { name.to_ascii_uppercase() }
    };
    let sought = in_case(word);
    names.map(|name| in_case(name.as_ref())).filter(|name| name.starts_with(&sought)).collect()
}

/// Returns the completions of a word after the arguments of a command.
fn arguments(before: &[&[u8]], word: &str, keyspace: &Keyspace) -> Vec<String> {
    let Ok(command) = Command::named_by(before) else { return Vec::new() };
    if let ([_], [_, ..]) = (before, command.subcommands()) {
        let names = command.subcommands().iter();
        return of_case(names.filter_map(|nested| nested.name.split('|').nth(1)), word);
    }
    if is_key(command.keys, before.len()) {
        return keys(keyspace, word);
    }
    of_case(arguments_of(command.name).into_iter().flat_map(options_in), word)
}

/// Returns whether an argument is a key.
fn is_key([first, last, step]: [i8; 3], place: usize) -> bool {
    let place = i64::try_from(place).unwrap_or(i64::MAX);
    let (first, last, step) = (i64::from(first), i64::from(last), i64::from(step));
    // If the last key is counted from the end, any further argument may be a key.
    first > 0 && place >= first && (last < 0 || place <= last) && (place - first) % step == 0
}

/// Returns the keys that start with a word, quoted for typing.
fn keys(keyspace: &Keyspace, word: &str) -> Vec<String> {
    let is_quoted = word.starts_with('"');
    let keys = keyspace.iter().map(|(key, _)| typed(key, is_quoted));
    keys.filter(|key| key.starts_with(word)).take(MAX_KEYS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keyspace::Value;

    fn completed(line: &str) -> String {
        let mut keyspace = Keyspace::default();
        for key in
            [&b"fruit"[..], b"from", b"to go", b"\xff", "日本".as_bytes(), "été à".as_bytes()]
        {
            keyspace.set(key, Value::String(Vec::new()));
        }
        let (start, candidates) = complete(line, &keyspace);
        format!("{start}: {}", candidates.join(","))
    }

    #[test]
    fn the_first_word_becomes_a_command_or_a_word_of_the_shell() {
        for (line, expected) in [
            ("zinc", "0: zincrby"),
            ("ZREVR", "0: ZREVRANGE,ZREVRANGEBYLEX,ZREVRANGEBYSCORE,ZREVRANK"),
            ("sho", "0: show"),
            ("nothing", "0: "),
            ("\"zad", "0: "),
        ] {
            assert_eq!(completed(line), expected, "{line}");
        }
        assert!(completed("").contains("ZADD"));
    }

    #[test]
    fn words_behind_it_become_subcommands_keys_or_options() {
        for (line, expected) in [
            ("memory u", "7: usage"),
            ("HELP ZCAR", "5: ZCARD"),
            ("help @so", "5: @sorted-set"),
            ("? @so", "2: @sorted-set"),
            ("get fr", "4: from,fruit"),
            ("get t", "4: "),
            ("get \"t", "4: \"to go\""),
            ("get \"to g", "4: \"to go\""),
            ("get 日", "4: 日本"),
            ("get \"ét", "4: \"été à\""),
            ("del a fr", "6: from,fruit"),
            ("show fru", "5: fruit"),
            ("show fruit L", "11: LIMIT"),
            ("zunion 1 fruit W", "15: WEIGHTS,WITHSCORES"),
            ("zrange a 0 1 b", "13: bylex,byscore"),
            ("zunionstore fr", "12: from,fruit"),
            ("none fr", "5: "),
        ] {
            assert_eq!(completed(line), expected, "{line}");
        }
        assert_eq!(completed("get "), "4: \"\\xff\",\"to go\",\"été à\",from,fruit,日本");
    }

    #[test]
    fn hints_are_the_arguments_to_come() {
        for (line, expected) in [
            ("zcount", Some(" key min max")),
            ("zcount ", Some("key min max")),
            ("zcount a", None),
            ("zcount a ", Some("min max")),
            ("zcount a 1 2 ", None),
            ("client setname ", Some("name")),
            ("show", Some(" key [LIMIT count]")),
            ("zcou", None),
            ("get \"", None),
            ("", None),
        ] {
            assert_eq!(hint(line).as_deref(), expected, "{line}");
        }
    }
}
