//! SIGKILL, and a restart from an append-only file that was written before each reply.

use std::thread::sleep;
use std::time::Duration;

use crate::limiters::{DEADLINE, KEY};
use crate::load::Report;
use crate::servers::{Kind, Server};
use crate::under_load::{Connections, cluster, one_server};

fn crash(server: &mut Server) {
    // First within a window, then for long enough that each call fails.
    for absence in [Duration::from_millis(50), DEADLINE + Duration::from_millis(200)] {
        server.crash();
        sleep(absence);
        server.start_again();
        sleep(Duration::from_millis(200));
    }
}

fn all_fail(report: Option<Report>) {
    for (name, failures) in report.into_iter().flat_map(|report| report.failures) {
        assert!(!failures.is_empty(), "{name}");
    }
}

#[test]
fn redis() {
    all_fail(one_server(Kind::Redis, Connections::Replaced, crash));
}

#[test]
fn valkey() {
    all_fail(one_server(Kind::Valkey, Connections::Replaced, crash));
}

fn crash_in_cluster(kind: Kind) {
    let report = cluster(kind, |cluster| {
        let owner = cluster.owner(cluster.slot(KEY));
        let node = &mut cluster.nodes[owner];
        node.crash();
        sleep(Duration::from_millis(100));
        node.start_again();
        cluster.wait_until_ok();
    });
    // The server accepts no commands in its first two seconds.
    all_fail(report);
}

#[test]
fn redis_cluster() {
    crash_in_cluster(Kind::Redis);
}

#[test]
fn valkey_cluster() {
    crash_in_cluster(Kind::Valkey);
}
