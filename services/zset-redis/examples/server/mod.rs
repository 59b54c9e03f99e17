//! The servers that the examples start if no environment variable names a server.

use std::env;
use std::error::Error;
use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A `redis-server`, or the program named by `REDIS_SERVER`, such as a `valkey-server`. It is
/// stopped on drop.
pub(crate) struct Server {
    pub(crate) process: Child,
    folder: Folder,
}

/// A folder for the files of this program, removed on drop.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Result<Folder, Box<dyn Error>> {
        let folder = Folder(env::temp_dir().join(format!("zset-example-{}-{name}", process::id())));
        fs::create_dir_all(&folder.0)?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Server {
    /// Starts a server with these arguments. The folder is its working directory.
    pub(crate) fn start(folder: Folder, arguments: &[&str]) -> Result<Server, Box<dyn Error>> {
        let program = env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".to_owned());
        let process = Command::new(&program)
            .args(arguments)
            .current_dir(folder.path())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| {
                format!("no server is named, and {program} does not start: {error}")
            })?;
        Ok(Server { process, folder })
    }

    /// Waits until the server replies.
    pub(crate) fn reply(&mut self, client: &redis::Client) -> Result<(), Box<dyn Error>> {
        while client.get_connection().is_err() {
            if let Some(status) = self.process.try_wait()? {
                return Err(format!("the server has ended: {status}").into());
            }
            sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    #[allow(dead_code, reason = "only an example whose server has no port needs it")]
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Returns a port that was free a moment ago.
#[allow(dead_code, reason = "an example whose server has no port does not need it")]
pub(crate) fn free_port() -> Result<String, Box<dyn Error>> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string())
}
