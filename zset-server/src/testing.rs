//! What the unit tests share.

use crate::{Client, Engine, Replies};

/// Returns the reply to a command, a line whose arguments are parted by single spaces.
pub(crate) fn ask(engine: &mut Engine, client: &mut Client, line: &str) -> String {
    let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let mut replies = Replies::default();
    engine.execute(client, &arguments, &mut replies);
    String::from_utf8_lossy(replies.bytes()).into_owned()
}
