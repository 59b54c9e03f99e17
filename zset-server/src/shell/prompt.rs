//! The prompt: commands typed interactively, and the file that stores them, the most recent last.

use std::borrow::Cow;
use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::MemHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::display::Style;
use super::{Next, Shell, ShellError, help, write_out};
use crate::resp::UnbalancedQuotes;

const WELCOME: &str = "\
Sorted sets at a prompt. HELP lists the commands, Tab completes them, Ctrl+D leaves.
";

/// The maximum number of lines that can be recalled.
const MAX_LINES: usize = 1000;

/// Runs typed lines until the end of input.
pub(super) fn run(shell: &mut Shell) -> Result<Next, ShellError> {
    let mut editor = editor(shell.style).map_err(terminal)?;
    let path = history_path();
    for line in path.iter().flat_map(|path| history_lines(path)) {
        editor.add_history_entry(line).map_err(terminal)?;
    }
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
            // The editor rejects repeated lines and those that start with a space.
            if !is_secret(line)
                && editor.add_history_entry(line).map_err(terminal)?
                && let Some(path) = &path
            {
                // Failing to store history is not worth an error.
                let _ = append_history(path, line);
            }
            let mut out = String::new();
            let next = shell.run_line(line.as_bytes(), &mut out);
            let next = next.unwrap_or_else(|UnbalancedQuotes| {
                out = shell.style.error("Unbalanced quotes") + "\n";
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
    ShellError::Input(format!("cannot use the terminal: {error}"))
}

fn editor(style: Style) -> Result<Editor<Assistant, MemHistory>, ReadlineError> {
    let config = Config::builder()
        .max_history_size(MAX_LINES)?
        .completion_type(CompletionType::List)
        .history_ignore_space(true)
        .build();
    let history = MemHistory::with_config(&config);
    let mut editor = Editor::with_history(config, history)?;
    editor.set_helper(Some(Assistant { style }));
    Ok(editor)
}

/// Provides completion and hints for commands.
struct Assistant {
    style: Style,
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
        Cow::Owned(self.style.hint(hint))
    }
}

/// Returns the path named by the variable `ZSET_HISTORY`, or else one in the user's folder; `None`
/// if the variable is empty.
fn history_path() -> Option<PathBuf> {
    match env::var_os("ZSET_HISTORY") {
        Some(path) => Some(PathBuf::from(path)).filter(|path| !path.as_os_str().is_empty()),
        None => env::home_dir().map(|home| home.join(".zset_history")),
    }
}

/// Returns the stored lines.
fn history_lines(path: &Path) -> Vec<String> {
    let text = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().map(str::to_owned).collect()
}

/// Appends a line immediately, so that it is stored however the shell ends.
fn append_history(path: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    // The history is private.
    options.append(true).create(true).mode(0o600);
    // A single write, since other shells may append too.
    options.open(path)?.write_all(format!("{line}\n").as_bytes())
}

/// Returns whether a line may contain a password, and must not be stored.
fn is_secret(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains("auth") || line.contains("requirepass")
}
