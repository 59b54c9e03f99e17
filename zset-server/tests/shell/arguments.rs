//! The command line, and the exit codes.

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
fn a_wrong_command_line_has_an_exit_code_of_its_own() {
    for arguments in [&["play"][..], &["serve", "--port"], &["shell", "--fast"]] {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
        let errors = text(&output.stderr);
        assert!(errors.starts_with("zset-server: ") && errors.contains("--help"), "{errors}");
    }
}

#[test]
fn a_server_that_cannot_start_fails() {
    let output = run(&["serve", "--bind", "0.0.0.0", "--port", "1"], b"");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("password"), "{}", text(&output.stderr));
}

#[test]
fn what_is_wrong_reaches_no_terminal_as_an_order() {
    for arguments in [&["shell", "--\u{1b}[2J"][..], &["shell", "no\u{1b}[2Jfile"]] {
        let errors = text(&run(arguments, b"").stderr);
        assert!(!errors.contains('\u{1b}') && errors.contains("[2J"), "{errors}");
    }
}
