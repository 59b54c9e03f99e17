//! Signals to the program.

use std::fs;

use crate::program::Program;

#[test]
fn a_signal_saves_the_keys_and_stops_the_program() {
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = Program::start(&[]);
        let mut peer = program.connect();
        peer.ask(b"SET key value\r\n", b"+OK\r\n");
        program.signal(signal);
        peer.expect_last(b"");
        let (status, log) = program.wait();
        assert!(status.success(), "{status}: {log}");
        assert!(log.contains(&format!("SIG{signal}")) && log.contains("stopped"), "{log}");
        assert!(program.folder.snapshot().exists());
        assert!(!program.folder.socket().exists());
    }
}

#[test]
fn a_closed_terminal_stops_the_program_after_it_saves() {
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
    assert!(program.folder.snapshot().exists());
}

#[test]
fn a_snapshot_above_the_file_size_limit_is_an_error_and_the_old_one_stays() {
    // Blocks of 512 bytes.
    let mut program = Program::start_after("ulimit -f 100", &[]);
    let mut peer = program.connect();
    peer.ask(b"SET key value\r\nSAVE\r\n", b"+OK\r\n+OK\r\n");
    let old = fs::read(program.folder.snapshot()).unwrap();
    let value = "v".repeat(60_000);
    peer.ask(format!("SET large {value}\r\n").as_bytes(), b"+OK\r\n");
    let reply = peer.ask_line(b"SAVE\r\n");
    assert!(reply.starts_with("-ERR snapshot ") && reply.contains("arge"), "{reply}");
    assert_eq!(fs::read(program.folder.snapshot()).unwrap(), old);
    assert_eq!(program.folder.unfinished(), None);
    peer.ask(b"DEL large\r\nSAVE\r\n", b":1\r\n+OK\r\n");
    program.stop();
}
