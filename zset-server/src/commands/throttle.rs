//! CL.THROTTLE, as redis-cell has it: <https://github.com/brandur/redis-cell>.

use std::time::Duration;

use zset_std::{Funnels, Quota, Timestamp};

use crate::command::{Command, GROW};
use crate::engine::Context;
use crate::error::CommandError;

pub(super) const COMMANDS: &[Command] = &[Command {
    name: "cl.throttle",
    arity: -1,
    flags: GROW,
    keys: (1, 1, 1),
    summary: "Lets so much pass in a time, and says how much is left.",
    handler: throttle,
}];

/// The limits of CL.THROTTLE. They are no keys of the keyspace: TYPE, SCAN and DUMP know nothing of
/// them. DEL and FLUSHALL do, since that is how limits are reset.
pub(crate) struct Throttles {
    /// Each call brings its own quota.
    funnels: Funnels<Vec<u8>>,
}

impl Default for Throttles {
    fn default() -> Self {
        let quota = Quota::new(1, Duration::from_secs(1)).expect("one a second has a meaning");
        Throttles { funnels: Funnels::new(quota) }
    }
}

impl Throttles {
    /// Forgets a limit; returns whether there was one that some of was used.
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

/// Reads an integer as redis-cell does, which takes a plus and zeros before it.
fn integer(text: &[u8]) -> Result<i64, CommandError> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        let text = String::from_utf8_lossy(text);
        CommandError::Other(format!("Cell error: Couldn't parse as integer: {text}").into())
    })
}
