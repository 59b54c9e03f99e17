//! Starts a Redis, and limits in it.

use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use test_support::servers::{Folder, Program};
use zset_redis::redis::Client;
use zset_redis::redis::aio::ConnectionManager;
use zset_redis::{Keyed, OnFailure, ServerLimiter};

/// Only a failing test waits that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A Redis on a free port, stopped on drop.
pub(crate) struct Redis {
    process: Child,
    // Dropped after the process has ended.
    folder: Folder,
    pub(crate) url: String,
}

impl Redis {
    /// Starts a server; returns `None` if it is not installed.
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

    /// Waits for the socket, which no other server has. A server binds its port first, and ends if
    /// another has taken it in the meantime.
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

/// Returns a limiter in a Redis.
pub(crate) fn keyed<L: ServerLimiter>(
    connection: &ConnectionManager,
    name: &str,
    limiter: L,
) -> Keyed<ConnectionManager, L> {
    let keyed = Keyed::new(connection.clone(), name, limiter, OnFailure::Error);
    keyed.unwrap().with_deadline(PATIENCE)
}
