//! The slots of a cluster: their locations, and how to move them.

use std::thread::sleep;
use std::time::Duration;

use super::{Cluster, Server, wait_until};

impl Cluster {
    /// Returns the slot of a hash tag.
    pub(crate) fn slot(&self, tag: &str) -> u16 {
        let mut slot = redis::cmd("CLUSTER");
        slot.arg("KEYSLOT").arg(tag).query(&mut self.nodes[0].connection()).unwrap()
    }

    /// Returns the node that has the keys of a slot.
    pub(crate) fn owner(&self, slot: u16) -> usize {
        let has_keys = |node: &Server| {
            let mut count = redis::cmd("CLUSTER");
            count.arg("COUNTKEYSINSLOT").arg(slot);
            count.query::<u32>(&mut node.connection()).unwrap() > 0
        };
        self.nodes.iter().position(has_keys).expect("the slot has keys")
    }

    /// Moves a slot, key by key, with a pause before each.
    pub(crate) fn migrate(&self, slot: u16, from: usize, to: usize, pause: Duration) {
        self.start_migration(slot, from, to);
        self.move_keys(slot, from, to, pause);
        self.finish_migration(slot, from, to);
    }

    /// Starts the move of a slot: from now on, its new keys are created on the destination.
    pub(crate) fn start_migration(&self, slot: u16, from: usize, to: usize) {
        let [source, target] = [&self.nodes[from], &self.nodes[to]];
        let [source_id, target_id] = [source, target].map(|node| node.ask("CLUSTER MYID"));
        target.ask(&format!("CLUSTER SETSLOT {slot} IMPORTING {source_id}"));
        source.ask(&format!("CLUSTER SETSLOT {slot} MIGRATING {target_id}"));
    }

    /// Moves the keys of a slot, with a pause before each.
    pub(crate) fn move_keys(&self, slot: u16, from: usize, to: usize, pause: Duration) {
        let [source, target] = [&self.nodes[from], &self.nodes[to]];
        let mut connection = source.connection();
        loop {
            sleep(pause);
            let mut keys = redis::cmd("CLUSTER");
            let keys: Vec<String> =
                keys.arg("GETKEYSINSLOT").arg(slot).arg(1).query(&mut connection).unwrap();
            let Some(key) = keys.first() else { break };
            let mut migrate = redis::cmd("MIGRATE");
            migrate.arg("127.0.0.1").arg(target.port).arg(key).arg(0).arg(5000);
            // If the key has just expired, the reply is NOKEY, which is not an error.
            migrate.exec(&mut connection).unwrap();
        }
    }

    /// Completes the move of a slot whose keys have been moved.
    pub(crate) fn finish_migration(&self, slot: u16, from: usize, to: usize) {
        let [source, target] = [&self.nodes[from], &self.nodes[to]];
        let target_id = target.ask("CLUSTER MYID");
        // Set the destination first: until the source is set too, the source redirects calls to the
        // destination.
        let others =
            self.nodes.iter().filter(|node| ![source.port, target.port].contains(&node.port));
        for node in [target, source].into_iter().chain(others) {
            node.ask(&format!("CLUSTER SETSLOT {slot} NODE {target_id}"));
        }
    }

    /// Waits until all nodes serve all slots.
    pub(crate) fn wait_until_ok(&self) {
        let is_ok = |node: &Server| node.ask("CLUSTER INFO").contains("cluster_state:ok");
        wait_until("the cluster does not recover", || self.nodes.iter().all(is_ok));
    }
}
