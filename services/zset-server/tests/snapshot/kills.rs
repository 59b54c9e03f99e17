//! A server that is killed while it saves.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng};

use crate::process::{Folder, Server};

/// How often the server is killed.
const KILLS: u32 = 100;

const MEMBERS: usize = 30_000;

#[test]
fn a_server_that_is_killed_leaves_the_old_snapshot_or_the_new_one() {
    let folder = Folder::new();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut server = Server::zset(&folder);
    // The length of a line is limited.
    for start in (0..MEMBERS).step_by(1000) {
        let mut line = "ZADD large".to_owned();
        for n in start..start + 1000 {
            write!(line, " {n} member-{n:013}").unwrap();
        }
        assert_eq!(server.ask_text(&line), ":1000\r\n");
    }
    server.ask("SET generation 0");
    assert_eq!(server.ask_text("SAVE"), "+OK\r\n");
    let len = fs::metadata(folder.snapshot()).unwrap().len();
    let (mut saved, mut unfinished) = (0, 0);
    for generation in 1..=KILLS {
        server.ask(&format!("SET generation {generation}"));
        let before = fs::metadata(folder.snapshot()).unwrap().ino();
        server.send("SAVE");
        // Before the file is written, at any length of it, or afterwards.
        let at = rng.random_range(0..len + len / 8).checked_sub(len / 16);
        wait(&folder, before, at);
        server.kill();
        unfinished += u32::from(folder.unfinished().is_some());
        server = Server::zset(&folder);
        assert_eq!(folder.unfinished(), None);
        let now: u32 =
            server.ask_text("GET generation").split("\r\n").nth(1).unwrap().parse().unwrap();
        assert!(now == saved || now == generation, "{now} is neither {saved} nor {generation}");
        assert_eq!(server.ask_text("ZCARD large"), format!(":{MEMBERS}\r\n"));
        saved = now;
    }
    assert!(saved > 0 && unfinished > 0, "saved {saved}, unfinished {unfinished}");
}

/// Waits until the new file has a number of bytes or has replaced the old one.
fn wait(folder: &Folder, old: u64, bytes: Option<u64>) {
    let Some(bytes) = bytes else { return };
    let is_new = || fs::metadata(folder.snapshot()).unwrap().ino() != old;
    // It may already have its final name.
    let len = || Some(fs::metadata(folder.unfinished()?).ok()?.len());
    while !is_new() && len().unwrap_or(0) < bytes {
        std::hint::spin_loop();
    }
}
