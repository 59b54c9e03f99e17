//! Commands on keys, drawn at random: options in any order, keys that are there or not, numbers of all
//! kinds. Each is sent to a server and to the engine, which have to agree.

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::server::{Kind, Server};
use super::{Compared, Ours};

const ROWS: usize = 4000;

const KEYS: &[&str] = &["a", "b", "c", "z1", "z2", "\"\\x00\\xff\"", "\"\""];

/// Numbers. Times are never from now on, since the clocks are two, and none are after 2554, which are as
/// late as that here.
const NUMBERS: &[&str] = &[
    "100000",
    "200000",
    "0",
    "-1",
    "9999999999",
    "12000000000",
    "9223372036854775807",
    "x",
    "1.5",
    "9223372036854775808",
    "-9223372036854775808",
    "\"\"",
    "007",
    "+5",
    "1000000",
    "100000",
];

/// Commands, with what takes the place of each letter: `k` a key, `n` a number, `o` options of those
/// behind the bar, each drawn or not.
const COMMANDS: &[&str] = &[
    "DEL k",
    "UNLINK k k",
    "EXISTS k k k",
    "TOUCH k",
    "TYPE k",
    "RENAME k k",
    "RENAMENX k k",
    "COPY k k o|REPLACE;DB 0;DB 99;DB;NOSUCH",
    "COPY k k",
    "EXPIRE k o|-1;0;x;9223372036854775807;NX;LT;NOSUCH",
    "PEXPIRE k -1 o|NX;XX;GT;LT",
    "EXPIREAT k n o|NX;XX;GT;LT;nx",
    "EXPIREAT k 9999999999",
    "PEXPIREAT k 9999999999999 o|NX;XX;GT;LT;gt",
    "PEXPIRETIME k",
    "EXPIRETIME k",
    "PERSIST k",
    "GET k",
    "SET k value",
    "SET k n o|NX;XX;GET;KEEPTTL;PXAT 9999999999999;EXAT 9999999999;EX;PX x;EX -1",
    "SET k n o|GET;KEEPTTL;xx",
    "SET k n o|NX;GET;KEEPTTL EXAT 10000000000",
    "ZADD k 1 a 2 b",
    "ZSCORE k a",
    "ZADD k 5 a",
    "OBJECT ENCODING k",
    "OBJECT FREQ k",
    "DBSIZE",
    "KEYS *",
    "KEYS [a-c]*",
    "SCAN 0 COUNT 1000 o|MATCH ?;TYPE zset;TYPE string;COUNT 0;COUNT x;MATCH",
    "FLUSHALL o|SYNC;ASYNC",
    "WATCH k k",
    "WATCH k",
    "WATCH k",
    "UNWATCH",
    "MULTI",
    "MULTI",
    "EXEC",
    "EXEC",
    "EXEC",
    "DISCARD",
    "SELECT n",
    "SWAPDB n n",
    "NOSUCH z1 a",
    "GET k k",
    "RESTORE k n x o|REPLACE;ABSTTL;FREQ 1;IDLETIME 1",
];

fn draw<'a>(rng: &mut Xoshiro256PlusPlus, from: &[&'a str]) -> &'a str {
    from.choose(rng).expect("there is something to draw")
}

fn row(rng: &mut Xoshiro256PlusPlus) -> String {
    let template = draw(rng, COMMANDS);
    let (words, options) = template.split_once('|').unwrap_or((template, ""));
    let mut row = String::new();
    for word in words.split(' ') {
        let chosen = match word {
            "k" => draw(rng, KEYS).to_owned(),
            "n" => draw(rng, NUMBERS).to_owned(),
            "o" => {
                let all: Vec<_> = options.split(';').collect();
                let drawn = (0..rng.random_range(0..3)).map(|_| draw(rng, &all));
                drawn.collect::<Vec<_>>().join(" ")
            }
            word => word.to_owned(),
        };
        row.push_str(&chosen);
        row.push(' ');
    }
    row.trim_end().to_owned()
}

/// Returns whether Redis 7.0 is known to answer otherwise.
fn is_newer(row: &str, is_in_transaction: bool) -> bool {
    is_in_transaction && (row.starts_with("MULTI") || row.starts_with("WATCH"))
}

#[test]
fn commands_on_keys_agree_whatever_is_drawn() {
    for (kind, seed) in [(Kind::Redis, 1), (Kind::Valkey, 2), (Kind::Redis, 3), (Kind::Valkey, 4)] {
        let Some(mut server) = Server::start(kind) else { continue };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut ours = Ours::new();
        let (mut history, mut is_in_transaction) = (Vec::new(), false);
        for _ in 0..ROWS {
            let row = row(&mut rng);
            if kind == Kind::Redis && is_newer(&row, is_in_transaction) {
                continue;
            }
            is_in_transaction = match &*row {
                "MULTI" => true,
                "EXEC" | "DISCARD" => false,
                _ => is_in_transaction,
            };
            let (theirs, our) = (server.ask(&row), ours.ask(&row));
            history.push(row);
            // Keys come in another order, in transactions too.
            let compared = Compared::InAnyOrder;
            assert!(
                compared.prepare(&theirs) == compared.prepare(&our),
                "{kind:?}: {}\nzset:  {}\nafter {:#?}",
                theirs.escape_ascii(),
                our.escape_ascii(),
                &history[history.len().saturating_sub(25)..]
            );
        }
    }
}
