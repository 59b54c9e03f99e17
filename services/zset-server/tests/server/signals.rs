//! Signals to the program.

use crate::program::Program;

#[test]
fn a_signal_stops_the_program() {
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = Program::start(&[]);
        let mut peer = program.connect();
        peer.ask(b"SET key value\r\n", b"+OK\r\n");
        program.signal(signal);
        peer.expect_last(b"");
        let (status, log) = program.wait();
        assert!(status.success(), "{status}: {log}");
        assert!(log.contains(&format!("SIG{signal}")) && log.contains("stopped"), "{log}");
        assert!(!program.folder.socket().exists());
    }
}

#[test]
fn a_closed_terminal_stops_the_program() {
    let mut program = Program::start(&[]);
    let mut peer = program.connect();
    peer.ask(b"SET key value\r\n", b"+OK\r\n");
    // From now on, logging fails.
    program.close_log();
    // Both the system and the shell send the signal.
    program.signal("HUP");
    program.signal("HUP");
    peer.expect_last(b"");
    let (status, _) = program.wait();
    assert!(status.success(), "{status}");
}
