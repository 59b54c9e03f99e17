//! [`SpinLock`]: a lock for critical sections that take less time than putting a thread to sleep.

/// A lock that is released by a plain store.
///
/// Releasing a `Mutex` needs an atomic read-modify-write to check for sleepers, which costs a third
/// of a look-up under it. A thread that finds this lock taken spins briefly, then yields, then
/// sleeps, so the holder gets to run even if its priority is lower. The wait of `spin` only yields,
/// which does not ensure that. `docs/decisions.md` compares the locks. A panic under the lock
/// releases it without poisoning.
#[cfg(not(zset_loom))]
pub(crate) struct SpinLock<T>(spin::mutex::SpinMutex<T>);

#[cfg(not(zset_loom))]
pub(crate) type SpinGuard<'a, T> = spin::mutex::SpinMutexGuard<'a, T>;

#[cfg(all(test, not(zset_loom)))]
std::thread_local! {
    /// How often this thread has acquired a lock.
    pub(crate) static LOCKS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(not(zset_loom))]
mod of_spin {
    use std::thread;
    use std::time::Duration;

    use spin::mutex::SpinMutex;

    use super::{SpinGuard, SpinLock};

    /// The number of spins before the first yield. Each spin is twice as long as the previous one;
    /// the longest takes about as long as inserting a key.
    const SPINS: u32 = 6;

    /// The number of yields before the first sleep: enough for a preempted holder to continue, if a
    /// processor is free.
    const YIELDS: u32 = 20;

    /// A few times the shortest possible sleep.
    const SLEEP: Duration = Duration::from_micros(200);

    impl<T> SpinLock<T> {
        pub(crate) fn new(value: T) -> Self {
            SpinLock(SpinMutex::new(value))
        }

        /// Acquires the lock, waiting if necessary.
        #[inline]
        pub(crate) fn lock(&self) -> SpinGuard<'_, T> {
            #[cfg(test)]
            super::LOCKS.set(super::LOCKS.get() + 1);
            self.0.try_lock().unwrap_or_else(|| self.wait())
        }

        #[cold]
        fn wait(&self) -> SpinGuard<'_, T> {
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
                // Check first: `try_lock` takes the cache line away from the holder even if it
                // fails.
                if !self.0.is_locked() {
                    if let Some(guard) = self.0.try_lock() {
                        return guard;
                    }
                }
            }
        }
    }
}

/// A loom mutex, so that loom can track blocked threads.
#[cfg(zset_loom)]
pub(crate) struct SpinLock<T>(loom::sync::Mutex<T>);

#[cfg(zset_loom)]
pub(crate) type SpinGuard<'a, T> = loom::sync::MutexGuard<'a, T>;

#[cfg(zset_loom)]
impl<T> SpinLock<T> {
    pub(crate) fn new(value: T) -> Self {
        SpinLock(loom::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> SpinGuard<'_, T> {
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
    fn a_thread_that_waits_long_sleeps_and_still_gets_the_lock() {
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
    fn a_panic_releases_the_lock() {
        let lock = SpinLock::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let _guard = lock.lock();
            panic!("panic under the lock");
        }));
        assert!(panicked.is_err());
        assert_eq!(*lock.lock(), 1);
    }
}
