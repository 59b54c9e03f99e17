//! [`SpinLock`]: for what is done sooner than a thread is put to sleep.

/// A lock that is released by a plain store.
///
/// A `Mutex` has to look for sleepers when it is released, by a second atomic read-modify-write: a
/// third of the time of a look-up under it. Whoever finds this one taken spins for a moment, then
/// lets other threads run, then sleeps for a moment, so that whoever holds it gets to run even where
/// its priority is lower. If someone panics under it, it is released, and not poisoned.
#[cfg(not(zset_loom))]
pub(crate) struct SpinLock<T>(spin::mutex::SpinMutex<T>);

#[cfg(not(zset_loom))]
mod of_spin {
    use std::thread;
    use std::time::Duration;

    use spin::mutex::{SpinMutex, SpinMutexGuard};

    use super::SpinLock;

    /// Twice as long each time: about as long as the longest of them takes a new key.
    const SPINS: u32 = 6;

    /// Enough for whoever was interrupted under the lock, if there is a processor for it.
    const YIELDS: u32 = 20;

    /// A few times what it takes to sleep at all.
    const SLEEP: Duration = Duration::from_micros(200);

    impl<T> SpinLock<T> {
        pub(crate) fn new(value: T) -> Self {
            SpinLock(SpinMutex::new(value))
        }

        /// Waits for the lock, and takes it.
        #[inline]
        pub(crate) fn lock(&self) -> SpinMutexGuard<'_, T> {
            self.0.try_lock().unwrap_or_else(|| self.wait())
        }

        #[cold]
        fn wait(&self) -> SpinMutexGuard<'_, T> {
            let mut attempts = 0;
            loop {
                if attempts < SPINS {
                    (0..1 << attempts).for_each(|_| std::hint::spin_loop());
                } else if attempts < SPINS + YIELDS {
                    thread::yield_now();
                } else {
                    thread::sleep(SLEEP);
                }
                attempts = (attempts + 1).min(SPINS + YIELDS);
                // Looks first: to try would take the cache line from whoever holds the lock.
                if !self.0.is_locked() {
                    if let Some(guard) = self.0.try_lock() {
                        return guard;
                    }
                }
            }
        }
    }
}

/// The same under loom, which has to know who waits for whom.
#[cfg(zset_loom)]
pub(crate) struct SpinLock<T>(loom::sync::Mutex<T>);

#[cfg(zset_loom)]
impl<T> SpinLock<T> {
    pub(crate) fn new(value: T) -> Self {
        SpinLock(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> loom::sync::MutexGuard<'_, T> {
        super::lock(&self.0)
    }
}

#[cfg(all(test, not(zset_loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn threads_take_turns() {
        let lock = SpinLock::new(0_u64);
        let times = if cfg!(miri) { 50 } else { 20_000 };
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..times {
                        let mut count = lock.lock();
                        let seen = *count;
                        std::hint::black_box(seen);
                        *count = seen + 1;
                    }
                });
            }
        });
        assert_eq!(*lock.lock(), 4 * times);
    }

    #[test]
    fn who_waits_long_sleeps_and_gets_it_all_the_same() {
        let lock = SpinLock::new(());
        let guard = lock.lock();
        let (taken, taken_by_other) = mpsc::channel();
        thread::scope(|scope| {
            let lock = &lock;
            scope.spawn(move || {
                let _guard = lock.lock();
                taken.send(()).unwrap();
            });
            assert!(taken_by_other.recv_timeout(Duration::from_millis(20)).is_err());
            drop(guard);
            taken_by_other.recv().unwrap();
        });
    }

    #[test]
    fn a_panic_releases_it() {
        let lock = SpinLock::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.lock();
            panic!("under the lock");
        }));
        assert!(panicked.is_err());
        assert_eq!(*lock.lock(), 1);
    }
}
