//! The command line and exit codes.

use crate::running::{run, text};

#[test]
fn help_and_version_are_printed() {
    for (arguments, beginning) in [
        (&["--help"][..], "Sorted sets at a prompt"),
        (&["shell", "--help"], "Runs commands in this process"),
        (&["serve", "-h"], "Answers clients"),
        (&["--version"], "zset-server "),
    ] {
        let output = run(arguments, b"");
        assert!(text(&output.stdout).starts_with(beginning), "{arguments:?}");
        assert_eq!(text(&output.stderr), "");
        assert!(output.status.success());
    }
}

#[test]
fn an_invalid_command_line_has_exit_code_2() {
    for arguments in [&["play"][..], &["serve", "--port"], &["shell", "--fast"]] {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
        let errors = text(&output.stderr);
        assert!(errors.starts_with("zset-server: ") && errors.contains("--help"), "{errors}");
    }
}

#[test]
fn a_server_that_cannot_start_has_exit_code_1() {
    let output = run(&["serve", "--bind", "0.0.0.0", "--port", "1"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("password"), "{}", text(&output.stderr));
}

#[test]
fn errors_contain_no_escape_sequences() {
    for arguments in [&["shell", "--\u{1b}[2J"][..], &["shell", "no\u{1b}[2Jfile"]] {
        let errors = text(&run(arguments, b"").stderr);
        assert!(!errors.contains('\u{1b}') && errors.contains("[2J"), "{errors}");
    }
}
