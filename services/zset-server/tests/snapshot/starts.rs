//! Snapshots at the start and stop of the program, and by SAVE.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use crate::process::{Folder, Server};

/// Runs the program until it exits; returns whether it succeeded, and its standard error.
pub(crate) fn run(snapshot: &Path, socket: &Path) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_zset-server"))
        .args(["serve", "--port", "0", "--snapshot"])
        .arg(snapshot)
        .arg("--unixsocket")
        .arg(socket)
        .output()
        .unwrap();
    (output.status.success(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn a_stopped_server_has_its_keys_at_the_next_start() {
    let folder = Folder::new();
    let mut server = Server::zset(&folder);
    assert_eq!(server.ask_text("ZADD z 1 a 2 b"), ":2\r\n");
    assert_eq!(server.ask_text("SET s text"), "+OK\r\n");
    assert_eq!(server.ask_text("PEXPIREAT s 9000000000000"), ":1\r\n");
    assert_eq!(server.ask_text("SET gone text"), "+OK\r\n");
    assert_eq!(server.ask_text("PEXPIRE gone 1"), ":1\r\n");
    assert!(server.stop().success());
    let mut server = Server::zset(&folder);
    assert_eq!(server.ask_text("ZRANGE z 0 -1 WITHSCORES").split("\r\n").count(), 10);
    assert_eq!(server.ask_text("PEXPIRETIME s"), ":9000000000000\r\n");
    assert_eq!(server.ask_text("GET gone"), "$-1\r\n");
    assert_eq!(server.ask_text("FLUSHALL"), "+OK\r\n");
    assert!(server.stop().success());
    assert_eq!(Server::zset(&folder).ask_text("DBSIZE"), ":0\r\n");
}

#[test]
fn save_writes_the_snapshot() {
    let folder = Folder::new();
    let mut server = Server::zset(&folder);
    server.ask_text("SET a 1");
    for _ in 0..3 {
        let _ = fs::remove_file(folder.snapshot());
        assert_eq!(server.ask_text("SAVE"), "+OK\r\n");
        assert!(folder.snapshot().exists());
    }
    let info = server.ask_text("INFO persistence");
    assert!(info.contains("rdb_last_bgsave_status:ok\r\nrdb_saves:3\r\n"), "{info}");
    server.ask_text("SET a 2");
    server.kill();
    assert_eq!(Server::zset(&folder).ask_text("GET a"), "$1\r\n1\r\n");
}

#[test]
fn a_damaged_snapshot_is_an_error_at_the_start_and_is_kept() {
    let folder = Folder::new();
    let path = folder.snapshot();
    let mut server = Server::zset(&folder);
    server.ask_text("SET key value");
    assert!(server.stop().success());
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() - 12] ^= 1;
    let longer = [&whole[..], b"*1\r\n$8\r\nFLUSHALL\r\n"].concat();
    let rest = format!("it has bytes after its end: 18 from offset {}", whole.len());
    for (bytes, text) in [
        (&whole[..whole.len() - 1], "it is truncated or damaged: its checksum has 7 of 8 bytes"),
        (&whole[..whole.len() - 9], "it is truncated or damaged: its end is missing"),
        (&flipped, "it is damaged: its checksum does not match"),
        (&longer, &rest),
        (b"text that is not a snapshot", "it is not an RDB file"),
        (b"", "it is not an RDB file"),
    ] {
        fs::write(&path, bytes).unwrap();
        let (success, log) = run(&path, &folder.join("other"));
        assert!(!success && !log.contains("panicked"), "{log}");
        let text = format!("zset-server: snapshot {}: {text}\n", path.display());
        assert!(log.ends_with(&text), "{log} does not end with {text}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_snapshot_that_cannot_be_written_is_an_error_of_save() {
    let folder = Folder::new();
    let mut server = Server::zset(&folder);
    server.ask_text("SET key value");
    // Not even root can replace a folder by a file.
    fs::create_dir(folder.snapshot()).unwrap();
    let reply = server.ask_text("SAVE");
    assert!(reply.starts_with("-ERR snapshot ") && reply.contains("dump.rdb"), "{reply}");
    assert!(server.ask_text("INFO persistence").contains("rdb_last_bgsave_status:err\r\n"));
    assert_eq!(server.ask_text("GET key"), "$5\r\nvalue\r\n");
    assert_eq!(folder.unfinished(), None);
    fs::remove_dir(folder.snapshot()).unwrap();
    assert_eq!(server.ask_text("SAVE"), "+OK\r\n");
}

#[test]
fn a_server_that_cannot_save_stops_at_the_second_signal() {
    for is_repaired in [true, false] {
        let folder = Folder::new();
        let mut server = Server::zset(&folder);
        server.ask_text("SET key value");
        fs::create_dir(folder.snapshot()).unwrap();
        server.terminate();
        while !server.ask_text("INFO persistence").contains("rdb_last_bgsave_status:err\r\n") {}
        // New clients are served too.
        assert_eq!(server.reconnect().ask_text("SET later value"), "+OK\r\n");
        if is_repaired {
            fs::remove_dir(folder.snapshot()).unwrap();
        }
        assert_eq!(server.stop().success(), is_repaired);
        if is_repaired {
            assert_eq!(Server::zset(&folder).ask_text("EXISTS key later"), ":2\r\n");
        }
    }
}

#[test]
fn a_path_that_cannot_hold_a_snapshot_is_an_error_at_the_start() {
    let folder = Folder::new();
    let fifo = folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let missing = folder.join("no/where");
    for (path, text) in [(&fifo, "it is not a regular file"), (&missing, "No such file")] {
        let (success, log) = run(path, &folder.join("socket"));
        let text = format!("zset-server: snapshot {}: {text}", path.display());
        assert!(!success && log.contains(&text), "{log} does not contain {text}");
    }
}

#[test]
fn a_link_is_followed_and_its_target_is_readable_by_the_owner_only() {
    let folder = Folder::new();
    let target = folder.join("target.rdb");
    for value in ["first", "second"] {
        let mut server = Server::zset(&folder);
        assert_eq!(server.ask_text(&format!("SET key {value}")), "+OK\r\n");
        assert!(server.stop().success());
        if value == "first" {
            fs::rename(folder.snapshot(), &target).unwrap();
            symlink(&target, folder.snapshot()).unwrap();
        }
    }
    assert!(fs::symlink_metadata(folder.snapshot()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(Server::zset(&folder).ask_text("GET key"), "$6\r\nsecond\r\n");
}

#[test]
fn writes_succeed_again_after_deletions_free_memory() {
    let folder = Folder::new();
    let mut server = Server::zset(&folder);
    assert_eq!(server.ask_text("CONFIG SET maxmemory 20mb"), "+OK\r\n");
    let value = "v".repeat(32 * 1024);
    let set = |n: usize| format!("SET key:{n} {value}");
    let refused = (0..100_000).find(|n| server.ask_text(&set(*n)) != "+OK\r\n");
    let refused = refused.expect("the limit is reached");
    assert!((300..700).contains(&refused), "{refused}");
    assert!(server.ask_text(&set(refused)).starts_with("-OOM command not allowed"));
    assert_eq!(server.ask_text("EXISTS key:0"), ":1\r\n");
    for n in 0..10 {
        assert_eq!(server.ask_text(&format!("DEL key:{n}")), ":1\r\n");
    }
    assert_eq!(server.ask_text(&set(refused)), "+OK\r\n");
}
