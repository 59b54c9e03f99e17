//! The implementations on targets without an operating system: as little code as possible.

#![allow(dead_code, reason = "some is for sets that allocate, or is only tested")]

use core::cell::Cell;
use core::hint::black_box;
use core::ops::Range;

pub(crate) mod decimal;
#[cfg(feature = "alloc")]
pub(crate) mod table;

/// Whether small code is preferred to few instructions.
pub(crate) const IS_SMALL: bool = true;

/// Copies the values at `from` to the place that begins at `to`, one by one.
#[inline(never)]
pub(crate) fn copy_within<T: Copy>(values: &mut [T], from: Range<usize>, to: usize) {
    // The compiler would turn a loop over a known distance into a `memmove`.
    let to = black_box(to);
    let is_forward = to > from.start;
    let cells = Cell::from_mut(values).as_slice_of_cells();
    let pairs = cells[to..to + from.len()].iter().zip(&cells[from]);
    let copy = |(to, from): (&Cell<T>, &Cell<T>)| to.set(from.get());
    if is_forward { pairs.rev().for_each(copy) } else { pairs.for_each(copy) }
}

/// Swaps two values in two slices, since `slice::swap` copies values that may overlap.
pub(crate) fn swap<T>(values: &mut [T], a: usize, b: usize) {
    let (before, from) = values.split_at_mut(a.max(b));
    if let Some(low) = before.get_mut(a.min(b)) {
        core::mem::swap(low, &mut from[0]);
    }
}

/// Fills a slice.
#[inline]
pub(crate) fn fill(values: &mut [u32], value: u32) {
    for place in values {
        // The compiler would turn the loop into a call of `memset`, of which there is one for
        // each alignment.
        *place = black_box(value);
    }
}

/// The builder under the default hash builder.
pub(crate) type HashBuilder = crate::fixed_sorted_set::FixedHashBuilder;

/// Makes all bits of a product depend on all bits of the word, since a hash table uses the lowest
/// and the highest: the finalizer of `MurmurHash3` by A. Appleby.
pub(crate) fn spread(hash: u64) -> u64 {
    let mut product = hash as u32;
    product = (product ^ product >> 16).wrapping_mul(0x85EB_CA6B);
    product = (product ^ product >> 13).wrapping_mul(0xC2B2_AE35);
    (product ^ product >> 16).into()
}

/// Returns the quotient and the remainder, where a division would be a function of a kilobyte.
///
/// H. Warren, "Hacker's Delight", 10-17: 1/10 is 4/5 / 8, and 4/5 is 3/4 * (1 + 1/16) * (1 + 1/256)
/// * ...
pub(crate) fn divide_by_10(number: u64) -> (u64, u8) {
    let mut quotient = (number >> 1) + (number >> 2);
    for shift in [4, 8, 16, 32] {
        quotient += quotient >> shift;
    }
    quotient >>= 3;
    // It may be 1 too low.
    match (number - quotient * 10) as u8 {
        digit @ 0..10 => (quotient, digit),
        digit => (quotient + 1, digit - 10),
    }
}

#[cfg(feature = "alloc")]
pub(crate) mod descent {
    //! Descending on small machines, by binary search: half the code, and fewer comparisons, each
    //! of which waits for the previous one.
    //!
    //! For a score that is not lower, `<=` replaces `==`: without floating-point hardware, `==` on
    //! a `Score` is a library call, and `<=` compares integers.

    use crate::bounds::partition_point;
    use crate::core::Nodes;
    use crate::core::index::Block;
    use crate::core::leaf::LeafRef;
    use crate::core::search::{Path, Position};

    /// Returns the position that `search` returns, and the path to it.
    #[inline(never)]
    pub(crate) fn path<K, V, S: Ord + Copy>(
        nodes: &Nodes<K, V, S>,
        score: S,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> (Position, Path) {
        let mut path = Path::FIRST;
        let child_precedes = |level, child| precedes(first_below(nodes, level, child));
        let leaf = descend(nodes, score, child_precedes, |_, index| path.push(index));
        (Position { leaf, index: index_in(nodes.leaf(leaf), score, precedes) }, path)
    }

    /// Returns the position before or after all elements with a score, and reads no keys.
    pub(crate) fn position_by_score<K, V, S: Ord + Copy>(
        nodes: &Nodes<K, V, S>,
        score: S,
        is_after: bool,
        passed: impl FnMut(&Block<S>, usize),
    ) -> Position {
        let leaf = descend(nodes, score, |_, _| is_after, passed);
        Position { leaf, index: index_in(nodes.leaf(leaf), score, |_| is_after) }
    }

    /// Descends to a leaf, and calls `passed` with each block on the path and the index of the
    /// child taken.
    ///
    /// `precedes` takes a level and a child of a block on it, and returns whether the first key
    /// below the child precedes the position.
    fn descend<K, V, S: Ord + Copy>(
        nodes: &Nodes<K, V, S>,
        score: S,
        mut precedes: impl FnMut(u8, u32) -> bool,
        mut passed: impl FnMut(&Block<S>, usize),
    ) -> u32 {
        let mut id = if nodes.levels == 0 { nodes.head } else { nodes.top };
        for level in (1..=nodes.levels).rev() {
            let block = nodes.blocks.get(id);
            let before = partition_point(block.len(), |index| {
                let first = block.firsts[index];
                first < score || first <= score && precedes(level, block.children[index])
            });
            let index = before.saturating_sub(1);
            passed(block, index);
            id = block.children[index];
        }
        id
    }

    /// Returns the first key below a child of a block on this level.
    fn first_below<K, V, S: Copy>(nodes: &Nodes<K, V, S>, level: u8, mut child: u32) -> &K {
        for _ in 1..level {
            child = nodes.blocks.get(child).children[0];
        }
        &nodes.leaf(child).first_pair().0
    }

    /// Returns the index in a leaf of the position that `search` returns.
    pub(crate) fn index_in<K, V, S: Ord + Copy>(
        leaf: LeafRef<'_, (K, V), S>,
        score: S,
        mut precedes: impl FnMut(&K) -> bool,
    ) -> usize {
        partition_point(leaf.len(), |index| {
            let (pair, other) = leaf.at(index);
            other < score || other <= score && precedes(&pair.0)
        })
    }

    #[allow(unused_imports, reason = "the same name as with an operating system")]
    pub(crate) use index_in as index_near;
}
