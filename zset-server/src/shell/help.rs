//! The syntax of commands, for HELP, hints, and the completion of names. It is an embedded text table,
//! parsed on first use.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use super::DOES_NOT_WAIT;
use super::display::{Style, write_text};
use crate::command::Command;
use crate::resp::split_line;

const TEXT: &str = include_str!("syntax.txt");

/// The commands of the shell itself, with their summaries.
const OWN: [(&str, &str); 4] = [
    ("show", "Draws how a sorted set is stored."),
    ("help", "Lists the commands, or shows the syntax of one."),
    ("quit", "Ends the shell."),
    ("exit", "Ends the shell."),
];

/// The width of the first column of lists.
const NAMES: usize = 18;

/// Writes help about a topic, the arguments of HELP.
pub(super) fn write_help(topic: &[Vec<u8>], style: Style, out: &mut String) {
    let name = topic.join(&b'|').to_ascii_lowercase();
    if name.is_empty() {
        for (name, summary) in OWN {
            write_line(name, summary, out);
        }
        for command in Command::all() {
            write_line(command.name, command.summary, out);
        }
    } else if let Some((name, summary)) = own(&name) {
        write_entry(name, summary, style, out);
    } else if let Some(command) = Command::find_nested(&name) {
        write_entry(command.name, command.summary, style, out);
        if command.flag_names.contains(&"blocking") {
            let _ = writeln!(out, "  {DOES_NOT_WAIT}");
        }
        for command in &command.subcommands {
            write_line(command.name, command.summary, out);
        }
    } else {
        out.push_str("There is no help about ");
        write_text(&topic.join(&b' '), out);
        out.push_str(".\n");
    }
}

/// Returns the names that start with a word, in uppercase unless the word contains lowercase letters.
pub(super) fn names_from(word: &str) -> Vec<String> {
    let is_small = word.contains(|letter: char| letter.is_ascii_lowercase());
    let lower = word.to_ascii_lowercase();
    let names = Command::all().map(|command| command.name).chain(OWN.map(|(name, _)| name));
    let mut names: Vec<_> = names
        .filter(|name| name.starts_with(&lower))
        .map(|name| if is_small { name.to_owned() } else { name.to_ascii_uppercase() })
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Returns the arguments of a line's command that are still to be typed.
pub(super) fn hint(line: &str) -> Option<String> {
    let typed = split_line(line.as_bytes()).ok()?;
    let typed: Vec<&[u8]> = typed.iter().map(Vec::as_slice).collect();
    let name = match own(&typed.first()?.to_ascii_lowercase()) {
        Some((name, _)) => name,
        None => Command::named_by(&typed).ok()?.name,
    };
    let arguments = typed.len() - name.split('|').count();
    let is_between_words = line.ends_with(|last: char| last.is_ascii_whitespace());
    // The word at the cursor is still being typed.
    if arguments > 0 && !is_between_words {
        return None;
    }
    let rest = rest_of(arguments_of(name), arguments);
    let space = if is_between_words { "" } else { " " };
    (!rest.is_empty()).then(|| format!("{space}{rest}"))
}

fn own(name: &[u8]) -> Option<(&'static str, &'static str)> {
    OWN.into_iter().find(|(own, _)| own.as_bytes() == name)
}

/// Returns the syntax of the arguments of a command, or of a subcommand by a name like `client|id`.
fn arguments_of(name: &str) -> &'static str {
    static TABLE: LazyLock<HashMap<String, &'static str>> = LazyLock::new(|| {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.filter_map(|line| line.split_once('|'));
        lines.map(|(name, rest)| (name.trim().replace(' ', "|"), rest.trim())).collect()
    });
    TABLE.get(name).copied().unwrap_or_default()
}

/// Returns the rest of the syntax after the first `typed` arguments; empty if it cannot be determined
/// because options come first.
fn rest_of(arguments: &'static str, typed: usize) -> &'static str {
    let mut rest = arguments;
    for _ in 0..typed {
        if rest.starts_with(['[', '<']) {
            return "";
        }
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest);
    }
    rest
}

/// Writes the syntax of a command and its summary.
fn write_entry(name: &str, summary: &str, style: Style, out: &mut String) {
    let usage = format!("{} {}", spaced(name), arguments_of(name));
    let _ = writeln!(out, "{}\n  {summary}", style.heading(usage.trim_end()));
}

fn write_line(name: &str, summary: &str, out: &mut String) {
    let _ = writeln!(out, "  {:NAMES$} {summary}", spaced(name));
}

fn spaced(name: &str) -> String {
    name.replace('|', " ").to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::testing::ask;
    use crate::{Client, Engine};

    #[test]
    fn each_command_has_a_syntax_that_matches_its_arity() {
        let commands = Command::all().filter(|command| own(command.name.as_bytes()).is_none());
        for command in
            commands.flat_map(|command| std::iter::once(command).chain(&command.subcommands))
        {
            let start = command.name.replace('|', " ") + " |";
            assert!(TEXT.lines().any(|line| line.starts_with(&start)), "{start}");
            let arguments = arguments_of(command.name);
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

    /// Returns all commands of the server and their subcommands.
    fn all_nested() -> impl Iterator<Item = &'static Command> {
        Command::all().flat_map(|command| std::iter::once(command).chain(&command.subcommands))
    }

    #[test]
    fn each_line_is_of_a_command_and_each_command_has_one() {
        let lines = TEXT.lines().filter(|line| !line.starts_with('#'));
        let mut listed: Vec<_> = lines
            .map(|line| line.split_once(" |").expect("a line has a bar").0.replace(' ', "|"))
            .collect();
        let mut names: Vec<_> = all_nested().map(|command| command.name.to_owned()).collect();
        names.extend(OWN.map(|(name, _)| name.to_owned()));
        listed.sort_unstable();
        names.sort_unstable();
        names.dedup();
        assert_eq!(listed, names);
    }

    /// Returns the lines that a syntax describes: the shortest one, then one for each option and choice.
    /// Repetitions occur once.
    fn lines_of(syntax: &str) -> Vec<Vec<&str>> {
        let mut rest = syntax;
        let lines = sequences(&mut rest);
        assert!(rest.is_empty(), "{syntax}: unmatched bracket at {rest}");
        lines.into_iter().next().expect("there is one alternative").clone()
    }

    /// Parses alternatives up to a closing bracket, which stays: the lines of each.
    fn sequences<'a>(rest: &mut &'a str) -> Vec<Vec<Vec<&'a str>>> {
        let mut alternatives = vec![vec![vec![]]];
        loop {
            *rest = rest.trim_start();
            let lines = match rest.chars().next() {
                None | Some(']' | '>') => return alternatives,
                Some('|') => {
                    *rest = &rest[1..];
                    alternatives.push(vec![vec![]]);
                    continue;
                }
                Some(bracket @ ('[' | '<')) => {
                    *rest = &rest[1..];
                    let inner = sequences(rest);
                    let closing = if bracket == '[' { ']' } else { '>' };
                    *rest = rest.strip_prefix(closing).expect("brackets match");
                    let absent = if bracket == '[' { vec![vec![]] } else { vec![] };
                    absent.into_iter().chain(inner.into_iter().flatten()).collect()
                }
                Some(_) => {
                    let end = rest.find([' ', ']', '>', '[', '<']).unwrap_or(rest.len());
                    let (word, behind) = rest.split_at(end);
                    *rest = behind;
                    if word == "..." {
                        continue;
                    }
                    vec![vec![word]]
                }
            };
            let before = alternatives.pop().expect("there is one");
            let extended = |line: &Vec<&'a str>, with: &Vec<&'a str>| [&line[..], with].concat();
            let shortest = before.iter().map(|line| extended(line, &lines[0]));
            let others = lines[1..].iter().map(|with| extended(&before[0], with));
            alternatives.push(shortest.chain(others).collect());
        }
    }

    #[test]
    fn a_syntax_is_expanded_to_lines() {
        let lines = |syntax| lines_of(syntax).iter().map(|line| line.join(" ")).collect::<Vec<_>>();
        assert_eq!(lines(""), [""]);
        assert_eq!(lines("key [key ...]"), ["key", "key key"]);
        assert_eq!(lines("a <B | C [d]> [E | F g]"), ["a B", "a C", "a C d", "a B E", "a B F g"]);
        assert_eq!(lines("[a [B [c]]] d"), ["d", "a d", "a B d", "a B c d"]);
    }

    fn is_literal(word: &str) -> bool {
        word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '-')
    }

    /// No command has an option or a subcommand of this name.
    const NONSENSE: &str = "NOSUCH";

    /// A server with a value of a command's type at the key `1`.
    struct Server {
        engine: Engine,
        client: Client,
        command: &'static Command,
    }

    impl Server {
        fn of(command: &'static Command) -> Self {
            let mut engine = Engine::new();
            let mut client = engine.client();
            let value = match command.group {
                "string" => "SET 1 1",
                "set" => "SADD 1 1",
                _ => "ZADD 1 1 1",
            };
            ask(&mut engine, &mut client, value);
            Server { engine, client, command }
        }

        /// Runs the command; placeholders among the arguments are replaced. An error changes nothing.
        fn reply(&mut self, arguments: &[&str]) -> String {
            let keys = arguments.iter().filter(|word| **word == "key").count().to_string();
            let words = arguments.iter().map(|word| match *word {
                word if is_literal(word) => word,
                "protover" => "2",
                "numkeys" => keys.as_str(),
                _ => "1",
            });
            let line: Vec<_> = self.command.name.split('|').chain(words).collect();
            let reply = ask(&mut self.engine, &mut self.client, &line.join(" "));
            if !reply.starts_with('-') {
                *self = Server::of(self.command);
            }
            reply
        }
    }

    #[test]
    fn what_help_shows_is_accepted() {
        for command in all_nested().filter(|command| own(command.name.as_bytes()).is_none()) {
            let mut server = Server::of(command);
            for line in lines_of(arguments_of(command.name)) {
                if !command.takes(line.len() + command.name.split('|').count()) {
                    continue;
                }
                let shown = format!("{} {}", command.name, line.join(" "));
                let actual = server.reply(&line);
                assert_ne!(actual, "-ERR syntax error\r\n", "{shown}");
                for (index, literal) in line.iter().enumerate().filter(|(_, word)| is_literal(word))
                {
                    let mut other = line.clone();
                    other[index] = NONSENSE;
                    let other = server.reply(&other).replace(NONSENSE, literal);
                    assert_ne!(actual, other, "{literal} is any word: {shown}");
                }
            }
        }
    }

    /// Returns all words that commands may compare with an argument, in uppercase.
    fn vocabulary() -> BTreeSet<String> {
        fn read(folder: &Path, words: &mut BTreeSet<String>) {
            for entry in fs::read_dir(folder).expect("there are sources") {
                let path = entry.expect("they can be read").path();
                if path.is_dir() {
                    read(&path, words);
                } else if path.extension().is_some_and(|extension| extension == "rs") {
                    let text = fs::read_to_string(path).expect("they can be read");
                    let literals = text.split('"').map(str::to_ascii_uppercase);
                    words.extend(literals.filter(|word| !word.is_empty() && is_literal(word)));
                }
            }
        }
        let mut words = BTreeSet::new();
        read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/commands"), &mut words);
        assert!(words.contains("NOSCORES") && words.contains("NX"));
        words
    }

    /// Words for which a command has an error of its own, or that are parameters.
    const NOT_SHOWN: [(&str, &str); 6] = [
        ("zscan", "NOVALUES"),
        ("zrangebylex", "WITHSCORES"),
        ("zrevrangebylex", "WITHSCORES"),
        ("zrevrange", "LIMIT"),
        ("config|set", "SAVE"),
        ("config|set", "TIMEOUT"),
    ];

    #[test]
    fn what_is_accepted_is_shown_by_help() {
        let vocabulary = vocabulary();
        // The last choices of the options that take one of several words.
        let choices = vocabulary.iter().filter(|word| TEXT.contains(&format!("{word}>")));
        let choices: Vec<_> = choices.map(String::as_str).map(|value| vec![value]).collect();
        let values = [&[vec![], vec!["1"], vec!["1", "1"]], &choices[..]].concat();
        let mut missing = Vec::new();
        for command in all_nested().filter(|command| command.arity < 0) {
            let syntax = arguments_of(command.name);
            // The subcommands have lines of their own.
            if syntax.trim_start_matches('[').starts_with("subcommand") {
                continue;
            }
            let lines = lines_of(syntax);
            let is_shown = |word| lines.iter().flatten().any(|shown| *shown == word);
            // Some options need an optional argument before them.
            let options = |line: &[&str]| line.iter().filter(|word| is_literal(word)).count();
            let plain = lines.iter().filter(|line| options(line) == options(&lines[0]));
            let splits =
                plain.flat_map(|line| (0..=line.len()).map(|middle| line.split_at(middle)));
            let mut server = Server::of(command);
            for ((before, behind), values) in
                splits.flat_map(|split| values.iter().map(move |values| (split, values)))
            {
                let mut with = |word| server.reply(&[before, &[word], values, behind].concat());
                let other = with(NONSENSE);
                // Any word is valid here.
                if !other.starts_with('-') {
                    continue;
                }
                for word in vocabulary.iter().map(String::as_str) {
                    let is_known = with(word) != other.replace(NONSENSE, word);
                    if is_known && !is_shown(word) && !NOT_SHOWN.contains(&(command.name, word)) {
                        missing.push((command.name, word, values));
                    }
                }
            }
        }
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn help_shows_the_arguments_and_the_summary() {
        let help = |topic: &[&str]| {
            let mut out = String::new();
            let topic: Vec<_> = topic.iter().map(|word| word.as_bytes().to_vec()).collect();
            write_help(&topic, Style::Plain, &mut out);
            out
        };
        assert_eq!(help(&["zCARD"]), "ZCARD key\n  Returns the number of members.\n");
        assert!(help(&["client"]).contains("CLIENT ID"));
        assert!(help(&["client", "id"]).starts_with("CLIENT ID\n"));
        assert!(help(&["show"]).starts_with("SHOW key [LIMIT count]\n"));
        assert_eq!(help(&["no\nsuch"]), "There is no help about no\\nsuch.\n");
        assert!(help(&["bzpopmin"]).contains("does not wait"));
        assert_eq!(help(&[]).lines().count(), Command::all().count() + OWN.len());
    }

    #[test]
    fn names_are_completed_in_the_case_of_the_word() {
        assert_eq!(names_from("zinc"), ["zincrby"]);
        assert_eq!(
            names_from("ZREVRA"),
            ["ZREVRANGE", "ZREVRANGEBYLEX", "ZREVRANGEBYSCORE", "ZREVRANK"]
        );
        assert_eq!(names_from("sho"), ["show"]);
        assert!(names_from("nothing").is_empty());
    }

    #[test]
    fn hints_are_the_remaining_arguments() {
        for (line, expected) in [
            ("zcount", Some(" key min max")),
            ("zcount ", Some("key min max")),
            ("zcount a", None),
            ("zcount a ", Some("min max")),
            ("zcount a 1 2 ", None),
            ("zrange a 0 1 ", Some("[BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES]")),
            ("zrange a 0 1 REV ", None),
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
