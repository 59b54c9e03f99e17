//! The prompt: runs commands typed at a terminal, with completion, hints and HELP.

use std::borrow::Cow;
use std::fmt::Write as _;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::display::write_text;
use super::{DOES_NOT_WAIT, Next, Shell, ShellError, write_out};
use crate::commands::Command;
use crate::requests::{UnbalancedQuotes, split_line};

const WELCOME: &str = "\
Sorted sets at a prompt. HELP lists the commands, Tab completes them, Ctrl+D leaves.
";

/// Runs typed lines until the end of input.
pub(super) fn run(shell: &mut Shell) -> Result<Next, ShellError> {
    let mut editor = editor().map_err(terminal)?;
    write_out(WELCOME)?;
    loop {
        let is_queuing = shell.client.session().transaction.is_some();
        let line = match editor.readline(if is_queuing { "zset(TX)> " } else { "zset> " }) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(terminal(error)),
        };
        // Pasted text may have several lines.
        for line in line.lines().filter(|line| !line.trim().is_empty()) {
            editor.add_history_entry(line).map_err(terminal)?;
            let mut out = String::new();
            let next = shell.run_line(line.as_bytes(), &mut out);
            let next = next.unwrap_or_else(|UnbalancedQuotes| {
                out.push_str("Unbalanced quotes\n");
                Next::Go
            });
            write_out(&out)?;
            if next == Next::Leave {
                return Ok(next);
            }
        }
    }
    Ok(Next::Go)
}

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn terminal(error: ReadlineError) -> ShellError {
    format!("cannot use the terminal: {error}").into()
}

fn editor() -> Result<Editor<Assistant, MemHistory>, ReadlineError> {
    let config = Config::builder().completion_type(CompletionType::List).build();
    let mut editor = Editor::with_config(config)?;
    editor.set_helper(Some(Assistant));
    Ok(editor)
}

/// Provides completion and hints for commands.
struct Assistant;

impl Helper for Assistant {}
impl Validator for Assistant {}

impl Completer for Assistant {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> Result<(usize, Vec<Pair>), ReadlineError> {
        let names = names_from(&line[..at]).into_iter();
        let pair = |display: String| Pair { replacement: format!("{display} "), display };
        Ok((0, names.map(pair).collect()))
    }
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        if at < line.len() { None } else { hint(line) }
    }
}

impl Highlighter for Assistant {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        // Dim the hint. If NO_COLOR is set, `rustyline` does not call this method.
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }
}

/// The commands of the shell itself, with their arguments and summaries.
const OWN: [(&str, &str, &str); 4] = [
    ("show", "key [LIMIT count]", "Draws how a sorted set is stored."),
    ("help", "[command]", "Lists the commands, or shows the syntax of one."),
    ("quit", "", "Ends the shell."),
    ("exit", "", "Ends the shell."),
];

/// The width of the first column of lists.
const NAMES: usize = 18;

/// Writes the help about a topic, given as the arguments of HELP.
pub(super) fn write_help(topic: &[Vec<u8>], out: &mut String) {
    let name = topic.join(&b'|').to_ascii_lowercase();
    if name.is_empty() {
        for (name, _, summary) in OWN {
            write_line(name, summary, out);
        }
        for command in Command::all() {
            write_line(command.name, command.summary, out);
        }
    } else if let Some((name, arguments, summary)) = own(&name) {
        write_entry(name, arguments, summary, out);
    } else if let Some(command) = Command::find_nested(&name) {
        write_entry(command.name, command.arguments, command.summary, out);
        if command.has("blocking") {
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

/// Returns the command names that start with a word, in uppercase unless the word contains
/// lowercase letters.
pub(super) fn names_from(word: &str) -> Vec<String> {
    let is_small = word.contains(|letter: char| letter.is_ascii_lowercase());
    let lower = word.to_ascii_lowercase();
    let names = Command::all().map(|command| command.name).chain(OWN.map(|(name, ..)| name));
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
    let command = || Command::named_by(&typed).ok().map(|it| (it.name, it.arguments));
    let own = own(&typed.first()?.to_ascii_lowercase());
    let (name, syntax) = own.map(|(name, arguments, _)| (name, arguments)).or_else(command)?;
    let arguments = typed.len() - name.split('|').count();
    let is_between_words = line.ends_with(|last: char| last.is_ascii_whitespace());
    // No hint is given while an argument is being typed.
    if arguments > 0 && !is_between_words {
        return None;
    }
    let rest = rest_of(syntax, arguments);
    let space = if is_between_words { "" } else { " " };
    (!rest.is_empty()).then(|| format!("{space}{rest}"))
}

fn own(name: &[u8]) -> Option<(&'static str, &'static str, &'static str)> {
    OWN.into_iter().find(|(own, ..)| own.as_bytes() == name)
}

/// Returns the rest of the syntax after the first `typed` arguments; empty if it cannot be
/// determined because options come first.
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
fn write_entry(name: &str, arguments: &str, summary: &str, out: &mut String) {
    let usage = format!("{} {arguments}", spaced(name));
    let _ = writeln!(out, "{}\n  {summary}", usage.trim_end());
}

fn write_line(name: &str, summary: &str, out: &mut String) {
    let _ = writeln!(out, "  {:NAMES$} {summary}", spaced(name));
}

fn spaced(name: &str) -> String {
    name.replace('|', " ").to_ascii_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

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
