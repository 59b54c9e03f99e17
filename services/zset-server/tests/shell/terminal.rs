//! Tests the shell at a terminal, which `script` from util-linux emulates.

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
    fn open(arguments: &str) -> Option<Terminal> {
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

    /// For each pair, presses the keys and waits until the string is shown. Empty keys only wait.
    fn play(&mut self, steps: &[(&str, &str)]) {
        for (keys, text) in steps {
            self.press(keys);
            let start = Instant::now();
            let at = loop {
                if let Some(at) = self.shown.find(text) {
                    break at;
                }
                let left = PATIENCE.saturating_sub(start.elapsed());
                match self.screen.recv_timeout(left) {
                    Ok(bytes) => self.shown += &String::from_utf8_lossy(&bytes),
                    Err(error) => panic!("no {text:?} ({error}) in {:?}", self.shown),
                }
            };
            self.shown.drain(..at + text.len());
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
const UP: &str = "\x1b[A";
const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";

#[test]
fn lines_are_completed_and_recalled() {
    let Some(mut terminal) = Terminal::open("") else { return };
    terminal.play(&[
        ("", PROMPT),
        ("zad\t", "zadd "),
        ("leaderboard 7 ann\r", "(integer) 1\r\n"),
        ("", PROMPT),
        ("zsco\tleaderboard ann\r", "\"7\"\r\n"),
        ("", PROMPT),
        ("never run", "never run"),
        (CTRL_C, PROMPT),
        ("get \"\r", "Unbalanced quotes\r\n"),
        ("", PROMPT),
        ("multi\r", "OK\r\n"),
        ("", "zset(TX)> "),
        ("discard\r", "OK\r\n"),
        ("", PROMPT),
        (&UP.repeat(5), "zadd leaderboard 7 ann"),
        ("\r", "(integer) 0\r\n"),
        ("", PROMPT),
    ]);
    terminal.press("exit\r");
    assert_eq!(terminal.close(), Some(0));
}

#[test]
fn pasted_lines_run_one_by_one() {
    let Some(mut terminal) = Terminal::open("") else { return };
    terminal.play(&[
        ("", PROMPT),
        // The escape sequences around the text mark it as pasted.
        ("\x1b[200~zadd board 1 ann\nzcard \"\nzadd board 2 bob\r\n\x1b[201~", "zadd board 2 bob"),
        ("\r", "(integer) 1\r\n"),
        ("", "Unbalanced quotes\r\n"),
        ("", "(integer) 1\r\n"),
        ("", PROMPT),
        ("\x1b[200~zcard board\nexit\nping\x1b[201~", "ping"),
        ("\r", "(integer) 2\r\n"),
    ]);
    assert_eq!(terminal.close(), Some(0));
}

#[test]
fn files_run_before_and_after_the_prompt() {
    let folder = Folder::new();
    let (file, after) = (folder.file("file"), folder.file("after"));
    fs::write(&file, "ZADD board 1 ann 2 bob\n").expect("the folder is writable");
    fs::write(&after, "ECHO after\n").expect("the folder is writable");
    let arguments = format!("shell '{file}' - '{after}'");
    let Some(mut terminal) = Terminal::open(&arguments) else { return };
    terminal.play(&[
        ("", "(integer) 2\r\n"),
        ("", PROMPT),
        ("zca\tboard\r", "(integer) 2\r\n"),
        ("", PROMPT),
        (CTRL_D, "\"after\"\r\n"),
    ]);
    assert_eq!(terminal.close(), Some(0));
}
