//! Locks and atomics: those of std and `spin`, or of loom where a test explores all their
//! interleavings.

mod spin_lock;

#[cfg(not(zset_loom))]
pub(crate) use std::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, AtomicUsize},
};

#[cfg(zset_loom)]
pub(crate) use loom::sync::{
    Mutex, MutexGuard,
    atomic::{AtomicU64, AtomicUsize},
};

pub(crate) use spin_lock::SpinLock;
pub(crate) use std::sync::atomic::Ordering;

use std::sync::PoisonError;

/// Takes a lock, also if someone has panicked under it: what is under these locks is complete at
/// every moment at which a user's code runs.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
