//! Tests where the password can be set, and which clients need it.

use std::process::Command;

use crate::program::Program;
use crate::prompt::Prompt;

/// Asserts that a running program requires this password.
#[track_caller]
fn assert_requires(program: &Program, password: &str) {
    let mut peer = program.connect();
    peer.ask(b"PING\r\n", b"-NOAUTH Authentication required.\r\n");
    peer.ask(format!("AUTH '{password}'\r\nPING\r\n").as_bytes(), b"+OK\r\n+PONG\r\n");
}

#[test]
fn a_password_is_read_from_the_environment() {
    let program = Program::start_after("export ZSET_REQUIREPASS='open sesame'", &[]);
    assert_requires(&program, "open sesame");
    // An empty password is an error, and so are two passwords.
    for arguments in [&["serve"][..], &["serve", "--requirepass", "a"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zset-server"));
        let variable = if arguments.len() > 1 { "b" } else { "" };
        let output = command.args(arguments).env("ZSET_REQUIREPASS", variable).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_new_password_applies_to_later_clients() {
    let mut prompt = Prompt::new();
    prompt.expect(&[("CONFIG SET requirepass open", "+OK"), ("PING", "+PONG")]);
    prompt.client = prompt.engine.client();
    for (line, reply) in [
        ("ping", "-NOAUTH"),
        ("nosuch", "-NOAUTH"),
        ("get", "-NOAUTH"),
        ("auth", "-ERR"),
        ("hello 3", "-NOAUTH"),
        ("hello 4", "-NOPROTO"),
        ("auth wrong", "-WRONGPASS"),
        ("auth ope", "-WRONGPASS"),
        ("auth openx", "-WRONGPASS"),
        ("auth opem", "-WRONGPASS"),
        ("auth ", "-WRONGPASS"),
        ("auth other open", "-WRONGPASS"),
        ("hello 2 auth default wrong", "-WRONGPASS"),
        ("hello 2 auth default open setname me", "*14"),
        ("client getname", "$2"),
        ("auth wrong", "-WRONGPASS"),
        ("ping", "+PONG"),
        ("reset", "+RESET"),
        ("ping", "-NOAUTH"),
        ("auth open", "+OK"),
        ("client getname", "$-1"),
    ] {
        let answer = prompt.ask(line);
        assert_eq!(answer.split(' ').next(), Some(reply), "{line}");
    }
}
