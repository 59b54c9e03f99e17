//! Signals that the program gets.

use std::fs;
use std::time::{Duration, Instant};

use crate::program::Program;

#[test]
fn a_signal_saves_the_keys_and_ends_the_program() {
    for signal in ["INT", "TERM", "HUP"] {
        let mut program = Program::start(&[]);
        let mut peer = program.connect();
        peer.ask(b"SET key value\r\n", b"+OK\r\n");
        program.signal(signal);
        peer.expect_last(b"");
        let (status, log) = program.wait();
        assert!(status.success(), "{status}: {log}");
        assert!(log.contains(&format!("SIG{signal}")) && log.contains("stopped"), "{log}");
        assert!(program.folder.join("dump.rdb").exists());
        assert!(!program.folder.join("socket").exists());
    }
}

#[test]
fn a_terminal_that_closes_ends_the_program_with_its_keys_saved() {
    let mut program = Program::start(&[]);
    let mut peer = program.connect();
    peer.ask(b"SET key value\r\n", b"+OK\r\n");
    // Nothing can be logged from now on.
    program.close_log();
    // The system and the shell both send it.
    program.signal("HUP");
    program.signal("HUP");
    peer.expect_last(b"");
    let (status, _) = program.wait();
    assert!(status.success(), "{status}");
    assert!(program.folder.join("dump.rdb").exists());
}

#[test]
fn a_sleep_does_not_keep_the_program_from_its_end() {
    const SLEEPS: usize = 12;
    let mut program = Program::start(&["--enable-debug-command", "yes"]);
    let mut peer = program.connect();
    peer.ask(b"SET key value\r\n", b"+OK\r\n");
    let start = Instant::now();
    peer.send(&b"DEBUG SLEEP 10\r\n".repeat(SLEEPS));
    let log = program.stop();
    assert!(start.elapsed() < Duration::from_secs(10 * SLEEPS as u64 / 2), "{log}");
    assert!(program.folder.join("dump.rdb").exists());
}

#[test]
fn a_file_beyond_the_limit_of_the_system_is_an_error_and_the_old_one_stays() {
    // Blocks of 512 bytes.
    let mut program = Program::start_after("ulimit -f 100", &[]);
    let mut peer = program.connect();
    peer.ask(b"SET key value\r\nSAVE\r\n", b"+OK\r\n+OK\r\n");
    let old = fs::read(program.folder.join("dump.rdb")).unwrap();
    let value = "v".repeat(60_000);
    peer.ask(format!("SET large {value}\r\n").as_bytes(), b"+OK\r\n");
    for command in ["SAVE", "BGSAVE"] {
        let reply = peer.ask_line(format!("{command}\r\n").as_bytes());
        assert!(reply.starts_with("-ERR snapshot ") && reply.contains("arge"), "{reply}");
        assert_eq!(fs::read(program.folder.join("dump.rdb")).unwrap(), old);
        let files = fs::read_dir(program.folder.join(".")).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let unfinished: Vec<_> = names.filter(|name| name.contains("unfinished")).collect();
        assert!(unfinished.is_empty(), "{unfinished:?}");
    }
    peer.ask(b"DEL large\r\nSAVE\r\n", b":1\r\n+OK\r\n");
    program.stop();
}
