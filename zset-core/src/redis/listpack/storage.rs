//! [`Storage`]: the buffer that holds a listpack.

use self::sealed::Buffer;
use crate::TryReserveError;

/// The bytes that hold a [`Listpack`](crate::Listpack): a fixed buffer, or a vector that grows.
///
/// It is implemented for `[u8; N]` and `&mut [u8]`, which need no allocator, and for `Vec<u8>`. It
/// cannot be implemented for other types.
///
/// # Examples
///
/// ```
/// use zset_core::{PackedZSet, Score};
///
/// let mut buffer = [0; 64]; // on the stack, in a static or in shared memory
/// let mut set = PackedZSet::with_storage(&mut buffer[..])?;
/// set.try_insert("a", Score::from(1))?;
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
pub trait Storage: sealed::Buffer {}

impl<const N: usize> Storage for [u8; N] {}
impl Storage for &mut [u8] {}
#[cfg(feature = "alloc")]
impl Storage for alloc::vec::Vec<u8> {}

pub(crate) mod sealed {
    use crate::TryReserveError;

    /// The methods of [`Storage`](super::Storage), which only this crate calls.
    pub trait Buffer {
        /// Returns all bytes, including those that the listpack does not use.
        fn as_slice(&self) -> &[u8];

        /// Returns all bytes, including those that the listpack does not use.
        fn as_mut_slice(&mut self) -> &mut [u8];

        /// Makes at least `len` bytes available; existing bytes keep their values. If there is not
        /// enough space, the bytes are unchanged.
        fn try_grow(&mut self, len: usize) -> Result<(), TryReserveError>;

        /// Declares that only the first `len` bytes are still in use.
        fn truncate(&mut self, len: usize);
    }
}

impl<const N: usize> Buffer for [u8; N] {
    fn as_slice(&self) -> &[u8] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        self
    }

    fn try_grow(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.as_mut_slice().try_grow_fixed(len)
    }

    fn truncate(&mut self, _: usize) {}
}

impl Buffer for &mut [u8] {
    fn as_slice(&self) -> &[u8] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        self
    }

    fn try_grow(&mut self, len: usize) -> Result<(), TryReserveError> {
        self.try_grow_fixed(len)
    }

    fn truncate(&mut self, _: usize) {}
}

/// Storage of a fixed size.
trait Fixed {
    fn try_grow_fixed(&self, len: usize) -> Result<(), TryReserveError>;
}

impl Fixed for [u8] {
    fn try_grow_fixed(&self, len: usize) -> Result<(), TryReserveError> {
        if len <= self.len() { Ok(()) } else { Err(TryReserveError::BufferFull) }
    }
}

/// Grows in small steps, because small sets are numerous and their unused bytes add up. Most
/// insertions still do not call the allocator.
#[cfg(feature = "alloc")]
impl Buffer for alloc::vec::Vec<u8> {
    fn as_slice(&self) -> &[u8] {
        self
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        self
    }

    fn try_grow(&mut self, len: usize) -> Result<(), TryReserveError> {
        if len > self.capacity() {
            let spare = len / 64;
            let wanted = (len + spare).next_multiple_of(32);
            self.try_reserve_exact(wanted - self.len())?;
        }
        if len > self.len() {
            // With a constant 0, the compiler would call `memclr` on a Cortex-M, which needs flash
            // in addition to `memset`.
            self.resize(len, core::hint::black_box(0));
        }
        Ok(())
    }

    fn truncate(&mut self, len: usize) {
        self.truncate(len);
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn a_vector_with_room_does_not_reallocate() {
        let mut bytes = Vec::with_capacity(100);
        let capacity = bytes.capacity();
        bytes.try_grow(capacity).unwrap();
        assert_eq!((bytes.len(), bytes.capacity()), (capacity, capacity));
        bytes.try_grow(1999).unwrap();
        assert_eq!(bytes.capacity(), 2048, "1/64 more, rounded up to a multiple of 32");
    }
}
