//! CL.THROTTLE, compatible with redis-cell: <https://github.com/brandur/redis-cell>.

use crate::command::{Context, Handlers, Replied};
use crate::error::{CommandError, until_zero};

pub(super) const HANDLERS: Handlers = &[("cl.throttle", throttle)];

fn throttle(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, numbers) = match arguments {
        [_, key, numbers @ ..] if matches!(numbers.len(), 3 | 4) => (*key, numbers),
        _ => {
            let usage = "Cell error: Usage: cl.throttle <key> <max_burst> <count per period> \
                         <period> [<quantity>]";
            return Err(CommandError::new(usage));
        }
    };
    let mut parsed = [0, 0, 0, 1];
    for (slot, text) in parsed.iter_mut().zip(numbers) {
        *slot = integer(text)?;
    }
    let [max_burst, count, period, quantity] = parsed;
    if count == 0 || period == 0 {
        return Err(CommandError::new("Cell error: Zero rates are not supported"));
    }
    let now = context.state.keyspace.now();
    let throttle = context
        .state
        .keyspace
        .throttles
        .funnels
        .at(now)
        .throttle(key, max_burst, count, period, quantity)
        .map_err(|error| CommandError::new(format!("Cell error: {error}")))?;
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
        CommandError::new([before, until_zero(text)].concat())
    })
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::keyspace::Throttles;
    use crate::testing::ask;

    #[test]
    fn new_keys_beyond_the_maximum_are_denied() {
        let mut engine = Engine::new();
        engine.state.keyspace.throttles = Throttles::with_max_keys(2);
        let mut client = engine.client();
        let mut is_limited = |key: &str| {
            let reply = ask(&mut engine, &mut client, &format!("cl.throttle {key} 5 1 1000"));
            reply.starts_with("*5\r\n:1\r\n")
        };
        assert!(!is_limited("a") && !is_limited("b") && is_limited("c"));
        assert!(!is_limited("a"), "existing keys are not denied");
        ask(&mut engine, &mut client, "del a");
        let reply = ask(&mut engine, &mut client, "cl.throttle c 5 1 1000");
        assert!(reply.starts_with("*5\r\n:0\r\n"), "{reply}");
    }
}
