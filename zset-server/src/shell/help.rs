//! HELP: the syntax of commands.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::advice::DOES_NOT_WAIT;
use super::escape::typed;
use super::style::Style;
use super::syntax::arguments_of;
use super::words::{WORDS, Word};
use crate::command::Command;

const INTRODUCTION: &str = "\
The commands are those of Redis. Besides there are:
";

const TOPICS: &str = "\
HELP COMMAND tells about one of them, HELP @group about those of a group:
";

/// The width of the first column of lists.
const NAMES: usize = 18;

/// Writes help about a topic, the arguments of HELP.
pub(super) fn write_help(topic: &[Vec<u8>], style: Style, out: &mut String) {
    let words = topic;
    let topic = words.iter().map(|word| String::from_utf8_lossy(word).to_ascii_lowercase());
    let topic = topic.collect::<Vec<_>>().join("|");
    if topic.is_empty() {
        write_introduction(out);
    } else if let Some(group) = topic.strip_prefix('@')
        && groups().contains(group)
    {
        for command in Command::all().filter(|command| command.details().group == group) {
            write_line(command.name, command.summary, out);
        }
    } else if let Some(word) = Word::find(topic.as_bytes()) {
        write_entry(word.name, word.summary, style, out);
    } else if let Some(command) = Command::find_nested(topic.as_bytes()) {
        write_entry(command.name, command.summary, style, out);
        let details = command.details();
        let _ = writeln!(out, "  @{}, since Redis {}", details.group, details.since);
        if details.flags.contains(&"blocking") {
            let _ = writeln!(out, "  {DOES_NOT_WAIT}");
        }
        for command in command.subcommands() {
            write_line(&spaced(command.name), command.summary, out);
        }
    } else {
        let words: Vec<_> = words.iter().map(|word| typed(word, false)).collect();
        let _ = writeln!(out, "There is no help about {}.", words.join(" "));
    }
}

fn write_introduction(out: &mut String) {
    out.push_str(INTRODUCTION);
    for word in WORDS {
        write_line(word.name, word.summary, out);
    }
    out.push_str(TOPICS);
    let groups: Vec<_> = groups().into_iter().map(|group| format!("@{group}")).collect();
    let _ = writeln!(out, "  {}", groups.join(" "));
}

/// Returns the names of the groups that have commands.
pub(super) fn groups() -> BTreeSet<&'static str> {
    Command::all().map(|command| command.details().group).collect()
}

/// Returns the syntax of a command.
pub(super) fn usage(name: &str) -> String {
    let arguments = arguments_of(name).unwrap_or("");
    format!("{} {arguments}", spaced(name).to_ascii_uppercase()).trim_end().to_owned()
}

/// Writes the syntax of a command and its summary.
fn write_entry(name: &str, summary: &str, style: Style, out: &mut String) {
    let _ = writeln!(out, "{}\n  {summary}", style.heading(&usage(name)));
}

fn write_line(name: &str, summary: &str, out: &mut String) {
    let _ = writeln!(out, "  {:NAMES$} {summary}", name.to_ascii_uppercase());
}

fn spaced(name: &str) -> String {
    name.replace('|', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(topic: &[&str]) -> String {
        let mut out = String::new();
        let topic: Vec<_> = topic.iter().map(|word| word.as_bytes().to_vec()).collect();
        write_help(&topic, Style::Plain, &mut out);
        out
    }

    #[test]
    fn a_command_tells_its_arguments_and_what_it_does() {
        assert_eq!(
            help(&["zCARD"]),
            "ZCARD key\n  Returns the number of members.\n  @sorted-set, since Redis 1.2.0\n"
        );
        assert!(help(&["client"]).contains("CLIENT ID"));
        assert!(help(&["client", "id"]).starts_with("CLIENT ID\n"));
        assert!(help(&["show"]).starts_with("SHOW key [LIMIT count]\n"));
        assert_eq!(help(&["no\nsuch"]), "There is no help about \"no\\nsuch\".\n");
        assert_eq!(help(&["ZADD", "x y"]), "There is no help about ZADD \"x y\".\n");
        assert!(help(&["?"]).starts_with("? [command | @group]\n"));
        for name in ["bzpopmin", "bzpopmax", "bzmpop"] {
            assert!(help(&[name]).contains("does not wait"), "{name}");
        }
        assert!(!help(&["zpopmin"]).contains("does not wait"));
    }

    #[test]
    fn each_group_lists_its_commands() {
        let lines: usize =
            groups().iter().map(|group| help(&[&format!("@{group}")]).lines().count()).sum();
        assert_eq!(lines, Command::all().count());
        assert!(help(&[]).contains("@sorted-set"));
        assert!(help(&["@none"]).starts_with("There is no help"));
    }
}
