//! [`Stopper`]: stops a server in two steps; and the signals that do so.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tracing::info;

/// Stops a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper {
    phase: Arc<watch::Sender<Phase>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Running,
    /// A stop is requested, and happens if the keys can be saved.
    Asked,
    /// The received requests are still answered.
    Stopping,
    /// The server no longer waits for anything.
    Hurrying,
}

impl Default for Stopper {
    fn default() -> Self {
        Stopper { phase: Arc::new(watch::Sender::new(Phase::Running)) }
    }
}

impl Stopper {
    /// Makes the server save its keys, accept no more connections, answer the received requests,
    /// and end; a second call ends it at once. Returns without waiting for that.
    ///
    /// If the keys cannot be saved, the server keeps running until the second call.
    pub fn stop(&self) {
        self.phase.send_modify(|phase| {
            *phase = if *phase == Phase::Running { Phase::Asked } else { Phase::Hurrying };
        });
    }

    /// Ends the connections, after the keys have been saved.
    pub(super) fn agree(&self) {
        self.phase.send_if_modified(|phase| {
            let is_asked = *phase == Phase::Asked;
            if is_asked {
                *phase = Phase::Stopping;
            }
            is_asked
        });
    }

    /// Blocks this thread until the time is over or a stop is requested.
    pub(crate) fn sleep(&self, length: Duration) {
        const SLICE: Duration = Duration::from_millis(10);
        let start = Instant::now();
        while *self.phase.borrow() == Phase::Running {
            let left = length.saturating_sub(start.elapsed());
            if left.is_zero() {
                break;
            }
            std::thread::sleep(left.min(SLICE));
        }
    }

    /// Waits until a stop is requested.
    pub(super) async fn asked(&self) {
        self.reached(Phase::Asked).await;
    }

    /// Waits until the server must stop.
    pub(super) async fn stopped(&self) {
        self.reached(Phase::Stopping).await;
    }

    /// Waits until the server must stop at once.
    pub(super) async fn hurried(&self) {
        self.reached(Phase::Hurrying).await;
    }

    async fn reached(&self, least: Phase) {
        // The sender exists, so the wait cannot fail.
        let _ = self.phase.subscribe().wait_for(|phase| *phase >= least).await;
    }
}

/// Stops the server on each signal, for the rest of the process.
///
/// Signals are handled on a separate thread, so that they arrive while a long command blocks the
/// server.
pub(super) fn heed(stopper: Stopper) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let context = runtime.enter();
    // By default SIGXFSZ kills the process. With a handler, writing beyond the maximum file size is
    // an error.
    drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    drop(context);
    let wait = move || {
        runtime.block_on(async {
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
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}
