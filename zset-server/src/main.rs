//! The command line of the server.

use std::error::Error;
use std::io::{self, IsTerminal as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use lexopt::{Arg, Parser, ValueExt as _};
use tracing_subscriber::filter::LevelFilter;
use zset_server::{Options, serve};

const HELP: &str = "\
A server of sorted sets that speaks the protocol of Redis.

Usage: zset-server serve [OPTIONS]

Options:
  --bind ADDRESS       Listen on this address; may be given again [127.0.0.1]
  --port PORT          Listen on this port; 0 is none [6379]
  --unixsocket PATH    Listen on this socket too
  --maxclients NUMBER  Refuse more connections than that [10000]
  --maxmemory BYTES    Take no more data at that size: 100mb, 2gb; 0 is any [0]
  --requirepass TEXT   Ask clients for this password; an address that others
                       can reach needs one
  --verbose            Say who comes and who goes
  --help               Show this
  --version            Show the version";

/// What the command line asks for.
enum Action {
    Help,
    Version,
    Serve { options: Box<Options>, level: LevelFilter },
}

fn main() -> ExitCode {
    let action = match parse(Parser::from_env()) {
        Ok(action) => action,
        Err(error) => {
            eprintln!("zset-server: {error}\nTry zset-server --help.");
            return ExitCode::from(2);
        }
    };
    match run(action) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("zset-server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(action: Action) -> Result<(), Box<dyn Error>> {
    match action {
        Action::Help => println!("{HELP}"),
        Action::Version => println!("zset-server {}", env!("CARGO_PKG_VERSION")),
        Action::Serve { options, level } => {
            tracing_subscriber::fmt()
                .with_max_level(level)
                .with_ansi(io::stderr().is_terminal())
                .with_writer(io::stderr)
                .init();
            serve(*options)?;
        }
    }
    Ok(())
}

fn parse(mut parser: Parser) -> Result<Action, lexopt::Error> {
    match parser.next()? {
        None | Some(Arg::Long("help") | Arg::Short('h')) => Ok(Action::Help),
        Some(Arg::Long("version") | Arg::Short('V')) => Ok(Action::Version),
        Some(Arg::Value(command)) if command == "serve" => parse_serve(parser),
        Some(argument) => Err(argument.unexpected()),
    }
}

fn parse_serve(mut parser: Parser) -> Result<Action, lexopt::Error> {
    let mut options = Options::default();
    let mut level = LevelFilter::INFO;
    let (mut hosts, mut port) = (Vec::<IpAddr>::new(), Options::PORT);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("bind") => hosts.push(parser.value()?.parse()?),
            Arg::Long("port") => port = parser.value()?.parse()?,
            Arg::Long("unixsocket") => options.unix_socket = Some(parser.value()?.into()),
            Arg::Long("maxclients") => options.limits.max_clients = parser.value()?.parse()?,
            Arg::Long("maxmemory") => {
                let size = parser.value()?.parse_with(parse_size)?;
                options.max_memory = (size > 0).then_some(size);
            }
            Arg::Long("requirepass") => options.password = parser.value()?.string()?,
            Arg::Long("snapshot") => options.snapshot = Some(parser.value()?.into()),
            Arg::Long("metrics") => options.metrics = Some(parser.value()?.parse()?),
            Arg::Long("verbose") => level = LevelFilter::DEBUG,
            Arg::Long("help") | Arg::Short('h') => return Ok(Action::Help),
            Arg::Long("version") | Arg::Short('V') => return Ok(Action::Version),
            argument => return Err(argument.unexpected()),
        }
    }
    if hosts.is_empty() {
        hosts.push(Ipv4Addr::LOCALHOST.into());
    }
    options.addresses = match port {
        0 => Vec::new(),
        port => hosts.into_iter().map(|host| SocketAddr::new(host, port)).collect(),
    };
    if options.addresses.is_empty() && options.unix_socket.is_none() {
        return Err("without a port it needs --unixsocket".into());
    }
    if options.limits.max_clients == 0 {
        return Err("--maxclients has to be at least 1".into());
    }
    Ok(Action::Serve { options: Box::new(options), level })
}

/// Reads a number of bytes, with the units of Redis: `k` is a thousand, `kb` is 1024.
fn parse_size(text: &str) -> Result<u64, &'static str> {
    let digits = text.len() - text.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" => 1000,
        "kb" => 1 << 10,
        "m" => 1_000_000,
        "mb" => 1 << 20,
        "g" => 1_000_000_000,
        "gb" => 1 << 30,
        _ => return Err("there is no such unit"),
    };
    let number: u64 = number.parse().map_err(|_| "there is no number")?;
    number.checked_mul(unit).ok_or("that is too large")
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn options(arguments: &[&str]) -> Result<Options, String> {
        let arguments = arguments.iter().map(OsString::from);
        match parse(Parser::from_args(arguments)) {
            Ok(Action::Serve { options, .. }) => Ok(*options),
            Ok(_) => Err("another action".to_owned()),
            Err(error) => Err(error.to_string()),
        }
    }

    #[test]
    fn it_listens_to_this_machine_alone_unless_told_otherwise() {
        let addresses = options(&["serve"]).unwrap().addresses;
        assert_eq!(addresses, vec!["127.0.0.1:6379".parse().unwrap()]);
        let addresses = options(&["serve", "--bind", "::", "--bind=::1", "--port=1"]);
        let expected = vec!["[::]:1".parse().unwrap(), "[::1]:1".parse().unwrap()];
        assert_eq!(addresses.unwrap().addresses, expected);
    }

    #[test]
    fn sizes_have_the_units_of_redis() {
        for (text, size) in [("100", 100), ("1k", 1000), ("1KB", 1024), ("2gb", 2 << 30)] {
            assert_eq!(parse_size(text), Ok(size));
        }
        for text in ["", "mb", "1x", "-1", "99999999999gb"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
        assert_eq!(options(&["serve", "--maxmemory", "0"]).unwrap().max_memory, None);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        for arguments in [
            &["serve", "--port", "65536"][..],
            &["serve", "--port", "0"],
            &["serve", "--bind", "here"],
            &["serve", "--maxclients", "0"],
            &["serve", "more"],
            &["play"],
        ] {
            assert!(options(arguments).is_err(), "{arguments:?}");
        }
    }
}
