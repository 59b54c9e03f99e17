//! [`MembersMut`]: mutable access to all members of a list, in no particular order.

use alloc::vec::Vec;
use core::iter::Flatten;
use core::slice;

use super::SkipList;
use super::leaf::BlockLeaf;
use super::leaves::Leaves;

/// An iterator over all members in no particular order.
pub(crate) struct MembersMut<'a, M, S> {
    /// The remaining members of the current leaf.
    members: slice::IterMut<'a, M>,
    /// The remaining leaves; vacant ones have no members.
    leaves: Flatten<slice::IterMut<'a, Vec<BlockLeaf<M, S>>>>,
    len: usize,
}

impl<M, S: Copy> SkipList<M, S> {
    pub(crate) fn members_mut(&mut self) -> MembersMut<'_, M, S> {
        let len = self.len;
        let (members, chunks): (&mut [M], &mut [Vec<_>]) = match &mut self.leaves {
            Leaves::Small(leaf) => (&mut leaf.members, &mut []),
            Leaves::Blocks(arena) => (&mut [], arena.chunks_mut()),
        };
        MembersMut { members: members.iter_mut(), leaves: chunks.iter_mut().flatten(), len }
    }
}

impl<'a, M, S> Iterator for MembersMut<'a, M, S> {
    type Item = &'a mut M;

    #[inline]
    fn next(&mut self) -> Option<&'a mut M> {
        loop {
            if let Some(member) = self.members.next() {
                self.len -= 1;
                return Some(member);
            }
            self.members = self.leaves.next()?.members.iter_mut();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.len, Some(self.len))
    }
}

impl<M, S> ExactSizeIterator for MembersMut<'_, M, S> {}

impl<M, S> Default for MembersMut<'_, M, S> {
    fn default() -> Self {
        let chunks: &mut [Vec<_>] = &mut [];
        MembersMut { members: [].iter_mut(), leaves: chunks.iter_mut().flatten(), len: 0 }
    }
}
