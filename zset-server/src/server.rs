//! The server: all connections run on the thread that owns the data, as in Redis.
//!
//! Each connection is a task. It reads, runs all received commands, and writes all of their replies at
//! once. Between two awaits it has exclusive access to the [`Engine`], so each command is atomic without
//! a lock.

mod connection;
mod held;
mod limits;
mod listen;
mod signals;
mod stop;

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local, yield_now};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tracing::{debug, error, info, warn};

use crate::client::Client;
use crate::config::DebugCommand;
use crate::engine::{Engine, LOOKS};
use crate::metrics::{self, Metrics};
use crate::snapshot::SnapshotError;

pub use limits::Limits;
pub(crate) use listen::{is_exposed, listen};
pub use stop::Stopper;

use limits::Slots;
use listen::Listeners;
use signals::Signals;

/// How often expired keys are removed and clients are checked, even without requests.
const TIDY_EVERY: Duration = Duration::from_millis(100);

/// The maximum number of expired keys removed at once.
const EXPIRED_AT_ONCE: usize = 1000;

/// The options of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to listen on; port 0 means any free port. An address reachable from other machines
    /// requires a password.
    pub addresses: Vec<SocketAddr>,
    /// The path of a Unix socket for clients on the same machine.
    pub unix_socket: Option<PathBuf>,
    /// The password that clients must send; empty means that none is required.
    pub password: String,
    /// The memory limit of the data, in bytes.
    pub max_memory: Option<u64>,
    /// The limits on clients.
    pub limits: Limits,
    /// Which clients may use DEBUG.
    pub debug_command: DebugCommand,
    /// The snapshot file, loaded at startup if it exists and written when the server stops. Only one
    /// server can use it at a time. While it cannot be written, a single signal does not stop the server.
    pub snapshot: Option<PathBuf>,
    /// The address of the metrics page for Prometheus.
    pub metrics: Option<SocketAddr>,
    /// Returns the number of allocated bytes; without it, memory counts as unused.
    pub allocated: Option<fn() -> usize>,
}

impl Options {
    /// The default port of clients.
    pub const PORT: u16 = 6379;
}

impl Default for Options {
    fn default() -> Self {
        Options {
            addresses: vec![SocketAddr::from((Ipv4Addr::LOCALHOST, Options::PORT))],
            unix_socket: None,
            password: String::new(),
            max_memory: None,
            limits: Limits::default(),
            debug_command: DebugCommand::default(),
            snapshot: None,
            metrics: None,
            allocated: None,
        }
    }
}

/// Why a server cannot start, or had to stop.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The address is reachable from other machines, but no password is set.
    NoPassword(SocketAddr),
    /// The server cannot listen at an address or path.
    Listen {
        /// The address or path.
        place: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The async runtime or the signal handlers cannot be set up.
    Runtime(io::Error),
    /// The snapshot cannot be loaded at startup, or saved at shutdown.
    Snapshot(SnapshotError),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::NoPassword(address) => {
                write!(f, "others can reach {address}, so it needs a password")
            }
            ServeError::Listen { place, error } => write!(f, "cannot listen on {place}: {error}"),
            ServeError::Runtime(error) => write!(f, "cannot wait for connections: {error}"),
            ServeError::Snapshot(error) => error.fmt(f),
        }
    }
}

impl Error for ServeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            ServeError::NoPassword(_) => None,
            ServeError::Listen { error, .. } | ServeError::Runtime(error) => Some(error),
            ServeError::Snapshot(error) => error.source(),
        }
    }
}

/// Runs a server until SIGINT, SIGTERM or SIGHUP.
///
/// # Errors
///
/// Returns an error if the server cannot start, or if it cannot save its snapshot when it stops.
pub fn serve(options: Options) -> Result<(), ServeError> {
    Server::bind(options)?.run_with(Signals::heed)
}

/// A server that is already listening but not answering yet.
///
/// # Examples
///
/// ```
/// use std::io::{Read, Write};
/// use std::net::{Ipv4Addr, TcpStream};
/// use zset_server::{Options, Server};
///
/// let addresses = vec![(Ipv4Addr::LOCALHOST, 0).into()];
/// let server = Server::bind(Options { addresses, ..Options::default() })?;
/// let (address, stopper) = (server.addresses()[0], server.stopper());
/// let thread = std::thread::spawn(|| server.run());
///
/// let mut stream = TcpStream::connect(address)?;
/// stream.write_all(b"PING\r\n")?;
/// let mut reply = [0; 7];
/// stream.read_exact(&mut reply)?;
/// assert_eq!(&reply, b"+PONG\r\n");
///
/// stopper.stop();
/// thread.join().unwrap()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Server {
    listeners: Listeners,
    metrics: Option<Metrics>,
    stopper: Stopper,
    options: Options,
}

/// The state shared by all connections.
struct Shared {
    engine: RefCell<Engine>,
    slots: Rc<Slots>,
    /// The slots of clients that are being refused.
    refusing: Rc<Slots>,
    /// The bytes held for all clients.
    held: Cell<usize>,
    /// The part of them held for clients that are being disconnected.
    closing: Cell<usize>,
    /// The client that holds the most, as far as known, and how many bytes it holds.
    largest: Cell<(u64, usize)>,
    /// The bound on the bytes held for all clients, when it was last computed.
    max_held: Cell<usize>,
    /// The bytes that a single client may hold while the others hold little.
    max_alone: Cell<usize>,
    /// Notified when clients hold less than the bound again.
    freed: Notify,
    /// When a client with another protocol was last logged.
    warned: Cell<Option<Instant>>,
    /// The number of clients for which the limit on open files was last raised.
    files_for: Cell<usize>,
    stopper: Stopper,
    limits: Limits,
}

/// The minimum time between two logged attacks, as in Redis.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// The number of unread reply bytes at which reading pauses if a client is unauthenticated or the memory
/// held for clients is scarce.
const PAUSE_EARLY_AT: usize = 64 * 1024;

impl Shared {
    /// Returns the number of unread reply bytes at which the server stops reading from a client.
    fn pause_at(&self, client: &Client) -> usize {
        if self.is_scarce() || !client.session().is_authenticated {
            self.limits.pause_at.min(PAUSE_EARLY_AT)
        } else {
            self.limits.pause_at
        }
    }

    /// Logs a client with another protocol, at most once a minute: a web page can cause many of them.
    fn warn_of_attack(&self, peer: &str) {
        let now = Instant::now();
        if self.warned.get().is_none_or(|last| now.duration_since(last) > WARN_EVERY) {
            self.warned.set(Some(now));
            warn!(
                peer,
                "Possible SECURITY ATTACK detected: a client speaks HTTP or TLS, as a web page makes a \
                 browser do to run commands here. The connection is closed."
            );
        } else {
            debug!(peer, "closed: it speaks HTTP or TLS");
        }
    }

    /// Returns the current maximum number of clients.
    fn max_clients(&self) -> usize {
        let max = self.engine.borrow().max_clients();
        if max > self.files_for.get() {
            limits::raise_open_files(max);
            self.files_for.set(max);
        }
        max
    }
}

/// Creates the engine for the options.
fn engine(options: &Options) -> Engine {
    let mut engine = Engine::new();
    engine.require_password(options.password.as_bytes());
    if options.addresses.iter().chain(&options.metrics).any(is_exposed) {
        engine.insist_on_password();
    }
    engine.limit_memory(options.max_memory.unwrap_or(0));
    engine.limit_output(options.limits.output);
    engine.allow_debug(options.debug_command);
    let (wanted, possible) = (options.limits.max_clients, limits::possible_clients());
    if wanted > possible {
        warn!(wanted, possible, "fewer clients, since files may not be open");
    }
    engine.limit_clients(wanted, possible);
    engine
}

impl Server {
    /// Starts listening.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot listen, or if an address requires a password that is not
    /// set.
    pub fn bind(options: Options) -> Result<Server, ServeError> {
        let listeners = Listeners::bind(&options)?;
        let metrics = Metrics::bind(&options)?;
        Ok(Server { listeners, metrics, stopper: Stopper::default(), options })
    }

    /// Returns the addresses, including the ports chosen by the operating system.
    pub fn addresses(&self) -> &[SocketAddr] {
        self.listeners.addresses()
    }

    /// Returns the address of the metrics page, including the port chosen by the operating system.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|metrics| metrics.address)
    }

    /// Returns a handle that stops the server from any thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves on this thread until it is [stopped](Stopper::stop).
    ///
    /// It handles no signals. If the size of files is limited (`ulimit -f`), the process should ignore
    /// SIGXFSZ, which otherwise kills it when a snapshot exceeds the limit.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot start, or if it cannot save its snapshot when it stops.
    pub fn run(self) -> Result<(), ServeError> {
        self.run_with(|_| Ok(()))
    }

    /// Runs the server; `heed` installs signal handlers, which are active until its result is dropped.
    fn run_with<T>(self, heed: impl FnOnce(Stopper) -> io::Result<T>) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
        let result = LocalSet::new().block_on(&runtime, self.go_on(heed));
        // Do not wait for pending name lookups.
        runtime.shutdown_background();
        result
    }

    async fn go_on<T>(self, heed: impl FnOnce(Stopper) -> io::Result<T>) -> Result<(), ServeError> {
        let Server { listeners, metrics, stopper, options } = self;
        let limits = options.limits;
        let mut engine = engine(&options);
        engine.count_memory(options.allocated);
        let sleeper = stopper.clone();
        engine.sleep_with(move |length| sleeper.sleep(length));
        if let Some(path) = &options.snapshot {
            engine.open_snapshot(path).map_err(ServeError::Snapshot)?;
        }
        // Until now, which may take long, signals kill the process by default.
        let _signals = heed(stopper.clone()).map_err(ServeError::Runtime)?;
        let shared = Rc::new(Shared {
            engine: RefCell::new(engine),
            slots: Rc::default(),
            refusing: Rc::default(),
            held: Cell::new(0),
            closing: Cell::new(0),
            largest: Cell::new((0, 0)),
            max_held: Cell::new(limits.all_clients),
            max_alone: Cell::new(0),
            freed: Notify::new(),
            warned: Cell::new(None),
            files_for: Cell::new(0),
            stopper: stopper.clone(),
            limits,
        });
        let accepting = listeners.accept(&shared)?;
        let page = Rc::clone(&shared);
        let answer =
            move |request: &[u8]| metrics::answer(&mut page.engine.borrow_mut().state, request);
        // Dropping this ends the metrics tasks.
        let _metrics = metrics.map(|metrics| metrics.serve(answer)).transpose()?;
        let tidying = spawn_local(tidy(Rc::clone(&shared)));
        // Clients must read their replies while the server stops, too.
        spawn_local(watch_replies(Rc::clone(&shared)));

        stopper.asked().await;
        let saved = shared.engine.borrow_mut().save();
        match saved {
            Ok(()) => stopper.agree(),
            Err(error) => {
                error!(%error, "it goes on, or the keys would be lost; a second signal ends it");
                stopper.hurried().await;
            }
        }
        tidying.abort();
        drop(accepting);
        info!(clients = shared.slots.taken(), "stopping");
        tokio::select! {
            () = shared.slots.all_free() => {}
            () = sleep(limits.grace) => warn!(clients = shared.slots.taken(), "some do not end"),
            () = stopper.hurried() => {}
        }
        let saved = shared.engine.borrow_mut().save_changes().map_err(ServeError::Snapshot);
        info!("stopped");
        saved
    }
}

/// Disconnects clients that do not read their replies.
async fn watch_replies(shared: Rc<Shared>) {
    loop {
        // Progress is measured in checks rather than time, so that long commands do not count against
        // clients.
        sleep((shared.limits.stalled / LOOKS).max(TIDY_EVERY / 10)).await;
        shared.engine.borrow_mut().look_at_clients();
    }
}

/// Removes expired keys, even without requests, and disconnects idle clients and those over a limit.
async fn tidy(shared: Rc<Shared>) {
    let mut interval = interval(TIDY_EVERY);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        shared.engine.borrow_mut().close_idle();
        shared.engine.borrow_mut().close_over_limits();
        shared.bound_held();
        if shared.slots.taken() >= shared.max_clients() {
            shared.engine.borrow_mut().close_strangers(shared.limits.strangers);
        }
        // Repeat while expired keys remain, giving the connections their turn in between.
        while shared.engine.borrow_mut().expire(EXPIRED_AT_ONCE) == EXPIRED_AT_ONCE {
            yield_now().await;
        }
    }
}
