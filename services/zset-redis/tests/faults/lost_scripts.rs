//! `SCRIPT FLUSH`: the script is sent again, and no call fails.

use std::slice;
use std::thread::sleep;
use std::time::Duration;

use zset_redis::Failure;

use crate::load::Report;
use crate::servers::Server;
use crate::under_load::{Connections, each_cluster, each_server};

fn flush(servers: &[Server]) {
    for _ in 0..30 {
        for server in servers {
            server.ask("SCRIPT FLUSH");
        }
        sleep(Duration::from_millis(20));
    }
}

/// Checks that there are no failures except timeouts, which a pause of the machine can cause.
fn only_timeouts(report: Report) {
    for (name, failures) in report.failures {
        let failure = failures.iter().find(|failure| !matches!(failure, Failure::Timeout));
        assert!(failure.is_none(), "{name}: {failure:?}");
    }
}

#[test]
fn a_server_loses_its_scripts() {
    let flush = |server: &mut Server| flush(slice::from_ref(server));
    each_server(Connections::All, flush, only_timeouts);
}

#[test]
fn the_nodes_of_a_cluster_lose_their_scripts() {
    each_cluster(|cluster| flush(&cluster.nodes), only_timeouts);
}
