//! Tests the tables of differences in `docs/redis.md`: all three servers reply as stated there.

use super::Ours;
use super::process::{Kind, Reply, Server};

const DOCS: &str = include_str!("../../../../docs/redis.md");

/// A row of a table of differences.
struct Difference<'a> {
    commands: &'a str,
    /// The replies of Redis, Valkey and zset to the last command; `None` if not compared.
    replies: [Option<&'a str>; 3],
}

/// Returns the contents of a cell that is a single code span.
fn code(cell: &str) -> Option<&str> {
    let code = cell.trim().strip_prefix('`')?.strip_suffix('`')?;
    (!code.contains('`')).then_some(code)
}

fn differences() -> impl Iterator<Item = Difference<'static>> {
    DOCS.lines().filter_map(|line| {
        let cells: Vec<_> = line.strip_prefix('|')?.split(" | ").collect();
        let [commands, redis, valkey, zset, _why] = *cells else { return None };
        let replies = [redis, valkey, zset].map(code);
        Some(Difference { commands: code(commands)?, replies })
    })
}

impl Difference<'_> {
    /// Sends the commands and compares the last reply; returns a report if it differs.
    fn check(&self, side: usize, mut ask: impl FnMut(&str) -> Vec<u8>) -> Option<String> {
        let expected = self.replies[side]?;
        let reply = self.commands.split(" ; ").map(&mut ask).last()?;
        let shown = Reply::of(&reply).to_string();
        let is_right = match expected.strip_suffix('…') {
            Some(beginning) => shown.starts_with(beginning),
            None => shown == expected,
        };
        (!is_right)
            .then(|| format!("{}\n  expected: {expected}\n  reply:    {shown}", self.commands))
    }
}

#[test]
fn the_listed_differences_are_correct() {
    let mut failures = Vec::new();
    for mut server in Server::all() {
        let (kind, side) = (server.kind, usize::from(server.kind == Kind::Valkey));
        for difference in differences() {
            server.ask("RESET");
            server.ask("FLUSHALL");
            server.ask("CONFIG SET zset-max-listpack-entries 128 zset-max-listpack-value 64");
            let failure = difference.check(side, |line| server.ask(line));
            failures.extend(failure.map(|failure| format!("{kind:?}: {failure}")));
        }
    }
    for difference in differences() {
        let mut ours = Ours::new();
        let failure = difference.check(2, |line| ours.ask(line));
        failures.extend(failure.map(|failure| format!("zset: {failure}")));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_row_lists_a_difference() {
    assert!(differences().count() > 30);
    for Difference { commands, replies: [redis, valkey, zset] } in differences() {
        assert!(redis != zset || valkey != zset || zset.is_none(), "{commands}");
    }
}
