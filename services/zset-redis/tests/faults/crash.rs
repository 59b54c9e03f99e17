//! Kills a server with SIGKILL, and restarts it from its append-only file, which it wrote before
//! each reply.

use std::thread::sleep;
use std::time::Duration;

use crate::limiters::{DEADLINE, KEY};
use crate::load::Report;
use crate::servers::{Cluster, Server};
use crate::under_load::{Connections, each_cluster, each_server};

fn crash(server: &mut Server) {
    // The server is first away for less than a window, and then long enough for every thread to see
    // a failure.
    for absence in [Duration::from_millis(50), DEADLINE + Duration::from_millis(200)] {
        server.crash();
        sleep(absence);
        server.start_again();
        sleep(Duration::from_millis(200));
    }
}

fn all_fail(report: Report) {
    for (name, failures) in report.failures {
        assert!(!failures.is_empty(), "{name}");
    }
}

#[test]
fn a_server_crashes_and_restarts() {
    each_server(Connections::Replaced, crash, all_fail);
}

#[test]
fn a_node_of_a_cluster_crashes_and_restarts() {
    let crash = |cluster: &mut Cluster| {
        let owner = cluster.owner(cluster.slot(KEY));
        let node = &mut cluster.nodes[owner];
        node.crash();
        sleep(Duration::from_millis(100));
        node.start_again();
        cluster.wait_until_ok();
    };
    // A restarted node accepts no commands for two seconds, so every thread sees failures.
    each_cluster(crash, all_fail);
}
