//! OBJECT: how values are stored.

use zset_core::Encoding;

use crate::command::{Command, READ};
use crate::engine::Context;
use crate::error::CommandError;
use crate::keyspace::Value;

use super::arguments::unknown_subcommand;

pub(super) const COMMANDS: &[Command] = &[Command {
    name: "object",
    arity: -2,
    flags: READ,
    keys: (2, 2, 1),
    summary: "Says how the value of a key is stored.",
    handler: object,
}];

/// The most bytes of a string that Redis keeps beside its header.
const LONGEST_EMBEDDED: usize = 44;

const HELP: &[&str] = &[
    "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
    "ENCODING <key>",
    "    Return the kind of internal representation used in order to store the value",
    "    associated with a <key>.",
    "FREQ <key>",
    "    Return the access frequency index of the <key>. The returned integer is",
    "    proportional to the logarithm of the recent access frequency of the key.",
    "IDLETIME <key>",
    "    Return the idle time of the <key>, that is the approximated number of",
    "    seconds elapsed since the last access to the key.",
    "REFCOUNT <key>",
    "    Return the number of references of the value associated with the specified",
    "    <key>.",
    "HELP",
    "    Print this help.",
];

fn object(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let subcommand = arguments[1].to_ascii_lowercase();
    let name = match subcommand.as_slice() {
        b"help" => "help",
        b"encoding" => "encoding",
        b"refcount" => "refcount",
        b"idletime" => "idletime",
        b"freq" => "freq",
        _ => return Err(unknown_subcommand("OBJECT", arguments[1])),
    };
    let wrong_arity = Err(CommandError::WrongArity(format!("object|{name}")));
    let key = match arguments {
        [_, _] if name == "help" => {
            context.replies.array(HELP.len());
            for line in HELP {
                context.replies.status(line);
            }
            return Ok(());
        }
        [_, _, key] if name != "help" => key,
        _ => return wrong_arity,
    };
    let Some(value) = context.state.keyspace.value(key) else {
        context.replies.null();
        return Ok(());
    };
    match name {
        "encoding" => context.replies.bulk(encoding(value).as_bytes()),
        // Values are not shared.
        "refcount" => context.replies.integer(1),
        // Nothing is evicted for being idle, so it is not noted.
        "idletime" => context.replies.integer(0),
        _ => {
            return Err(CommandError::err(
                "An LFU maxmemory policy is not selected, access frequency not tracked. Please \
                 note that when switching between policies at runtime LRU and LFU data will take \
                 some time to adjust.",
            ));
        }
    }
    Ok(())
}

/// Returns the encoding of a value; of a string, that which Redis would use.
fn encoding(value: &Value) -> &'static str {
    match value {
        Value::String(text) if crate::resp::parse_integer(text).is_some() => "int",
        Value::String(text) if text.len() <= LONGEST_EMBEDDED => "embstr",
        Value::String(_) => "raw",
        Value::Set(_) => "hashtable",
        Value::SortedSet(set) => match set.encoding() {
            Encoding::Listpack => "listpack",
            _ => "skiplist",
        },
    }
}
