//! A server that is killed while it saves.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng};

use crate::peer::{Folder, Peer};

/// How often it is killed.
const KILLS: u32 = 100;

const MEMBERS: usize = 30_000;

#[test]
fn a_server_that_is_killed_leaves_the_old_snapshot_or_the_new_one() {
    let folder = Folder::new("kill");
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut peer = Peer::ours(&folder);
    // As many at a time as a line may have.
    for start in (0..MEMBERS).step_by(1000) {
        let mut line = "ZADD large".to_owned();
        for n in start..start + 1000 {
            write!(line, " {n} member-{n:013}").unwrap();
        }
        assert_eq!(peer.ask(&line), ":1000\r\n");
    }
    peer.ask("SET generation 0");
    assert_eq!(peer.ask("SAVE"), "+OK\r\n");
    let len = fs::metadata(folder.snapshot()).unwrap().len();
    let (mut saved, mut unfinished) = (0, 0);
    for generation in 1..=KILLS {
        peer.ask(&format!("SET generation {generation}"));
        let before = fs::metadata(folder.snapshot()).unwrap().ino();
        peer.send("SAVE");
        // Anywhere in the file, a little before it, and a little behind.
        let at = rng.random_range(0..len + len / 8).checked_sub(len / 16);
        wait(&folder, before, at);
        peer.kill();
        unfinished += u32::from(folder.unfinished().is_some());
        peer = Peer::ours(&folder);
        assert_eq!(folder.unfinished(), None);
        let now: u32 = peer.ask("GET generation").split("\r\n").nth(1).unwrap().parse().unwrap();
        assert!(now == saved || now == generation, "{now} is neither {saved} nor {generation}");
        assert_eq!(peer.ask("ZCARD large"), format!(":{MEMBERS}\r\n"));
        saved = now;
    }
    assert!(saved > 0 && unfinished > 0, "saved {saved}, killed on the way {unfinished}");
}

/// Waits until so many bytes are in the new file, or until it has taken the place of the old one.
fn wait(folder: &Folder, old: u64, bytes: Option<u64>) {
    let Some(bytes) = bytes else { return };
    let is_new = || fs::metadata(folder.snapshot()).unwrap().ino() != old;
    // It may have its final name by now.
    let len = || Some(fs::metadata(folder.unfinished()?).ok()?.len());
    while !is_new() && len().unwrap_or(0) < bytes {
        std::hint::spin_loop();
    }
}
