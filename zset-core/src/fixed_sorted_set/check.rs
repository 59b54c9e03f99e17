//! Verifying the invariants.

use core::hash::{BuildHasher, Hash};

use super::{FixedSortedSet, SlotNumber};

impl<M: Ord + Hash, S: Ord + Copy, const N: usize, I: SlotNumber, H: BuildHasher>
    FixedSortedSet<M, S, N, I, H>
{
    /// Panics with a description if an invariant is violated. For tests. **O(N + n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.check_structure();
        let by_score = |(member, score)| (score, member);
        assert!(self.iter().map(by_score).is_sorted_by(|a, b| a < b), "elements out of order");
        for (bucket, head) in self.heads.iter().enumerate() {
            let mut slot = *head;
            while slot != I::NONE {
                let member = &self.members[slot.to_usize()];
                assert_eq!(self.bucket(member), bucket, "a slot is in a wrong chain");
                slot = self.links[slot.to_usize()];
            }
        }
    }
}

impl<M, S, const N: usize, I: SlotNumber, H> FixedSortedSet<M, S, N, I, H> {
    /// Panics if an invariant is violated that holds for inconsistent `Ord` and `Hash` too. For tests.
    #[doc(hidden)]
    pub fn check_structure(&self) {
        let len = self.len();
        assert_eq!(self.scores.len(), len, "not one score for each member");
        let mut seen = [false; N];
        for slot in self.sorted() {
            let is_repeated = core::mem::replace(&mut seen[..len][slot.to_usize()], true);
            assert!(!is_repeated, "the order has a slot twice");
        }
        let mut linked = [false; N];
        for mut slot in self.heads {
            while slot != I::NONE {
                let is_repeated = core::mem::replace(&mut linked[..len][slot.to_usize()], true);
                assert!(!is_repeated, "a slot is in the chains twice");
                slot = self.links[slot.to_usize()];
            }
        }
        assert!(linked[..len].iter().all(|is_linked| *is_linked), "a slot is in no chain");
    }
}
