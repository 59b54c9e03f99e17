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

/// The system's, with an account of what it has given, by which `--maxmemory` goes.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The exit code for a command line that is none.
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
        // Nobody reads on, which is no failure.
        Action::Print(text) => _ = writeln!(io::stdout(), "{text}"),
        Action::Shell { scripts } => run_shell(&scripts, Some(allocated))?,
        Action::Serve { options, level } => {
            tracing_subscriber::fmt()
                .with_max_level(level)
                .with_ansi(io::stderr().is_terminal())
                .with_writer(io::stderr)
                // They would go to the standard error too, and a failure there panics.
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

/// Says what is wrong, if anybody listens. It may quote what no terminal should take for orders.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_allocator_gives_is_counted() {
        const BYTES: usize = 64 << 20;
        let before = ALLOCATOR.allocated();
        let bytes = std::hint::black_box(vec![0u8; BYTES]);
        // Other tests give some back meanwhile.
        assert!(ALLOCATOR.allocated() > before + BYTES / 2);
        drop(bytes);
        assert!(ALLOCATOR.allocated() < before + BYTES / 2);
    }
}
