//! The shell: commands that are typed, or those of files, in this process.

mod advice;
mod completion;
mod display;
mod escape;
mod help;
mod history;
mod prompt;
mod script;
mod style;
mod syntax;
mod words;

use std::cell::RefCell;
use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::rc::Rc;

use crate::client::Client;
use crate::engine::{Engine, Executed};
use crate::resp::{Replies, UnbalancedQuotes, split_line};
use crate::show::{Show, show};

pub(crate) use escape::units;
pub(crate) use style::Style;

use words::{Word, WordKind};

/// Why the shell fails.
#[derive(Debug)]
#[non_exhaustive]
pub enum ShellError {
    /// A script cannot be read.
    Read {
        /// Which one.
        place: String,
        /// What the system says.
        error: io::Error,
    },
    /// So many lines of scripts were no command lines; the standard error has said which.
    BadLines(usize),
    /// What commands answer cannot be written.
    Write(io::Error),
    /// The terminal does not do what a prompt takes.
    Terminal(Box<dyn Error>),
}

impl fmt::Display for ShellError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShellError::Read { place, error } => write!(f, "cannot read {place}: {error}"),
            ShellError::BadLines(1) => f.write_str("1 line is no command line"),
            ShellError::BadLines(lines) => write!(f, "{lines} lines are no command lines"),
            ShellError::Write(error) => write!(f, "cannot write: {error}"),
            ShellError::Terminal(error) => write!(f, "cannot use the terminal: {error}"),
        }
    }
}

impl Error for ShellError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ShellError::Read { error, .. } | ShellError::Write(error) => Some(error),
            ShellError::Terminal(error) => Some(&**error),
            ShellError::BadLines(_) => None,
        }
    }
}

const STANDARD_INPUT: &str = "standard input";
const STANDARD_INPUT_PATH: &str = "-";

/// Runs the commands of scripts, one after the other on the same data. Without any they are those of
/// the standard input. The path `-` is that of the standard input: commands are typed at a prompt if it is a
/// terminal, else it is a script too.
///
/// The memory in use is what `allocated` tells, if there is such a function. What the commands answer goes to
/// the standard output. If its reader has closed it, the program ends without an error.
///
/// # Errors
///
/// [`ShellError`], if there is something that it cannot read or write, or lines that cannot be split
/// into arguments, after it has run all others. An error that a command answers is a reply as any
/// other, as with redis-cli.
pub fn run_shell(scripts: &[PathBuf], allocated: Option<fn() -> usize>) -> Result<(), ShellError> {
    let mut shell = Shell::new();
    shell.engine.count_memory(allocated);
    let standard_input = [PathBuf::from(STANDARD_INPUT_PATH)];
    let paths = if scripts.is_empty() { &standard_input } else { scripts };
    // All are opened before the first one runs.
    let sources = paths.iter().map(Source::open).collect::<Result<Vec<_>, _>>()?;
    match run_sources(&Rc::new(RefCell::new(shell)), sources) {
        Err(ShellError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Where commands come from.
enum Source {
    Prompt,
    Script { place: String, lines: Box<dyn BufRead> },
}

impl Source {
    fn open(path: &PathBuf) -> Result<Source, ShellError> {
        let mut place = String::new();
        escape::write_text(path.as_os_str().as_encoded_bytes(), &mut place);
        if place != STANDARD_INPUT_PATH {
            return match File::open(path) {
                Ok(file) => Ok(Source::Script { place, lines: Box::new(BufReader::new(file)) }),
                Err(error) => Err(ShellError::Read { place, error }),
            };
        }
        if io::stdin().is_terminal() {
            return Ok(Source::Prompt);
        }
        // Its lock would be held for ever, and the path may be given again.
        let lines = Box::new(BufReader::new(io::stdin()));
        Ok(Source::Script { place: STANDARD_INPUT.to_owned(), lines })
    }
}

fn run_sources(shell: &Rc<RefCell<Shell>>, sources: Vec<Source>) -> Result<(), ShellError> {
    let mut bad_lines = 0;
    for source in sources {
        let next = match source {
            Source::Prompt => prompt::run(shell)?,
            Source::Script { place, lines } => {
                shell.borrow_mut().run_script(&place, lines, &mut bad_lines)?
            }
        };
        if next == Next::Leave {
            break;
        }
    }
    if bad_lines == 0 { Ok(()) } else { Err(ShellError::BadLines(bad_lines)) }
}

/// Data of its own, and who works with it.
struct Shell {
    engine: Engine,
    client: Client,
    replies: Replies,
    style: Style,
}

/// Whether there is more to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

impl Shell {
    fn new() -> Shell {
        let mut engine = Engine::new();
        let mut client = engine.client();
        // That a command would wait shows that there is something to explain.
        client.allow_waiting();
        Shell { engine, client, replies: Replies::default(), style: Style::of_output() }
    }

    /// Runs a line, which may be empty or a remark; writes what it answers.
    fn run_line(&mut self, line: &[u8], out: &mut String) -> Result<Next, UnbalancedQuotes> {
        if line.trim_ascii_start().starts_with(b"#") {
            return Ok(Next::Go);
        }
        Ok(self.run(&split_line(line)?, out))
    }

    /// Runs a command, or a word of the shell's own; writes what it answers.
    fn run(&mut self, arguments: &[Vec<u8>], out: &mut String) -> Next {
        let Some((name, rest)) = arguments.split_first() else { return Next::Go };
        match Word::find(name).map(|word| word.kind) {
            Some(WordKind::Help) => help::write_help(rest, self.style, out),
            Some(WordKind::Show) => self.show(rest, out),
            Some(WordKind::Clear) if self.style == Style::Coloured => {
                // The cursor goes home, and all is erased.
                out.push_str("\x1b[H\x1b[2J");
            }
            Some(WordKind::Clear) => {}
            Some(WordKind::Leave) => return Next::Leave,
            None => {
                let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
                self.execute(&arguments, out);
            }
        }
        Next::Go
    }

    /// Runs a command, and ends its waiting; writes what it answers, and what there is to say about that.
    fn execute(&mut self, arguments: &[&[u8]], out: &mut String) {
        let executed = self.engine.execute(&mut self.client, arguments, &mut self.replies);
        let waits = matches!(executed, Executed::Waits(_));
        if waits {
            self.engine.end_waiting(&mut self.client, &mut self.replies);
        }
        display::write_answer(arguments, self.replies.bytes(), self.style, out);
        if waits {
            self.write_advice(advice::DOES_NOT_WAIT, out);
        }
        self.advise(arguments, out);
    }

    /// Writes what there is to say about the replies, if they are an error, and forgets them.
    fn advise(&mut self, arguments: &[&[u8]], out: &mut String) {
        if let Some(advice) = advice::about_error(arguments, self.replies.bytes()) {
            self.write_advice(&advice, out);
        }
        self.replies.clear();
    }

    fn write_advice(&self, advice: &str, out: &mut String) {
        out.push_str(&self.style.hint(advice));
        out.push('\n');
    }

    fn show(&mut self, arguments: &[Vec<u8>], out: &mut String) {
        // What has expired is not there.
        self.engine.expire(1);
        let answer = Show::parse(arguments).and_then(|show_what| {
            let value = self.engine.state.keyspace.value(show_what.key);
            show(&show_what, value, self.style, style::columns_of_output())
        });
        match answer {
            Ok(picture) => out.push_str(&picture),
            Err(error) => {
                self.replies.error(&error.to_string());
                display::write_replies(self.replies.bytes(), self.style, out);
                self.advise(&[], out);
            }
        }
    }
}

/// Writes what commands have answered.
fn write_out(text: &str) -> Result<(), ShellError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(ShellError::Write)
}
