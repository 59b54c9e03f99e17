//! [`ByteString`]: a member of a set in the skip-list encoding.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

use crate::redis::member::by_bytes;
use crate::reserve::or_panic;
use crate::{Member, TryReserveError};

/// An immutable byte string; dereferences to `[u8]`.
///
/// Up to 23 bytes are stored inline, in a value of 24 bytes on 64-bit machines. Longer strings are
/// stored on the heap.
///
/// # Examples
///
/// ```
/// use zset_core::ByteString;
///
/// let name = ByteString::from("ann");
/// assert_eq!(&*name, b"ann");
/// ```
#[derive(Clone)]
pub struct ByteString(Repr);

/// The discriminant needs no extra space: a byte that is not a valid [`Len`] marks `Heap`.
#[derive(Clone)]
enum Repr {
    Inline { len: Len, bytes: [u8; INLINE] },
    Heap(Box<[u8]>),
}

impl ByteString {
    /// Copies `slice`, or returns an error if allocation fails. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::ByteString;
    ///
    /// assert_eq!(ByteString::try_from_slice(b"ann")?, ByteString::from("ann"));
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    #[inline(never)]
    pub fn try_from_slice(slice: &[u8]) -> Result<Self, TryReserveError> {
        if let Some(len) = Len::new(slice.len()) {
            let mut bytes = [0; INLINE];
            bytes[..slice.len()].copy_from_slice(slice);
            return Ok(ByteString(Repr::Inline { len, bytes }));
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(slice.len())?;
        bytes.extend_from_slice(slice);
        Ok(ByteString(Repr::Heap(bytes.into_boxed_slice())))
    }

    /// Returns the number of bytes allocated on the heap.
    pub(crate) fn allocation_size(&self) -> usize {
        match &self.0 {
            Repr::Inline { .. } => 0,
            Repr::Heap(bytes) => bytes.len(),
        }
    }
}

impl Deref for ByteString {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Inline { len, bytes } => &bytes[..len.get()],
            Repr::Heap(bytes) => bytes,
        }
    }
}

by_bytes!(ByteString);

impl From<&[u8]> for ByteString {
    #[track_caller]
    fn from(slice: &[u8]) -> Self {
        or_panic(ByteString::try_from_slice(slice))
    }
}

impl From<&str> for ByteString {
    #[track_caller]
    fn from(text: &str) -> Self {
        text.as_bytes().into()
    }
}

impl<const N: usize> From<&[u8; N]> for ByteString {
    #[track_caller]
    fn from(bytes: &[u8; N]) -> Self {
        bytes.as_slice().into()
    }
}

impl From<Member<'_>> for ByteString {
    #[track_caller]
    fn from(member: Member<'_>) -> Self {
        (*member).into()
    }
}

/// Reuses the allocation of a long vector without spare capacity, and copies any other.
///
/// # Panics
///
/// Panics if allocation fails.
impl From<Vec<u8>> for ByteString {
    #[track_caller]
    fn from(bytes: Vec<u8>) -> Self {
        // `into_boxed_slice` would reallocate a vector with spare capacity, and abort if that
        // fails.
        if bytes.len() > INLINE && bytes.len() == bytes.capacity() {
            ByteString(Repr::Heap(bytes.into_boxed_slice()))
        } else {
            bytes.as_slice().into()
        }
    }
}

impl From<ByteString> for Vec<u8> {
    fn from(string: ByteString) -> Self {
        match string.0 {
            Repr::Inline { len, bytes } => bytes[..len.get()].to_vec(),
            Repr::Heap(bytes) => bytes.into_vec(),
        }
    }
}

impl Default for ByteString {
    fn default() -> Self {
        ByteString(Repr::Inline { len: Len::EMPTY, bytes: [0; INLINE] })
    }
}

/// The maximum number of bytes stored inline: three words minus the length byte.
const INLINE: usize = 23;

macro_rules! lengths {
    ($($len:ident)*) => {
        /// A length of at most [`INLINE`].
        ///
        /// Unlike a number, the enum lets the compiler elide bounds checks, and has a niche for
        /// other variants.
        #[derive(Clone, Copy)]
        #[repr(u8)]
        enum Len {
            $($len),*
        }

        impl Len {
            const ALL: [Len; INLINE + 1] = [$(Len::$len),*];
        }
    };
}

lengths! { L0 L1 L2 L3 L4 L5 L6 L7 L8 L9 L10 L11 L12 L13 L14 L15 L16 L17 L18 L19 L20 L21 L22 L23 }

impl Len {
    const EMPTY: Len = Len::L0;

    /// Returns the length if it is at most [`INLINE`].
    #[inline]
    fn new(len: usize) -> Option<Len> {
        Self::ALL.get(len).copied()
    }

    #[inline]
    fn get(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    #[test]
    fn up_to_23_bytes_are_stored_inline() {
        #[cfg(target_pointer_width = "64")]
        assert_eq!(size_of::<ByteString>(), 24);
        for len in 0..100 {
            let bytes = vec![b'x'; len];
            let string = ByteString::from(bytes.as_slice());
            assert_eq!(*string, *bytes);
            assert_eq!(string, ByteString::from(bytes.clone()));
            assert_eq!(string.allocation_size(), if len <= 23 { 0 } else { len });
            assert_eq!(Vec::from(string), bytes);
        }
    }

    #[test]
    fn a_long_vector_is_reused_and_a_short_one_is_copied() {
        for (len, is_kept) in [(23, false), (24, true), (100, true)] {
            let bytes = vec![b'x'; len];
            let address = bytes.as_ptr();
            assert_eq!(ByteString::from(bytes).as_ptr() == address, is_kept, "{len}");
        }
    }

    #[test]
    fn order_is_by_bytes_then_shorter_first() {
        let sorted = ["", "10", "9", "B", "a", "aa", "aaaaaaaaaaaaaaaaaaaaaaaaaaa", "ab"];
        assert!(sorted.map(ByteString::from).is_sorted());
        assert!([b"\x7F", b"\x80"].map(ByteString::from).is_sorted());
        let (a, empty) = (ByteString::from("a"), ByteString::default());
        assert!(a == "a" && a == b"a" && empty.is_empty());
    }
}
