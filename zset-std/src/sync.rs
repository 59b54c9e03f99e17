//! Locks, atomics and threads: from std and `spin`, or from loom in tests that explore all
//! interleavings.

mod spin_lock;

pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(zset_loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Arc, PoisonError};
#[cfg(not(zset_loom))]
pub(crate) use std::sync::{Mutex, MutexGuard};
use std::task::{Wake, Waker};
#[cfg(not(zset_loom))]
pub(crate) use std::thread;
use std::vec;
use std::vec::Vec;

#[cfg(zset_loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
#[cfg(zset_loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard};

#[cfg(all(test, not(zset_loom)))]
pub(crate) use spin_lock::LOCKS;
pub(crate) use spin_lock::{SpinGuard, SpinLock};

/// Locks a mutex, ignoring poison: the data is consistent whenever user code, which may panic, runs
/// under the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Parking for loom. loom's own `park` loses an `unpark` that arrives while the thread waits for a
/// lock.
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

/// Returns a waker that unparks the current thread.
pub(crate) fn waker_of_this_thread() -> Waker {
    struct Unpark(thread::Thread);

    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    Waker::from(Arc::new(Unpark(thread::current())))
}

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

#[cfg(all(test, zset_loom))]
pub(crate) mod explore {
    //! Helpers for tests that explore all interleavings of a few threads with loom.
    //!
    //! Each test prints the number of interleavings. It fails if there is only one, since it then
    //! explores nothing.

    use std::println;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use loom::model::Builder;
    use loom::thread::{self, JoinHandle};

    /// Explores all interleavings.
    pub(crate) fn explore(model: impl Fn() + Send + Sync + 'static) {
        explore_by(&Builder::new(), model);
    }

    /// Explores all interleavings with at most `times` preemptions, not counting blocking. For
    /// models with hundreds of thousands of interleavings in total.
    pub(crate) fn explore_interrupting(times: usize, model: impl Fn() + Send + Sync + 'static) {
        let mut builder = Builder::new();
        builder.preemption_bound = Some(times);
        explore_by(&builder, model);
    }

    fn explore_by(builder: &Builder, model: impl Fn() + Send + Sync + 'static) {
        let interleavings = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&interleavings);
        builder.check(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            model();
        });
        let interleavings = interleavings.load(Ordering::Relaxed);
        println!("{interleavings} interleavings");
        assert!(interleavings > 1, "nothing to explore");
    }

    /// Starts a thread with a clone of a shared value.
    pub(crate) fn start<S: Send + Sync + 'static, T: 'static>(
        shared: &Arc<S>,
        function: impl FnOnce(&S) -> T + 'static,
    ) -> JoinHandle<T> {
        let shared = Arc::clone(shared);
        thread::spawn(move || function(&shared))
    }
}
