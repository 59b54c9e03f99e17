//! MEMORY.

use crate::command::Command;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::{Bytes, Value};

use super::arguments::integer;
use super::command::{container, help};

pub(super) const COMMANDS: &[Command] =
    &[Command::plain("memory", -2, "How much memory things take.", container)];

pub(super) const SUBCOMMANDS: &[Command] = &[
    Command {
        keys: (2, 2, 1),
        ..Command::plain("memory|usage", -3, "Estimates the bytes that a key takes.", usage)
    },
    Command::plain("memory|doctor", 2, "Says what is odd about the memory.", doctor),
    Command::plain("memory|stats", 2, "Returns how much memory there is of what.", stats),
    Command::plain("memory|purge", 2, "Does nothing: no memory is kept back.", purge),
    Command::plain("memory|malloc-stats", 2, "Is not known here.", malloc_stats),
    Command::plain("memory|help", 2, "Lists the subcommands.", help),
];

/// The default number of members to sample.
const SAMPLES: usize = 5;

/// The overhead of a key: its entry with the hash, and its slot in the table.
const KEY: usize = size_of::<(u64, Bytes, Value)>() + 2 * size_of::<usize>();

/// The overhead of a member of a plain set: its entry with the hash, and its slot in the table, one
/// eighth of which stays free.
const SET_MEMBER: usize = size_of::<(u64, Bytes)>() + (size_of::<usize>() + 1) * 8 / 7;

fn usage(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let mut samples = SAMPLES;
    let mut rest = &arguments[3..];
    while let [option, behind @ ..] = rest {
        let [count, behind @ ..] = behind else { return Err(CommandError::Syntax) };
        if !option.eq_ignore_ascii_case(b"samples") {
            return Err(CommandError::Syntax);
        }
        samples = usize::try_from(integer(count)?).map_err(|_| CommandError::Syntax)?;
        rest = behind;
    }
    let key = arguments[2];
    match context.state.keyspace.value(key) {
        None => context.replies.null(),
        Some(value) => {
            // Zero samples all members.
            let samples = if samples == 0 { usize::MAX } else { samples };
            context.replies.count(KEY + key.len() + estimate(value, samples));
        }
    }
    Ok(())
}

/// Estimates the memory of a value in bytes from a sample of its members.
fn estimate(value: &Value, samples: usize) -> usize {
    match value {
        Value::String(string) => string.capacity(),
        Value::Set(set) => {
            let lens = set.iter().take(samples).map(|member| member.len());
            size_of_val(&**set) + set.capacity() * SET_MEMBER + of_all(lens, set.len())
        }
        Value::SortedSet(set) => set.estimated_allocation_size(samples),
    }
}

/// Extrapolates the sum of `count` sizes from the known ones.
fn of_all(known: impl Iterator<Item = usize>, count: usize) -> usize {
    let (sum, number) = known.fold((0_u128, 0_u128), |(sum, n), size| (sum + size as u128, n + 1));
    usize::try_from((sum * count as u128).checked_div(number).unwrap_or(0)).unwrap_or(usize::MAX)
}

fn doctor(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.verbatim("Nothing odd is known about the memory.\n");
    Ok(())
}

fn stats(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    let (used, peak) = context.state.memory.look();
    let keys = context.state.keyspace.len();
    context.replies.map(3);
    for (name, number) in
        [("peak.allocated", peak), ("total.allocated", used), ("keys.count", keys)]
    {
        context.replies.bulk(name.as_bytes());
        context.replies.count(number);
    }
    Ok(())
}

fn purge(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.status("OK");
    Ok(())
}

fn malloc_stats(context: &mut Context<'_>, _: &[&[u8]]) -> Result<(), CommandError> {
    context.replies.bulk(b"Stats not supported for the current allocator");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn at_the_bound_what_grows_is_refused_until_enough_has_gone() {
        static USED: AtomicUsize = AtomicUsize::new(0);
        let mut engine = Engine::new();
        let mut client = engine.client();
        engine.count_memory(Some(|| USED.load(Ordering::Relaxed)));
        let mut ask = |line: &str| ask(&mut engine, &mut client, line);
        assert_eq!(ask("zadd key 1 a"), ":1\r\n");
        assert_eq!(ask("config set maxmemory 1000"), "+OK\r\n");
        USED.store(1001, Ordering::Relaxed);
        let refusal = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
        for line in ["zadd key 2 b", "set a 1", "sadd s 1", "zunionstore a 1 key", "copy key a"] {
            assert_eq!(ask(line), refusal, "{line}");
        }
        assert_eq!(ask("zscore key a"), "$1\r\n1\r\n");
        assert_eq!(ask("del key"), ":1\r\n");
        assert!(ask("memory stats").contains("$14\r\npeak.allocated\r\n:1001\r\n"));
        USED.store(1000, Ordering::Relaxed);
        assert_eq!(ask("zadd key 2 b"), ":1\r\n");
        let stats = ask("memory stats");
        assert!(
            stats.contains("peak.allocated\r\n:1001") && stats.contains("total.allocated\r\n:1000")
        );
    }

    #[test]
    fn the_estimate_grows_with_what_is_stored() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let mut usage = |engine: &mut Engine| {
            let reply = ask(engine, &mut client, "memory usage key samples 0");
            reply.trim_start_matches(':').trim_end().parse::<usize>().expect("a number")
        };
        let mut other = engine.client();
        let mut last = 0;
        for n in 0..200 {
            ask(&mut engine, &mut other, &format!("zadd key {n} member:{n}"));
            let now = usage(&mut engine);
            assert!(now >= last, "{n}");
            last = now;
        }
        assert!((200 * 40..200 * 120).contains(&last), "{last}");
    }
}
