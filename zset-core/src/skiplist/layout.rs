//! [`Node`]: the blocks and leaves of a list, to be looked at.

use core::fmt;

use super::SkipList;
use super::index::BLOCK_CAPACITY;
use crate::handle::LEAF_CAPACITY;

/// A part of a skip list: a leaf, or a block of the index above the leaves.
///
/// Each [`SkipList`] is a tree of these from [`SkipList::root`] on. It is for pictures and
/// statistics: what it shows is how the list happens to be stored, which is no promise.
///
/// # Examples
///
/// ```
/// use zset_core::SkipList;
///
/// let list: SkipList<u32, u32> = (0..200).map(|i| (i, i)).collect();
/// let root = list.root();
/// assert_eq!((root.level(), root.span()), (1, 200));
/// let below: usize = root.children().map(|leaf| leaf.elements().count()).sum();
/// assert_eq!(below, 200);
/// ```
pub struct Node<'a, M, S> {
    list: &'a SkipList<M, S>,
    id: u32,
    /// That of a leaf is 0.
    level: u32,
    span: usize,
}

impl<M, S: Copy> SkipList<M, S> {
    /// Returns the top of the structure: the only leaf of a small list, else a block of the index.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("a", 1), ("b", 2)]);
    /// assert!(list.root().elements().eq([(&"a", 1), (&"b", 2)]));
    /// ```
    pub fn root(&self) -> Node<'_, M, S> {
        let id = if self.levels == 0 { self.head } else { self.top };
        Node { list: self, id, level: self.levels, span: self.len }
    }
}

impl<'a, M, S: Copy> Node<'a, M, S> {
    /// Returns its number among those of its level, in the order in which they got memory; a number is
    /// used again when its node has gone. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::from_iter([("a", 1)]).root().id(), 0);
    /// ```
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns how many levels are below it; that of a leaf is 0. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::from_iter([("a", 1)]).root().level(), 0);
    /// ```
    pub fn level(&self) -> usize {
        self.level as usize
    }

    /// Returns the number of elements below it, as the block above it has noted. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::from_iter([("a", 1)]).root().span(), 1);
    /// ```
    pub fn span(&self) -> usize {
        self.span
    }

    /// Returns how many children a block, or elements a leaf can have. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(zset_core::SkipList::from_iter([("a", 1)]).root().capacity(), 64);
    /// ```
    pub fn capacity(&self) -> usize {
        if self.level == 0 { LEAF_CAPACITY } else { BLOCK_CAPACITY }
    }

    /// Returns the nodes under a block, in order; none under a leaf. Lazy, **O(1)** a step.
    ///
    /// # Examples
    ///
    /// ```
    /// let list: zset_core::SkipList<u32, u32> = (0..200).map(|i| (i, i)).collect();
    /// let spans = list.root().children().map(|leaf| leaf.span());
    /// assert_eq!(spans.sum::<usize>(), 200);
    /// ```
    pub fn children(
        &self,
    ) -> impl DoubleEndedIterator<Item = Node<'a, M, S>> + ExactSizeIterator + use<'a, M, S> {
        let list = self.list;
        let level = self.level.saturating_sub(1);
        let (children, spans) = if self.level == 0 {
            (&[][..], &[][..])
        } else {
            let block = list.blocks.get(self.id);
            (&block.children[..block.len()], &block.spans[..block.len()])
        };
        let child = move |(&id, &span): (&u32, &u32)| Node { list, id, level, span: span as usize };
        children.iter().zip(spans).map(child)
    }

    /// Returns the elements of a leaf, in order; none of a block. Lazy, **O(1)** a step.
    ///
    /// # Examples
    ///
    /// ```
    /// let list = zset_core::SkipList::from_iter([("b", 2), ("a", 1)]);
    /// assert!(list.root().elements().eq([(&"a", 1), (&"b", 2)]));
    /// ```
    pub fn elements(&self) -> impl DoubleEndedIterator<Item = (&'a M, S)> + use<'a, M, S> {
        let leaf = if self.level == 0 { Some(self.list.leaf(self.id)) } else { None };
        leaf.into_iter().flat_map(|leaf| (0..leaf.len()).map(move |position| leaf.at(position)))
    }
}

impl<M, S> Clone for Node<'_, M, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M, S> Copy for Node<'_, M, S> {}

impl<M, S> fmt::Debug for Node<'_, M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut node = f.debug_struct("Node");
        node.field("id", &self.id).field("level", &self.level).field("span", &self.span);
        node.finish_non_exhaustive()
    }
}
