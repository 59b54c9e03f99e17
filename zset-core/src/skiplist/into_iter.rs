//! The owning iterator of a list.

use core::fmt;
use core::iter::FusedIterator;

use super::leaf::End;
use super::{NONE, SkipList};

/// An owning iterator over elements, lowest score first.
///
/// Each step is **O(1)**.
///
/// # Examples
///
/// ```
/// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1), ("a", 1)]);
/// let mut elements = list.into_iter();
/// assert_eq!(elements.next_back(), Some(("b", 2)));
/// assert!(elements.eq([("a", 1), ("a", 1)]));
/// ```
pub struct IntoIter<M, S> {
    /// Leaves that have been emptied are outside its head and tail, but still in its index.
    list: SkipList<M, S>,
    /// The leaf arranged for each end, or `NONE`.
    arranged: [u32; 2],
}

impl<M, S> IntoIter<M, S> {
    pub(crate) fn new(list: SkipList<M, S>) -> Self {
        IntoIter { list, arranged: [NONE; 2] }
    }
}

impl<M, S: Copy> IntoIter<M, S> {
    #[inline]
    fn pop(&mut self, end: End) -> Option<(M, S)> {
        self.list.len = self.list.len.checked_sub(1)?;
        let id = match end {
            End::First => self.list.head,
            End::Last => self.list.tail,
        };
        if self.arranged[end as usize] != id {
            self.arrange(id, end);
        }
        let element = self.list.leaves.pop_arranged(id, end);
        let leaf = self.list.leaf(id);
        if leaf.len() == 0 && self.list.len > 0 {
            match end {
                End::First => self.list.head = leaf.forward,
                End::Last => self.list.tail = leaf.backward,
            }
        }
        Some(element)
    }

    #[cold]
    fn arrange(&mut self, id: u32, end: End) {
        self.list.leaves.arrange(id, end);
        // Where the ends meet, the leaf is arranged for only one of them at a time.
        self.arranged = self.arranged.map(|other| if other == id { NONE } else { other });
        self.arranged[end as usize] = id;
    }
}

impl<M, S: Copy> Iterator for IntoIter<M, S> {
    type Item = (M, S);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.pop(End::First)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.list.len(), Some(self.list.len()))
    }
}

impl<M, S: Copy> DoubleEndedIterator for IntoIter<M, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        self.pop(End::Last)
    }
}

impl<M, S: Copy> ExactSizeIterator for IntoIter<M, S> {}

impl<M, S: Copy> FusedIterator for IntoIter<M, S> {}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for IntoIter<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.iter().fmt(f)
    }
}
