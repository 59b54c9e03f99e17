//! What a server begins with, and what it leaves.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::process::Command;

use crate::peer::{Folder, Peer, run};

#[test]
fn what_was_there_at_the_end_is_there_at_the_next_start() {
    let folder = Folder::new("stop");
    let mut peer = Peer::ours(&folder);
    assert_eq!(peer.ask("ZADD z 1 a 2 b"), ":2\r\n");
    assert_eq!(peer.ask("SET s text PXAT 9000000000000"), "+OK\r\n");
    assert_eq!(peer.ask("SET gone text PX 1"), "+OK\r\n");
    assert!(peer.stop().success());
    let mut peer = Peer::ours(&folder);
    assert_eq!(peer.ask("ZRANGE z 0 -1 WITHSCORES").split("\r\n").count(), 10);
    assert_eq!(peer.ask("PEXPIRETIME s"), ":9000000000000\r\n");
    assert_eq!(peer.ask("GET gone"), "$-1\r\n");
    assert_eq!(peer.ask("FLUSHALL"), "+OK\r\n");
    assert!(peer.stop().success());
    assert_eq!(Peer::ours(&folder).ask("DBSIZE"), ":0\r\n");
}

#[test]
fn keys_are_saved_on_demand() {
    let folder = Folder::new("save");
    let mut peer = Peer::ours(&folder);
    peer.ask("SET a 1");
    for (command, reply) in [
        ("SAVE", "+OK\r\n"),
        ("BGSAVE", "+Background saving started\r\n"),
        ("BGSAVE schedule", "+Background saving started\r\n"),
    ] {
        let _ = fs::remove_file(folder.snapshot());
        assert_eq!(peer.ask(command), reply);
        assert!(folder.snapshot().exists());
    }
    assert_eq!(peer.ask("BGSAVE now"), "-ERR syntax error\r\n");
    let info = peer.ask("INFO persistence");
    assert!(info.contains("rdb_last_bgsave_status:ok\r\nrdb_saves:3\r\n"), "{info}");
    let last: u64 = peer.ask("LASTSAVE")[1..].trim_end().parse().unwrap();
    assert!(last > 1_700_000_000);
    peer.ask("SET a 2");
    peer.kill();
    assert_eq!(Peer::ours(&folder).ask("GET a"), "$1\r\n1\r\n");
}

#[test]
fn a_snapshot_that_cannot_be_read_stops_the_start_and_stays() {
    let folder = Folder::new("damaged");
    let path = folder.snapshot();
    let mut peer = Peer::ours(&folder);
    peer.ask("SET key value");
    assert!(peer.stop().success());
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() - 12] ^= 1;
    for (bytes, text) in [
        (&whole[..whole.len() - 1], "it is damaged: its checksum does not match"),
        (&flipped, "it is damaged: its checksum does not match"),
        (b"text that is no snapshot", "it is not an RDB file"),
        (b"", "it is not an RDB file"),
    ] {
        fs::write(&path, bytes).unwrap();
        let (success, log) = run(&path, &folder.join("other"));
        assert!(!success && !log.contains("panicked"), "{log}");
        let text = format!("zset-server: snapshot {}: {text}\n", path.display());
        assert!(log.ends_with(&text), "{log} is not {text}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_snapshot_that_cannot_be_written_is_an_error_and_the_server_goes_on() {
    let folder = Folder::new("unwritable");
    let mut peer = Peer::ours(&folder);
    peer.ask("SET key value");
    // Not even root can replace it.
    fs::create_dir(folder.snapshot()).unwrap();
    let reply = peer.ask("SAVE");
    assert!(reply.starts_with("-ERR snapshot ") && reply.contains("dump.rdb"), "{reply}");
    assert!(peer.ask("INFO persistence").contains("rdb_last_bgsave_status:err\r\n"));
    assert_eq!(peer.ask("GET key"), "$5\r\nvalue\r\n");
    assert_eq!(folder.unfinished(), None);
    fs::remove_dir(folder.snapshot()).unwrap();
    assert_eq!(peer.ask("SAVE"), "+OK\r\n");
}

#[test]
fn a_server_that_cannot_save_goes_on_until_it_is_told_again() {
    for is_repaired in [true, false] {
        let folder = Folder::new(&format!("refusal-{is_repaired}"));
        let mut peer = Peer::ours(&folder);
        peer.ask("SET key value");
        fs::create_dir(folder.snapshot()).unwrap();
        peer.terminate();
        while !peer.ask("INFO persistence").contains("rdb_last_bgsave_status:err\r\n") {}
        // Also for those who come now.
        assert_eq!(peer.reconnect(&folder).ask("SET later value"), "+OK\r\n");
        if is_repaired {
            fs::remove_dir(folder.snapshot()).unwrap();
        }
        assert_eq!(peer.stop().success(), is_repaired);
        if is_repaired {
            assert_eq!(Peer::ours(&folder).ask("EXISTS key later"), ":2\r\n");
        }
    }
}

#[test]
fn what_cannot_be_a_snapshot_stops_the_start() {
    let folder = Folder::new("places");
    let fifo = folder.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let missing = folder.join("no/where");
    for (path, text) in [(&fifo, "it is not a regular file"), (&missing, "No such file")] {
        let (success, log) = run(path, &folder.join("socket"));
        let text = format!("zset-server: snapshot {}: {text}", path.display());
        assert!(!success && log.contains(&text), "{log} is not {text}");
    }
}

#[test]
fn the_target_of_a_link_is_replaced_by_a_file_for_its_owner_alone() {
    let folder = Folder::new("link");
    let target = folder.join("target.rdb");
    for value in ["first", "second"] {
        let mut peer = Peer::ours(&folder);
        assert_eq!(peer.ask(&format!("SET key {value}")), "+OK\r\n");
        assert!(peer.stop().success());
        if value == "first" {
            fs::rename(folder.snapshot(), &target).unwrap();
            symlink(&target, folder.snapshot()).unwrap();
        }
    }
    assert!(fs::symlink_metadata(folder.snapshot()).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(Peer::ours(&folder).ask("GET key"), "$6\r\nsecond\r\n");
}

#[test]
fn the_program_counts_its_memory_and_takes_data_again_when_some_has_gone() {
    let folder = Folder::new("memory");
    let mut peer = Peer::ours(&folder);
    assert_eq!(peer.ask("CONFIG SET maxmemory 20mb"), "+OK\r\n");
    let value = "v".repeat(32 * 1024);
    let set = |n: usize| format!("SET key:{n} {value}");
    let refused = (0..100_000).find(|n| peer.ask(&set(*n)) != "+OK\r\n");
    let refused = refused.expect("memory has an end");
    assert!((300..700).contains(&refused), "{refused}");
    assert!(peer.ask(&set(refused)).starts_with("-OOM command not allowed"));
    assert_eq!(peer.ask("EXISTS key:0"), ":1\r\n");
    for n in 0..10 {
        assert_eq!(peer.ask(&format!("DEL key:{n}")), ":1\r\n");
    }
    assert_eq!(peer.ask(&set(refused)), "+OK\r\n");
}
