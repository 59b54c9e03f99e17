//! [`Connection`]: a client, from its first byte to its last.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::task::yield_now;
use tokio::time::{sleep, timeout};
use tracing::{debug, warn};

use super::Shared;
use super::limits::Slot;
use crate::client::Client;
use crate::resp::{Replies, RequestError, RequestLimits, Requests};

/// Commands of one client after which the others have a turn.
const COMMANDS_OF_A_TURN: usize = 512;

/// Bytes of replies after which they have one too, and these are sent.
const REPLIES_OF_A_TURN: usize = 256 * 1024;

/// The least that is read at a time; most clients send little.
const MIN_READ: usize = 2 * 1024;

/// The most.
const MAX_READ: usize = 64 * 1024;

/// What a buffer may keep when it is empty.
const MAX_KEPT: usize = 256 * 1024;

/// How long a server that stops waits until it looks for the last time at what has come.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// What is still read, and for how long, of a client that was told what is wrong: to close while it
/// writes would take the answer from it.
const MAX_LINGER: usize = 1024 * 1024;
const LINGER: Duration = Duration::from_secs(1);

/// A client that is connected by `S`.
pub(super) struct Connection<S> {
    stream: S,
    requests: Requests,
    replies: Replies,
    /// Bytes of the replies that are sent.
    sent: usize,
    /// How much to read next.
    read_size: usize,
    client: Client,
    /// Where the client is.
    peer: String,
    shared: Rc<Shared>,
    is_stopping: bool,
    _slot: Slot,
}

/// How a turn has ended.
enum Turn {
    /// No whole request is left.
    Done,
    /// There may be more requests.
    Cut,
    /// There is too much that the client has not read.
    Full,
    /// It has said good-bye.
    Quit,
    /// What it has sent is no request.
    Broken(RequestError),
}

/// What has happened to a connection.
enum Event {
    /// So many bytes have come, or none will come.
    Read(usize),
    Written,
    Stopped,
}

/// Why a connection ends early.
enum End {
    Io(io::Error),
    Stalled,
    TooMuch,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        End::Io(error)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(super) fn new(shared: Rc<Shared>, stream: S, peer: String, slot: Slot) -> Self {
        let client = shared.engine.borrow_mut().client();
        let mut requests = Requests::default();
        if !client.is_authenticated {
            requests.set_limits(RequestLimits::UNAUTHENTICATED);
        }
        Connection {
            stream,
            requests,
            replies: Replies::with_max_len(shared.limits.most_replies()),
            sent: 0,
            read_size: MIN_READ,
            client,
            peer,
            shared,
            is_stopping: false,
            _slot: slot,
        }
    }

    /// Serves the client until it leaves, or has to.
    pub(super) async fn serve(mut self) {
        debug!(peer = self.peer, "connected");
        let result = self.answer().await;
        let (peer, unread) = (&self.peer, self.unsent());
        match result {
            Ok(()) => debug!(peer, "disconnected"),
            Err(End::Io(error)) => debug!(peer, %error, "disconnected"),
            Err(End::Stalled) => warn!(peer, unread, "cut off: it does not read"),
            Err(End::TooMuch) => warn!(peer, unread, "cut off: a reply is too large"),
        }
    }

    async fn answer(&mut self) -> Result<(), End> {
        let shared = Rc::clone(&self.shared);
        let mut stopped = pin!(shared.stopper.stopped());
        loop {
            match self.turn() {
                Turn::Done => match self.wait(stopped.as_mut()).await? {
                    Event::Read(0) => return self.finish().await,
                    Event::Read(len) => self.adapt(len),
                    Event::Written => {}
                    Event::Stopped => {
                        self.is_stopping = true;
                        // The system is asked for what has come before it says that time is over.
                        sleep(LAST_LOOK).await;
                    }
                },
                Turn::Cut => {
                    self.send_some().await?;
                    yield_now().await;
                }
                Turn::Full if self.unsent() > self.shared.limits.close_at => {
                    return Err(End::TooMuch);
                }
                Turn::Full => self.send().await?,
                Turn::Quit => return self.finish().await,
                Turn::Broken(error) => {
                    debug!(peer = self.peer, %error, "not a request");
                    self.replies.error(&format!("ERR {error}"));
                    return self.finish().await;
                }
            }
        }
    }

    fn unsent(&self) -> usize {
        self.replies.bytes().len() - self.sent
    }

    /// Runs the requests that have come, or as many of them as may be at once.
    fn turn(&mut self) -> Turn {
        let pause_at = self.shared.limits.pause_at;
        let mut engine = self.shared.engine.borrow_mut();
        let before = self.replies.bytes().len();
        for _ in 0..COMMANDS_OF_A_TURN {
            let replies = self.replies.bytes().len();
            if replies - self.sent > pause_at {
                return Turn::Full;
            }
            if replies - before > REPLIES_OF_A_TURN {
                return Turn::Cut;
            }
            match self.requests.next() {
                Ok(Some(arguments)) => {
                    let was_authenticated = self.client.is_authenticated;
                    engine.execute(&mut self.client, &arguments, &mut self.replies);
                    if self.client.is_leaving {
                        return Turn::Quit;
                    }
                    if self.client.is_authenticated != was_authenticated {
                        self.requests.set_limits(RequestLimits::default());
                    }
                }
                Ok(None) => return Turn::Done,
                Err(error) => return Turn::Broken(error),
            }
        }
        Turn::Cut
    }

    /// Waits until something has happened. A server that stops does not wait for bytes to come.
    async fn wait(&mut self, mut stopped: Pin<&mut impl Future<Output = ()>>) -> io::Result<Event> {
        poll_fn(|cx| {
            if self.unsent() > 0
                && let Poll::Ready(result) = self.poll_send(cx)
            {
                return Poll::Ready(result.map(|()| Event::Written));
            }
            let buffer = self.requests.buffer();
            if buffer.is_empty() && buffer.capacity() > MAX_KEPT {
                *buffer = Vec::new();
            }
            buffer.reserve(self.read_size);
            if let Poll::Ready(result) = pin!(self.stream.read_buf(buffer)).poll(cx) {
                return Poll::Ready(result.map(Event::Read));
            }
            if self.is_stopping {
                return Poll::Ready(Ok(Event::Read(0)));
            }
            stopped.as_mut().poll(cx).map(|()| Ok(Event::Stopped))
        })
        .await
    }

    /// Sends what the client takes now, all of it or not.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let unsent = &self.replies.bytes()[self.sent..];
        if unsent.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let result = Pin::new(&mut self.stream).poll_write(cx, unsent);
        result.map(|written| {
            let written = written?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.sent += written;
            if self.sent == self.replies.bytes().len() {
                self.replies.clear();
                self.replies.shrink_to(MAX_KEPT);
                self.sent = 0;
            } else if self.sent > self.replies.bytes().len() / 2 {
                // Not each time, or a large reply would be moved again and again.
                self.replies.remove_front(self.sent);
                self.sent = 0;
            }
            Ok(())
        })
    }

    /// Sends what the client takes now, and waits for nothing.
    async fn send_some(&mut self) -> io::Result<()> {
        poll_fn(|cx| match self.poll_send(cx) {
            Poll::Ready(result) => Poll::Ready(result),
            Poll::Pending => Poll::Ready(Ok(())),
        })
        .await
    }

    /// Sends something, and waits for the client to take it, though not for ever.
    async fn send(&mut self) -> Result<(), End> {
        let stalled = self.shared.limits.stalled;
        timeout(stalled, poll_fn(|cx| self.poll_send(cx)))
            .await
            .map_err(|_| End::Stalled)?
            .map_err(End::Io)
    }

    /// Adapts the next read to what the last one has brought.
    fn adapt(&mut self, len: usize) {
        if len >= self.read_size {
            self.read_size = (self.read_size * 2).min(MAX_READ);
        }
    }

    /// Sends the rest, and closes.
    async fn finish(&mut self) -> Result<(), End> {
        while self.unsent() > 0 {
            self.send().await?;
        }
        self.stream.shutdown().await?;
        if !self.is_stopping {
            // Whether it takes part does not matter.
            let _ = timeout(LINGER, self.drain()).await;
        }
        Ok(())
    }

    /// Reads what nobody asks for.
    async fn drain(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        let mut left = MAX_LINGER;
        while left > 0 {
            match self.stream.read(&mut buffer).await? {
                0 => break,
                len => left = left.saturating_sub(len),
            }
        }
        Ok(())
    }
}

impl<S> Drop for Connection<S> {
    fn drop(&mut self) {
        // A command that has panicked has let go of the engine.
        self.shared.engine.borrow_mut().leave(&mut self.client);
    }
}
