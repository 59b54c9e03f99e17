//! The command line.

mod hosts;
mod password;

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use lexopt::{Arg, Parser, ValueExt as _};
use tracing_subscriber::filter::LevelFilter;
use zset_server::{Options, parse_memory};

use password::Sources;
pub(crate) use password::VARIABLE;

const HELP: &str = "\
Sorted sets at a prompt, or behind a port, with the commands of Redis.

Usage: zset-server [COMMAND]

Commands:
  shell  Run commands that are typed, or those of files; it is what runs without
         a command
  serve  Answer clients that speak the protocol of Redis

Options:
  --help     Show this; that of a command: zset-server COMMAND --help
  --version  Show the version";

const SHELL_HELP: &str = "\
Runs commands in this process, without a server: those that are typed, those of
files, or those of the standard input if that is no terminal. What they store is
gone at the end.

Usage: zset-server shell [FILE]...

A file has a command a line; lines that begin with # are remarks. The name - is
the standard input, which at a terminal is the prompt: 'shell FILE -' loads a
file, and continues at the prompt. Besides the commands of Redis there are:
  SHOW key [LIMIT count]   Draw how the sorted set is stored
  HELP [command | @group]  Say how a command is written
  CLEAR                    Clear the screen
  QUIT, EXIT               Leave

Options:
  --help     Show this
  --version  Show the version

The exit code is 1 if a file cannot be read or has a line that is no command
line. An error that a command answers is a reply as any other.";

const SERVE_HELP: &str = "\
Answers clients that speak the protocol of Redis, until SIGINT, SIGTERM or
SIGHUP.

Usage: zset-server serve [OPTIONS]

Options:
  --bind ADDRESS       Listen on this address, or on all those of a host name;
                       may be given again [127.0.0.1]
  --port PORT          Listen on this port; 0 is none [6379]
  --unixsocket PATH    Listen on this socket too
  --maxclients NUMBER  Refuse more connections than that [10000]
  --maxmemory BYTES    Take no more data at that size: 100mb, 2gb; 0 is any [0]
  --client-output-buffer-limit normal HARD SOFT SECONDS
                       Close a client that leaves more than HARD bytes of
                       replies unread, or more than SOFT for SECONDS; 0 means
                       no limit [normal 1gb 0 0]
  --requirepass TEXT   Ask clients for this password, which ps shows; an address
                       that others can reach needs one
  --requirepass-file PATH
                       Read the password from the first line of this file, or
                       without either option from the variable ZSET_REQUIREPASS
  --enable-debug-command no|yes|local
                       Who may use DEBUG: no client, every client, or clients
                       on this machine [no]
  --snapshot PATH      Load the data from this file, if it is there, and write
                       it when the server stops
  --metrics [ADDRESS:]PORT
                       Have a page for Prometheus there [127.0.0.1:PORT]
  --verbose            Say who comes and who goes
  --help               Show this
  --version            Show the version";

/// The action requested by the command line.
pub(crate) enum Action {
    /// Print a text.
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

/// Parses the command line.
///
/// `password` is the value of [`VARIABLE`].
pub(crate) fn parse(
    mut parser: Parser,
    password: Option<OsString>,
) -> Result<Action, lexopt::Error> {
    match parser.next()? {
        None => Ok(Action::Shell { scripts: Vec::new() }),
        Some(Arg::Value(command)) if command == "shell" => parse_shell(parser),
        Some(Arg::Value(command)) if command == "serve" => parse_serve(parser, password),
        Some(Arg::Long(name))
            if SERVE_HELP.contains(&format!("  --{name} "))
                && !HELP.contains(&format!("  --{name} ")) =>
        {
            Err(format!("--{name} is an option of serve: zset-server serve --{name} ...").into())
        }
        Some(argument) => common(&argument, HELP).ok_or_else(|| argument.unexpected()),
    }
}

/// Returns the action of an option that all commands share.
fn common(argument: &Arg<'_>, help: &'static str) -> Option<Action> {
    match argument {
        Arg::Long("help") | Arg::Short('h') => Some(Action::Print(help)),
        Arg::Long("version") | Arg::Short('V') => Some(Action::Print(VERSION)),
        _ => None,
    }
}

fn parse_shell(mut parser: Parser) -> Result<Action, lexopt::Error> {
    let mut scripts = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Value(path) => scripts.push(path.into()),
            argument => {
                return common(&argument, SHELL_HELP).ok_or_else(|| argument.unexpected());
            }
        }
    }
    Ok(Action::Shell { scripts })
}

fn parse_serve(mut parser: Parser, password: Option<OsString>) -> Result<Action, lexopt::Error> {
    let mut options = Options::default();
    let mut sources = Sources { variable: password, ..Sources::default() };
    let mut level = LevelFilter::INFO;
    let (mut hosts, mut port) = (Vec::new(), Options::PORT);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("bind") => hosts.push(parser.value()?.string()?),
            Arg::Long("port") => {
                port = value(&mut parser, "--port takes a number from 0 to 65535")?;
            }
            Arg::Long("unixsocket") => options.unix_socket = Some(parser.value()?.into()),
            Arg::Long("maxclients") => {
                options.limits.max_clients = value(&mut parser, "--maxclients takes a number")?;
            }
            Arg::Long("maxmemory") => {
                let size = parser.value()?.parse_with(parse_size)?;
                options.max_memory = (size > 0).then_some(size);
            }
            Arg::Long("client-output-buffer-limit") => {
                let words: Result<Vec<_>, _> = parser.values()?.map(OsString::string).collect();
                let limits = words?.join(" ").parse();
                let failed = |error| format!("--client-output-buffer-limit: {error}");
                options.limits.output = limits.map_err(failed)?;
            }
            Arg::Long("requirepass") => sources.argument = Some(parser.value()?.string()?),
            Arg::Long("requirepass-file") => sources.file = Some(parser.value()?.into()),
            Arg::Long("enable-debug-command") => {
                options.debug_command =
                    value(&mut parser, "--enable-debug-command takes no, yes or local")?;
            }
            Arg::Long("snapshot") => options.snapshot = Some(parser.value()?.into()),
            Arg::Long("metrics") => options.metrics = Some(parser.value()?.parse_with(address)?),
            Arg::Long("verbose") => level = LevelFilter::DEBUG,
            argument => {
                return common(&argument, SERVE_HELP).ok_or_else(|| argument.unexpected());
            }
        }
    }
    if hosts.is_empty() {
        hosts.push(Ipv4Addr::LOCALHOST.to_string());
    }
    options.addresses.clear();
    for host in &hosts {
        hosts::add(host, port, &mut options.addresses)?;
    }
    if port == 0 {
        options.addresses.clear();
    }
    if options.addresses.is_empty() && options.unix_socket.is_none() {
        return Err("without a port it needs --unixsocket".into());
    }
    if options.limits.max_clients == 0 {
        return Err("--maxclients has to be at least 1".into());
    }
    options.password = sources.password()?;
    Ok(Action::Serve { options: Box::new(options), level })
}

/// Parses the value of an option; `expected` describes valid values.
fn value<T: FromStr>(parser: &mut Parser, expected: &str) -> Result<T, lexopt::Error> {
    let value = parser.value()?;
    let parsed = value.to_str().and_then(|text| text.parse().ok());
    parsed.ok_or_else(|| format!("{expected}, which {} is not", value.display()).into())
}

/// Parses a size in bytes with an optional unit. CONFIG SET reads an empty number as 0, but here it would
/// be a typo.
fn parse_size(text: &str) -> Result<u64, &'static str> {
    let has_number = text.starts_with(|first: char| first.is_ascii_digit());
    let size = parse_memory(text.as_bytes()).filter(|_| has_number);
    size.and_then(|size| u64::try_from(size).ok()).ok_or("--maxmemory takes a size, as 100mb")
}

/// Parses an address with a port, or a port alone for the loopback address.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    let port = text.parse().map(|port: u16| (Ipv4Addr::LOCALHOST, port).into());
    port.or_else(|_| text.parse()).map_err(|_| "--metrics takes a port, or an address with one")
}

#[cfg(test)]
mod tests {
    use zset_server::{DebugCommand, OutputLimit};

    use super::*;

    fn action(arguments: &[&str]) -> Result<Action, lexopt::Error> {
        parse(Parser::from_args(arguments.iter().map(OsString::from)), None)
    }

    fn options(arguments: &[&str]) -> Result<Options, String> {
        match action(arguments) {
            Ok(Action::Serve { options, .. }) => Ok(*options),
            Ok(_) => Err("another action".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn without_a_command_it_is_the_shell() {
        for (arguments, expected) in
            [(&[][..], &[][..]), (&["shell"], &[]), (&["shell", "a", "b"], &["a", "b"])]
        {
            match action(arguments) {
                Ok(Action::Shell { scripts }) => {
                    let expected: Vec<_> = expected.iter().map(PathBuf::from).collect();
                    assert_eq!(scripts, expected);
                }
                _ => panic!("{arguments:?} is not the shell"),
            }
        }
    }

    #[test]
    fn each_command_has_a_help_of_its_own() {
        for (arguments, help) in [
            (&["--help"][..], HELP),
            (&["-h"], HELP),
            (&["shell", "--help"], SHELL_HELP),
            (&["serve", "--port=1", "-h"], SERVE_HELP),
            (&["serve", "--version"], VERSION),
            (&["-V"], VERSION),
        ] {
            assert!(
                matches!(action(arguments), Ok(Action::Print(text)) if text == help),
                "{arguments:?}"
            );
        }
        for line in [HELP, SHELL_HELP, SERVE_HELP].into_iter().flat_map(str::lines) {
            assert!(line.len() <= 80, "{line}");
        }
    }

    #[test]
    fn it_listens_to_this_machine_alone_unless_told_otherwise() {
        let addresses = options(&["serve"]).unwrap().addresses;
        assert_eq!(addresses, vec!["127.0.0.1:6379".parse().unwrap()]);
        let addresses = options(&["serve", "--bind", "::", "--bind=::1", "--port=1"]);
        let expected = vec!["[::]:1".parse().unwrap(), "[::1]:1".parse().unwrap()];
        assert_eq!(addresses.unwrap().addresses, expected);
        for (text, address) in [("9000", "127.0.0.1:9000"), ("[::]:1", "[::]:1")] {
            let metrics = options(&["serve", "--metrics", text]).unwrap().metrics;
            assert_eq!(metrics, Some(address.parse().unwrap()));
        }
    }

    #[test]
    fn it_listens_to_all_addresses_of_a_host() {
        let options =
            options(&["serve", "--bind", "localhost", "--bind", "::2", "--port=7"]).unwrap();
        let (last, of_name) = options.addresses.split_last().unwrap();
        assert_eq!(*last, "[::2]:7".parse().unwrap());
        assert!(!of_name.is_empty());
        for (index, address) in of_name.iter().enumerate() {
            assert!(address.ip().is_loopback() && address.port() == 7, "{address}");
            assert!(!of_name[..index].contains(address), "{address} twice");
        }
    }

    #[test]
    fn sizes_have_a_number_and_maybe_a_unit() {
        for (text, size) in [("0", None), ("1KB", Some(1024)), ("2gb", Some(2 << 30))] {
            assert_eq!(options(&["serve", "--maxmemory", text]).unwrap().max_memory, size);
        }
    }

    #[test]
    fn limits_of_unread_replies_are_one_value_or_several() {
        let option = "--client-output-buffer-limit";
        for arguments in [
            &["serve", option, "normal 1mb 0 5"][..],
            &["serve", option, "normal", "1mb", "0", "5"],
        ] {
            let limit = options(arguments).unwrap().limits.output.normal();
            let soft_time = std::time::Duration::from_secs(5);
            assert_eq!(limit, OutputLimit { hard: 1 << 20, soft: 0, soft_time });
        }
        let error = options(&["serve", option, "normal 1mb", "--port", "1"]).err();
        let why = "--client-output-buffer-limit: Wrong number of arguments in buffer limit configuration.";
        assert_eq!(error.as_deref(), Some(why));
    }

    #[test]
    fn debug_is_for_nobody_unless_it_is_said_for_whom() {
        assert_eq!(options(&["serve"]).unwrap().debug_command, DebugCommand::No);
        for (text, allowed) in [("local", DebugCommand::Local), ("YES", DebugCommand::Yes)] {
            let options = options(&["serve", "--enable-debug-command", text]).unwrap();
            assert_eq!(options.debug_command, allowed);
        }
    }

    #[test]
    fn a_password_comes_from_the_command_line_or_the_environment() {
        let password = |arguments: &[&str], variable: &str| {
            let parser = Parser::from_args(arguments.iter().map(OsString::from));
            match parse(parser, Some(variable.into())) {
                Ok(Action::Serve { options, .. }) => Some(options.password),
                _ => None,
            }
        };
        assert_eq!(options(&["serve", "--requirepass", "a"]).unwrap().password, "a");
        assert_eq!(password(&["serve"], "b").as_deref(), Some("b"));
        assert_eq!(password(&["serve", "--requirepass", "a"], "b"), None);
        // An empty variable is an error; it does not mean a server without a password.
        assert_eq!(password(&["serve"], ""), None);
    }

    #[test]
    fn files_are_where_they_are_said_to_be() {
        let options = options(&["serve", "--snapshot=a", "--port=0", "--unixsocket", "b"]).unwrap();
        assert_eq!(options.snapshot, Some("a".into()));
        assert_eq!(options.unix_socket, Some("b".into()));
        assert!(options.addresses.is_empty());
    }

    #[test]
    fn an_error_names_the_option_and_what_it_takes() {
        for (arguments, expected) in [
            (&["serve", "--bind", "no host"][..], "--bind: cannot resolve \"no host\": "),
            (&["serve", "--port", "99999"], "--port takes a number from 0 to 65535"),
            (&["serve", "--maxclients", "x"], "--maxclients takes a number"),
            (&["serve", "--enable-debug-command", "on"], "--enable-debug-command takes no, yes or"),
            (&["serve", "--requirepass-file", "/nosuch/it"], "--requirepass-file /nosuch/it: "),
            (&["--port", "7000"], "--port is an option of serve: zset-server serve --port"),
        ] {
            let error = options(arguments).err().unwrap_or_default();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for arguments in [
            &["serve", "--port", "65536"][..],
            &["serve", "--port", "0"],
            &["serve", "--bind", "no host"],
            &["serve", "--bind", "no host", "--port", "0", "--unixsocket", "s"],
            &["serve", "--bind", ""],
            &["serve", "--maxclients", "0"],
            &["serve", "--maxmemory", "mb"],
            &["serve", "--maxmemory", ""],
            &["serve", "--maxmemory", "1x"],
            &["serve", "--metrics", "here"],
            &["serve", "--metrics"],
            &["serve", "more"],
            &["shell", "--more"],
            &["play"],
        ] {
            assert!(action(arguments).is_err(), "{arguments:?}");
        }
    }
}
