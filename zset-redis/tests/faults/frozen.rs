//! SIGSTOP: the server accepts connections, and does not reply.

use std::thread::sleep;

use zset_redis::Error;

use crate::limiters::{DEADLINE, KEY};
use crate::load::Report;
use crate::servers::{Kind, Server};
use crate::under_load::{Connections, cluster, one_server};

fn freeze(server: &Server) {
    server.stop();
    sleep(3 * DEADLINE);
    server.proceed();
}

fn all_time_out(report: Option<Report>) {
    for (name, failures) in report.into_iter().flat_map(|report| report.failures) {
        assert!(matches!(failures[..], [Error::Timeout, ..]), "{name}: {failures:?}");
    }
}

#[test]
fn redis() {
    all_time_out(one_server(Kind::Redis, Connections::All, |server| freeze(server)));
}

#[test]
fn valkey() {
    all_time_out(one_server(Kind::Valkey, Connections::All, |server| freeze(server)));
}

fn freeze_in_cluster(kind: Kind) {
    all_time_out(cluster(kind, |cluster| freeze(&cluster.nodes[cluster.slot(KEY).1])));
}

#[test]
fn redis_cluster() {
    freeze_in_cluster(Kind::Redis);
}

#[test]
fn valkey_cluster() {
    freeze_in_cluster(Kind::Valkey);
}
