//! CL.THROTTLE, compatible with redis-cell: <https://github.com/brandur/redis-cell>.

use std::time::Duration;

use zset_std::{Funnels, Quota, Timestamp, WhenFull};

use crate::command::{Command, GROW};
use crate::engine::Context;
use crate::error::{CommandError, until_zero};

pub(super) const COMMANDS: &[Command] = &[Command {
    name: "cl.throttle",
    arity: -1,
    flags: GROW,
    keys: (1, 1, 1),
    summary: "Lets so much pass in a time, and says how much is left.",
    handler: throttle,
}];

/// The maximum number of keys that are not idle, since clients may invent keys. Beyond it a new key is
/// denied, with a retry time at which another key may have become idle.
const MAX_KEYS: usize = 1 << 20;

/// The limits of CL.THROTTLE. They are not keys of the keyspace: TYPE, SCAN and DUMP ignore them. DEL and
/// FLUSHALL remove them, which is how limits are reset.
pub(crate) struct Throttles {
    /// Each call passes its own quota.
    funnels: Funnels<Vec<u8>>,
}

impl Default for Throttles {
    fn default() -> Self {
        Throttles::with_max_keys(MAX_KEYS)
    }
}

impl Throttles {
    fn with_max_keys(max_keys: usize) -> Self {
        let quota = Quota::new(1, Duration::from_secs(1)).expect("one a second has a meaning");
        Throttles { funnels: Funnels::new(quota).with_max_keys(max_keys, WhenFull::RefuseNew) }
    }

    /// Resets a limit; returns whether any of it was used up.
    pub(super) fn reset(&self, key: &[u8], now: Timestamp) -> bool {
        if self.funnels.is_empty() {
            return false;
        }
        let is_used = !self.funnels.peek_at(key, 0, now).reset_after.is_zero();
        self.funnels.reset(key) && is_used
    }
}

fn throttle(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, numbers) = match arguments {
        [_, key, numbers @ ..] if matches!(numbers.len(), 3 | 4) => (*key, numbers),
        _ => {
            let usage = "Cell error: Usage: cl.throttle <key> <max_burst> <count per period> \
                         <period> [<quantity>]";
            return Err(CommandError::Other(usage.into()));
        }
    };
    let mut parsed = [0, 0, 0, 1];
    for (slot, text) in parsed.iter_mut().zip(numbers) {
        *slot = integer(text)?;
    }
    let [max_burst, count, period, quantity] = parsed;
    if count == 0 || period == 0 {
        return Err(CommandError::Other("Cell error: Zero rates are not supported".into()));
    }
    let now = context.state.keyspace.now();
    let throttles = &context.state.throttles.funnels;
    let throttle = throttles
        .throttle_at(key, max_burst, count, period, quantity, now)
        .map_err(|error| CommandError::Other(format!("Cell error: {error}").into()))?;
    context.replies.array(5);
    context.replies.integer(throttle.limited.into());
    context.replies.integer(throttle.limit);
    context.replies.integer(throttle.remaining);
    context.replies.integer(throttle.retry_after);
    context.replies.integer(throttle.reset_after);
    Ok(())
}

/// Parses an integer as redis-cell does, accepting a leading plus and leading zeros.
fn integer(text: &[u8]) -> Result<i64, CommandError> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let before = b"Cell error: Couldn't parse as integer: ";
        CommandError::Quoting([before, until_zero(text)].concat())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn arguments_are_refused_in_the_words_of_redis_cell() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        for (line, text) in [
            (
                "cl.throttle",
                "Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]",
            ),
            ("cl.throttle a x 1 1", "Couldn't parse as integer: x"),
            ("cl.throttle a 1 1 1.5", "Couldn't parse as integer: 1.5"),
            ("cl.throttle a 1 0 1", "Zero rates are not supported"),
            ("cl.throttle a 1 1 0 0", "Zero rates are not supported"),
        ] {
            assert_eq!(ask(&mut engine, &mut client, line), format!("-Cell error: {text}\r\n"));
        }
        let passed = "*5\r\n:0\r\n:2\r\n:1\r\n:-1\r\n:60\r\n";
        assert_eq!(ask(&mut engine, &mut client, "cl.throttle a +1 01 60"), passed);
    }

    #[test]
    fn keys_beyond_the_most_are_denied_until_one_is_free() {
        let mut engine = Engine::new();
        engine.state.throttles = Throttles::with_max_keys(2);
        let mut client = engine.client();
        let mut is_limited = |key: &str| {
            let reply = ask(&mut engine, &mut client, &format!("cl.throttle {key} 5 1 1000"));
            reply.starts_with("*5\r\n:1\r\n")
        };
        assert!(!is_limited("a") && !is_limited("b") && is_limited("c"));
        assert!(!is_limited("a"), "one that is there is served");
        ask(&mut engine, &mut client, "del a");
        let reply = ask(&mut engine, &mut client, "cl.throttle c 5 1 1000");
        assert!(reply.starts_with("*5\r\n:0\r\n"), "{reply}");
    }
}
