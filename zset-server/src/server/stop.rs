//! [`Stopper`]: the end of a server, in two steps.

use std::io;
use std::sync::Arc;

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
    /// It is to stop, if the keys can be saved.
    Asked,
    /// What has come is still answered.
    Stopping,
    /// Nothing is waited for.
    Hurrying,
}

impl Default for Stopper {
    fn default() -> Self {
        Stopper { phase: Arc::new(watch::Sender::new(Phase::Running)) }
    }
}

impl Stopper {
    /// Has the server save its keys, accept no more connections, answer the requests that have come, and
    /// end; a second call has it end at once. It does not wait for that.
    ///
    /// If the keys cannot be saved, the server goes on until the second call.
    pub fn stop(&self) {
        self.phase.send_modify(|phase| {
            *phase = if *phase == Phase::Running { Phase::Asked } else { Phase::Hurrying };
        });
    }

    /// Has the connections end, since the keys are saved.
    pub(super) fn agree(&self) {
        self.phase.send_if_modified(|phase| {
            let is_asked = *phase == Phase::Asked;
            if is_asked {
                *phase = Phase::Stopping;
            }
            is_asked
        });
    }

    /// Waits until somebody wants the server to stop.
    pub(super) async fn asked(&self) {
        self.reached(Phase::Asked).await;
    }

    /// Waits until the server has to stop.
    pub(super) async fn stopped(&self) {
        self.reached(Phase::Stopping).await;
    }

    /// Waits until it has to stop at once.
    pub(super) async fn hurried(&self) {
        self.reached(Phase::Hurrying).await;
    }

    async fn reached(&self, least: Phase) {
        // It has a sender, so nothing else ends the waiting.
        let _ = self.phase.subscribe().wait_for(|phase| *phase >= least).await;
    }
}

/// Stops a server on SIGINT or SIGTERM.
#[cfg(unix)]
pub(super) fn heed_signals(stopper: Stopper) -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};

    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::task::spawn_local(async move {
        loop {
            tokio::select! {
                _ = interrupt.recv() => info!("SIGINT"),
                _ = terminate.recv() => info!("SIGTERM"),
            }
            stopper.stop();
        }
    });
    Ok(())
}

/// Stops a server on Ctrl+C.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
pub(super) fn heed_signals(stopper: Stopper) -> io::Result<()> {
    tokio::task::spawn_local(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            info!("Ctrl+C");
            stopper.stop();
        }
    });
    Ok(())
}
