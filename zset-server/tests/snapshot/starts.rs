//! What a server begins with, and what it leaves.

use std::fs;

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
        (&whole[..whole.len() - 1], "it is damaged: it ends too early"),
        (&flipped, "it is damaged: its checksum does not match"),
        (b"text that is no snapshot", "it is not an RDB file"),
        (b"", "it is damaged: it ends too early"),
    ] {
        fs::write(&path, bytes).unwrap();
        let (success, log) = run(&path, &folder.unfinished().with_extension("socket"));
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
    // Not even root can make a file of that name.
    fs::create_dir(folder.unfinished()).unwrap();
    let reply = peer.ask("SAVE");
    assert!(reply.starts_with("-ERR snapshot ") && reply.contains("dump.rdb"), "{reply}");
    assert!(peer.ask("INFO persistence").contains("rdb_last_bgsave_status:err\r\n"));
    assert_eq!(peer.ask("GET key"), "$5\r\nvalue\r\n");
    assert!(!folder.snapshot().exists());
    fs::remove_dir(folder.unfinished()).unwrap();
    assert_eq!(peer.ask("SAVE"), "+OK\r\n");
    fs::create_dir(folder.unfinished()).unwrap();
    assert!(!peer.stop().success());
}
