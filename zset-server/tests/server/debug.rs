//! DEBUG, which is disabled by default.

use zset_server::{DebugCommand, Options};

use crate::running::{Running, options};

const REFUSED: &str = "-ERR DEBUG command not allowed. If the enable-debug-command option is set to \
                       \"local\", you can run it from a local connection, otherwise start the server with \
                       --enable-debug-command local or yes.";

#[test]
fn debug_is_disabled_by_default() {
    let server = Running::start();
    let mut peer = server.connect();
    for command in ["DEBUG SLEEP 0", "debug object k", "DEBUG HELP", "DEBUG NOSUCH"] {
        assert_eq!(peer.ask_line(format!("{command}\r\n").as_bytes()), REFUSED);
    }
    peer.ask(
        b"CONFIG GET enable-debug-command\r\n",
        b"*2\r\n$20\r\nenable-debug-command\r\n$2\r\nno\r\n",
    );
    let reply = peer.ask_line(b"CONFIG SET enable-debug-command yes\r\n");
    assert!(reply.ends_with("- can't set immutable config"), "{reply}");
    peer.ask(b"MULTI\r\n", b"+OK\r\n");
    assert_eq!(peer.ask_line(b"DEBUG SLEEP 0\r\n"), REFUSED);
    let discarded = b"-EXECABORT Transaction discarded because of previous errors.\r\n";
    peer.ask(b"EXEC\r\n", discarded);
}

#[test]
fn debug_can_be_enabled_for_all_or_for_local_clients() {
    for debug_command in [DebugCommand::Yes, DebugCommand::Local] {
        let server = Running::with(Options { debug_command, ..options() });
        let mut peer = server.connect();
        peer.ask(b"DEBUG SLEEP 0\r\n", b"+OK\r\n");
        let help = peer.ask_line(b"DEBUG HELP\r\n");
        assert!(help.starts_with('*'), "{help}");
    }
}
