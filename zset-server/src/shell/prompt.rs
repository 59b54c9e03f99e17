//! The prompt: commands typed interactively.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::history::{HistoryFile, MAX_LINES, is_secret};
use super::{Next, Shell, ShellError, Style, completion, write_out};
use crate::resp::UnbalancedQuotes;

const WELCOME: &str = "\
Sorted sets at a prompt. HELP tells what there is, Tab completes, Ctrl+D leaves.
";

/// Runs typed lines until the end of input.
pub(super) fn run(shell: &Rc<RefCell<Shell>>) -> Result<Next, ShellError> {
    let style = shell.borrow().style;
    let mut editor = editor(Rc::clone(shell)).map_err(terminal)?;
    let history = HistoryFile::find();
    for line in history.lines() {
        editor.add_history_entry(line).map_err(terminal)?;
    }
    write_out(WELCOME)?;
    loop {
        let is_queuing = shell.borrow().client.session().transaction.is_some();
        let line = match editor.readline(if is_queuing { "zset(TX)> " } else { "zset> " }) {
            Ok(line) => line,
            Err(ReadlineError::Interrupted) => continue,
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(terminal(error)),
        };
        // Pasted text may have several lines.
        for line in line.lines().filter(|line| !line.trim().is_empty()) {
            if !is_secret(line) && editor.add_history_entry(line).map_err(terminal)? {
                // The editor rejects repeated lines and those that start with a space.
                history.append(line);
            }
            let mut out = String::new();
            let next = shell.borrow_mut().run_line(line.as_bytes(), &mut out);
            let next = next.unwrap_or_else(|UnbalancedQuotes| {
                out = style.error("Unbalanced quotes") + "\n";
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

fn terminal(error: ReadlineError) -> ShellError {
    ShellError::Terminal(error.into())
}

fn editor(shell: Rc<RefCell<Shell>>) -> Result<Editor<Assistant, MemHistory>, ReadlineError> {
    let config = Config::builder()
        .max_history_size(MAX_LINES)?
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history)?;
    editor.set_helper(Some(Assistant { shell }));
    Ok(editor)
}

/// Provides completion and hints for commands and keys.
struct Assistant {
    shell: Rc<RefCell<Shell>>,
}

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
        let shell = self.shell.borrow();
        let (start, candidates) = completion::complete(&line[..at], &shell.engine.state.keyspace);
        let pair = |display: String| Pair { replacement: format!("{display} "), display };
        Ok((start, candidates.into_iter().map(pair).collect()))
    }
}

impl Hinter for Assistant {
    type Hint = String;

    fn hint(&self, line: &str, at: usize, _: &Context<'_>) -> Option<String> {
        if at < line.len() { None } else { completion::hint(line) }
    }
}

impl Highlighter for Assistant {
    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        match self.shell.borrow().style {
            Style::Plain => Cow::Borrowed(hint),
            style @ Style::Coloured => Cow::Owned(style.hint(hint)),
        }
    }
}
