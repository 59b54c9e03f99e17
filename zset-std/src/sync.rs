//! Locks, atomics and threads: from std and `spin`, or from loom in tests that explore all
//! interleavings.

mod spin_lock;
mod wake_all;

#[cfg(not(zset_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, AtomicUsize},
};
#[cfg(not(zset_loom))]
pub(crate) use std::thread;

#[cfg(zset_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, AtomicUsize},
};

pub(crate) use spin_lock::SpinLock;
pub(crate) use std::sync::atomic::Ordering;
pub(crate) use wake_all::wake_all;

use std::sync::PoisonError;

/// Locks a mutex, ignoring poison: the data is consistent whenever user code, which may panic, runs
/// under the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parking. loom's own loses an `unpark` that arrives while the thread is waiting for a lock.
#[cfg(zset_loom)]
pub(crate) mod thread {
    use std::sync::Arc;

    use loom::sync::Notify;

    loom::thread_local! {
        static CURRENT: Thread = Thread(Arc::new(Notify::new()));
    }

    #[derive(Clone)]
    pub(crate) struct Thread(Arc<Notify>);

    impl Thread {
        pub(crate) fn unpark(&self) {
            self.0.notify();
        }
    }

    pub(crate) fn current() -> Thread {
        CURRENT.with(Thread::clone)
    }

    pub(crate) fn park() {
        current().0.wait();
    }
}
