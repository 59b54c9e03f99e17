//! The steps that many tests share: a load runs before, during and after a fault.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::limiters::Connection;
use crate::load::{Load, Report};
use crate::servers::{Cluster, Kind, Server};
use crate::units;

/// With `appendfsync always`, a crash loses no allowed units.
pub(crate) const DURABLE: &[&str] = &["--appendonly", "yes", "--appendfsync", "always"];

/// Which connections to a server are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connections {
    /// Only connections that reconnect.
    Replaced,
    All,
}

/// Runs the load while a server of each kind fails, and checks the observations of the threads.
pub(crate) fn each_server(
    connections: Connections,
    fault: impl Fn(&mut Server),
    check: impl Fn(Report),
) {
    for kind in Kind::each() {
        let Some(mut server) = Server::start_with(kind, DURABLE) else { continue };
        let runtime = Runtime::new().unwrap();
        let mut opened = Connection::to_server(&server, &runtime);
        if connections == Connections::All {
            opened.push(Connection::multiplexed(&server, &runtime));
        }
        let load = Load::start(&opened);
        fault(&mut server);
        load.wait_until_all_reach_the_limit();
        let report = load.stop();
        units::check(&report.allowed, &mut server.connection());
        check(report);
    }
}

/// Like [`each_server`], for clusters.
pub(crate) fn each_cluster(fault: impl Fn(&mut Cluster), check: impl Fn(Report)) {
    for kind in Kind::each() {
        let Some(mut cluster) = Cluster::start_with(kind, DURABLE) else { continue };
        let runtime = Runtime::new().unwrap();
        let load = Load::start(&Connection::to_cluster(&cluster, &runtime));
        fault(&mut cluster);
        load.wait_until_all_reach_the_limit();
        let report = load.stop();
        let mut connection = cluster.client().get_connection().unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        units::check(&report.allowed, &mut connection);
        check(report);
    }
}
