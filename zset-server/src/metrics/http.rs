//! Connections of those who want the page, one request each.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::Answer;

/// How many are answered at a time; the others wait.
const MAX_CONNECTIONS: usize = 16;

/// How long a connection may take, from its first byte to its last.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing is accepted after the system has refused to.
const PAUSE: Duration = Duration::from_millis(100);

/// What is read of a request that is answered already: to close while it comes would take the answer away.
const MAX_UNREAD: u64 = 64 * 1024;

pub(super) async fn accept<F: Fn(&[u8]) -> Answer + 'static>(listener: TcpListener, answer: Rc<F>) {
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        if connections.len() >= MAX_CONNECTIONS {
            connections.join_next().await;
        }
        match listener.accept().await {
            Ok((stream, peer)) => {
                let answer = Rc::clone(&answer);
                connections.spawn_local(async move {
                    match timeout(PATIENCE, serve(stream, &*answer)).await {
                        Ok(Ok(())) => {}
                        Ok(Err(error)) => debug!(%peer, %error, "no metrics"),
                        Err(_) => debug!(%peer, "no metrics: it takes too long"),
                    }
                });
            }
            Err(error) => {
                warn!(%error, "cannot accept a connection for metrics");
                sleep(PAUSE).await;
            }
        }
    }
}

async fn serve(mut stream: TcpStream, answer: &impl Fn(&[u8]) -> Answer) -> io::Result<()> {
    let mut request = Vec::new();
    let response = loop {
        match answer(&request) {
            Answer::Bytes(response) => break response,
            Answer::Wait => {}
        }
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(());
        }
    };
    stream.write_all(&response).await?;
    stream.shutdown().await?;
    tokio::io::copy(&mut stream.take(MAX_UNREAD), &mut tokio::io::sink()).await?;
    Ok(())
}
