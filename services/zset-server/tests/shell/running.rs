//! Runs the program until it exits, and compares its output with golden files. With
//! `ZSET_UPDATE_GOLDEN=1`, the files are rewritten.

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use test_support::servers;

/// Returns a command that runs the program, regardless of the user's `NO_COLOR`.
pub(crate) fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_zset-server"));
    program.env_remove("NO_COLOR");
    program
}

/// Runs the program with arguments and a standard input.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Output {
    servers::run(program().args(arguments), input).expect("the program can start")
}

/// Returns the output of a script, which must succeed without errors.
pub(crate) fn answer(script: &str) -> String {
    let output = run(&[], script.as_bytes());
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success(), "{}", output.status);
    text(&output.stdout)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

/// Asserts that a string is equal to the contents of a golden file.
pub(crate) fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shell/golden").join(name);
    if env::var_os("ZSET_UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("the folder is writable");
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{name} differs:\n{text}\n--- expected\n{expected}");
}
