//! The syntax of commands: an embedded text table, parsed on first use.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::Word;

const TEXT: &str = include_str!("syntax.txt");

/// Returns the syntax of the arguments of a command, or of a subcommand by a name like `client|id`;
/// `None` if it is unknown.
pub(super) fn arguments_of(name: &str) -> Option<&'static str> {
    static TABLE: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.filter_map(|line| line.split_once('|'));
        lines.map(|(name, rest)| (name.trim().replace(' ', "|"), rest.trim())).collect()
    });
    let word = Word::find(name.as_bytes()).map(|word| word.arguments);
    word.or_else(|| TABLE.get(name).copied())
}

/// Returns the literal words in a syntax, such as `WITHSCORES`.
pub(super) fn options_in(arguments: &'static str) -> impl Iterator<Item = &'static str> {
    let words = arguments.split([' ', '[', ']', '<', '>', '|']);
    words.filter(|word| {
        word.len() > 1 && !word.contains(|letter: char| letter.is_lowercase() || letter == '.')
    })
}

/// Returns the rest of the syntax after the first `typed` arguments; empty if it cannot be determined
/// because options come first.
pub(super) fn rest_of(arguments: &'static str, typed: usize) -> &'static str {
    let mut rest = arguments;
    for _ in 0..typed {
        if rest.starts_with(['[', '<']) {
            return "";
        }
        rest = rest.split_once(' ').map_or("", |(_, behind)| behind);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;

    #[test]
    fn each_command_tells_how_it_is_written() {
        // Words of the shell may shadow commands.
        let commands =
            Command::all().filter(|command| Word::find(command.name.as_bytes()).is_none());
        for command in
            commands.flat_map(|command| std::iter::once(command).chain(command.subcommands()))
        {
            let arguments = arguments_of(command.name).unwrap_or_else(|| {
                panic!("{} is not in syntax.txt", command.name);
            });
            let is_fixed = command.arity > 0;
            assert_eq!(is_fixed, !arguments.contains('['), "{}: {arguments}", command.name);
            if is_fixed {
                // A choice between literal words counts as one of them.
                let bars = arguments.matches(" | ").count();
                let name = command.name.split('|').count();
                let words = name + arguments.split_whitespace().count() - 2 * bars;
                assert!(command.takes(words), "{}: {arguments}", command.name);
            }
        }
    }

    #[test]
    fn options_are_the_words_in_capitals() {
        let options = options_in("key [NX | XX] <MIN | MAX> score [score member ...] [CH]");
        assert!(options.eq(["NX", "XX", "MIN", "MAX", "CH"]));
    }

    #[test]
    fn what_is_typed_is_no_longer_hinted_at() {
        let arguments = "key start stop [REV] [LIMIT offset count]";
        for (typed, rest) in [
            (0, arguments),
            (1, "start stop [REV] [LIMIT offset count]"),
            (3, "[REV] [LIMIT offset count]"),
            (4, ""),
        ] {
            assert_eq!(rest_of(arguments, typed), rest);
        }
        assert_eq!(rest_of("key", 2), "");
    }
}
