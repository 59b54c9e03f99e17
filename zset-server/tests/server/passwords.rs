//! Passwords that `ps` does not show.

use std::fs;

use crate::program::{Folder, Program};

/// Asserts that a program asks for a password.
#[track_caller]
fn assert_asks_for(program: &Program, password: &str) {
    let mut peer = program.connect();
    peer.ask(b"PING\r\n", b"-NOAUTH Authentication required.\r\n");
    peer.ask(format!("AUTH '{password}'\r\nPING\r\n").as_bytes(), b"+OK\r\n+PONG\r\n");
}

#[test]
fn a_password_is_read_from_a_file() {
    let folder = Folder::new();
    let path = folder.join("password");
    for end in ["", "\n", "\r\n"] {
        fs::write(&path, format!(" open sesame{end}")).unwrap();
        let program = Program::start(&["--requirepass-file", path.to_str().unwrap()]);
        assert_asks_for(&program, " open sesame");
    }
}

#[test]
fn a_password_is_read_from_a_pipe_that_stays_open() {
    // The other end is open as long as the server is.
    let before = "mkfifo \"$5.pipe\"; exec 3<>\"$5.pipe\"; echo 'open sesame' >&3; \
                  set -- \"$@\" --requirepass-file \"$5.pipe\"";
    let program = Program::start_after(before, &[]);
    assert_asks_for(&program, "open sesame");
}

#[test]
fn a_password_is_read_from_the_environment() {
    let program = Program::start_after("export ZSET_REQUIREPASS='open sesame'", &[]);
    assert_asks_for(&program, "open sesame");
}
