//! [`Listeners`]: the sockets that accept clients.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use rustix::net::sockopt::{set_socket_keepalive, set_tcp_keepidle, set_tcp_keepintvl};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _, copy, sink};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, spawn_local};
use tokio::time::{sleep, timeout};
use tracing::{debug, info, warn};

use super::connection::Connection;
use super::slots::Slot;
use super::{Options, ServeError, Shared};

/// How long to wait after accepting a connection has failed, for example for lack of files. Also
/// the time limit for refusing a client.
const PAUSE: Duration = Duration::from_millis(100);

/// The maximum number of connections waiting to be accepted; further clients retry a second later.
/// The standard library's default of 128 is too small if many clients reconnect when a server
/// restarts.
const BACKLOG: i32 = 4096;

/// The maximum number of refused clients that the server waits for, so that they can read the
/// reason. Any others get the reason but are not waited for: they must not use files that connected
/// clients need.
const MAX_REFUSING: usize = 64;

/// The reply to a client that is refused because there are too many.
const REFUSAL: &[u8] = b"-ERR max number of clients reached\r\n";

#[derive(Debug)]
pub(super) struct Listeners {
    tcp: Vec<TcpListener>,
    unix: Option<(UnixListener, SocketFile)>,
}

impl Listeners {
    pub(super) fn bind(options: &Options) -> Result<Self, ServeError> {
        let mut tcp = Vec::new();
        for address in &options.addresses {
            if options.password.is_empty() && is_exposed(address) {
                return Err(ServeError::NoPassword(*address));
            }
            let failed = |error| ServeError::Listen(address.to_string(), error);
            tcp.push(listen(*address).map_err(failed)?);
        }
        let unix = options.unix_socket.as_deref().map(|path| {
            let failed = |error| ServeError::Listen(path.display().to_string(), error);
            listen_on_file(path).map_err(failed)
        });
        Ok(Listeners { tcp, unix: unix.transpose()? })
    }

    pub(super) fn addresses(&self) -> Vec<SocketAddr> {
        self.tcp.iter().filter_map(|listener| listener.local_addr().ok()).collect()
    }

    /// Starts accepting, in tasks that end when the returned value is dropped.
    pub(super) fn accept(
        self,
        shared: &Rc<Shared>,
    ) -> io::Result<(JoinSet<()>, Option<SocketFile>)> {
        for address in self.addresses() {
            info!(%address, "listening");
        }
        let mut tasks = JoinSet::new();
        for listener in self.tcp {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let accept = async move || {
                let (stream, peer) = listener.accept().await?;
                // Replies are written in batches, so Nagle's algorithm would only add latency.
                let _ = stream.set_nodelay(true);
                keep_alive(&stream);
                Ok((stream, peer.to_string()))
            };
            tasks.spawn_local(accept_all(Rc::clone(shared), accept));
        }
        let Some((listener, file)) = self.unix else { return Ok((tasks, None)) };
        let listener = tokio::net::UnixListener::from_std(listener)?;
        info!(path = %file.0.display(), "listening");
        // Redis shows a client on a Unix socket with an address of this form.
        let address = format!("{}:0", file.0.display());
        let accept = async move || Ok((listener.accept().await?.0, address.clone()));
        tasks.spawn_local(accept_all(Rc::clone(shared), accept));
        Ok((tasks, Some(file)))
    }
}

/// Returns whether an address is reachable from other machines.
pub(super) fn is_exposed(address: &SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    rustix::net::listen(&listener, BACKLOG)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Listens on a socket in the file system.
fn listen_on_file(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    // A killed server does not remove its socket file. Remove the file if no server listens on it.
    let is_socket = path.symlink_metadata().is_ok_and(|data| data.file_type().is_socket());
    if is_socket
        && UnixStream::connect(path)
            .is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
    {
        std::fs::remove_file(path)?;
    }
    let listener = UnixListener::bind(path)?;
    let file = SocketFile(path.to_owned());
    listener.set_nonblocking(true)?;
    Ok((listener, file))
}

/// The file of a socket, removed when this is dropped.
#[derive(Debug)]
pub(super) struct SocketFile(PathBuf);

impl Drop for SocketFile {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_file(&self.0) {
            debug!(path = %self.0.display(), %error, "cannot remove the socket");
        }
    }
}

/// Makes the operating system check from time to time whether a silent client still exists. Errors
/// are ignored, since the check is optional.
fn keep_alive(stream: &TcpStream) {
    const SILENCE: Duration = Duration::from_secs(300);
    let _ = set_socket_keepalive(stream, true)
        .and_then(|()| set_tcp_keepidle(stream, SILENCE))
        .and_then(|()| set_tcp_keepintvl(stream, SILENCE / 3));
}

/// Accepts clients forever.
async fn accept_all<S: AsyncRead + AsyncWrite + Unpin + 'static>(
    shared: Rc<Shared>,
    mut accept: impl AsyncFnMut() -> io::Result<(S, String)>,
) {
    loop {
        match accept().await {
            Ok((stream, peer)) => begin(&shared, stream, peer),
            Err(error) => {
                warn!(%error, "cannot accept");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Serves or refuses a client.
fn begin<S: AsyncRead + AsyncWrite + Unpin + 'static>(
    shared: &Rc<Shared>,
    stream: S,
    peer: String,
) {
    let max_clients = shared.engine.borrow().state.config.max_clients;
    if let Some(slot) = shared.slots.take(max_clients) {
        let connection = Connection::new(Rc::clone(shared), stream, peer, slot);
        spawn_local(connection.serve());
    } else {
        shared.engine.borrow_mut().state.stats.rejected_clients += 1;
        debug!(peer, "refused: there are too many clients");
        let waiting = shared.refusing.take(MAX_REFUSING);
        spawn_local(async move {
            // Once the time is up, close the connection even if the client has not received the
            // reason.
            let _ = timeout(PAUSE, refuse(stream, waiting)).await;
        });
    }
}

/// Sends a refused client the reason. With a slot in `waiting`, then waits until the client
/// disconnects.
async fn refuse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    waiting: Option<Slot>,
) -> io::Result<()> {
    stream.write_all(REFUSAL).await?;
    stream.shutdown().await?;
    let Some(_waiting) = waiting else { return Ok(()) };
    // If the server closed the connection now, the client's first request would cause a reset, and
    // the client might not see the reason.
    copy(&mut stream, &mut sink()).await?;
    Ok(())
}
