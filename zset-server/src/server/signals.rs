//! Signals: those that stop a server, and one that must not kill it.
//!
//! They are handled on a separate thread, so that they arrive while a long command blocks the server.

use std::io;

use tokio::runtime::{self, Runtime};
use tokio::sync::oneshot;
use tracing::info;

use super::Stopper;

/// The thread that waits for signals, which ends when this is dropped.
pub(super) struct Signals {
    _end: oneshot::Sender<()>,
}

impl Signals {
    /// Starts stopping the server on each signal.
    pub(super) fn heed(stopper: Stopper) -> io::Result<Signals> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let mut signals = {
            let _context = runtime.enter();
            system::Signals::new()?
        };
        let (end, ended) = oneshot::channel();
        let wait = async move {
            loop {
                let signal = signals.next().await;
                info!("{signal}");
                stopper.stop();
            }
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || until(&runtime, wait, ended))?;
        Ok(Signals { _end: end })
    }
}

fn until(runtime: &Runtime, wait: impl Future<Output = ()>, ended: oneshot::Receiver<()>) {
    runtime.block_on(async {
        tokio::select! {
            () = wait => {}
            _ = ended => {}
        }
    });
}

#[cfg(unix)]
mod system {
    use std::io;

    use rustix::process::Signal as Number;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    pub(super) struct Signals {
        interrupt: Signal,
        terminate: Signal,
        /// `None` if the signal is ignored, as under `nohup`.
        hang_up: Option<Signal>,
    }

    impl Signals {
        pub(super) fn new() -> io::Result<Self> {
            // By default SIGXFSZ kills the process. With a handler, writing beyond the maximum file size
            // is an error.
            drop(signal(SignalKind::from_raw(Number::XFSZ.as_raw()))?);
            let hang_up = (!is_ignored(Number::HUP)).then(|| signal(SignalKind::hangup()));
            Ok(Signals {
                interrupt: signal(SignalKind::interrupt())?,
                terminate: signal(SignalKind::terminate())?,
                hang_up: hang_up.transpose()?,
            })
        }

        /// Waits for a signal; returns its name.
        pub(super) async fn next(&mut self) -> &'static str {
            let hang_up = async {
                match &mut self.hang_up {
                    Some(hang_up) => hang_up.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = self.interrupt.recv() => "SIGINT",
                _ = self.terminate.recv() => "SIGTERM",
                _ = hang_up => "SIGHUP",
            }
        }
    }

    /// Returns whether the process was started with a signal ignored, where the operating system reports
    /// it.
    fn is_ignored(signal: Number) -> bool {
        let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        ignored.is_some_and(|mask| mask >> (signal.as_raw() - 1) & 1 == 1)
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
