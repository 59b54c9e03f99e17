//! [`SlotNumber`]: the integer types that number slots.

pub(super) mod private {
    /// What a slot number does, hidden from users.
    pub trait Sealed: Copy + Eq {
        /// No slot.
        const NONE: Self;
        /// The largest capacity.
        const MAX_SLOTS: usize;

        /// Converts a number below [`MAX_SLOTS`](Self::MAX_SLOTS).
        fn from_usize(slot: usize) -> Self;
        /// Returns the number of the slot, or `usize::MAX` for no slot.
        fn to_usize(self) -> usize;
    }
}

/// The type of the numbers that a [`FixedSortedSet`](crate::FixedSortedSet) stores three times for each
/// element: `u16`, or `u8` for at most 255 elements.
///
/// # Examples
///
/// ```
/// use zset_core::FixedSortedSet;
///
/// let (small, large) = (size_of::<FixedSortedSet<u8, u8, 100, u8>>(), size_of::<FixedSortedSet<u8, u8, 100>>());
/// assert_eq!(large - small, 300);
/// ```
pub trait SlotNumber: private::Sealed {}

macro_rules! slot_numbers {
    ($($number:ty),*) => {$(
        impl SlotNumber for $number {}

        impl private::Sealed for $number {
            // Slots are stored from 1 on, so an empty set consists of zeros and takes no flash in a `static`.
            const NONE: Self = 0;
            const MAX_SLOTS: usize = <$number>::MAX as usize;

            #[inline]
            fn from_usize(slot: usize) -> Self {
                slot as $number + 1
            }

            #[inline]
            fn to_usize(self) -> usize {
                usize::from(self).wrapping_sub(1)
            }
        }
    )*};
}

slot_numbers!(u8, u16);
