//! The server: all connections run on the thread that owns the data, as in Redis.
//!
//! Each connection is a task. It reads, runs all received commands, and writes all of their replies
//! at once. Between two awaits it has exclusive access to the [`Engine`], so each command is atomic
//! without a lock.

mod connection;
mod listen;
mod options;
mod stop;

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local, yield_now};
use tokio::time::{MissedTickBehavior, interval, sleep};
use tracing::{debug, info, warn};

use crate::client::Client;
use crate::engine::Engine;

pub use options::{Limits, Options, ServeError};
pub use stop::Stopper;

use listen::{Listeners, Slots, is_exposed};

/// How often expired keys are removed and clients are checked, even without requests.
const TIDY_EVERY: Duration = Duration::from_millis(100);

/// The maximum number of expired keys removed at once.
const EXPIRED_AT_ONCE: usize = 1000;

/// Runs a server until SIGINT, SIGTERM or SIGHUP.
///
/// # Errors
///
/// Returns an error if the server cannot start.
pub fn serve(options: Options) -> Result<(), ServeError> {
    Server::bind(options)?.run_with(stop::heed)
}

/// A server that is already listening but not answering yet.
#[derive(Debug)]
pub struct Server {
    listeners: Listeners,
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
    /// The bytes that a single client may hold while the others hold little: up to the memory
    /// limit, so that every value can be read; 0 if memory has no limit.
    max_alone: Cell<usize>,
    /// Notified when clients hold less than the bound again.
    freed: Notify,
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
        if self.is_scarce() || !client.session().is_authenticated {
            self.limits.pause_at.min(PAUSE_EARLY_AT)
        } else {
            self.limits.pause_at
        }
    }

    /// Logs a client with another protocol, at most once a minute: a web page can cause many of
    /// them.
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

// The memory held for all clients, and how the server bounds it.
impl Shared {
    /// Returns whether clients hold more than half of the bound.
    fn is_scarce(&self) -> bool {
        self.held.get() > self.max_held.get() / 2
    }

    /// Returns whether the memory held for all clients exceeds its bound.
    fn is_over(&self) -> bool {
        self.is_too_much(self.held.get())
    }

    /// Returns whether `held` bytes for all clients exceed the bound. A single client may exceed it
    /// while the others hold little, so that large values can be set and read.
    fn is_too_much(&self, held: usize) -> bool {
        let (_, largest) = self.largest.get();
        held > self.max_held.get() && largest > self.max_held_of_one(held.saturating_sub(largest))
    }

    /// Returns the number of bytes that may be held for a client that currently holds `own` bytes.
    fn max_held_of(&self, own: usize) -> usize {
        self.max_held.get().max(self.max_held_of_one(self.held.get() - own))
    }

    /// Returns the number of bytes that a client may hold beyond the bound, if the others hold
    /// `others` bytes.
    fn max_held_of_one(&self, others: usize) -> usize {
        if others <= self.max_held.get() / 2 { self.max_alone.get() } else { 0 }
    }

    /// Updates the bytes held for a client from `before` to `now`.
    fn change_held(&self, client: u64, before: usize, now: usize) {
        self.held.set(self.held.get() - before + now);
        let (largest, most) = self.largest.get();
        if client == largest || now > most {
            self.largest.set((client, now));
        }
        if now > before {
            self.bound_held();
        } else if now < before && !self.is_over() {
            self.freed.notify_waiters();
        }
    }

    /// Updates the bound on the bytes held for all clients. If it is exceeded, the clients that
    /// hold the most are disconnected: enough of them that it takes a while until this happens
    /// again.
    fn bound_held(&self) {
        let held = self.held.get();
        let mut engine = self.engine.borrow_mut();
        let max = engine.max_held(held, self.limits.pause_at, self.limits.all_clients);
        self.max_held.set(max);
        self.max_alone.set(engine.state.config.max_memory.min(self.limits.all_clients));
        // The memory of clients that are being disconnected is about to be freed.
        if self.is_too_much(held.saturating_sub(self.closing.get())) {
            let closing = engine.close_largest(max - max / 8);
            self.closing.set(self.closing.get() + closing);
            // The largest client may have been disconnected; the remaining ones report what they
            // hold.
            self.largest.set((0, 0));
        }
        if !self.is_over() {
            self.freed.notify_waiters();
        }
    }
}

/// Creates the engine for the options.
fn engine(options: &Options) -> Engine {
    let mut engine = Engine::new();
    let config = &mut engine.state.config;
    config.password = options.password.clone().into_bytes();
    config.needs_password = options.addresses.iter().any(is_exposed);
    config.max_memory =
        options.max_memory.map_or(0, |max| usize::try_from(max).unwrap_or(usize::MAX));
    config.output_limit = options.limits.output;
    config.debug_command = options.debug_command;
    let wanted = options.limits.max_clients;
    let possible = options::allow_clients(wanted);
    if wanted > possible {
        warn!(wanted, possible, "fewer clients, because of the limit on open files");
    }
    (config.max_clients, config.possible_clients) = (wanted.min(possible), possible);
    engine
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
    pub fn addresses(&self) -> &[SocketAddr] {
        self.listeners.addresses()
    }

    /// Returns a handle that stops the server from any thread.
    pub fn stopper(&self) -> Stopper {
        self.stopper.clone()
    }

    /// Serves on this thread until it is [stopped](Stopper::stop).
    ///
    /// It handles no signals.
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
        // Do not wait for pending name lookups.
        runtime.shutdown_background();
        result
    }

    async fn go_on(self, heed: impl FnOnce(Stopper) -> io::Result<()>) -> Result<(), ServeError> {
        let Server { listeners, stopper, options } = self;
        let limits = options.limits;
        let mut engine = engine(&options);
        engine.count_memory(options.allocated);
        heed(stopper.clone()).map_err(ServeError::Runtime)?;
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
            stopper: stopper.clone(),
            limits,
        });
        let accepting = listeners.accept(&shared)?;
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

/// Removes expired keys, even without requests, and disconnects clients over a limit.
async fn tidy(shared: Rc<Shared>) {
    let mut interval = interval(TIDY_EVERY);
    interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        interval.tick().await;
        shared.engine.borrow_mut().close_over_limits();
        shared.bound_held();
        let max_clients = shared.engine.borrow().state.config.max_clients;
        if shared.slots.taken() >= max_clients {
            shared.engine.borrow_mut().close_strangers(shared.limits.strangers);
        }
        // Repeat while expired keys remain, giving the connections their turn in between.
        while shared.engine.borrow_mut().expire(EXPIRED_AT_ONCE) == EXPIRED_AT_ONCE {
            yield_now().await;
        }
    }
}
