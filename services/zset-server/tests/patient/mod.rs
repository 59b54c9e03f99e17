//! [`Patient`]: a stream that repeats a call if a signal interrupts it.
//!
//! If the process is stopped and continued while a call waits on a socket with a timeout, the call
//! fails with EINTR.

use std::io::{self, ErrorKind, Read, Write};
use std::ops::Deref;

/// Repeats a call until no signal interrupts it.
pub(crate) fn retry<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// A stream that repeats interrupted calls.
#[derive(Debug)]
pub(crate) struct Patient<S>(pub(crate) S);

impl<S> Deref for Patient<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: Read> Read for Patient<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        retry(|| self.0.read(buffer))
    }
}

impl<S: Write> Write for Patient<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry(|| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        retry(|| self.0.flush())
    }
}
