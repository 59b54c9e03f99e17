//! Common to all tests: a load before, during and after a fault.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::limiters::Connection;
use crate::load::{Load, Report};
use crate::servers::{Cluster, Kind, Server};
use crate::units;

/// With `appendfsync always`, a crash loses no allowed units.
pub(crate) const DURABLE: &[&str] = &["--appendonly", "yes", "--appendfsync", "always"];

/// The connections to one server to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Connections {
    /// Those that reconnect.
    Replaced,
    All,
}

/// Returns the observations of the threads, or `None` if the server is not installed.
pub(crate) fn one_server(
    kind: Kind,
    connections: Connections,
    fault: impl FnOnce(&mut Server),
) -> Option<Report> {
    let mut server = Server::start_with(kind, DURABLE)?;
    let runtime = Runtime::new().unwrap();
    let mut opened = Connection::to_server(&server, &runtime);
    if connections == Connections::All {
        opened.push(Connection::multiplexed(&server, &runtime));
    }
    let load = Load::start(&opened, &runtime);
    fault(&mut server);
    load.wait_until_all_reach_the_limit();
    let report = load.stop();
    units::check(&report.allowed, &mut server.connection());
    Some(report)
}

/// The same for a cluster.
pub(crate) fn cluster(kind: Kind, fault: impl FnOnce(&mut Cluster)) -> Option<Report> {
    let mut cluster = Cluster::start_with(kind, DURABLE)?;
    let runtime = Runtime::new().unwrap();
    let load = Load::start(&Connection::to_cluster(&cluster, &runtime), &runtime);
    fault(&mut cluster);
    load.wait_until_all_reach_the_limit();
    let report = load.stop();
    let mut connection = cluster.client().get_connection().unwrap();
    connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    units::check(&report.allowed, &mut connection);
    Some(report)
}
