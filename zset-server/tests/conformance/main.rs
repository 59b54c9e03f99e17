//! Replies, byte for byte: those of the engine, of a Redis 7.0 and of a Valkey 9.
//!
//! Each file of `rows/` is a script. Every line is a command as one types it; it is sent to all, and what
//! they answer has to be the same. Lines that begin with `#` are remarks; `~` before a command says that
//! the order of what is answered does not count, `!` that only its kind does: what begins the reply; `=`
//! that Redis 7.0 is not asked to agree: it prints doubles with 17 digits, and lacks what came later.
//! `@` gives a name to several texts, and a row with `$` and the name stands for one with each of them.
//! Each script runs twice, in RESP2 and in RESP3. More scripts are generated from `grammars/*.txt`.

#![cfg(all(unix, not(miri)))]

mod blocking;
mod dumps;
mod expand;
mod grammar;
mod random_keys;
mod server;

use grammar::Grammar;
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
    ByKind,
}

impl Compared {
    fn of(row: &str) -> (Compared, &str) {
        match row.as_bytes() {
            [b'~', ..] => (Compared::InAnyOrder, row[1..].trim()),
            [b'!', ..] => (Compared::ByKind, row[1..].trim()),
            _ => (Compared::Exactly, row),
        }
    }

    fn prepare(self, reply: &[u8]) -> Vec<u8> {
        match self {
            Compared::Exactly => reply.to_vec(),
            Compared::ByKind => reply.first().copied().into_iter().collect(),
            Compared::InAnyOrder => {
                let mut lines: Vec<_> = reply.split(|byte| *byte == b'\n').collect();
                lines.sort_unstable();
                lines.join(&b'\n')
            }
        }
    }
}

/// Runs a script, in both protocols.
fn compare(name: &str, script: &str) {
    let rows = expand::rows(script);
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(mut server) = Server::start(kind) else { continue };
        for hello in ["HELLO 2", "HELLO 3"] {
            let mut ours = Ours::new();
            server.ask("FLUSHALL");
            server.ask(hello);
            ours.ask(hello);
            let mut failures = Vec::new();
            for (number, row) in &rows {
                let (compared, row) = Compared::of(row);
                let is_newer = row.starts_with('=');
                let row = row.trim_start_matches('=').trim();
                let (theirs, ours) = (server.ask(row), ours.ask(row));
                let is_same = compared.prepare(&theirs) == compared.prepare(&ours);
                if !is_same && !(is_newer && kind == Kind::Redis) {
                    failures.push(format!(
                        "{name}:{number}: {row}\n  {kind:?}: {}\n  zset:   {}",
                        theirs.escape_ascii(),
                        ours.escape_ascii()
                    ));
                }
            }
            assert!(failures.is_empty(), "after {hello}\n{}", failures.join("\n"));
        }
    }
}

macro_rules! scripts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                compare(stringify!($name), include_str!(concat!("rows/", stringify!($name), ".txt")));
            }
        )*
    };
}

scripts! {
    add client command config connection dump expire keys lex limits pop random_scan range rank remove set_ops sets store strings transactions
}

macro_rules! grammars {
    ($($test:ident: $file:literal;)*) => {
        $(
            #[test]
            fn $test() {
                let grammar = Grammar::parse(include_str!(concat!("grammars/", $file, ".txt")));
                compare(stringify!($test), &grammar.script());
            }
        )*
    };
}

grammars! {
    generated_set_ops: "set_ops";
}
