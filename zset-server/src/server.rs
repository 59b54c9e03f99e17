//! The server: connections, all on the one thread that owns the data, as with Redis.
//!
//! Each connection is a task. It reads, runs as many commands as have come, and writes all of their
//! replies at once. Between two of its waits it has the [`Engine`] to itself: a command is atomic without
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

/// How often keys go that have expired while nobody asks for anything, and clients that ask nothing.
const TIDY_EVERY: Duration = Duration::from_millis(100);

/// How many of them go at once.
const EXPIRED_AT_ONCE: usize = 1000;

/// Where to listen, and to whom.
#[derive(Clone, Debug)]
pub struct Options {
    /// Addresses; port 0 stands for any that is free. One that others can reach needs a password.
    pub addresses: Vec<SocketAddr>,
    /// The path of a socket for clients on the same machine.
    pub unix_socket: Option<PathBuf>,
    /// What clients have to say first; an empty one is none.
    pub password: String,
    /// Bytes of memory that the data may take.
    pub max_memory: Option<u64>,
    /// What a client may take.
    pub limits: Limits,
    /// Who may use DEBUG.
    pub debug_command: DebugCommand,
    /// The file that is loaded when the server starts, if it is there, and written when it stops. It is this
    /// server's alone. While it cannot be written, one signal does not stop the server.
    pub snapshot: Option<PathBuf>,
    /// Where Prometheus finds its page.
    pub metrics: Option<SocketAddr>,
    /// Returns how many bytes the allocator has given; without it, the data counts as none.
    pub allocated: Option<fn() -> usize>,
}

impl Options {
    /// The port that clients try first.
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

/// Why a server does not start, or does not go on.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// Others can reach the address, and there is no password.
    NoPassword(SocketAddr),
    /// It cannot listen where it should.
    Listen {
        /// Where that is.
        place: String,
        /// What the system says.
        error: io::Error,
    },
    /// The system does not give what it takes to wait.
    Runtime(io::Error),
    /// The snapshot cannot be loaded at the start, or saved at the end.
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

/// Serves until SIGINT, SIGTERM or SIGHUP.
///
/// # Errors
///
/// [`ServeError`], if it cannot start.
pub fn serve(options: Options) -> Result<(), ServeError> {
    Server::bind(options)?.run_with(Signals::heed)
}

/// A server that listens already, and does not answer yet.
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

/// What all connections share.
struct Shared {
    engine: RefCell<Engine>,
    slots: Rc<Slots>,
    /// Those of clients that are being refused.
    refusing: Rc<Slots>,
    /// Bytes that are held for all clients.
    held: Cell<usize>,
    /// Those of them that clients hold which are being closed.
    closing: Cell<usize>,
    /// The client that holds the most, as far as is known, and how much.
    largest: Cell<(u64, usize)>,
    /// How many there might be when that was asked last.
    max_held: Cell<usize>,
    /// How many a client may hold if the others hold little.
    max_alone: Cell<usize>,
    /// Notified when clients hold less than they may again.
    freed: Notify,
    /// When a client was noted that speaks another protocol.
    warned: Cell<Option<Instant>>,
    /// For how many clients the system was asked to let files be open.
    files_for: Cell<usize>,
    stopper: Stopper,
    limits: Limits,
}

/// How often an attack is logged at most, as in Redis.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// Bytes of replies that a client has not read, from which on nothing more is read from it, if it is a
/// stranger or if too much is held for all.
const PAUSE_EARLY_AT: usize = 64 * 1024;

impl Shared {
    /// Returns how many bytes of replies a client may leave unread until nothing more is read from it.
    fn pause_at(&self, client: &Client) -> usize {
        if self.is_scarce() || !client.session().is_authenticated {
            self.limits.pause_at.min(PAUSE_EARLY_AT)
        } else {
            self.limits.pause_at
        }
    }

    /// Logs a client of another protocol, at most once a minute: a web page can make a browser be one often.
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

    /// Returns how many clients there may be now.
    fn max_clients(&self) -> usize {
        let max = self.engine.borrow().max_clients();
        if max > self.files_for.get() {
            limits::raise_open_files(max);
            self.files_for.set(max);
        }
        max
    }
}

/// Makes the engine that options ask for.
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
    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// [`ServeError`], if it cannot, or should not.
    pub fn bind(options: Options) -> Result<Server, ServeError> {
        let listeners = Listeners::bind(&options)?;
        let metrics = Metrics::bind(&options)?;
        Ok(Server { listeners, metrics, stopper: Stopper::default(), options })
    }

    /// Returns the addresses, with the ports that the system has chosen.
    pub fn addresses(&self) -> &[SocketAddr] {
        self.listeners.addresses()
    }

    /// Returns the address of the metrics, with the port that the system has chosen.
    pub fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref().map(|metrics| metrics.address)
    }

    /// Returns what stops it, from any thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves on this thread until it is [stopped](Stopper::stop).
    ///
    /// It handles no signals. Where files have a maximum size (`ulimit -f`), the process should ignore
    /// SIGXFSZ, which otherwise ends it when a snapshot is larger.
    ///
    /// # Errors
    ///
    /// [`ServeError`], if it cannot start.
    pub fn run(self) -> Result<(), ServeError> {
        self.run_with(|_| Ok(()))
    }

    /// Serves; `heed` begins to stop the server on signals, until what it returns is dropped.
    fn run_with<T>(self, heed: impl FnOnce(Stopper) -> io::Result<T>) -> Result<(), ServeError> {
        let runtime = runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(ServeError::Runtime)?;
        let result = LocalSet::new().block_on(&runtime, self.go_on(heed));
        // Nobody waits for what a name server may still have to say.
        runtime.shutdown_background();
        result
    }

    async fn go_on<T>(self, heed: impl FnOnce(Stopper) -> io::Result<T>) -> Result<(), ServeError> {
        let Server { listeners, metrics, stopper, options } = self;
        let limits = options.limits;
        let mut engine = engine(&options);
        engine.count_memory(options.allocated);
        engine.state.stopper = stopper.clone();
        if let Some(path) = &options.snapshot {
            engine.open_snapshot(path).map_err(ServeError::Snapshot)?;
        }
        // Until now, which may take long, they end the process as they do without a handler.
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
        // They end when this does.
        let _metrics = metrics.map(|metrics| metrics.serve(answer)).transpose()?;
        let tidying = spawn_local(tidy(Rc::clone(&shared)));
        // They have to be read while the server stops, too.
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

/// Sends clients away that do not read what there is for them.
async fn watch_replies(shared: Rc<Shared>) {
    loop {
        // What a long command takes does not count, so it is the times that do.
        sleep((shared.limits.stalled / LOOKS).max(TIDY_EVERY / 10)).await;
        shared.engine.borrow_mut().look_at_clients();
    }
}

/// Lets keys go that have expired, also while nobody asks for anything, and clients that do not.
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
        // Some more each time, as long as the connections have their turns in between.
        while shared.engine.borrow_mut().expire(EXPIRED_AT_ONCE) == EXPIRED_AT_ONCE {
            yield_now().await;
        }
    }
}
