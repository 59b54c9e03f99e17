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

#[test]
fn a_sleep_has_bounds() {
    let server = Running::with(Options { debug_command: DebugCommand::Yes, ..options() });
    let mut peer = server.connect();
    for (seconds, reply) in [
        ("0", "+OK"),
        ("0.001", "+OK"),
        ("inf", "-ERR seconds must be between 0 and 10"),
        ("-inf", "-ERR seconds must be between 0 and 10"),
        ("1e300", "-ERR seconds must be between 0 and 10"),
        ("10.001", "-ERR seconds must be between 0 and 10"),
        ("-0.001", "-ERR seconds must be between 0 and 10"),
        ("nan", "-ERR value is not a valid float"),
        ("soon", "-ERR value is not a valid float"),
    ] {
        assert_eq!(peer.ask_line(format!("DEBUG SLEEP {seconds}\r\n").as_bytes()), reply);
    }
}

#[test]
fn the_error_quotes_the_start_of_a_long_name() {
    let server = Running::with(Options { debug_command: DebugCommand::Yes, ..options() });
    let reply = server.connect().ask_line(format!("DEBUG {}\r\n", "a".repeat(1000)).as_bytes());
    let text = "unknown subcommand or wrong number of arguments for";
    assert_eq!(reply, format!("-ERR {text} '{}'. Try DEBUG HELP.", "a".repeat(128)));
}
