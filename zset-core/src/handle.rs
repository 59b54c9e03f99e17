//! [`Handle`]: the exact location of an element, in 32 bits.

use core::fmt;

/// The maximum number of elements in a leaf.
pub(crate) const LEAF_CAPACITY: usize = 64;
const SLOT_BITS: u32 = LEAF_CAPACITY.trailing_zeros();

/// The maximum number of leaves in a list: one fewer than 26 bits can name, so that [`Handle::NONE`]
/// names no leaf.
pub(crate) const MAX_LEAVES: usize = (1 << (u32::BITS - SLOT_BITS)) - 1;

/// The location of an element: `leaf id << 6 | slot`.
///
/// Valid until the element moves; moves are reported through `Relocate`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Handle(u32);

impl Handle {
    /// The handle of no element, or of an element that is temporarily in no leaf.
    pub(crate) const NONE: Handle = Handle(u32::MAX);

    #[inline]
    pub(crate) fn new(leaf: u32, slot: u8) -> Handle {
        Handle(leaf << SLOT_BITS | u32::from(slot))
    }

    #[inline]
    pub(crate) fn leaf(self) -> u32 {
        self.0 >> SLOT_BITS
    }

    #[inline]
    pub(crate) fn slot(self) -> u8 {
        self.0 as u8 & (LEAF_CAPACITY as u8 - 1)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "leaf {} slot {}", self.leaf(), self.slot())
    }
}
