//! The program: parses the command line, and runs the shell or a server.

#![forbid(unsafe_code)]

use std::alloc::System;
use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _, Write as _};
use std::net::{Ipv4Addr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::process::ExitCode;

use cap::Cap;
use lexopt::{Arg, Parser, ValueExt as _};
use tracing_subscriber::filter::LevelFilter;
use zset_server::{Options, parse_memory, run_shell, serve};

/// The system allocator, with a count of the allocated bytes for `--maxmemory`.
#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// The exit code for an invalid command line.
const USAGE: u8 = 2;

fn main() -> ExitCode {
    let action = match parse(Parser::from_env(), env::var_os(VARIABLE)) {
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
        // Ignore a failed write: the reader may have closed the pipe.
        Action::Print(text) => _ = writeln!(io::stdout(), "{text}"),
        Action::Shell { scripts } => run_shell(&scripts, Some(allocated))?,
        Action::Serve { options, level } => {
            tracing_subscriber::fmt()
                .with_max_level(level)
                .with_ansi(io::stderr().is_terminal())
                .with_writer(io::stderr)
                // Otherwise, a failed write would be reported with `eprintln!`, which panics if it
                // fails too.
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

/// Prints an error, ignoring write failures. Escapes control characters, since the error may quote
/// input.
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

/// The environment variable that can hold the password.
const VARIABLE: &str = "ZSET_REQUIREPASS";

const HELP: &str = "\
Sorted sets at a prompt, or behind a port, with the commands of Redis.

Usage: zset-server [shell [FILE]...]
       zset-server serve [OPTIONS]

shell runs commands in this process, without a server: from a prompt, from
files, or from standard input if it is not a terminal. The data is discarded at
the end. A file has one command per line; lines that begin with # are comments.
The name - stands for standard input, which is the prompt at a terminal: 'shell
FILE -' runs a file and continues at the prompt. Besides the commands of Redis,
it has:
  SHOW key [LIMIT count]   Draw how a sorted set is stored
  HELP [command]           List the commands, or show the syntax of one
  QUIT, EXIT               Leave
The exit code is 1 if a file cannot be read or has a line that is not a command
line. An error reply to a command does not change the exit code.

serve answers clients that speak the protocol of Redis, until SIGINT, SIGTERM or
SIGHUP:
  --bind ADDRESS       Listen on this address, or on all those of a host name;
                       may be repeated [127.0.0.1]
  --port PORT          Listen on this port; 0 means none [6379]
  --unixsocket PATH    Listen on this socket too
  --maxclients NUMBER  Refuse connections beyond this number [10000]
  --maxmemory BYTES    Refuse commands that allocate memory beyond this size,
                       such as 100mb or 2gb; 0 means no limit [0]
  --requirepass TEXT   Require this password, which ps shows to all users,
                       unlike one in the variable ZSET_REQUIREPASS; an address
                       that others can reach needs one
  --enable-debug-command no|yes
                       Whether clients may use DEBUG [no]
  --verbose            Log connections and disconnections

Other options:
  --help     Show this
  --version  Show the version";

/// The action requested by the command line.
enum Action {
    /// The output of `--help` or `--version`.
    Print(&'static str),
    Shell {
        scripts: Vec<PathBuf>,
    },
    Serve {
        options: Box<Options>,
        level: LevelFilter,
    },
}

const VERSION: &str = concat!("zset-server ", env!("CARGO_PKG_VERSION"));

/// Parses the command line; `password` is the value of [`VARIABLE`].
fn parse(mut parser: Parser, password: Option<OsString>) -> Result<Action, lexopt::Error> {
    match parser.next()? {
        None => Ok(Action::Shell { scripts: Vec::new() }),
        Some(Arg::Value(command)) if command == "shell" => parse_shell(parser),
        Some(Arg::Value(command)) if command == "serve" => parse_serve(parser, password),
        Some(argument) => parse_common(argument),
    }
}

/// Parses an option common to all commands.
fn parse_common(argument: Arg<'_>) -> Result<Action, lexopt::Error> {
    match argument {
        Arg::Long("help") | Arg::Short('h') => Ok(Action::Print(HELP)),
        Arg::Long("version") | Arg::Short('V') => Ok(Action::Print(VERSION)),
        other => Err(other.unexpected()),
    }
}

fn parse_shell(mut parser: Parser) -> Result<Action, lexopt::Error> {
    let mut scripts = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(path) => scripts.push(path.into()),
            argument => return parse_common(argument),
        }
    }
    Ok(Action::Shell { scripts })
}

fn parse_serve(mut parser: Parser, variable: Option<OsString>) -> Result<Action, lexopt::Error> {
    let mut options = Options::default();
    let mut passwords: Vec<_> = variable.into_iter().map(OsString::string).collect();
    let mut level = LevelFilter::INFO;
    let (mut hosts, mut port) = (Vec::new(), Options::PORT);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("bind") => hosts.push(parser.value()?.string()?),
            Arg::Long("port") => port = parser.value()?.parse()?,
            Arg::Long("unixsocket") => options.unix_socket = Some(parser.value()?.into()),
            Arg::Long("maxclients") => options.limits.max_clients = parser.value()?.parse()?,
            Arg::Long("maxmemory") => {
                options.max_memory = parser.value()?.parse_with(parse_size)?;
            }
            Arg::Long("requirepass") => passwords.push(parser.value()?.string()),
            Arg::Long("enable-debug-command") => {
                options.allows_debug = match parser.value()?.to_str() {
                    Some("yes") => true,
                    Some("no") => false,
                    _ => return Err("--enable-debug-command takes no or yes".into()),
                };
            }
            Arg::Long("verbose") => level = LevelFilter::DEBUG,
            argument => return parse_common(argument),
        }
    }
    if hosts.is_empty() {
        hosts.push(Ipv4Addr::LOCALHOST.to_string());
    }
    options.addresses.clear();
    for host in hosts.iter().filter(|_| port > 0) {
        let addresses = (host.as_str(), port).to_socket_addrs();
        let addresses = addresses.map_err(|error| format!("cannot resolve {host:?}: {error}"))?;
        options.addresses.extend(addresses);
    }
    // Remove duplicates: several host names may resolve to the same address.
    options.addresses.sort_unstable();
    options.addresses.dedup();
    if options.addresses.is_empty() && options.unix_socket.is_none() {
        return Err("without a port it needs --unixsocket".into());
    }
    if options.limits.max_clients == 0 {
        return Err("--maxclients must be at least 1".into());
    }
    if passwords.len() > 1 {
        return Err(format!("the password is given by --requirepass and by {VARIABLE}").into());
    }
    if let Some(password) = passwords.pop() {
        options.password = password?;
        if options.password.is_empty() {
            return Err("the password is empty".into());
        }
    }
    Ok(Action::Serve { options: Box::new(options), level })
}

/// Parses a size in bytes with an optional unit. Unlike CONFIG SET, it does not read an empty
/// number as 0: on the command line, that is probably a typo.
fn parse_size(text: &str) -> Result<usize, &'static str> {
    let has_number = text.starts_with(|first: char| first.is_ascii_digit());
    let size = parse_memory(text.as_bytes()).filter(|_| has_number);
    size.and_then(|size| size.try_into().ok()).ok_or("expected a size, such as 100mb")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(arguments: &[&str]) -> Result<Options, String> {
        match parse(Parser::from_args(arguments.iter().map(OsString::from)), None) {
            Ok(Action::Serve { options, .. }) => Ok(*options),
            Ok(_) => Err("another action".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn it_listens_on_the_loopback_address_by_default() {
        let addresses = options(&["serve"]).unwrap().addresses;
        assert_eq!(addresses, vec!["127.0.0.1:6379".parse().unwrap()]);
        let addresses = options(&["serve", "--bind", "::", "--bind=::1", "--port=1"]);
        let expected = vec!["[::]:1".parse().unwrap(), "[::1]:1".parse().unwrap()];
        assert_eq!(addresses.unwrap().addresses, expected);
    }

    #[test]
    fn values_of_options_are_parsed() {
        for (text, size) in [("0", 0), ("1KB", 1024), ("2gb", 2 << 30)] {
            assert_eq!(options(&["serve", "--maxmemory", text]).unwrap().max_memory, size);
        }
        for (text, allows_debug) in [("yes", true), ("no", false)] {
            let options = options(&["serve", "--enable-debug-command", text]).unwrap();
            assert_eq!(options.allows_debug, allows_debug);
        }
        let options = options(&["serve", "--port=0", "--unixsocket", "b"]).unwrap();
        assert_eq!(options.unix_socket, Some("b".into()));
        assert!(options.addresses.is_empty());
    }
}
