//! The shell at a terminal, which `script` from util-linux emulates.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use test_support::servers::Folder;

/// The timeout of an output. Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(30);

struct Terminal {
    process: Child,
    keyboard: ChildStdin,
    screen: Receiver<Vec<u8>>,
    /// The output after the last string that was waited for.
    shown: String,
}

impl Terminal {
    /// Opens a terminal with the shell, or returns `None` if `script` is not installed.
    fn open() -> Option<Terminal> {
        Terminal::open_with("")
    }

    /// Like [`open`](Terminal::open), with arguments of the shell.
    fn open_with(arguments: &str) -> Option<Terminal> {
        let program = env!("CARGO_BIN_EXE_zset-server");
        let command = format!("stty cols 90 rows 30; exec '{program}' {arguments}");
        let mut process = Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .inspect_err(|error| eprintln!("SKIPPED: script is not installed: {error}"))
            .ok()?;
        let (keyboard, mut output) = (process.stdin.take()?, process.stdout.take()?);
        let (sender, screen) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(len @ 1..) = output.read(&mut buffer) {
                if sender.send(buffer[..len].to_vec()).is_err() {
                    break;
                }
            }
        });
        Some(Terminal { process, keyboard, screen, shown: String::new() })
    }

    fn press(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal reads");
    }

    /// Waits until a string is shown; returns the output before it.
    fn wait_for(&mut self, text: &str) -> String {
        let start = Instant::now();
        loop {
            if let Some(at) = self.shown.find(text) {
                let before = self.shown[..at].to_owned();
                self.shown.drain(..at + text.len());
                return before;
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            match self.screen.recv_timeout(left) {
                Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                Err(error) => panic!("no {text:?} ({error}) in {:?}", self.shown),
            }
        }
    }

    /// Waits until the shell exits; returns its exit code.
    fn close(mut self) -> Option<i32> {
        let start = Instant::now();
        // The channel is closed when the shell has exited.
        while let Some(left) = PATIENCE.checked_sub(start.elapsed()) {
            match self.screen.recv_timeout(left) {
                Ok(more) => self.shown.push_str(&String::from_utf8_lossy(&more)),
                Err(RecvTimeoutError::Disconnected) => {
                    return self.process.wait().expect("the shell exits").code();
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let _ = self.process.kill();
        panic!("the shell does not end: {:?}", self.shown);
    }
}

const PROMPT: &str = "zset> ";
const TAB: &str = "\t";
const ENTER: &str = "\r";
const UP: &str = "\x1b[A";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

#[test]
fn lines_are_completed_and_recalled() {
    let Some(mut terminal) = Terminal::open() else { return };
    terminal.wait_for(PROMPT);
    terminal.press("zad");
    terminal.press(TAB);
    terminal.wait_for("zadd ");
    terminal.press("leaderboard 7 ann");
    terminal.press(ENTER);
    terminal.wait_for("(integer) 1\r\n");
    terminal.wait_for(PROMPT);

    terminal.press("zsco");
    terminal.press(TAB);
    terminal.press("leaderboard ann");
    terminal.press(ENTER);
    terminal.wait_for("\"7\"\r\n");
    terminal.wait_for(PROMPT);

    terminal.press("never run");
    terminal.wait_for("never run");
    terminal.press(CTRL_C);
    terminal.wait_for(PROMPT);
    terminal.press("get \"");
    terminal.press(ENTER);
    terminal.wait_for("Unbalanced quotes\r\n");
    terminal.wait_for(PROMPT);
    terminal.press("multi");
    terminal.press(ENTER);
    terminal.wait_for("OK\r\n");
    terminal.wait_for("zset(TX)> ");
    terminal.press("discard");
    terminal.press(ENTER);
    terminal.wait_for("OK\r\n");
    terminal.wait_for(PROMPT);
    for _ in 0..5 {
        terminal.press(UP);
    }
    terminal.wait_for("zadd leaderboard 7 ann");
    terminal.press(ENTER);
    terminal.wait_for("(integer) 0\r\n");
    terminal.wait_for(PROMPT);
    terminal.press("exit");
    terminal.press(ENTER);
    assert_eq!(terminal.close(), Some(0));
}

#[test]
fn pasted_lines_run_one_by_one() {
    let Some(mut terminal) = Terminal::open() else { return };
    terminal.wait_for(PROMPT);
    // A bracketed paste.
    terminal.press("\x1b[200~zadd board 1 ann\nzcard \"\nzadd board 2 bob\r\n\x1b[201~");
    terminal.wait_for("zadd board 2 bob");
    terminal.press(ENTER);
    for answer in ["(integer) 1\r\n", "Unbalanced quotes\r\n", "(integer) 1\r\n"] {
        terminal.wait_for(answer);
    }
    terminal.wait_for(PROMPT);
    terminal.press("\x1b[200~zcard board\nexit\nping\x1b[201~");
    terminal.wait_for("ping");
    terminal.press(ENTER);
    terminal.wait_for("(integer) 2\r\n");
    assert_eq!(terminal.close(), Some(0));
}

#[test]
fn files_run_before_and_after_the_prompt() {
    let folder = Folder::new();
    let (file, after) = (folder.file("file"), folder.file("after"));
    fs::write(&file, "ZADD board 1 ann 2 bob\n").expect("the folder is writable");
    fs::write(&after, "ECHO after\n").expect("the folder is writable");
    let arguments = format!("shell '{file}' - '{after}'");
    let Some(mut terminal) = Terminal::open_with(&arguments) else { return };
    terminal.wait_for("(integer) 2\r\n");
    terminal.wait_for(PROMPT);
    terminal.press("zca");
    terminal.press(TAB);
    terminal.press("board");
    terminal.press(ENTER);
    terminal.wait_for("(integer) 2\r\n");
    terminal.wait_for(PROMPT);
    terminal.press(CTRL_D);
    terminal.wait_for("\"after\"\r\n");
    assert_eq!(terminal.close(), Some(0));
}
