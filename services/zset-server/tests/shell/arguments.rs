//! Tests the command line and the exit codes.

use crate::running::{run, text};

#[test]
fn help_and_version_are_printed() {
    for (arguments, beginning) in [
        (&["--help"][..], "Sorted sets at a prompt"),
        (&["shell", "--help"], "Sorted sets at a prompt"),
        (&["serve", "-h"], "Sorted sets at a prompt"),
        (&["--version"], "zset-server "),
    ] {
        let output = run(arguments, b"");
        assert!(text(&output.stdout).starts_with(beginning), "{arguments:?}");
        let is_short = text(&output.stdout).lines().all(|line| line.len() <= 80);
        assert!(is_short, "{arguments:?}");
        assert_eq!(text(&output.stderr), "");
        assert!(output.status.success());
    }
}

#[test]
fn an_invalid_command_line_has_exit_code_2() {
    for (arguments, reason) in [
        (&["play"][..], ""),
        (&["serve", "--port"], ""),
        (&["shell", "--fast"], ""),
        (&["serve", "--port", "65536"], ""),
        (&["serve", "--port", "0"], ""),
        (&["serve", "--bind", ""], ""),
        (&["serve", "--bind", "no host"], "cannot resolve \"no host\": "),
        (&["serve", "--maxclients", "0"], ""),
        (&["serve", "--maxclients", "x"], ""),
        (&["serve", "--maxmemory", "mb"], ""),
        (&["serve", "--maxmemory", ""], ""),
        (&["serve", "--maxmemory", "1x"], ""),
        (&["serve", "more"], ""),
        (&["serve", "--enable-debug-command", "on"], "--enable-debug-command takes no or yes"),
    ] {
        let output = run(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert_eq!(text(&output.stdout), "");
        let errors = text(&output.stderr);
        let beginning = format!("zset-server: {reason}");
        assert!(errors.starts_with(&beginning) && errors.contains("--help"), "{errors}");
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
