//! HTTP connections for the metrics page, one request each.

use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::Answer;

/// The maximum number of connections. A new one replaces the oldest that has sent no request.
const MAX_CONNECTIONS: usize = 16;

/// How long to wait after the operating system has refused to accept a connection.
const PAUSE: Duration = Duration::from_millis(100);

/// How much to read after the response: closing while the client still sends would discard the response.
const MAX_UNREAD: u64 = 64 * 1024;

/// The timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// Until the request is complete.
    pub(super) request: Duration,
    /// Until the response is sent.
    pub(super) answer: Duration,
    /// From the response until the client closes the connection.
    pub(super) end: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            request: Duration::from_secs(1),
            answer: Duration::from_secs(10),
            end: Duration::from_secs(1),
        }
    }
}

/// The state of a connection, used to make room for others.
struct Place {
    task: AbortHandle,
    has_asked: Rc<Cell<bool>>,
}

pub(super) async fn accept<F: Fn(&[u8]) -> Answer + 'static>(
    listener: TcpListener,
    answer: Rc<F>,
    patience: Patience,
) {
    let mut connections = JoinSet::new();
    let mut places = VecDeque::new();
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                make_place(&mut connections, &mut places).await;
                let answer = Rc::clone(&answer);
                let has_asked = Rc::new(Cell::new(false));
                let asked = Rc::clone(&has_asked);
                let task = connections.spawn_local(async move {
                    if let Err(error) = serve(stream, &*answer, &asked, patience).await {
                        debug!(%peer, %error, "no metrics");
                    }
                });
                places.push_back(Place { task, has_asked });
            }
            Err(error) => {
                warn!(%error, "cannot accept a connection for metrics");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Waits for room for another connection. Silent clients do not block those that send requests.
async fn make_place(connections: &mut JoinSet<()>, places: &mut VecDeque<Place>) {
    while connections.try_join_next().is_some() {}
    if connections.len() >= MAX_CONNECTIONS {
        places.retain(|place| !place.task.is_finished());
        if let Some(silent) = places.iter().position(|place| !place.has_asked.get())
            && let Some(place) = places.remove(silent)
        {
            place.task.abort();
        }
        connections.join_next().await;
    }
    places.retain(|place| !place.task.is_finished());
}

async fn serve(
    mut stream: TcpStream,
    answer: &impl Fn(&[u8]) -> Answer,
    has_asked: &Cell<bool>,
    patience: Patience,
) -> io::Result<()> {
    let Some(response) = timeout(patience.request, request(&mut stream, answer)).await?? else {
        return Ok(());
    };
    has_asked.set(true);
    timeout(patience.answer, async {
        stream.write_all(&response).await?;
        stream.shutdown().await
    })
    .await??;
    let mut rest = stream.take(MAX_UNREAD);
    timeout(patience.end, tokio::io::copy(&mut rest, &mut tokio::io::sink())).await??;
    Ok(())
}

/// Reads until there is a response; returns `None` if the connection ends before.
async fn request(
    stream: &mut TcpStream,
    answer: &impl Fn(&[u8]) -> Answer,
) -> io::Result<Option<Vec<u8>>> {
    let mut request = Vec::new();
    loop {
        match answer(&request) {
            Answer::Bytes(response) => return Ok(Some(response)),
            Answer::Wait => {}
        }
        if stream.read_buf(&mut request).await? == 0 {
            return Ok(None);
        }
    }
}

#[cfg(all(test, not(miri)))]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::runtime;
    use tokio::task::{LocalSet, spawn_local};

    use super::*;

    const REQUEST: &[u8] = b"request";

    /// Answers only [`REQUEST`].
    fn answer(request: &[u8]) -> Answer {
        if request == REQUEST { Answer::Bytes(b"answer".to_vec()) } else { Answer::Wait }
    }

    /// Returns all remaining bytes.
    async fn rest(stream: &mut TcpStream) -> Vec<u8> {
        let mut bytes = Vec::new();
        // A disconnected client may see an error.
        let _ = stream.read_to_end(&mut bytes).await;
        bytes
    }

    /// Runs a test against a server.
    fn with_server<T: Future<Output = ()>>(
        patience: Patience,
        test: impl FnOnce(std::net::SocketAddr) -> T,
    ) {
        const LONGEST: Duration = Duration::from_secs(60);
        let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
        LocalSet::new().block_on(&runtime, async {
            let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
            let address = listener.local_addr().unwrap();
            spawn_local(accept(listener, Rc::new(answer), patience));
            timeout(LONGEST, test(address)).await.expect("somebody waits for ever");
        });
    }

    const FOREVER: Patience =
        Patience { request: Duration::MAX, answer: Duration::MAX, end: Duration::MAX };

    #[test]
    fn who_is_silent_makes_place_for_those_who_ask_the_oldest_first() {
        with_server(FOREVER, |address| async move {
            let mut silent = Vec::new();
            for _ in 0..MAX_CONNECTIONS {
                silent.push(TcpStream::connect(address).await.unwrap());
            }
            let mut last = TcpStream::connect(address).await.unwrap();
            last.write_all(REQUEST).await.unwrap();
            assert_eq!(rest(&mut last).await, b"answer");
            drop(last);
            assert_eq!(rest(&mut silent[0]).await, b"");
            for stream in &mut silent[1..] {
                stream.write_all(REQUEST).await.unwrap();
                assert_eq!(rest(stream).await, b"answer");
            }
        });
    }

    #[test]
    fn who_has_asked_keeps_its_place_and_who_comes_waits_for_it() {
        with_server(FOREVER, |address| async move {
            let mut asking = Vec::new();
            for _ in 0..MAX_CONNECTIONS {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(REQUEST).await.unwrap();
                assert_eq!(rest(&mut stream).await, b"answer");
                asking.push(stream);
            }
            let mut next = TcpStream::connect(address).await.unwrap();
            next.write_all(REQUEST).await.unwrap();
            // The server waits for a connection to end.
            drop(asking.remove(3));
            assert_eq!(rest(&mut next).await, b"answer");
        });
    }

    #[test]
    fn each_part_has_its_time() {
        const SHORT: Duration = Duration::from_millis(1);
        with_server(Patience { request: SHORT, ..FOREVER }, |address| async move {
            let mut stream = TcpStream::connect(address).await.unwrap();
            assert_eq!(rest(&mut stream).await, b"");
        });
        with_server(Patience { end: SHORT, ..FOREVER }, |address| async move {
            let mut asking = Vec::new();
            for _ in 0..=MAX_CONNECTIONS {
                let mut stream = TcpStream::connect(address).await.unwrap();
                stream.write_all(REQUEST).await.unwrap();
                assert_eq!(rest(&mut stream).await, b"answer");
                asking.push(stream);
            }
        });
    }
}
