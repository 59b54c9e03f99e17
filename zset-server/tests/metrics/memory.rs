//! The limit of memory, of a server whose allocator counts.

use zset_server::Options;

use crate::peer::{Peer, options};

/// What a value takes, and most of what there is.
const VALUE: usize = 32 * 1024;

/// Room for many of them beside what the tests have for themselves.
const MAX: usize = 2000 * VALUE;

#[test]
fn at_the_limit_writes_are_refused_and_after_deletions_they_are_not() {
    let mut peer = Peer::start(Options { max_memory: Some(MAX as u64), ..options() });
    peer.ask(&format!("CONFIG SET maxmemory {MAX}"));
    let value = "v".repeat(VALUE);
    for round in 0..2 {
        let refused = (0..100_000).find(|n| peer.ask(&format!("SET key:{n} {value}")) != "+OK\r\n");
        let refused = refused.expect("memory has an end");

        assert!(refused > 1000, "{refused} in round {round}");
        let refusal = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
        assert_eq!(peer.ask(&format!("ZADD z 1 {value}")), refusal);
        assert_eq!(peer.ask("GET key:0").len(), value.len() + 2);
        assert_eq!(peer.ask("EXISTS key:1"), ":1\r\n");
        let used = number(&mut peer, "zset_memory_used_bytes");
        assert!(used > MAX / 2 && number(&mut peer, "zset_memory_peak_bytes") > MAX, "{used}");
        for n in 0..refused {
            assert_eq!(peer.ask(&format!("DEL key:{n}")), ":1\r\n");
        }
        assert!(number(&mut peer, "zset_memory_used_bytes") < MAX / 2);
        assert_eq!(peer.ask("ZADD z 1 a"), ":1\r\n");
        assert_eq!(peer.ask("DEL z"), ":1\r\n");
    }
}

fn number(peer: &mut Peer, name: &str) -> usize {
    let page = peer.ask("METRICS");
    let line = page.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
    line.expect("it is there").parse().expect("a number")
}
