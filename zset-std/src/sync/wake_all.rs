//! Calling wakers.

use std::task::Waker;
use std::vec::{self, Vec};

/// Calls all wakers in order. If one panics, calls the others before the panic continues.
pub(crate) fn wake_all(wakers: Vec<Waker>) {
    struct Others(vec::IntoIter<Waker>);

    impl Drop for Others {
        fn drop(&mut self) {
            self.0.by_ref().for_each(Waker::wake);
        }
    }

    let mut others = Others(wakers.into_iter());
    for waker in others.0.by_ref() {
        waker.wake();
    }
}
