//! The shell: runs commands from a prompt or from scripts, without a server.

mod display;
mod prompt;
mod show;

use std::error::Error;
use std::fs::File;
use std::io::ErrorKind::BrokenPipe;
use std::io::{self, BufRead, BufReader, IsTerminal as _, Write as _};
use std::path::PathBuf;

use crate::client::Client;
use crate::engine::{Engine, Executed};
use crate::replies::{Protocol, Replies};
use crate::requests::{UnbalancedQuotes, split_line};

/// The explanation after a command that would wait on a server.
const DOES_NOT_WAIT: &str = "The shell does not wait, because no other client could add a member.";

/// The number of output bytes of a script that are collected before they are written.
const WRITTEN_AT_ONCE: usize = 16 * 1024;

/// Why the shell failed: an [`io::Error`] if the output cannot be written, or else a message.
type ShellError = Box<dyn Error>;

const STANDARD_INPUT: &str = "standard input";
const STANDARD_INPUT_PATH: &str = "-";

/// Runs scripts one after another, on the same data. Without scripts, or for the path `-`, reads
/// standard input: it shows a prompt if it is a terminal and is otherwise a script too.
///
/// `allocated`, if any, returns the memory in use. Replies are written to standard output. If
/// standard output is a closed pipe, the shell ends without an error.
///
/// # Errors
///
/// Returns an error if a script cannot be read or the output cannot be written. Lines that cannot
/// be split into arguments are an error too, after all others have run. An error reply to a command
/// is a normal reply, as in redis-cli.
pub fn run_shell(
    scripts: &[PathBuf],
    allocated: Option<fn() -> usize>,
) -> Result<(), Box<dyn Error>> {
    let mut shell = Shell::new();
    shell.engine.count_memory(allocated);
    let standard_input = [PathBuf::from(STANDARD_INPUT_PATH)];
    let paths = if scripts.is_empty() { &standard_input } else { scripts };
    // Open all scripts first, so that a missing one is an error before any command runs.
    let sources = paths.iter().map(Source::open).collect::<Result<Vec<_>, _>>()?;
    match run_sources(&mut shell, sources) {
        Err(error) if error.downcast_ref().map(io::Error::kind) == Some(BrokenPipe) => Ok(()),
        result => result,
    }
}

enum Source {
    Prompt,
    Script { place: String, lines: Box<dyn BufRead> },
}

impl Source {
    fn open(path: &PathBuf) -> Result<Source, ShellError> {
        let mut place = String::new();
        display::write_text(path.as_os_str().as_encoded_bytes(), &mut place);
        if place != STANDARD_INPUT_PATH {
            return match File::open(path) {
                Ok(file) => Ok(Source::Script { place, lines: Box::new(BufReader::new(file)) }),
                Err(error) => Err(cannot_read(&place, &error)),
            };
        }
        if io::stdin().is_terminal() {
            return Ok(Source::Prompt);
        }
        // Do not lock standard input: `-` may be given twice, and the second lock would wait
        // forever.
        let lines = Box::new(BufReader::new(io::stdin()));
        Ok(Source::Script { place: STANDARD_INPUT.to_owned(), lines })
    }
}

fn run_sources(shell: &mut Shell, sources: Vec<Source>) -> Result<(), ShellError> {
    for source in sources {
        let next = match source {
            Source::Prompt => prompt::run(shell)?,
            Source::Script { place, lines } => shell.run_script(&place, lines)?,
        };
        if next == Next::Leave {
            break;
        }
    }
    match shell.bad_lines {
        0 => Ok(()),
        1 => Err("1 line is not a command line".into()),
        lines => Err(format!("{lines} lines are not command lines").into()),
    }
}

/// An engine with its only client.
struct Shell {
    engine: Engine,
    client: Client,
    replies: Replies,
    /// The number of lines of scripts that cannot be split into arguments.
    bad_lines: usize,
}

/// Whether to continue after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Go,
    Leave,
}

impl Shell {
    fn new() -> Shell {
        let mut engine = Engine::new();
        let mut client = engine.client();
        // Allow waits, so that the shell can detect a command that would wait. The shell then ends
        // the wait immediately, and reports that it does not wait.
        client.allow_waiting();
        Shell { engine, client, replies: Replies::default(), bad_lines: 0 }
    }

    /// Runs a line, which may be empty or a comment; writes its output.
    fn run_line(&mut self, line: &[u8], out: &mut String) -> Result<Next, UnbalancedQuotes> {
        if line.trim_ascii_start().starts_with(b"#") {
            return Ok(Next::Go);
        }
        Ok(self.run(&split_line(line)?, out))
    }

    /// Runs a command; writes its output.
    fn run(&mut self, arguments: &[Vec<u8>], out: &mut String) -> Next {
        let Some((name, rest)) = arguments.split_first() else { return Next::Go };
        match name.to_ascii_lowercase().as_slice() {
            b"quit" | b"exit" => return Next::Leave,
            b"help" => prompt::write_help(rest, out),
            b"show" => self.show(rest, out),
            // Run INFO in RESP3. Its reply is meant for humans, but in RESP2 it would be shown in
            // quotes.
            b"info" => {
                let protocol = self.replies.protocol();
                self.replies.set_protocol(Protocol::Resp3);
                self.execute(arguments, out);
                self.replies.set_protocol(protocol);
            }
            _ => self.execute(arguments, out),
        }
        Next::Go
    }

    /// Runs a command of the engine, ending any wait; writes its reply.
    fn execute(&mut self, arguments: &[Vec<u8>], out: &mut String) {
        let arguments: Vec<&[u8]> = arguments.iter().map(Vec::as_slice).collect();
        let executed = self.engine.execute(&mut self.client, &arguments, &mut self.replies);
        let waits = matches!(executed, Executed::Waits(_));
        if waits {
            self.engine.end_waiting(&mut self.client, &mut self.replies);
        }
        display::write_replies(self.replies.bytes(), out);
        if waits {
            out.extend([DOES_NOT_WAIT, "\n"]);
        }
        self.replies.clear();
    }

    fn show(&mut self, arguments: &[Vec<u8>], out: &mut String) {
        // This call also updates the time, so that an expired key is not shown.
        self.engine.expire(1);
        match show::show(arguments, &self.engine.state.keyspace) {
            Ok(picture) => out.push_str(&picture),
            Err(error) => {
                self.replies.error(error.bytes());
                display::write_replies(self.replies.bytes(), out);
                self.replies.clear();
            }
        }
    }

    fn run_script(&mut self, place: &str, mut script: impl BufRead) -> Result<Next, ShellError> {
        let (mut line, mut out, mut next) = (Vec::new(), String::new(), Next::Go);
        let mut number = 0;
        while next == Next::Go {
            line.clear();
            number += 1;
            let read = script.read_until(b'\n', &mut line);
            let read = read.map_err(|error| cannot_read(place, &error))?;
            if read == 0 {
                break;
            }
            if let Ok(after) = self.run_line(&line, &mut out) {
                next = after;
            } else {
                self.bad_lines += 1;
                // Write the output of the previous lines before the error.
                write_out(&std::mem::take(&mut out))?;
                let _ = writeln!(io::stderr(), "{place}:{number}: unbalanced quotes");
            }
            if out.len() >= WRITTEN_AT_ONCE {
                write_out(&std::mem::take(&mut out))?;
            }
        }
        write_out(&out)?;
        Ok(next)
    }
}

fn cannot_read(place: &str, error: &io::Error) -> ShellError {
    format!("cannot read {place}: {error}").into()
}

/// Writes to standard output and flushes it.
fn write_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| io::Error::new(error.kind(), format!("cannot write: {error}")))
}
