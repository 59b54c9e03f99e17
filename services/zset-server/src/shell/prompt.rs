//! The prompt: commands typed interactively.

use std::borrow::Cow;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::{Next, Shell, ShellError, help, write_out};
use crate::resp::UnbalancedQuotes;

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
        let names = help::names_from(&line[..at]).into_iter();
        let pair = |display: String| Pair { replacement: format!("{display} "), display };
        Ok((0, names.map(pair).collect()))
    }
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        if at < line.len() { None } else { help::hint(line) }
    }
}

impl Highlighter for Assistant {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        // Dimmed, unless NO_COLOR is set.
        Cow::Owned(format!("\x1b[2m{hint}\x1b[0m"))
    }
}
