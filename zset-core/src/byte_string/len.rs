//! [`Len`]: the length of an inline string.

/// The maximum number of bytes stored inline: three words minus the length byte.
pub(super) const INLINE: usize = 23;

/// A length of at most [`INLINE`].
///
/// Unlike a number, the enum lets the compiler elide bounds checks, and has a niche for other
/// variants.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Len {
    L0,
    L1,
    L2,
    L3,
    L4,
    L5,
    L6,
    L7,
    L8,
    L9,
    L10,
    L11,
    L12,
    L13,
    L14,
    L15,
    L16,
    L17,
    L18,
    L19,
    L20,
    L21,
    L22,
    L23,
}

impl Len {
    pub(super) const EMPTY: Len = Len::L0;

    const ALL: [Len; INLINE + 1] = {
        use Len::{
            L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17, L18,
            L19, L20, L21, L22, L23,
        };
        [
            L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10, L11, L12, L13, L14, L15, L16, L17, L18,
            L19, L20, L21, L22, L23,
        ]
    };

    /// Returns the length if it is at most [`INLINE`].
    #[inline]
    pub(super) fn new(len: usize) -> Option<Len> {
        Self::ALL.get(len).copied()
    }

    #[inline]
    pub(super) fn get(self) -> usize {
        self as usize
    }
}
