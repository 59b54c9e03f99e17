//! Reserving memory.

use super::promote::promoted;
use super::{Elements, ZSet};
use crate::TryReserveError;
use crate::reserve::infallible;

impl ZSet {
    /// Reserves memory for about `additional` more members, excluding their bytes.
    /// **O(n + additional)**.
    ///
    /// A listpack that this many more members would outgrow becomes a skip list immediately.
    /// Otherwise, a listpack reserves nothing, because the lengths of future members are unknown.
    ///
    /// # Panics
    ///
    /// Panics if memory or 32-bit handles run out; see [`try_reserve`](Self::try_reserve).
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::{Encoding, ZSet};
    ///
    /// let mut set = ZSet::new();
    /// set.reserve(100);
    /// assert_eq!(set.encoding(), Encoding::Listpack);
    /// set.reserve(1000);
    /// assert_eq!(set.encoding(), Encoding::Skiplist);
    /// ```
    #[track_caller]
    pub fn reserve(&mut self, additional: usize) {
        infallible(self.try_reserve(additional));
    }

    /// Like [`reserve`](Self::reserve), but returns an error if allocation fails.
    /// **O(n + additional)**.
    ///
    /// # Errors
    ///
    /// [`TryReserveError`] if memory or 32-bit handles run out. The set and its encoding are
    /// unchanged.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut set = zset_core::ZSet::new();
    /// set.try_reserve(1000)?;
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn try_reserve(&mut self, additional: usize) -> Result<(), TryReserveError> {
        let expected = self.len().saturating_add(additional);
        match &mut self.elements {
            Elements::Listpack(_) if expected <= self.limits.max_listpack_entries => Ok(()),
            Elements::Listpack(packed) => {
                let mut set = promoted(packed, 0)?;
                set[0].try_reserve(additional)?;
                self.elements = Elements::Skiplist(set);
                Ok(())
            }
            Elements::Skiplist(set) => set[0].try_reserve(additional),
        }
    }
}
