//! What goes wrong with servers.

use std::thread::sleep;
use std::time::{Duration, Instant};

#[cfg(feature = "cluster")]
use super::Cluster;
use super::{PATIENCE, Server, spawn};

impl Server {
    /// Ends the process with SIGKILL.
    pub(crate) fn crash(&mut self) {
        self.process.kill().expect("the process is a child");
        self.process.wait().expect("the process is a child");
    }

    /// Starts the server again after a [crash](Server::crash), with its settings and its folder.
    pub(crate) fn start_again(&mut self) {
        let process = spawn(self.kind, self.port, &self.folder, &self.arguments);
        self.process = process.expect("it has been started before");
        self.wait_until_it_replies();
    }

    /// Closes all connections of clients.
    pub(crate) fn kill_clients(&self) {
        for kind in ["normal", "pubsub"] {
            self.ask(&format!("CLIENT KILL TYPE {kind} SKIPME yes"));
        }
    }
}

#[cfg(feature = "cluster")]
impl Cluster {
    /// Returns the slot of a hash tag, and the node that has it.
    pub(crate) fn slot(&self, tag: &str) -> (u16, usize) {
        let slot = self.nodes[0].ask(&format!("CLUSTER KEYSLOT {tag}"));
        let slot = slot.trim_start_matches("int(").trim_end_matches(')').parse().unwrap();
        let count = |node: &Server| node.ask(&format!("CLUSTER COUNTKEYSINSLOT {slot}"));
        let owner = self.nodes.iter().position(|node| count(node) != "int(0)");
        (slot, owner.expect("the slot has keys"))
    }

    /// Moves a slot, key by key, with a pause before each.
    pub(crate) fn migrate(&self, slot: u16, from: usize, to: usize, pause: Duration) {
        let [source, target] = [&self.nodes[from], &self.nodes[to]];
        let [source_id, target_id] = [source, target].map(|node| node.ask("CLUSTER MYID"));
        target.ask(&format!("CLUSTER SETSLOT {slot} IMPORTING {source_id}"));
        source.ask(&format!("CLUSTER SETSLOT {slot} MIGRATING {target_id}"));
        let mut connection = source.connection();
        loop {
            sleep(pause);
            let mut keys = redis::cmd("CLUSTER");
            let keys: Vec<String> =
                keys.arg("GETKEYSINSLOT").arg(slot).arg(1).query(&mut connection).unwrap();
            let Some(key) = keys.first() else { break };
            let mut migrate = redis::cmd("MIGRATE");
            migrate.arg("127.0.0.1").arg(target.port).arg(key).arg(0).arg(5000);
            // Also if the key has just expired.
            migrate.exec(&mut connection).unwrap();
        }
        // The target first: until then, the source redirects to it.
        let others =
            self.nodes.iter().filter(|node| ![source.port, target.port].contains(&node.port));
        for node in [target, source].into_iter().chain(others) {
            node.ask(&format!("CLUSTER SETSLOT {slot} NODE {target_id}"));
        }
    }

    /// Waits until all nodes serve all slots.
    pub(crate) fn wait_until_ok(&self) {
        let start = Instant::now();
        while !self.nodes.iter().all(|node| node.ask("CLUSTER INFO").contains("cluster_state:ok")) {
            assert!(start.elapsed() < PATIENCE, "the cluster does not recover");
            sleep(Duration::from_millis(20));
        }
    }
}
