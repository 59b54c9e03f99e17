//! [`Running`]: a server in this process.

// Each test target uses only a part of this module.
#![allow(dead_code)]

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::{self, JoinHandle};

use zset_server::{Options, ServeError, Server, Stopper};

/// A server that is stopped on drop.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) stopper: Stopper,
    pub(crate) thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// Returns options to listen on any free port.
pub(crate) fn options() -> Options {
    Options { addresses: vec![(Ipv4Addr::LOCALHOST, 0).into()], ..Options::default() }
}

impl Running {
    pub(crate) fn start() -> Running {
        Running::with(options())
    }

    pub(crate) fn with(options: Options) -> Running {
        let server = Server::bind(options).expect("a port is free");
        let (address, stopper) = (server.addresses()[0], server.stopper());
        Running { address, stopper, thread: Some(thread::spawn(|| server.run())) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        // The second call makes the server stop without waiting for its clients.
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            let result = thread.join();
            assert!(thread::panicking() || matches!(result, Ok(Ok(()))), "{result:?}");
        }
    }
}
