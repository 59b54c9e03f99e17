//! [`Connection`]: a client's connection, with the task that serves it.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, copy, sink};
use tokio::task::yield_now;
use tokio::time::{Sleep, sleep, timeout};
use tracing::{debug, warn};
use zset_std::Timestamp;

use super::Shared;
use super::slots::Slot;
use crate::client::Client;
use crate::engine::Executed;
use crate::replies::Replies;
use crate::requests::{RequestError, Requests};

/// The number of commands after which other clients get a turn.
const COMMANDS_OF_A_TURN: usize = 512;

/// The number of reply bytes after which the replies are sent and other clients get a turn.
const REPLIES_OF_A_TURN: usize = 256 * 1024;

/// The time after which other clients get a turn. A single command may take longer.
const TIME_OF_A_TURN: Duration = Duration::from_millis(5);

/// The minimum size of a read; most clients send little.
const MIN_READ: usize = 2 * 1024;

/// The maximum size of a read.
const MAX_READ: usize = 64 * 1024;

/// How long a stopping server waits before it checks for received bytes one last time.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// A client connected through the stream `S`.
pub(super) struct Connection<S> {
    stream: S,
    requests: Requests,
    replies: Replies,
    /// The number of reply bytes already sent.
    sent: usize,
    /// The size of the next read.
    read_size: usize,
    /// The start of the client's turn, or `None` if other clients have had a turn since.
    since: Option<Timestamp>,
    /// The bytes held for this client, as counted in the total for all clients.
    held: usize,
    client: Client,
    shared: Rc<Shared>,
    is_stopping: bool,
    _slot: Slot,
}

/// How a turn has ended.
enum Turn {
    /// No complete request is left.
    Done,
    /// The turn reached a limit, so more requests may be buffered.
    Cut,
    /// The last command waits for a key, for at most the given time.
    Waits(Option<Duration>),
    /// The client has sent QUIT.
    Quit,
    /// The client has sent an invalid request.
    Broken(RequestError),
}

/// An event that ends a wait.
enum Event {
    /// This number of bytes was read; 0 is the end of the stream.
    Read(usize),
    Written,
    /// The reply that the client waited for is available.
    Served,
    /// The maximum wait has passed.
    TimedOut,
    Stopped,
}

/// Why a connection ends early.
enum End {
    Io(io::Error),
    /// Too many replies are unread.
    Unread,
    /// The memory of all clients exceeds its bound, or the client has not authenticated in time.
    Killed,
    /// The client uses another protocol.
    Foreign,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        End::Io(error)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(super) fn new(shared: Rc<Shared>, stream: S, peer: String, slot: Slot) -> Self {
        let mut client = shared.engine.borrow_mut().client();
        client.allow_waiting();
        client.session_mut().address = peer;
        Connection {
            stream,
            requests: Requests::default(),
            replies: Replies::default(),
            sent: 0,
            read_size: MIN_READ,
            since: None,
            held: 0,
            client,
            shared,
            is_stopping: false,
            _slot: slot,
        }
    }

    /// Serves the client until the connection ends.
    pub(super) async fn serve(mut self) {
        let peer = self.client.session().address.clone();
        debug!(peer, "connected");
        let result = self.answer().await;
        let unread = self.unsent();
        match result {
            Ok(()) => debug!(peer, "disconnected"),
            Err(End::Io(error)) => debug!(peer, %error, "disconnected"),
            Err(End::Unread) => warn!(peer, unread, "closed: too many unread replies"),
            Err(End::Killed) => debug!(peer, "closed by a limit"),
            Err(End::Foreign) => self.shared.warn_of_attack(&peer),
        }
    }

    async fn answer(&mut self) -> Result<(), End> {
        let shared = Rc::clone(&self.shared);
        let mut stopped = pin!(shared.stopper.stopped());
        // Whether the last command is waiting, and until when. During the wait, the task reads
        // further requests to detect a disconnection, but runs them only afterwards.
        let (mut is_waiting, mut deadline) = (false, pin!(None));
        loop {
            if self.client.session().is_killed {
                return Err(End::Killed);
            }
            if !is_waiting {
                if self.shared.held.is_over() {
                    // Wait until the clients that are being disconnected have freed their memory.
                    self.wait_for_room().await?;
                    continue;
                }
                let max_unread = self.bound_replies();
                let turn = self.turn();
                if self.replies.is_cut() || self.unsent() > max_unread {
                    return Err(End::Unread);
                }
                self.tell_held();
                match turn {
                    Turn::Done => {}
                    Turn::Cut => {
                        self.send(self.shared.pause_at(&self.client)).await?;
                        // Yield explicitly: `send` does not wait while the operating system accepts
                        // all bytes.
                        yield_now().await;
                        self.since = None;
                        continue;
                    }
                    Turn::Waits(limit) => {
                        is_waiting = true;
                        deadline.set(limit.map(sleep));
                    }
                    Turn::Quit => return self.finish().await,
                    Turn::Broken(RequestError::OtherProtocol) => return Err(End::Foreign),
                    Turn::Broken(error) => {
                        debug!(%error, "invalid request");
                        self.replies.error(&error.to_bytes());
                        return self.finish().await;
                    }
                }
            }
            match self.wait(stopped.as_mut(), deadline.as_mut().as_pin_mut()).await? {
                Event::Read(0) => return self.finish().await,
                Event::Read(len) => {
                    self.adapt(len);
                    self.tell_held();
                }
                Event::Written => {}
                Event::Served | Event::TimedOut => {
                    is_waiting = false;
                    deadline.set(None);
                    self.bound_replies();
                    let mut engine = self.shared.engine.borrow_mut();
                    engine.end_waiting(&mut self.client, &mut self.replies);
                }
                Event::Stopped => {
                    self.is_stopping = true;
                    if is_waiting {
                        return self.finish().await;
                    }
                    // Give the operating system time to report bytes that have already arrived.
                    sleep(LAST_LOOK).await;
                }
            }
        }
    }

    /// Runs the received requests, up to the limits of a turn.
    fn turn(&mut self) -> Turn {
        let pause_at = self.shared.pause_at(&self.client);
        let mut engine = self.shared.engine.borrow_mut();
        let before = self.replies.bytes().len();
        for _ in 0..COMMANDS_OF_A_TURN {
            let now = engine.now();
            let time = now.saturating_duration_since(*self.since.get_or_insert(now));
            let replies = self.replies.bytes().len();
            if replies - self.sent > pause_at
                || replies - before > REPLIES_OF_A_TURN
                || time > TIME_OF_A_TURN
            {
                return Turn::Cut;
            }
            self.requests.set_limits(engine.request_limits(&self.client));
            match self.requests.next() {
                Ok(Some(arguments)) => {
                    let executed =
                        engine.execute_now(&mut self.client, &arguments, &mut self.replies);
                    if let Executed::Waits(limit) = executed {
                        return Turn::Waits(limit);
                    }
                    if self.client.session().is_leaving {
                        return Turn::Quit;
                    }
                }
                Ok(None) => return Turn::Done,
                Err(error) => return Turn::Broken(error),
            }
        }
        Turn::Cut
    }

    /// Waits for an event. A stopping server does not wait for further bytes.
    async fn wait(
        &mut self,
        mut stopped: Pin<&mut impl Future<Output = ()>>,
        mut time: Option<Pin<&mut Sleep>>,
    ) -> Result<Event, End> {
        poll_fn(|cx| {
            if self.poll_served(cx)? {
                return Poll::Ready(Ok(Event::Served));
            }
            if self.unsent() > 0 && self.poll_send(cx)?.is_ready() {
                return Poll::Ready(Ok(Event::Written));
            }
            let buffer = self.requests.buffer();
            buffer.reserve(self.read_size);
            if let Poll::Ready(len) = pin!(self.stream.read_buf(buffer)).poll(cx)? {
                return Poll::Ready(Ok(Event::Read(len)));
            }
            if self.is_stopping {
                return Poll::Ready(Ok(Event::Read(0)));
            }
            if let Some(time) = &mut time
                && time.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(Ok(Event::TimedOut));
            }
            self.since = None;
            self.tell_held();
            stopped.as_mut().poll(cx).map(|()| Ok(Event::Stopped))
        })
        .await
    }

    /// Returns whether the reply to a waiting command is available. If not, the task is woken when
    /// it is.
    fn poll_served(&mut self, cx: &Context<'_>) -> Result<bool, End> {
        let mut session = self.client.session_mut();
        session.set_waker(cx.waker());
        if session.is_killed { Err(End::Killed) } else { Ok(session.served.is_some()) }
    }

    /// Adapts the size of the next read to the result of the last one.
    fn adapt(&mut self, len: usize) {
        if len >= self.read_size {
            self.read_size = (self.read_size * 2).min(MAX_READ);
        } else if len < self.read_size / 4 {
            self.read_size = (self.read_size / 2).max(MIN_READ);
        }
    }
}

/// The capacity that an empty reply buffer may keep, normally and while memory for clients is
/// scarce.
const MAX_KEPT: usize = 256 * 1024;
const MAX_KEPT_IF_SCARCE: usize = 16 * 1024;

/// How much, and for how long, to read after the last reply: closing while the client still sends
/// could discard the reply.
const MAX_LINGER: u64 = 1024 * 1024;
const LINGER: Duration = Duration::from_secs(1);

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    /// Sends as many bytes as the client accepts now.
    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let unsent = &self.replies.bytes()[self.sent..];
        if unsent.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let result = Pin::new(&mut self.stream).poll_write(cx, unsent);
        self.client.session_mut().buffered.is_blocked = result.is_pending();
        result.map(|written| {
            let written = written?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.sent += written;
            // Remove the sent bytes only once they fill more than half of the buffer: moving the
            // unsent bytes to the front after each write would be slow.
            if self.sent > self.replies.bytes().len() / 2 {
                let kept = if self.shared.held.is_scarce() { MAX_KEPT_IF_SCARCE } else { MAX_KEPT };
                self.replies.remove_front(self.sent, kept);
                self.sent = 0;
            }
            self.tell_held();
            Ok(())
        })
    }

    /// Sends as many bytes as the client accepts now. If more than `max` bytes are unsent and the
    /// client accepts none, waits until it accepts some.
    async fn send(&mut self, max: usize) -> Result<(), End> {
        poll_fn(|cx| {
            self.poll_served(cx)?;
            match self.poll_send(cx) {
                Poll::Pending if self.unsent() <= max => Poll::Ready(Ok(())),
                sent => sent.map_err(End::Io),
            }
        })
        .await
    }

    /// Sends the remaining replies and closes the connection.
    async fn finish(&mut self) -> Result<(), End> {
        // End the client's wait, so that no member is popped for a client that has disconnected.
        let shared = Rc::clone(&self.shared);
        self.client.session_mut().stop_waiting(&mut shared.engine.borrow_mut().state.keyspace);
        self.requests = Requests::default();
        self.tell_held();
        while self.unsent() > 0 {
            self.send(0).await?;
        }
        self.stream.shutdown().await?;
        self.let_go();
        if !self.is_stopping {
            let mut rest = (&mut self.stream).take(MAX_LINGER);
            // An error or a timeout does not matter: the connection ends anyway.
            let _ = timeout(LINGER, copy(&mut rest, &mut sink())).await;
        }
        Ok(())
    }
}

impl<S> Connection<S> {
    /// Returns the number of reply bytes not yet sent.
    fn unsent(&self) -> usize {
        self.replies.bytes().len() - self.sent
    }

    /// Reports the memory held for the client. If all clients together exceed the bound, some are
    /// disconnected.
    fn tell_held(&mut self) {
        let replies = self.unsent();
        let memory = self.requests.capacity() + self.replies.capacity();
        let mut session = self.client.session_mut();
        if session.is_killed {
            // The memory of a killed client remains counted until the connection is dropped.
            return;
        }
        (session.buffered.replies, session.buffered.others) = (replies, memory - replies);
        let (id, before) = (session.id, self.held);
        self.held = session.held_bytes();
        drop(session);
        self.shared.held.change(&self.shared.engine, id, before, self.held);
    }

    /// Limits the size of subsequent replies; returns the maximum number of unsent bytes.
    fn bound_replies(&mut self) -> usize {
        let max = self.shared.limits.max_unread.min(self.shared.held.max_of(self.held));
        self.replies.set_max_len(self.sent.saturating_add(max));
        max
    }

    /// Waits until all clients together hold less memory, and sends replies in the meantime.
    async fn wait_for_room(&mut self) -> Result<(), End>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let shared = Rc::clone(&self.shared);
        let mut freed = pin!(shared.held.freed());
        poll_fn(|cx| {
            self.poll_served(cx)?;
            while self.unsent() > 0 && self.poll_send(cx)?.is_ready() {}
            freed.as_mut().poll(cx).map(Ok)
        })
        .await
    }

    /// Releases everything held for the client.
    fn let_go(&mut self) {
        // This borrow cannot fail: no other borrow of the engine exists here, even after a command
        // has panicked.
        self.shared.engine.borrow_mut().leave(&mut self.client);
        let (id, closing) = {
            let session = &mut self.client.session_mut();
            (session.id, std::mem::take(&mut session.buffered.closing))
        };
        self.shared.held.closed(closing);
        let held = std::mem::take(&mut self.held);
        self.shared.held.change(&self.shared.engine, id, held, 0);
    }
}

impl<S> Drop for Connection<S> {
    fn drop(&mut self) {
        self.let_go();
    }
}
