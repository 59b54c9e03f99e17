//! MEMORY.

use zset_core::{Encoding, ZSet};

use crate::command::Command;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;

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

/// How many members are looked at, where nothing else is said.
const SAMPLES: usize = 5;

/// What a key takes besides its bytes: its entry, a hash, and what the allocator adds.
const KEY: usize = 64;

/// What a member of a large sorted set takes besides bytes that do not fit in place.
const SORTED_MEMBER: usize = 48;

/// The longest member that lies in place.
const IN_PLACE: usize = 22;

/// What a member of a plain set takes besides its bytes.
const SET_MEMBER: usize = 32;

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
            // Zero asks for all.
            let samples = if samples == 0 { usize::MAX } else { samples };
            context.replies.count(KEY + key.len() + estimate(value, samples));
        }
    }
    Ok(())
}

/// Returns about how many bytes a value takes, after a look at some of its members.
fn estimate(value: &Value, samples: usize) -> usize {
    match value {
        Value::String(string) => string.capacity(),
        Value::Set(set) => {
            let lens = set.iter().take(samples).map(|member| member.len());
            set.capacity() * SET_MEMBER + of_all(lens, set.len())
        }
        Value::SortedSet(set) => size_of::<ZSet>() + estimate_sorted(set, samples),
    }
}

fn estimate_sorted(set: &ZSet, samples: usize) -> usize {
    let members = set.iter().take(samples).map(|(member, _)| member.to_vec().len());
    if set.encoding() == Encoding::Listpack {
        // Two bytes of length for each member and each score, which is a few digits.
        return 7 + of_all(members.map(|len| len + 2 + 8), set.len());
    }
    let heap = members.map(|len| if len <= IN_PLACE { 0 } else { len + 16 });
    set.len() * SORTED_MEMBER + of_all(heap, set.len())
}

/// Returns the sum of `count` sizes, of which some are known.
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
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    #[cfg(all(target_os = "linux", not(miri)))]
    fn what_would_take_memory_beyond_the_bound_is_refused() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        assert_eq!(ask(&mut engine, &mut client, "zadd key 1 a"), ":1\r\n");
        assert_eq!(ask(&mut engine, &mut client, "config set maxmemory 1"), "+OK\r\n");
        assert!(ask(&mut engine, &mut client, "zadd key 2 b").starts_with("-OOM "));
        assert_eq!(ask(&mut engine, &mut client, "zscore key a"), "$1\r\n1\r\n");
        assert_eq!(ask(&mut engine, &mut client, "config set maxmemory 0"), "+OK\r\n");
        assert_eq!(ask(&mut engine, &mut client, "zadd key 2 b"), ":1\r\n");
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
            assert!(now > last, "{n}");
            last = now;
        }
        assert!((200 * 40..200 * 120).contains(&last), "{last}");
    }
}
