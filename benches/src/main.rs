//! The program: tables of all contenders, for a quick look and for docs/benchmarks.md.

use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser;
use zset_bench::allocator::Counting;
use zset_bench::arguments::{Cli, Command};
use zset_bench::memory::Memory;
use zset_bench::{
    bytes, docs, fixed, instructions, layer, limiters, report, servers, services, uses,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    match run(&Cli::parse().command) {
        Ok(code) => code,
        // The reader has closed the pipe, as in `zset-bench report | head -20`.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Unlike `eprint!`, it does not panic if standard error is closed.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &Command) -> io::Result<ExitCode> {
    let mut out = io::stdout();
    match command {
        Command::Report(options) => report::run(options, &mut out),
        Command::MemoryOf(request) => writeln!(out, "{}", Memory::here(*request).line()),
        Command::Bytes { save } => bytes::run(save.as_deref(), &mut out),
        Command::Docs { folder } => docs::run(folder, &mut out),
        // Its exit code is the result of the check.
        Command::Instructions { accept } => return instructions::run(*accept, &mut out),
        Command::Layer(options) => layer::run(options, &mut out),
        Command::Limiters(options) => limiters::run(options, &mut out),
        Command::Uses(options) => uses::run(options, &mut out),
        Command::Fixed(options) => fixed::run(options, &mut out),
        Command::Servers(options) => servers::run(options, &mut out),
        Command::Services(options) => services::run(options, &mut out),
    }?;
    Ok(ExitCode::SUCCESS)
}
