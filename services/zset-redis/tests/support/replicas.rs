//! Starts replicas of the nodes of a cluster, and makes them take over.

use std::time::{Duration, Instant};

use super::{Cluster, wait_until};

impl Cluster {
    /// Starts a replica of a node, and waits until it has the data. Returns its index.
    pub(crate) fn add_replica(&mut self, of: usize, arguments: &[&str]) -> usize {
        let kind = self.nodes[of].kind;
        let (node, bus_port) = Cluster::start_node(kind, arguments).expect("it is installed");
        self.nodes[0].ask(&format!("CLUSTER MEET 127.0.0.1 {} {bus_port}", node.port));
        self.nodes.push(node);
        let (replica, nodes) = (self.nodes.len() - 1, self.nodes.len());
        let known = format!("cluster_known_nodes:{nodes}");
        wait_until("the nodes do not meet", || {
            self.nodes.iter().all(|node| node.ask("CLUSTER INFO").contains(&known))
        });
        let primary_id = self.nodes[of].ask("CLUSTER MYID");
        self.nodes[replica].ask(&format!("CLUSTER REPLICATE {primary_id}"));
        self.nodes[replica].wait_until_replicated();
        replica
    }

    /// Makes a replica take over from its primary without losing data.
    pub(crate) fn take_over(&self, replica: usize) {
        // A replica gives up after five seconds, e.g. if the other nodes do not know it yet.
        const ATTEMPT: Duration = Duration::from_secs(6);
        let mut last_attempt = None;
        wait_until("the replica does not take over", || {
            let is_primary = self.is_primary(replica);
            if !is_primary && last_attempt.is_none_or(|at: Instant| at.elapsed() > ATTEMPT) {
                self.nodes[replica].ask("CLUSTER FAILOVER");
                last_attempt = Some(Instant::now());
            }
            is_primary
        });
    }

    /// Waits until a replica has taken over from a primary that has crashed.
    pub(crate) fn wait_until_primary(&self, replica: usize) {
        wait_until("the replica does not take over", || self.is_primary(replica));
    }

    fn is_primary(&self, node: usize) -> bool {
        self.nodes[node].ask("INFO replication").contains("role:master")
    }
}
