//! Helpers that start a Redis server and create limiters on it.

use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use test_support::servers::{Folder, Program};
use zset_redis::redis::Client;
use zset_redis::redis::aio::ConnectionManager;
use zset_redis::{Keyed, OnFailure, ServerLimiter};

/// A timeout that only a failing test reaches.
const PATIENCE: Duration = Duration::from_secs(60);

/// A Redis server on a free port, stopped on drop.
pub(crate) struct Redis {
    process: Child,
    // Dropped after `Drop::drop` has ended the process, which uses the folder.
    folder: Folder,
    pub(crate) url: String,
}

impl Redis {
    /// Starts a server; returns `None` if Redis is not installed.
    pub(crate) fn start() -> Option<Self> {
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let (program, folder) = (Program::redis(), Folder::new());
        let mut command = Command::new(program.path());
        command.args(["--bind", "127.0.0.1", "--port", &address.port().to_string()]);
        command.args(["--save", "", "--appendonly", "no", "--unixsocket"]).arg(folder.socket());
        let process = program.start(&mut command, &folder)?;
        let mut redis = Redis { process, folder, url: format!("redis://{address}") };
        redis.wait_until_it_listens();
        Some(redis)
    }

    /// Waits for the socket, whose path no other server uses. The server binds its port first, and
    /// exits if another process has taken that port in the meantime.
    fn wait_until_it_listens(&mut self) {
        let start = Instant::now();
        while UnixStream::connect(self.folder.socket()).is_err() {
            let status = self.process.try_wait().unwrap();
            if status.is_some() || start.elapsed() > PATIENCE {
                let log = std::fs::read_to_string(self.folder.log()).unwrap_or_default();
                panic!("redis-server does not start ({status:?}):\n{log}");
            }
            sleep(Duration::from_millis(10));
        }
    }

    pub(crate) async fn connect(&self) -> ConnectionManager {
        Client::open(self.url.as_str()).unwrap().get_connection_manager().await.unwrap()
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a limiter on a Redis server.
pub(crate) fn keyed<L: ServerLimiter>(
    connection: &ConnectionManager,
    name: &str,
    limiter: L,
) -> Keyed<ConnectionManager, L> {
    let keyed = Keyed::new(connection.clone(), name, limiter, OnFailure::Error);
    keyed.unwrap().with_deadline(PATIENCE)
}
