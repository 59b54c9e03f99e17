//! DEBUG: what test suites ask for.

use std::time::Duration;

use zset_core::rdb;

use crate::command::Command;
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;

use super::arguments::wrong_arguments;

pub(super) const COMMANDS: &[Command] = &[Command::plain("debug", -2, "Is for tests.", debug)];

/// The longest sleep, which is everybody's.
const MAX_SLEEP: f64 = 10.0;

fn debug(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    match (arguments[1].to_ascii_lowercase().as_slice(), &arguments[2..]) {
        (b"sleep", [seconds]) => {
            let seconds = std::str::from_utf8(seconds).ok().and_then(|text| text.parse().ok());
            let seconds = seconds.filter(|seconds: &f64| *seconds > 0.0).unwrap_or(0.0);
            std::thread::sleep(Duration::from_secs_f64(seconds.min(MAX_SLEEP)));
        }
        (b"object", [key]) => return object(context, key),
        // What they would do makes no difference that one could see.
        (b"jmap" | b"reload" | b"loadaof", _)
        | (b"set-active-expire" | b"set-disable-deny-scripts", [_]) => {}
        _ => return Err(wrong_arguments("DEBUG", arguments[1])),
    }
    context.replies.status("OK");
    Ok(())
}

fn object(context: &mut Context<'_>, key: &[u8]) -> Result<(), CommandError> {
    let value = context.state.keyspace.value(key);
    let value = value.ok_or_else(|| CommandError::err("no such key"))?;
    let (encoding, len) = match value {
        Value::String(string) => ("raw".to_owned(), string.len()),
        Value::Set(set) => ("hashtable".to_owned(), set.iter().map(|member| member.len()).sum()),
        Value::SortedSet(set) => (set.encoding().to_string(), rdb::dump(set).len()),
    };
    context.replies.status(&format!(
        "Value at:0x0 refcount:1 encoding:{encoding} serializedlength:{len} lru:0 \
         lru_seconds_idle:0"
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn the_beginning_of_a_long_name_is_repeated() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let reply = ask(&mut engine, &mut client, &format!("DEBUG {}", "a".repeat(1000)));
        let name = "a".repeat(128);
        let text = "unknown subcommand or wrong number of arguments for";
        assert_eq!(reply, format!("-ERR {text} '{name}'. Try DEBUG HELP.\r\n"));
    }
}
