//! The program, run once.

use std::env;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

/// Returns the program, with nothing of the user's that makes a difference.
pub(crate) fn program() -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_zset-server"));
    program.env_remove("NO_COLOR").env("ZSET_HISTORY", "");
    program
}

/// Runs the program with arguments and a standard input.
pub(crate) fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut program = program();
    program.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = program.spawn().expect("the program is there");
    let mut stdin = process.stdin.take().expect("it is piped");
    let input = input.to_vec();
    // Meanwhile the output is read, so that neither waits for the other for ever.
    let writer = thread::spawn(move || {
        // A program that has left reads no more.
        let _ = stdin.write_all(&input);
    });
    let output = process.wait_with_output().expect("it ends");
    writer.join().expect("it does not panic");
    output
}

/// Returns what a script answers that has nothing wrong in it.
pub(crate) fn answer(script: &str) -> String {
    let output = run(&[], script.as_bytes());
    assert_eq!(text(&output.stderr), "");
    assert!(output.status.success(), "{}", output.status);
    text(&output.stdout)
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("what is printed is UTF-8")
}

/// A folder that goes with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("zset-shell-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder of one's own");
        Folder(path)
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("the temporary folder has a name in UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
