//! [`Patient`]: a stream that repeats a call if a signal interrupts it.
//!
//! If a process is stopped and continued while it waits on a socket with a timeout, the call fails
//! with EINTR.

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

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream whose every other call is interrupted.
    struct Interrupted(bool);

    impl Interrupted {
        fn call(&mut self, len: usize) -> io::Result<usize> {
            self.0 = !self.0;
            if self.0 { Err(ErrorKind::Interrupted.into()) } else { Ok(len) }
        }
    }

    impl Read for Interrupted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.call(buffer.len())
        }
    }

    impl Write for Interrupted {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.call(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            self.call(0).map(|_| ())
        }
    }

    #[test]
    fn interrupted_calls_are_repeated() {
        let mut stream = Patient(Interrupted(false));
        for _ in 0..3 {
            assert_eq!(stream.read(&mut [0; 5]).unwrap(), 5);
            assert_eq!(stream.write(&[0; 7]).unwrap(), 7);
            stream.flush().unwrap();
        }
    }

    #[test]
    fn other_errors_are_returned() {
        let error = retry(|| Err::<(), _>(ErrorKind::WouldBlock.into())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
    }
}
