//! Replies, byte for byte: those of the engine, of a Redis 7.0 and of a Valkey 9.
//!
//! Each file of `rows/` is a script; those of `rows/drawn/` are drawn by chance, see [`script`]. Every row
//! is a command as one types it; it is sent to all, and what they answer has to be the same. What stands
//! before a command says how it is compared: `~` that the order of what is answered does not count, `?`
//! that only its shape does, which is how many parts of which kinds it has, `!` that only its kind does:
//! what begins the reply, `^` that only the first six parts of each command in COMMAND INFO do. `=` says that Redis 7.0 is not asked, since it lacks what came later. Each script
//! runs twice, in RESP2 and in RESP3. Where Redis 7.0 prints doubles with 17 digits, they are compared as
//! numbers.

#![cfg(all(unix, not(miri)))]

mod arity;
mod blocking;
mod differences;
mod dumps;
mod list;
#[path = "../patient/mod.rs"]
mod patient;
mod reply;
mod script;
mod server;

use std::time::{Duration, Instant};

use reply::Reply;
use server::{Kind, Server};
use zset_server::{Client, Engine, Replies, Requests};

/// The engine, with a client.
struct Ours {
    engine: Engine,
    client: Client,
    requests: Requests,
    replies: Replies,
}

impl Ours {
    fn new() -> Self {
        let mut engine = Engine::new();
        let client = engine.client();
        Ours { engine, client, requests: Requests::default(), replies: Replies::default() }
    }

    /// Returns the reply to a line.
    fn ask(&mut self, line: &str) -> Vec<u8> {
        self.requests.extend(line.as_bytes());
        self.requests.extend(b"\r\n");
        self.replies.clear();
        while let Some(arguments) = self.requests.next().expect("the scripts are well-formed") {
            self.engine.execute(&mut self.client, &arguments, &mut self.replies);
        }
        self.replies.bytes().to_vec()
    }
}

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

    /// Returns what has to be the same of both replies.
    fn prepare(self, reply: &[u8], kind: Kind) -> Vec<u8> {
        let mut prepared = Vec::new();
        let parsed = || Reply::parse(reply).expect("it is whole").0;
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

/// A row of a script: a command, and how replies to it are compared.
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

    /// Returns what is wrong, if a server answers something else.
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

/// What is shown of a reply: all, or some bytes of those that are the same and the first that are not.
const MAX_SAME: usize = 60;
const MAX_SHOWN: usize = 300;

fn excerpt(reply: &[u8], part: &[u8]) -> String {
    let shown = if reply.len() > MAX_SHOWN { &part[..part.len().min(MAX_SHOWN)] } else { reply };
    shown.escape_ascii().to_string()
}

/// What is shown of a script that fails: after the first difference, others may only follow from it.
const MAX_FAILURES: usize = 20;

/// The rows that are shown before the first failure, which may explain it.
const MAX_BEFORE: usize = 20;

/// A row that takes longer was interrupted, so deadlines may have come in between.
const PAUSE: Duration = Duration::from_millis(100);

/// How often a script runs that fails after it was interrupted.
const ATTEMPTS: usize = 5;

/// A row at which a script fails: its place among the rows, and what is wrong.
type Failure = (usize, String);

/// Runs the rows of a script, which have numbers; returns where it fails, and the longest time of a row.
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

/// Runs a script, once more if it fails after a pause; returns where it fails.
fn play_undisturbed(server: &mut Server, hello: &str, rows: &[(usize, String)]) -> Vec<Failure> {
    for _ in 1..ATTEMPTS {
        let (failures, longest) = play(server, hello, rows);
        if failures.is_empty() || longest < PAUSE {
            return failures;
        }
    }
    play(server, hello, rows).0
}

/// Runs a script, in both protocols.
fn compare(name: &str, words: &str, script: &str) {
    let rows = script::rows(words, script);
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(mut server) = Server::start(kind) else { continue };
        for hello in ["HELLO 2", "HELLO 3"] {
            let failures = play_undisturbed(&mut server, hello, &rows);
            let Some((first, _)) = failures.first() else { continue };
            let shown: Vec<_> = failures.iter().take(MAX_FAILURES).map(|(_, it)| &**it).collect();
            let before: Vec<_> =
                rows[first.saturating_sub(MAX_BEFORE)..*first].iter().map(|row| &*row.1).collect();
            let (before, shown) = (before.join("\n"), shown.join("\n"));
            panic!(
                "{name}, after {hello} and what is before the first, which ends with\n{before}\n\
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
        add client command config connection counters dump expire keys lex limits patterns pop random_scan range rank remove set_ops
        sets store strings transactions
    }
}

mod drawn {
    scripts! {
        "rows/drawn", include_str!("rows/drawn/words.txt");
        add keys plain random range read remove server set_ops transactions
    }
}
