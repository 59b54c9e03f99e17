//! Injects faults: crashes servers and closes connections.

use super::{Server, spawn};

impl Server {
    /// Ends the process with SIGKILL.
    pub(crate) fn crash(&mut self) {
        self.process.kill().expect("the process is a child");
        self.process.wait().expect("the process is a child");
    }

    /// Restarts the server after a [crash](Server::crash), with its settings and its folder.
    pub(crate) fn start_again(&mut self) {
        let process = spawn(self.kind, self.port, &self.folder, &self.arguments);
        self.process = process.expect("it has been started before");
        self.wait_until_it_replies();
    }

    /// Closes all other client connections.
    pub(crate) fn kill_clients(&self) {
        self.ask("CLIENT KILL TYPE normal SKIPME yes");
    }
}
