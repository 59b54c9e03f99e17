//! `SCRIPT FLUSH`: the script is sent again, and no call fails.

use std::slice;
use std::thread::sleep;
use std::time::Duration;

use crate::load::Report;
use crate::servers::{Kind, Server};
use crate::under_load::{Connections, cluster, one_server};

fn flush(servers: &[Server]) {
    for _ in 0..30 {
        for server in servers {
            server.ask("SCRIPT FLUSH");
        }
        sleep(Duration::from_millis(20));
    }
}

/// Only a pause of the machine can cause a failure.
fn only_timeouts(report: Option<Report>) {
    for (name, failures) in report.into_iter().flat_map(|report| report.failures) {
        let failure =
            failures.iter().find(|failure| !matches!(failure, zset_redis::Failure::Timeout));
        assert!(failure.is_none(), "{name}: {failure:?}");
    }
}

fn flush_one_server(kind: Kind) {
    let fault = |server: &mut Server| flush(slice::from_ref(server));
    only_timeouts(one_server(kind, Connections::All, fault));
}

#[test]
fn redis() {
    flush_one_server(Kind::Redis);
}

#[test]
fn valkey() {
    flush_one_server(Kind::Valkey);
}

#[test]
fn redis_cluster() {
    only_timeouts(cluster(Kind::Redis, |cluster| flush(&cluster.nodes)));
}

#[test]
fn valkey_cluster() {
    only_timeouts(cluster(Kind::Valkey, |cluster| flush(&cluster.nodes)));
}
