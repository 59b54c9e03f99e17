//! Signals: those that stop a server, and one that must not kill it.
//!
//! They are handled on a separate thread, so that they arrive while a long command blocks the server.

use std::io;

use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};
use tracing::info;

use super::Stopper;

/// Stops the server on each signal, for the rest of the process.
pub(super) fn heed(stopper: Stopper) -> io::Result<()> {
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let context = runtime.enter();
    // By default SIGXFSZ kills the process. With a handler, writing beyond the maximum file size is an
    // error.
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
