//! A read-only view of the memory layout of sets, for diagrams, statistics and tests.
//!
//! A [`ZSet`](crate::ZSet) is either a listpack or a [`SortedSet`].
//! [`Listpack::raw_entries`](crate::Listpack::raw_entries) returns the entries of a listpack with
//! their bytes. A sorted set consists of a dict and a skip list. [`SortedSet::root`] returns the
//! top node of the skip list, from which all other nodes can be reached. The layout is not covered
//! by semantic versioning and may change in any release.

use core::fmt;

use crate::inner::Nodes;
use crate::inner::index::BLOCK_CAPACITY;
use crate::inner::leaf::LEAF_CAPACITY;
use crate::skiplist::element;
use crate::{SkipList, SortedSet};

/// A node of a skip list: a leaf, or a block of the index above the leaves.
///
/// Every [`SkipList`] is a tree of nodes, starting at [`SkipList::root`]. It is meant for
/// visualization and statistics: the layout is an implementation detail and may change.
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
    nodes: &'a Nodes<M, (), S>,
    id: u32,
    /// 0 for a leaf.
    level: u32,
    span: usize,
}

impl<'a, M, S> Node<'a, M, S> {
    fn root(nodes: &'a Nodes<M, (), S>) -> Self {
        let id = if nodes.levels == 0 { nodes.head } else { nodes.top };
        Node { nodes, id, level: u32::from(nodes.levels), span: nodes.len() }
    }
}

impl<M, S> SkipList<M, S> {
    /// Returns the root of the tree: an index block, or the leaf if there is only one. **O(1)**.
    pub fn root(&self) -> Node<'_, M, S> {
        Node::root(&self.core.nodes)
    }
}

impl<'a, M, S> Node<'a, M, S> {
    /// Returns the node's number among all nodes of its kind, leaves or blocks, in order of
    /// allocation. The number of a freed node is reused. **O(1)**.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the number of levels below the node; 0 for a leaf. **O(1)**.
    pub fn level(&self) -> usize {
        self.level as usize
    }

    /// Returns the number of elements in or below the node, as recorded in its parent. **O(1)**.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Returns the maximum number of children of a block, or of elements of a leaf. **O(1)**.
    pub fn capacity(&self) -> usize {
        if self.level == 0 { LEAF_CAPACITY } else { BLOCK_CAPACITY }
    }

    /// Returns the children of a block in order; none for a leaf. Lazy; **O(1)** per step.
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
        let nodes = self.nodes;
        let level = self.level.saturating_sub(1);
        let (children, spans) = if self.level == 0 {
            (&[][..], &[][..])
        } else {
            let block = nodes.blocks.get(self.id);
            (&block.children[..block.len()], &block.spans[..block.len()])
        };
        let child =
            move |(&id, &span): (&u32, &u32)| Node { nodes, id, level, span: span as usize };
        children.iter().zip(spans).map(child)
    }

    /// Returns the elements of a leaf in order; none for a block. Lazy; **O(1)** per step.
    pub fn elements(&self) -> impl DoubleEndedIterator<Item = (&'a M, &'a S)> + use<'a, M, S> {
        let leaf = if self.level == 0 { Some(self.nodes.leaf(self.id)) } else { None };
        leaf.into_iter().flat_map(|leaf| (0..leaf.len()).map(move |index| element(leaf.at(index))))
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

/// Statistics about the dict of a [`SortedSet`].
///
/// See [`SortedSet::dict_layout`](crate::SortedSet::dict_layout).
///
/// # Examples
///
/// ```
/// let set = zset_core::SortedSet::from([("b", 2), ("a", 1)]);
/// assert_eq!(set.dict_layout().len, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DictLayout {
    /// The number of members.
    pub len: usize,
    /// The number of hash tables, each of which splits in two when it is full. 0 for up to 16
    /// members.
    pub tables: usize,
    /// The number of entries in the directory, which maps leading bits of a hash to a table; 0 if
    /// there is at most one table.
    pub directory: usize,
    /// The number of buckets in all tables.
    pub buckets: usize,
    /// The number of bytes allocated.
    pub allocation_size: usize,
}

impl<M, S, H> SortedSet<M, S, H> {
    /// Returns the root of the tree: an index block, or the leaf if there is only one. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let set = zset_core::SortedSet::from([("a", 1), ("b", 2)]);
    /// assert!(set.root().elements().eq([(&"a", &1), (&"b", &2)]));
    /// ```
    pub fn root(&self) -> Node<'_, M, S> {
        Node::root(&self.core.nodes)
    }

    /// Returns statistics about the dict, the half of the set that finds members. **O(n / 3,500)**,
    /// because it sums over all tables.
    pub fn dict_layout(&self) -> DictLayout {
        self.core.dict.tables.layout()
    }
}
