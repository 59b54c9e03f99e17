//! [`Connection`]: a client, from its first byte to its last.

mod held;
mod send;

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite};
use tokio::task::yield_now;
use tokio::time::{Sleep, sleep};
use tracing::{debug, warn};
use zset_std::Timestamp;

use super::Shared;
use super::limits::Slot;
use crate::client::Client;
use crate::engine::Executed;
use crate::resp::{Replies, RequestError, RequestLimits, Requests, emptied};

/// Commands of one client after which the others have a turn.
const COMMANDS_OF_A_TURN: usize = 512;

/// Bytes of replies after which they have one too, and these are sent.
const REPLIES_OF_A_TURN: usize = 256 * 1024;

/// How long it is until they have one, but for a single command that takes longer.
const TIME_OF_A_TURN: Duration = Duration::from_millis(5);

/// The least that is read at a time; most clients send little.
const MIN_READ: usize = 2 * 1024;

/// The most.
const MAX_READ: usize = 64 * 1024;

/// The most that a client may send while one of its commands waits for a key.
const MAX_AHEAD: usize = RequestLimits::MAX.max_request_len;

/// Commands of one client for which time stands still: to ask for it is a good part of a small command.
const COMMANDS_OF_A_MOMENT: usize = 16;

/// How long a server that stops waits until it looks for the last time at what has come.
const LAST_LOOK: Duration = Duration::from_millis(1);

/// A client that is connected by `S`.
pub(super) struct Connection<S> {
    stream: S,
    requests: Requests,
    replies: Replies,
    /// Bytes of the replies that are sent.
    sent: usize,
    /// How much to read next.
    read_size: usize,
    /// When the others have had a turn, if they have since the last one of this client.
    since: Option<Timestamp>,
    /// Bytes that all clients together hold because of this one.
    held: usize,
    client: Client,
    /// Where the client is.
    peer: String,
    shared: Rc<Shared>,
    is_stopping: bool,
    _slot: Slot,
}

/// Where a connection comes from, and where it came in.
pub(super) struct Ends {
    pub(super) peer: String,
    pub(super) local: String,
    /// It comes from another machine.
    pub(super) is_remote: bool,
}

/// How a turn has ended.
enum Turn {
    /// No whole request is left.
    Done,
    /// There may be more requests.
    Cut,
    /// The last one waits for a key, or the next one for the end of a pause, for so long at most.
    Waits(Option<Duration>),
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
    /// What it has waited for is there.
    Served,
    /// It has waited for long enough.
    TimedOut,
    /// Another client has sent it away, or it has been silent for too long.
    Killed,
    Stopped,
}

/// How a wait for a key has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waited {
    /// With a reply.
    Answered,
    /// The client has gone, or the server is about to.
    Left,
}

/// Why a connection ends early.
enum End {
    Io(io::Error),
    /// More of its replies are unread than may be.
    Unread,
    /// It sends too much while it waits.
    TooMuch,
    Killed,
    /// It speaks another protocol.
    Foreign,
}

impl From<io::Error> for End {
    fn from(error: io::Error) -> Self {
        End::Io(error)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    pub(super) fn new(shared: Rc<Shared>, stream: S, ends: Ends, slot: Slot) -> Self {
        let mut client = shared.engine.borrow_mut().client();
        let Ends { peer, local, is_remote } = ends;
        client.set_address(peer.clone());
        client.set_local_address(local);
        client.session_mut().is_remote = is_remote;
        client.allow_waiting();
        Connection {
            stream,
            requests: Requests::default(),
            replies: Replies::default(),
            sent: 0,
            read_size: MIN_READ,
            since: None,
            held: 0,
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
            Err(End::Unread) => {
                warn!(
                    peer,
                    unread,
                    "closed: too many unread replies, by client-output-buffer-limit or maxmemory"
                );
            }
            Err(End::TooMuch) => warn!(peer, unread, "cut off: it asks for too much"),
            Err(End::Killed) => debug!(peer, "sent away"),
            Err(End::Foreign) => self.shared.warn_of_attack(peer),
        }
    }

    async fn answer(&mut self) -> Result<(), End> {
        let shared = Rc::clone(&self.shared);
        let mut stopped = pin!(shared.stopper.stopped());
        loop {
            if self.client.session().is_killed {
                return Err(End::Killed);
            }
            if self.shared.is_over() {
                // Those that have to go are about to.
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
                Turn::Done => match self.wait(stopped.as_mut(), None).await? {
                    Event::Read(0) => return self.finish().await,
                    Event::Read(len) => self.adapt(len),
                    Event::Written | Event::TimedOut => {}
                    Event::Served => {
                        self.bound_replies();
                        self.client.take_served(&mut self.replies);
                    }
                    Event::Killed => return Err(End::Killed),
                    Event::Stopped => {
                        self.is_stopping = true;
                        // The system is asked for what has come before it says that time is over.
                        sleep(LAST_LOOK).await;
                    }
                },
                Turn::Cut => {
                    self.send_some().await?;
                    yield_now().await;
                    self.since = None;
                }
                Turn::Waits(limit) => {
                    if self.wait_for_others(limit, stopped.as_mut()).await? == Waited::Left {
                        return self.finish().await;
                    }
                }
                Turn::Full => {
                    self.send().await?;
                    // The system may take more without end.
                    yield_now().await;
                    self.since = None;
                }
                Turn::Quit => return self.finish().await,
                Turn::Broken(RequestError::OtherProtocol) => return Err(End::Foreign),
                Turn::Broken(error) => {
                    debug!(peer = self.peer, %error, "not a request");
                    self.replies.error_bytes(&error.to_bytes());
                    return self.finish().await;
                }
            }
        }
    }

    /// Runs the requests that have come, or as many of them as may be at once.
    fn turn(&mut self) -> Turn {
        let pause_at = self.shared.pause_at(&self.client);
        let mut engine = self.shared.engine.borrow_mut();
        let before = self.replies.bytes().len();
        let mut spare = Vec::new();
        for number in 0..COMMANDS_OF_A_TURN {
            let replies = self.replies.bytes().len();
            if replies - self.sent > pause_at {
                return Turn::Full;
            }
            if replies - before > REPLIES_OF_A_TURN {
                return Turn::Cut;
            }
            if number % COMMANDS_OF_A_MOMENT == 0 || self.client.session().is_slow {
                let now = engine.begin(&mut self.client);
                let since = *self.since.get_or_insert(now);
                if now.saturating_duration_since(since) > TIME_OF_A_TURN {
                    return Turn::Cut;
                }
            }
            self.requests.set_limits(engine.request_limits(&self.client));
            match self.requests.next_in(spare) {
                Ok(Some(arguments)) => {
                    if let Some(left) = engine.paused_for(&mut self.client, &arguments) {
                        self.requests.hold_back();
                        return Turn::Waits(Some(left));
                    }
                    let executed =
                        engine.execute_now(&mut self.client, &arguments, &mut self.replies);
                    spare = emptied(arguments);
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

    /// Waits until the last command has its reply, or a pause is over. What the client sends meanwhile is
    /// read, which tells whether it is still there, and runs later.
    async fn wait_for_others(
        &mut self,
        limit: Option<Duration>,
        mut stopped: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Waited, End> {
        let mut time = pin!(limit.map(sleep));
        loop {
            match self.wait(stopped.as_mut(), time.as_mut().as_pin_mut()).await? {
                event @ (Event::Read(0) | Event::Stopped) => {
                    // Who does not leave by itself is not waited for.
                    self.is_stopping |= matches!(event, Event::Stopped);
                    self.shared.engine.borrow_mut().leave(&mut self.client);
                    return Ok(Waited::Left);
                }
                Event::Read(_) if self.requests.len() > MAX_AHEAD => return Err(End::TooMuch),
                Event::Read(len) => {
                    self.adapt(len);
                    self.tell_held();
                }
                Event::Written => {}
                Event::Killed => return Err(End::Killed),
                Event::Served | Event::TimedOut => {
                    self.bound_replies();
                    let mut engine = self.shared.engine.borrow_mut();
                    engine.end_waiting(&mut self.client, &mut self.replies);
                    return Ok(Waited::Answered);
                }
            }
        }
    }

    /// Waits until something has happened. A server that stops does not wait for bytes to come.
    async fn wait(
        &mut self,
        mut stopped: Pin<&mut impl Future<Output = ()>>,
        mut time: Option<Pin<&mut Sleep>>,
    ) -> io::Result<Event> {
        poll_fn(|cx| {
            if let Some(event) = self.poll_others(cx) {
                return Poll::Ready(Ok(event));
            }
            if self.unsent() > 0
                && let Poll::Ready(result) = self.poll_send(cx)
            {
                return Poll::Ready(result.map(|()| Event::Written));
            }
            let buffer = self.requests.buffer();
            buffer.reserve(self.read_size);
            if let Poll::Ready(result) = pin!(self.stream.read_buf(buffer)).poll(cx) {
                return Poll::Ready(result.map(Event::Read));
            }
            if self.is_stopping {
                return Poll::Ready(Ok(Event::Read(0)));
            }
            if let Some(time) = &mut time
                && time.as_mut().poll(cx).is_ready()
            {
                return Poll::Ready(Ok(Event::TimedOut));
            }
            self.rest();
            stopped.as_mut().poll(cx).map(|()| Ok(Event::Stopped))
        })
        .await
    }

    /// Returns what others have done to the client.
    fn poll_others(&mut self, cx: &Context<'_>) -> Option<Event> {
        let mut session = self.client.session_mut();
        session.set_waker(cx.waker());
        match () {
            () if session.is_killed => Some(Event::Killed),
            () if session.is_served() => Some(Event::Served),
            () => None,
        }
    }

    /// Adapts the next read to what the last one has brought.
    fn adapt(&mut self, len: usize) {
        if len >= self.read_size {
            self.read_size = (self.read_size * 2).min(MAX_READ);
        } else if len < self.read_size / 4 {
            self.read_size = (self.read_size / 2).max(MIN_READ);
        }
    }
}
