//! `CLIENT KILL`: calls whose connection was closed fail, and others open a new one.

use std::slice;
use std::thread::sleep;
use std::time::Duration;

use crate::servers::{Kind, Server};
use crate::under_load::{Connections, cluster, one_server};

fn kill(servers: &[Server]) {
    for _ in 0..10 {
        for server in servers {
            server.kill_clients();
        }
        sleep(Duration::from_millis(50));
    }
}

fn kill_clients_of_one_server(kind: Kind) {
    let fault = |server: &mut Server| kill(slice::from_ref(server));
    let report = one_server(kind, Connections::Replaced, fault);
    let failures =
        report.map(|report| report.failures.iter().map(|(_, of)| of.len()).sum::<usize>());
    assert_ne!(failures, Some(0), "no connection was closed");
}

#[test]
fn redis() {
    kill_clients_of_one_server(Kind::Redis);
}

#[test]
fn valkey() {
    kill_clients_of_one_server(Kind::Valkey);
}

// The client of a cluster repeats commands, so there may be no failures.

#[test]
fn redis_cluster() {
    cluster(Kind::Redis, |cluster| kill(&cluster.nodes));
}

#[test]
fn valkey_cluster() {
    cluster(Kind::Valkey, |cluster| kill(&cluster.nodes));
}
