//! The two encodings: their limits, conversion from one to the other, and the choice of one for a
//! new set.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Elements, ListpackLimits, Sorted, ZSet};
use crate::reserve::{or_panic, try_box, try_box_with};
use crate::sorted_set::FromSortedError;
use crate::{ByteString, PackedZSet, Score, TryReserveError};

impl ZSet {
    /// Converts a listpack to the skip-list encoding. No-op for a skip list.
    /// **O(n log n)**.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails; see [`try_promote`](Self::try_promote).
    #[track_caller]
    pub fn promote(&mut self) {
        or_panic(self.try_promote());
    }

    /// Like [`promote`](Self::promote), but returns an error if allocation fails.
    /// **O(n log n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if allocation fails. The set and its encoding are unchanged.
    pub fn try_promote(&mut self) -> Result<(), TryReserveError> {
        if let Elements::Listpack(set) = &self.elements {
            self.elements = Elements::Skiplist(promoted(set)?);
        }
        Ok(())
    }

    /// Creates a set from elements in ascending order of `(score, member)`, with Redis's limits.
    /// **O(n)**.
    ///
    /// # Errors
    ///
    /// [`FromSortedError`] with the rank of the first element that is out of order or repeats a
    /// member.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails.
    #[track_caller]
    pub fn from_sorted_iter<M: AsRef<[u8]>>(
        elements: impl IntoIterator<Item = (M, Score)>,
    ) -> Result<ZSet, FromSortedError> {
        ZSet::from_sorted_iter_with_limits(elements, ListpackLimits::default())
    }

    /// Like [`from_sorted_iter`](Self::from_sorted_iter), with these limits. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`FromSortedError`] with the rank of the first element that is out of order or repeats a
    /// member.
    ///
    /// # Panics
    ///
    /// Panics if allocation fails.
    #[track_caller]
    pub fn from_sorted_iter_with_limits<M: AsRef<[u8]>>(
        elements: impl IntoIterator<Item = (M, Score)>,
        limits: ListpackLimits,
    ) -> Result<ZSet, FromSortedError> {
        let elements = elements.into_iter();
        let owned = elements.map(|(member, score)| (ByteString::from(member.as_ref()), score));
        let set = Sorted::from_sorted_iter(owned)?;
        Ok(or_panic(try_box(set).and_then(|set| ZSet::from_sorted(set, limits))))
    }

    /// Creates a set in the listpack encoding if the limits allow it, else in the skip-list
    /// encoding.
    pub(crate) fn from_sorted(
        boxed: Box<[Sorted; 1]>,
        limits: ListpackLimits,
    ) -> Result<ZSet, TryReserveError> {
        let [set] = &*boxed;
        let is_short = |(member, _): (&ByteString, _)| member.len() <= limits.max_listpack_value;
        if set.len() <= limits.max_listpack_entries && set.iter().all(is_short) {
            let mut packed = PackedZSet::new();
            let pushed =
                set.iter().try_for_each(|(member, score)| packed.push_last(member, *score));
            match pushed {
                Ok(()) => return Ok(ZSet { elements: Elements::Listpack(packed), limits }),
                // The set is too large for any listpack, whatever the limits, so keep the skip
                // list.
                Err(TryReserveError::BufferFull) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(ZSet { elements: Elements::Skiplist(boxed), limits })
    }

    /// Reserves memory for about `additional` more members, excluding their bytes.
    /// **O(n + additional)**.
    ///
    /// If this many more members would exceed the limits of a listpack, it becomes a skip list
    /// immediately. Otherwise, a listpack reserves nothing, because the lengths of future members
    /// are unknown.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        or_panic(self.try_reserve(additional));
    }

    /// Like [`reserve`](Self::reserve), but returns an error if allocation fails.
    /// **O(n + additional)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set and its encoding are
    /// unchanged.
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let expected = self.len().saturating_add(additional);
        match &mut self.elements {
            Elements::Listpack(_) if expected <= self.limits.max_listpack_entries => Ok(()),
            Elements::Listpack(packed) => {
                let mut set = promoted(packed)?;
                set[0].try_reserve(additional)?;
                self.elements = Elements::Skiplist(set);
                Ok(())
            }
            Elements::Skiplist(set) => set[0].try_reserve(additional),
        }
    }
}

/// Converts a listpack to a skip list.
pub(super) fn promoted(packed: &PackedZSet<Vec<u8>>) -> Result<Box<[Sorted; 1]>, TryReserveError> {
    let mut boxed = try_box_with(Sorted::new)?;
    let core = &mut boxed[0].core;
    core.try_reserve_dict(packed.len())?;
    for (member, score) in packed {
        let pair = (ByteString::try_from_slice(&member)?, ());
        core.insert_new(core.hash(&*member), (pair, score))?;
    }
    Ok(boxed)
}
