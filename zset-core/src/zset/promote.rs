//! From one encoding to the other.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::{Elements, Limits, Sorted, ZSet};
use crate::reserve::infallible;
use crate::{ByteString, Encoding, PackedZSet, TryReserveError};

impl ZSet {
    /// Changes a listpack over to the skip-list encoding; does nothing to a skip list. **O(n)**.
    ///
    /// # Panics
    ///
    /// If memory runs out; see [`try_promote`](Self::try_promote).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.promote();
    /// assert_eq!(set.encoding(), Encoding::Skiplist);
    /// ```
    #[track_caller]
    pub fn promote(&mut self) {
        infallible(self.try_promote());
    }

    /// Does what [`promote`](Self::promote) does, or reports that there is no memory. **O(n)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory runs out. The set is the listpack that it was.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::ZSet::new();
    /// set.try_promote()?;
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_promote(&mut self) -> Result<(), TryReserveError> {
        if let Elements::Listpack(set) = &self.elements {
            self.elements = Elements::Skiplist(try_box(sorted_from_packed(set, 0)?)?);
        }
        Ok(())
    }

    /// Makes a set in the encoding that suits it.
    pub(crate) fn from_sorted(set: Sorted, limits: Limits) -> Result<ZSet, TryReserveError> {
        let is_short = |(member, _): (&ByteString, _)| member.len() <= limits.max_listpack_value;
        let encoding = if set.len() <= limits.max_listpack_entries && set.iter().all(is_short) {
            Encoding::Listpack
        } else {
            Encoding::Skiplist
        };
        let elements = match encoding {
            Encoding::Listpack => {
                let mut packed = PackedZSet::new();
                for (member, score) in &set {
                    packed.push_last(member, score)?;
                }
                Elements::Listpack(packed)
            }
            Encoding::Skiplist => Elements::Skiplist(try_box(set)?),
        };
        Ok(ZSet { elements, limits })
    }
}

/// Makes the skip-list form of a listpack, with room for `additional` more members.
pub(super) fn sorted_from_packed(
    packed: &PackedZSet<Vec<u8>>,
    additional: usize,
) -> Result<Sorted, TryReserveError> {
    let mut set = Sorted::new();
    set.reserve_dict(packed.len() + additional)?;
    for (member, score) in packed {
        set.try_push_last(ByteString::try_from_slice(&member)?, score)?;
    }
    Ok(set)
}

/// Boxes a set, where `Box::new` would abort if memory runs out.
pub(super) fn try_box(set: Sorted) -> Result<Box<[Sorted; 1]>, TryReserveError> {
    let mut boxed = Vec::new();
    boxed.try_reserve_exact(1)?;
    boxed.push(set);
    boxed.try_into().map_err(|_| TryReserveError::AllocError)
}
