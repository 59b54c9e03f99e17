//! [`Stopper`]: stops a server in two steps; and the signals that do so.

use std::io;
use std::sync::Arc;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;
use tokio::task::spawn_local;
use tracing::info;

/// Stops a server, from any thread.
#[derive(Clone, Debug)]
pub struct Stopper {
    phase: Arc<watch::Sender<Phase>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Running,
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
    /// Makes the server accept no more connections, answer the received requests, and end; a second
    /// call ends it immediately. Returns without waiting for that.
    pub fn stop(&self) {
        self.phase.send_modify(|phase| {
            *phase = if *phase == Phase::Running { Phase::Stopping } else { Phase::Hurrying };
        });
    }

    /// Waits until the server must stop.
    pub(super) async fn stopped(&self) {
        self.reached(Phase::Stopping).await;
    }

    /// Waits until the server must stop immediately.
    pub(super) async fn hurried(&self) {
        self.reached(Phase::Hurrying).await;
    }

    async fn reached(&self, least: Phase) {
        // The sender exists, so waiting cannot fail.
        let _ = self.phase.subscribe().wait_for(|phase| *phase >= least).await;
    }
}

/// Stops the server on each signal, for the rest of the process.
pub(super) fn heed(stopper: Stopper) -> io::Result<()> {
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
