//! Starts a Redis.

use std::env;
use std::io::ErrorKind;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A Redis on a free port, stopped on drop.
pub(crate) struct Redis {
    process: Child,
    pub(crate) url: String,
}

impl Redis {
    pub(crate) fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let program = env::var("REDIS_SERVER").unwrap_or("redis-server".to_owned());
        let process = Command::new(program)
            .args(["--port", &port.to_string(), "--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn();
        let process = match process {
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::NotFound);
                println!("SKIPPED: there is no redis-server");
                return None;
            }
            Ok(process) => process,
        };
        let redis = Redis { process, url: format!("redis://127.0.0.1:{port}") };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "redis-server does not start");
            sleep(Duration::from_millis(10));
        }
        Some(redis)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
