//! The server. As in Redis, all connections run on the single thread that owns the data.
//!
//! Each connection is a task, which reads requests, runs the commands received, and writes their
//! replies in batches. Between two awaits, a task has exclusive access to the [`Engine`], so each
//! command is atomic without a lock.

mod connection;
mod listen;
mod memory;
mod slots;

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::{LocalSet, spawn_local, yield_now};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tracing::{debug, info, warn};

use crate::client::Client;
use crate::engine::Engine;

use listen::{Listeners, is_exposed};
use memory::Held;
use slots::Slots;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to listen on; port 0 means any free port. An address reachable from other
    /// machines requires a password.
    pub addresses: Vec<SocketAddr>,
    /// The path of a Unix socket for clients on the same machine.
    pub unix_socket: Option<PathBuf>,
    /// The password that clients must send; empty means that none is required.
    pub password: String,
    /// The number of allocated bytes above which commands that allocate memory fail; 0 means no
    /// limit.
    pub max_memory: usize,
    /// The limits on clients.
    pub limits: Limits,
    /// Whether clients may use DEBUG.
    pub allows_debug: bool,
    /// Returns the number of allocated bytes; if `None`, memory counts as unused.
    pub allocated: Option<fn() -> usize>,
}

impl Options {
    /// The default port, which is also that of Redis.
    pub const PORT: u16 = 6379;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            addresses: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, Options::PORT))],
            unix_socket: None,
            password: String::new(),
            max_memory: 0,
            limits: Limits::default(),
            allows_debug: false,
            allocated: None,
        }
    }
}

/// The limits on clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of connections.
    pub max_clients: usize,
    /// The number of unread reply bytes at which the server stops reading from a client, at most
    /// 64 KiB before the client has authenticated. Clients that send many requests before they read
    /// the replies need a large value.
    pub pause_at: usize,
    /// The number of unread reply bytes above which a client is disconnected. Only a single reply
    /// can exceed `pause_at` by much.
    pub max_unread: usize,
    /// The maximum number of bytes held for all clients together: requests that have not run,
    /// commands of transactions, and unread replies. Above half of this bound, the server stops
    /// reading from clients with more than 64 KiB of unread replies. Above the bound, clients are
    /// disconnected: those that do not read first, and among them the ones that hold the most.
    ///
    /// With a memory limit, the bound is the memory that the data leaves free, if that is less, but
    /// at least `pause_at` and an eighth of the limit. A single client may exceed it while the
    /// others hold at most half of it.
    pub all_clients: usize,
    /// How long a client may stay without authenticating if the maximum number of clients is
    /// reached, so that unauthenticated clients do not keep others out.
    pub strangers: Duration,
    /// How long a stopping server waits for its clients to read their replies.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_clients: 10_000,
            pause_at: 32 * 1024 * 1024,
            max_unread: 1024 * 1024 * 1024,
            all_clients: 2 * 1024 * 1024 * 1024,
            strangers: Duration::from_secs(10),
            grace: Duration::from_secs(5),
        }
    }
}

/// Why a server cannot start.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is reachable from other machines, but no password is set.
    NoPassword(SocketAddr),
    /// The server cannot listen at this address or path.
    Listen(String, io::Error),
    /// The async runtime or the signal handlers cannot be set up.
    Runtime(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::NoPassword(address) => {
                write!(f, "others can reach {address}, so it needs a password")
            }
            ServeError::Listen(place, error) => write!(f, "cannot listen on {place}: {error}"),
            ServeError::Runtime(error) => write!(f, "cannot wait for connections: {error}"),
        }
    }
}

impl Error for ServeError {}

/// Runs a server until SIGINT, SIGTERM or SIGHUP.
///
/// # Errors
///
/// Returns an error if the server cannot start.
pub fn serve(options: Options) -> Result<(), ServeError> {
    Server::bind(options)?.run_with(stop_on_signals)
}

/// A server that is already listening but not answering yet.
#[derive(Debug)]
pub struct Server {
    listeners: Listeners,
    stopper: Stopper,
    options: Options,
}

impl Server {
    /// Starts listening.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot listen, or if an address requires a password that is
    /// not set.
    pub fn bind(options: Options) -> Result<Server, ServeError> {
        let listeners = Listeners::bind(&options)?;
        Ok(Server { listeners, stopper: Stopper::default(), options })
    }

    /// Returns the addresses, including the ports chosen by the operating system.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.listeners.addresses()
    }

    /// Returns a handle that stops the server from any thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves on this thread until it is [stopped](Stopper::stop). It handles no signals.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot start.
    pub fn run(self) -> Result<(), ServeError> {
        self.run_with(|_| Ok(()))
    }

    /// Runs the server; `heed` installs the signal handlers.
    fn run_with(self, heed: impl FnOnce(Stopper) -> io::Result<()>) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
        let result = LocalSet::new().block_on(&runtime, self.go_on(heed));
        // End the runtime without waiting for its blocking tasks.
        runtime.shutdown_background();
        result
    }

    async fn go_on(self, heed: impl FnOnce(Stopper) -> io::Result<()>) -> Result<(), ServeError> {
        let Server { listeners, stopper, options } = self;
        let limits = options.limits;
        heed(stopper.clone()).map_err(ServeError::Runtime)?;
        let shared = Rc::new(Shared {
            engine: RefCell::new(engine(&options)),
            slots: Slots::default(),
            refusing: Slots::default(),
            held: Held::new(limits),
            warned: Cell::new(None),
            stopper: stopper.clone(),
            limits,
        });
        let accepting = listeners.accept(&shared).map_err(ServeError::Runtime)?;
        let tidying = spawn_local(tidy(Rc::clone(&shared)));

        stopper.stopped().await;
        tidying.abort();
        drop(accepting);
        info!(clients = shared.slots.taken(), "stopping");
        tokio::select! {
            () = shared.slots.all_free() => {}
            () = sleep(limits.grace) => warn!(clients = shared.slots.taken(), "some stay connected"),
            () = stopper.hurried() => {}
        }
        info!("stopped");
        Ok(())
    }
}

/// Stops a server, from any thread.
#[derive(Clone, Debug, Default)]
pub struct Stopper {
    calls: watch::Sender<usize>,
}

impl Stopper {
    /// Makes the server accept no more connections, answer the received requests, and end; a second
    /// call ends it immediately. Returns without waiting for the end.
    pub fn stop(&self) {
        self.calls.send_modify(|calls| *calls += 1);
    }

    /// Waits until the server must stop.
    async fn stopped(&self) {
        self.called(1).await;
    }

    /// Waits until the server must stop immediately.
    async fn hurried(&self) {
        self.called(2).await;
    }

    async fn called(&self, times: usize) {
        // Waiting fails only if all senders are dropped, but `self` holds one.
        let _ = self.calls.subscribe().wait_for(|calls| *calls >= times).await;
    }
}

/// Calls [`Stopper::stop`] on each signal. The handlers stay installed until the process ends.
fn stop_on_signals(stopper: Stopper) -> io::Result<()> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    spawn_local(async move {
        loop {
            let signal = tokio::select! {
                _ = interrupt.recv() => "SIGINT",
                _ = terminate.recv() => "SIGTERM",
                _ = hang_up.recv() => "SIGHUP",
            };
            info!("{signal}");
            stopper.stop();
        }
    });
    Ok(())
}

/// Creates an engine and configures it with the options.
fn engine(options: &Options) -> Engine {
    let mut engine = Engine::new();
    engine.count_memory(options.allocated);
    let config = &mut engine.state.config;
    config.password = options.password.clone().into_bytes();
    config.needs_password = options.addresses.iter().any(is_exposed);
    config.max_memory = options.max_memory;
    config.allows_debug = options.allows_debug;
    let wanted = options.limits.max_clients;
    let possible = allow_clients(wanted);
    if wanted > possible {
        warn!(wanted, possible, "fewer clients, because of the limit on open files");
    }
    (config.max_clients, config.possible_clients) = (wanted.min(possible), possible);
    engine
}

/// The number of files reserved for other uses than connections: listeners, the log, the runtime,
/// and clients that are being refused.
const OTHER_FILES: u64 = 256;

/// Raises the limit on open files for the wanted number of clients, as far as the operating system
/// allows. Returns the number of clients that the limit permits.
fn allow_clients(wanted: usize) -> usize {
    let needed = wanted as u64 + OTHER_FILES;
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < needed) {
        limit.current = Some(limit.maximum.map_or(needed, |maximum| maximum.min(needed)));
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            warn!(%error, "cannot raise the limit on open files");
        }
    }
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    usize::try_from(files.saturating_sub(OTHER_FILES).max(1)).unwrap_or(usize::MAX)
}

/// The state shared by all connections.
struct Shared {
    engine: RefCell<Engine>,
    slots: Slots,
    /// The slots of clients that are being refused.
    refusing: Slots,
    held: Held,
    /// When a client with another protocol was last logged.
    warned: Cell<Option<Instant>>,
    stopper: Stopper,
    limits: Limits,
}

/// The minimum time between two logged attacks, as in Redis.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// The number of unread reply bytes at which reading pauses if a client is unauthenticated or the
/// memory held for clients is scarce.
const PAUSE_EARLY_AT: usize = 64 * 1024;

impl Shared {
    /// Returns the number of unread reply bytes at which the server stops reading from a client.
    fn pause_at(&self, client: &Client) -> usize {
        if self.held.is_scarce() || !client.session().is_authenticated {
            self.limits.pause_at.min(PAUSE_EARLY_AT)
        } else {
            self.limits.pause_at
        }
    }

    /// Warns of a client that speaks another protocol, at most once a minute: a web page can open
    /// many such connections.
    fn warn_of_attack(&self, peer: &str) {
        let now = Instant::now();
        if self.warned.get().is_none_or(|last| now.duration_since(last) > WARN_EVERY) {
            self.warned.set(Some(now));
            warn!(
                peer,
                "Possible SECURITY ATTACK detected: a client speaks HTTP or TLS, as a browser does \
                 if a web page tries to run commands here. The connection is closed."
            );
        } else {
            debug!(peer, "closed: it speaks HTTP or TLS");
        }
    }
}

/// How often expired keys are removed and clients are checked, even without requests.
const TIDY_EVERY: Duration = Duration::from_millis(100);

/// The maximum number of expired keys removed at once.
const EXPIRED_AT_ONCE: usize = 1000;

/// Removes expired keys, even without requests, and disconnects clients over a limit.
async fn tidy(shared: Rc<Shared>) {
    let mut interval = interval(TIDY_EVERY);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        shared.held.bound(&shared.engine);
        let max_clients = shared.engine.borrow().state.config.max_clients;
        if shared.slots.taken() >= max_clients {
            shared.engine.borrow_mut().close_strangers(shared.limits.strangers);
        }
        // Repeat while expired keys remain, but let the connections run in between.
        while shared.engine.borrow_mut().expire(EXPIRED_AT_ONCE) == EXPIRED_AT_ONCE {
            yield_now().await;
        }
    }
}
