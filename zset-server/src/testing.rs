//! Helpers shared by unit tests.

use zset_std::Clock;

use crate::{Client, Engine, Replies};

/// Returns the reply to a command, given as a line whose arguments are separated by single spaces.
pub(crate) fn ask<C: Clock>(engine: &mut Engine<C>, client: &mut Client, line: &str) -> String {
    let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let mut replies = Replies::default();
    engine.execute(client, &arguments, &mut replies);
    String::from_utf8_lossy(replies.bytes()).into_owned()
}
