//! The program: a shell, or a server.

#![forbid(unsafe_code)]

mod arguments;

use std::alloc::System;
use std::env;
use std::error::Error;
use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use cap::Cap;
use lexopt::Parser;
use zset_server::{Options, run_shell, serve};

use arguments::Action;

/// The system allocator, with a count of the allocated bytes for `--maxmemory`.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The exit code for an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let action = match arguments::parse(Parser::from_env(), env::var_os(arguments::VARIABLE)) {
        Ok(action) => action,
        Err(error) => {
            complain(format_args!("{error}\nTry zset-server --help."));
            return ExitCode::from(USAGE);
        }
    };
    match run(action) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(format_args!("{error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(action: Action) -> Result<(), Box<dyn Error>> {
    match action {
        // A closed pipe is not an error.
        Action::Print(text) => _ = writeln!(io::stdout(), "{text}"),
        Action::Shell { scripts } => run_shell(&scripts, Some(allocated))?,
        Action::Serve { options, level } => {
            tracing_subscriber::fmt()
                .with_max_level(level)
                .with_ansi(io::stderr().is_terminal())
                .with_writer(io::stderr)
                // Internal errors go to standard error too, where another failure would panic.
                .log_internal_errors(false)
                .init();
            serve(Options { allocated: Some(allocated), ..*options })?;
        }
    }
    Ok(())
}

fn allocated() -> usize {
    ALLOCATOR.allocated()
}

/// Prints an error, ignoring failures. It escapes control characters, since the error may quote input.
fn complain(what: std::fmt::Arguments<'_>) {
    let mut text = String::new();
    for letter in what.to_string().chars() {
        if letter.is_control() && letter != '\n' {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    let _ = writeln!(io::stderr(), "zset-server: {text}");
}
