//! Signals: those that stop a server, and one that must not kill it.
//!
//! They are handled on a separate thread, so that they arrive while a long command blocks the server.

use std::io;

use tokio::runtime;
use tracing::info;

use super::Stopper;

/// Stops the server on each signal, for the rest of the process.
pub(super) fn heed(stopper: Stopper) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let mut signals = {
        let _context = runtime.enter();
        system::Signals::new()?
    };
    let wait = move || {
        runtime.block_on(async {
            loop {
                let signal = signals.next().await;
                info!("{signal}");
                stopper.stop();
            }
        });
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}

#[cfg(unix)]
mod system {
    use std::io;

    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        hang_up: Signal,
    }

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            // By default SIGXFSZ kills the process. With a handler, writing beyond the maximum file size
            // is an error.
            drop(signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()))?);
            Ok(Signals {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hang_up: signal(SignalKind::hangup())?,
            })
        }

        /// Waits for a signal; returns its name.
        pub(super) async fn next(&mut self) -> &'static str {
            tokio::select! {
                _ = self.interrupt.recv() => "SIGINT",
                _ = self.terminate.recv() => "SIGTERM",
                _ = self.hang_up.recv() => "SIGHUP",
            }
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;

    pub(super) struct Signals;

    impl Signals {
        #[allow(clippy::unnecessary_wraps, reason = "on Unix it may fail")]
        pub(super) fn new() -> io::Result<Self> {
            Ok(Signals)
        }

        pub(super) async fn next(&mut self) -> &'static str {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending().await
            }
            "Ctrl+C"
        }
    }
}
