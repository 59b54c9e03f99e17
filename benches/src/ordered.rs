//! Ordered collections: std's `BTreeSet`, the sets of other crates, and a sorted `Vec`.

use std::collections::BTreeSet;
use std::ops::Bound;

use skiplist::skip_set::SkipSet;
use wabi_tree::OSBTreeSet;

/// The operations of a collection that take linear time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linear {
    /// Nothing.
    Nothing,
    /// Ranks.
    Ranks,
    /// Insertions, removals and changes, other than a removal of the first element.
    Writes,
}

/// A set of `T` in ascending order. It is built from sorted elements.
pub trait Ordered<T: 'static>: Default + FromIterator<T> + 'static {
    /// The name shown in the tables: that of the collection with a hash table.
    const NAME: &'static str;

    /// The operations that take linear time.
    const LINEAR: Linear = Linear::Nothing;

    /// Moves all elements of another set into this one.
    fn unite(&mut self, mut other: Self) {
        while let Some(element) = other.pop_first() {
            self.insert(element);
        }
    }

    /// Inserts an element that is not present.
    fn insert(&mut self, element: T);

    /// Removes and returns an element.
    fn take(&mut self, element: &T) -> Option<T>;

    /// Changes an element that is present. `change` is applied to `element` or to the set's own
    /// copy.
    fn change(&mut self, element: T, change: impl Fn(&mut T)) {
        // Changes the element taken from the set, not the caller's copy, so that unchanged parts,
        // such as a key, keep their memory.
        if let Some(mut element) = self.take(&element) {
            change(&mut element);
            self.insert(element);
        }
    }

    /// Returns the first element.
    fn first(&self) -> Option<&T> {
        self.iter().next()
    }

    /// Removes and returns the first element.
    fn pop_first(&mut self) -> Option<T>;

    /// Returns all elements in order.
    fn iter(&self) -> impl Iterator<Item = &T>;

    /// Returns the elements not less than `start`, in order.
    fn range_from(&self, start: &T) -> impl Iterator<Item = &T>;

    /// Returns the elements from `rank` on, in order.
    fn range_from_rank(&self, rank: usize) -> impl Iterator<Item = &T> {
        self.iter().skip(rank)
    }

    /// Returns the number of elements less than `element`, whether or not it is present.
    fn below(&self, element: &T) -> usize;

    /// Returns the rank of an element that is present.
    fn rank(&self, element: &T) -> Option<usize> {
        Some(self.below(element))
    }

    /// Returns the element at `rank`.
    fn nth(&self, rank: usize) -> Option<&T> {
        self.range_from_rank(rank).next()
    }
}

/// The methods that have the same names in all sets.
macro_rules! same_methods {
    () => {
        fn unite(&mut self, mut other: Self) {
            self.append(&mut other);
        }

        fn insert(&mut self, element: T) {
            self.insert(element);
        }

        fn take(&mut self, element: &T) -> Option<T> {
            self.take(element)
        }

        fn pop_first(&mut self) -> Option<T> {
            self.pop_first()
        }

        fn iter(&self) -> impl Iterator<Item = &T> {
            self.iter()
        }
    };
}

/// The method for ranges of sets whose `range` accepts `RangeBounds`.
macro_rules! range_from {
    () => {
        fn range_from(&self, start: &T) -> impl Iterator<Item = &T> {
            self.range(start..)
        }
    };
}

/// The methods for ranks, of sets that have only two such methods: `$rank` returns the rank of an
/// element that is present, and `$nth` the element at a rank.
macro_rules! ranks {
    ($rank:ident, $nth:ident) => {
        fn range_from_rank(&self, rank: usize) -> impl Iterator<Item = &T> {
            self.$nth(rank).into_iter().flat_map(|first| self.range_from(first))
        }

        fn below(&self, element: &T) -> usize {
            match self.range_from(element).next() {
                Some(first) => self.$rank(first).unwrap_or(0),
                None => self.len(),
            }
        }

        fn rank(&self, element: &T) -> Option<usize> {
            self.$rank(element)
        }

        fn nth(&self, rank: usize) -> Option<&T> {
            self.$nth(rank)
        }
    };
}

/// std's B-tree. It has no ranks, so all elements before an element must be visited to count them.
impl<T: Ord + 'static> Ordered<T> for BTreeSet<T> {
    const NAME: &'static str = "BTreeSet + HashMap";
    const LINEAR: Linear = Linear::Ranks;

    same_methods!();
    range_from!();

    fn first(&self) -> Option<&T> {
        self.first()
    }

    fn below(&self, element: &T) -> usize {
        self.range(..element).count()
    }
}

/// The `indexset` crate: a two-level B-tree with ranks.
impl<T: Ord + Clone + 'static> Ordered<T> for indexset::BTreeSet<T> {
    const NAME: &'static str = "indexset + HashMap";

    same_methods!();
    range_from!();

    fn range_from_rank(&self, rank: usize) -> impl Iterator<Item = &T> {
        self.range_idx(rank..)
    }

    fn below(&self, element: &T) -> usize {
        self.rank(element)
    }

    fn nth(&self, rank: usize) -> Option<&T> {
        self.get_index(rank)
    }
}

/// The `wabi_tree` crate: a B-tree whose nodes store the sizes of their subtrees.
impl<T: Ord + Clone + 'static> Ordered<T> for OSBTreeSet<T> {
    const NAME: &'static str = "wabi_tree + HashMap";

    same_methods!();
    range_from!();
    ranks!(rank_of, get_by_rank);
}

/// The `skiplist` crate: one element per node, linked by pointers.
impl<T: Ord + 'static> Ordered<T> for SkipSet<T> {
    const NAME: &'static str = "skiplist + HashMap";

    same_methods!();
    ranks!(rank, get_by_index);

    fn range_from(&self, start: &T) -> impl Iterator<Item = &T> {
        // Does not use the crate's `range` method, which would walk from the first element to
        // `start`.
        let mut cursor = self.lower_bound(Bound::Included(start));
        std::iter::from_fn(move || cursor.next())
    }
}

/// A sorted `Vec`: binary search to find an element, and a shift of all elements after it to insert
/// or remove one. Elements are distinct and in descending order, so that the first one can be
/// popped off the end.
pub struct SortedVec<T>(Vec<T>);

impl<T> Default for SortedVec<T> {
    fn default() -> Self {
        SortedVec(Vec::new())
    }
}

impl<T: Ord> SortedVec<T> {
    /// Returns the index at which an element is, or would be inserted.
    fn index_of(&self, element: &T) -> usize {
        self.0.partition_point(|other| other > element)
    }
}

impl<T: Ord> FromIterator<T> for SortedVec<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut elements = Vec::from_iter(elements);
        elements.sort_unstable_by(|a, b| b.cmp(a));
        SortedVec(elements)
    }
}

impl<T: Ord + 'static> Ordered<T> for SortedVec<T> {
    const NAME: &'static str = "sorted Vec + HashMap";
    const LINEAR: Linear = Linear::Writes;

    fn insert(&mut self, element: T) {
        self.0.insert(self.index_of(&element), element);
    }

    fn take(&mut self, element: &T) -> Option<T> {
        let index = self.index_of(element);
        (self.0.get(index) == Some(element)).then(|| self.0.remove(index))
    }

    fn change(&mut self, mut element: T, change: impl Fn(&mut T)) {
        let from = self.index_of(&element);
        change(&mut element);
        let to = self.index_of(&element);
        // Only the elements between the two indices move.
        if from < to {
            self.0[from..to].rotate_left(1);
            self.0[to - 1] = element;
        } else {
            self.0[to..=from].rotate_right(1);
            self.0[to] = element;
        }
    }

    fn pop_first(&mut self) -> Option<T> {
        self.0.pop()
    }

    fn iter(&self) -> impl Iterator<Item = &T> {
        self.0.iter().rev()
    }

    fn range_from(&self, start: &T) -> impl Iterator<Item = &T> {
        self.0[..self.0.len() - self.below(start)].iter().rev()
    }

    fn below(&self, element: &T) -> usize {
        self.0.len() - self.0.partition_point(|other| other >= element)
    }
}
