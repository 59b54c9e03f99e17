//! [`TryReserveError`]: the error returned if memory for more elements cannot be reserved.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec::Vec};
use core::error::Error;
use core::fmt;

/// The error of an operation that runs out of memory, handles or room.
///
/// The collection is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TryReserveError {
    /// The collection would exceed its 32-bit handles, which number about 4 * 10^9 slots.
    /// Insertions alone fit at least 2 * 10^9 elements, in any order. Removals leave vacant slots,
    /// so fewer may fit after them.
    CapacityOverflow,
    /// The allocator returned an error.
    AllocError,
    /// A buffer or a set of fixed capacity is full, or a listpack has reached its maximum size of
    /// 2^30 bytes.
    BufferFull,
}

impl fmt::Display for TryReserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            TryReserveError::CapacityOverflow => "sorted set is full: its handles have 32 bits",
            TryReserveError::AllocError => "memory allocation failed",
            TryReserveError::BufferFull => "buffer is full",
        })
    }
}

impl Error for TryReserveError {}

/// The error of an insertion that runs out of memory or room, with the element.
///
/// The collection is unchanged.
///
/// # Examples
///
/// ```
/// use zset_core::{FixedSortedSet, InsertError, TryReserveError};
///
/// let mut set = FixedSortedSet::<_, _, 1>::new();
/// set.try_insert("a", 1)?;
/// let full: InsertError<_> = set.try_insert("b", 2).unwrap_err();
/// assert_eq!(full.element, ("b", 2));
/// assert_eq!(full.error, TryReserveError::BufferFull);
/// # Ok::<(), InsertError<(&str, i32)>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct InsertError<T> {
    /// The element that was not inserted: its member or its key and value, and its score.
    pub element: T,
    /// Why it was not inserted.
    pub error: TryReserveError,
}

#[cfg(feature = "alloc")]
impl<T> InsertError<T> {
    /// Converts the element.
    pub(crate) fn map<U>(self, convert: impl FnOnce(T) -> U) -> InsertError<U> {
        InsertError { element: convert(self.element), error: self.error }
    }
}

impl<T> fmt::Display for InsertError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

/// Does not require `T: Debug`, so `unwrap` works for elements of any type.
impl<T> fmt::Debug for InsertError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InsertError").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<T> Error for InsertError<T> {}

impl<T> From<InsertError<T>> for TryReserveError {
    fn from(error: InsertError<T>) -> Self {
        error.error
    }
}

#[cfg(feature = "alloc")]
impl From<alloc::collections::TryReserveError> for TryReserveError {
    fn from(_: alloc::collections::TryReserveError) -> Self {
        TryReserveError::AllocError
    }
}

/// Converts the error of a hash table. Not a `From` impl, which would make hashbrown part of the
/// public API.
#[cfg(feature = "alloc")]
pub(crate) fn table_error(_: hashbrown::TryReserveError) -> TryReserveError {
    TryReserveError::AllocError
}

/// Unwraps the result of a `try_*` method, for its panicking counterpart.
#[cfg(feature = "alloc")]
#[track_caller]
pub(crate) fn or_panic<T>(result: Result<T, impl fmt::Display>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

/// Appends a value without allocating: the caller has reserved memory for it.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn push_reserved<T>(values: &mut Vec<T>, value: T) {
    // The assertion lets the compiler omit the code that grows the vector.
    assert!(values.len() < values.capacity(), "no memory was reserved");
    values.push(value);
}

/// Boxes a value. Returns an error if allocation fails, whereas `Box::new` would abort.
#[cfg(all(feature = "alloc", feature = "zset"))]
pub(crate) fn try_box<T>(value: T) -> Result<Box<[T; 1]>, TryReserveError> {
    try_box_with(|| value)
}

/// Like [`try_box`], but lets the compiler create the value in the box. A leaf of a `ZSet` would
/// need 2 KiB of the stack.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn try_box_with<T>(make: impl FnOnce() -> T) -> Result<Box<[T; 1]>, TryReserveError> {
    let mut boxed = Vec::new();
    boxed.try_reserve_exact(1)?;
    push_reserved(&mut boxed, make());
    boxed.try_into().map_err(|_| TryReserveError::AllocError)
}

/// Collects elements. Returns an error if allocation fails, whereas `collect` would abort.
#[cfg(feature = "alloc")]
pub(crate) fn try_collect<T>(elements: impl Iterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut collected = Vec::new();
    collected.try_reserve(elements.size_hint().0)?;
    for element in elements {
        try_push(&mut collected, element)?;
    }
    Ok(collected)
}

/// Appends a value. Returns an error if allocation fails, whereas `push` would abort.
#[cfg(feature = "alloc")]
#[inline]
pub(crate) fn try_push<T>(elements: &mut Vec<T>, element: T) -> Result<(), TryReserveError> {
    elements.try_reserve(1)?;
    elements.push(element);
    Ok(())
}
