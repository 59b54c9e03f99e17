//! Compares zset-server with real servers: Redis 7.0 and Valkey 9.
//!
//! Each command runs both in the server's [engine](Ours), in this process, and in another server.
//! The replies must be the same. Most commands come from two sources:
//!
//! - **Rows.** Each file in `rows/` is a script whose rows are command lines. The scripts in
//!   `rows/drawn/` make random choices: see [`script`]. Each script runs in RESP2 and in RESP3. A
//!   row may begin with a prefix that specifies how its replies are compared: `~` compares the
//!   lines in any order; `?` compares the shape, i.e. the types of all parts; `!` compares only the
//!   type of the whole reply; and `^`, for COMMAND INFO, compares the first six parts of each
//!   command. The prefix `=` skips the row for Redis 7.0, which lacks later features. Redis 7.0
//!   prints doubles with 17 digits, so its doubles are compared as numbers.
//! - **Random commands** on sorted sets, with edge cases as arguments, under several limits of the
//!   encodings: see [`episodes`].
//!
//! [`blocking`] plays scenes of several clients. [`scans`] compares ZSCAN, and [`interchange`]
//! compares DUMP and RESTORE, both with many sets.
//!
//! Intended differences are listed in `docs/redis.md`, which [`differences`] tests, and in
//! [`decisions`].

#![cfg(all(unix, not(miri)))]

mod arity;
mod blocking;
mod both;
mod command;
mod decisions;
mod differences;
mod dumps;
mod episodes;
mod interchange;
mod ours;
#[path = "../patient/mod.rs"]
mod patient;
mod process;
#[path = "../reply/mod.rs"]
mod reply;
mod sample;
mod scans;
mod score;
mod script;
#[path = "../serving/mod.rs"]
mod serving;

use std::time::{Duration, Instant};

use ours::Ours;
use process::{Kind, Reply, Server};

/// Defines two tests for each function: one with Redis, one with Valkey.
macro_rules! test_with_each_server {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use crate::process::{Kind, Server};

            #[test]
            fn redis() {
                if let Some(server) = Server::start(Kind::Redis) {
                    super::$test(server);
                }
            }

            #[test]
            fn valkey() {
                if let Some(server) = Server::start(Kind::Valkey) {
                    super::$test(server);
                }
            }
        }
    )+};
}
use test_with_each_server;

/// How two replies are compared.
#[derive(Clone, Copy)]
enum Compared {
    Exactly,
    InAnyOrder,
    ByShape,
    ByKind,
    ByProperties,
}

impl Compared {
    fn of(row: &str) -> (Compared, &str) {
        let compared = match row.as_bytes() {
            [b'~', ..] => Compared::InAnyOrder,
            [b'?', ..] => Compared::ByShape,
            [b'!', ..] => Compared::ByKind,
            [b'^', ..] => Compared::ByProperties,
            _ => return (Compared::Exactly, row),
        };
        (compared, row[1..].trim())
    }

    /// Returns the part of a reply to compare.
    fn prepare(self, reply: &[u8], kind: Kind) -> Vec<u8> {
        let mut prepared = Vec::new();
        let parsed = || Reply::of(reply);
        match self {
            Compared::ByShape => parsed().write_shape(&mut prepared),
            Compared::ByKind => prepared.extend(reply.first()),
            Compared::ByProperties => {
                let Reply::List(_, commands) = parsed() else { panic!("no list of commands") };
                for command in commands {
                    let Reply::List(_, parts) = command else { panic!("no command: {command:?}") };
                    prepared.extend(format!("{:?}", &parts[..6]).bytes());
                }
            }
            _ if kind == Kind::Redis => parsed().write_short(&mut prepared),
            _ => prepared.extend(reply),
        }
        if let Compared::InAnyOrder = self {
            let mut lines: Vec<_> = prepared.split(|byte| *byte == b'\n').collect();
            lines.sort_unstable();
            prepared = lines.join(&b'\n');
        }
        prepared
    }
}

/// A row of a script: a command and how its replies are compared.
struct Row<'a> {
    compared: Compared,
    is_newer: bool,
    command: &'a str,
}

impl<'a> Row<'a> {
    fn parse(row: &'a str) -> Self {
        let (compared, row) = Compared::of(row);
        let command = row.trim_start_matches('=').trim();
        Row { compared, is_newer: row.starts_with('='), command }
    }

    /// Runs the command; returns a report if the replies differ.
    fn check(&self, server: &mut Server, ours: &mut Ours) -> Result<(), String> {
        let (theirs, ours) = (server.ask(self.command), ours.ask(self.command));
        let prepare = |reply| self.compared.prepare(reply, server.kind);
        let (their_part, our_part) = (prepare(&theirs), prepare(&ours));
        if their_part == our_part {
            return Ok(());
        }
        let same = their_part.iter().zip(&our_part).take_while(|(theirs, ours)| theirs == ours);
        let from = same.count().saturating_sub(MAX_SAME);
        let (kind, command) = (server.kind, self.command);
        let theirs = excerpt(&theirs, &their_part[from..]);
        let ours = excerpt(&ours, &our_part[from..]);
        Err(format!("{command}\n  {kind:?}: {theirs}\n  zset:   {ours}"))
    }
}

/// The part of a long reply that a report shows: it begins up to `MAX_SAME` bytes before the first
/// difference, and has at most `MAX_SHOWN` bytes.
const MAX_SAME: usize = 60;
const MAX_SHOWN: usize = 300;

fn excerpt(reply: &[u8], part: &[u8]) -> String {
    let shown = if reply.len() > MAX_SHOWN { &part[..part.len().min(MAX_SHOWN)] } else { reply };
    shown.escape_ascii().to_string()
}

/// The number of failures that a report shows: later ones often follow from the first.
const MAX_FAILURES: usize = 20;

/// The number of rows before the first failure that a report shows.
const MAX_BEFORE: usize = 20;

/// A row that takes longer was interrupted, and keys may have expired in the meantime.
const PAUSE: Duration = Duration::from_millis(100);

/// The number of attempts for a script that fails after an interruption.
const ATTEMPTS: usize = 5;

/// The index of a row that fails, and a report.
type Failure = (usize, String);

/// Runs the rows of a script, which have line numbers; returns the failures and the longest time of
/// a row.
fn play(server: &mut Server, hello: &str, rows: &[(usize, String)]) -> (Vec<Failure>, Duration) {
    let mut ours = Ours::new();
    for line in ["RESET", "FLUSHALL", hello] {
        server.ask(line);
        ours.ask(line);
    }
    let (mut failures, mut longest) = (Vec::new(), Duration::ZERO);
    let mut last = Instant::now();
    for (at, (line, row)) in rows.iter().enumerate() {
        let row = Row::parse(row);
        if !(row.is_newer && server.kind == Kind::Redis)
            && let Err(error) = row.check(server, &mut ours)
        {
            failures.push((at, format!("{line}: {error}")));
        }
        let now = Instant::now();
        longest = longest.max(now.duration_since(last));
        last = now;
    }
    (failures, longest)
}

/// Runs a script, and repeats it if it fails after an interruption; returns the failures.
fn play_undisturbed(server: &mut Server, hello: &str, rows: &[(usize, String)]) -> Vec<Failure> {
    for _ in 1..ATTEMPTS {
        let (failures, longest) = play(server, hello, rows);
        if failures.is_empty() || longest < PAUSE {
            return failures;
        }
    }
    play(server, hello, rows).0
}

/// Runs a script with each server, in both protocols.
fn compare(name: &str, words: &str, script: &str) {
    let rows = script::rows(words, script);
    for mut server in Server::all() {
        for hello in ["HELLO 2", "HELLO 3"] {
            let failures = play_undisturbed(&mut server, hello, &rows);
            let Some((first, _)) = failures.first() else { continue };
            let shown: Vec<_> = failures.iter().take(MAX_FAILURES).map(|(_, it)| &**it).collect();
            let before: Vec<_> =
                rows[first.saturating_sub(MAX_BEFORE)..*first].iter().map(|row| &*row.1).collect();
            let (before, shown) = (before.join("\n"), shown.join("\n"));
            panic!(
                "{name}, after {hello} and these rows before the first failure:\n{before}\n\
                 {shown}"
            );
        }
    }
}

macro_rules! scripts {
    ($folder:literal, $words:expr; $($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                let script = include_str!(concat!($folder, "/", stringify!($name), ".txt"));
                super::compare(concat!($folder, "/", stringify!($name)), $words, script);
            }
        )*
    };
}

mod rows {
    scripts! {
        "rows", "";
        add client command config connection dump expire infinities keys lex limits patterns pop random_scan range rank remove set_ops
        sets store strings transactions
    }
}

mod drawn {
    scripts! {
        "rows/drawn", include_str!("rows/drawn/words.txt");
        add keys plain random range read remove server set_ops transactions
    }
}
