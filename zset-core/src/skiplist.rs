//! [`SkipList`]: the ordered half of a sorted set, a skip list whose nodes are blocks.
//!
//! A skip list (William Pugh, "Skip Lists: A Probabilistic Alternative to Balanced Trees",
//! Communications of the ACM 33(6), 1990) with many elements per node, spans for ranks as in Redis's
//! `t_zset.c`, and backward pointers. Elements are stored in leaves of up to 64; above them are levels
//! of index blocks of up to 64 children. Each new leaf draws a random height and splits the blocks on
//! all levels below it, just as a tall element of a skip list starts a new run on each of its levels.
//!
//! Invariants (`check` verifies them):
//! - Along the forward pointers, elements ascend by `(score, member)`; duplicates are allowed.
//! - Backward pointers mirror forward pointers; `head` and `tail` are the ends.
//! - No leaf is empty, except the only leaf of an empty list.
//! - With one leaf there is no index. Otherwise every leaf and every block except the top one is a
//!   child of exactly one block, all leaves are at the same depth, and parent pointers are correct.
//! - `firsts` and `spans` are exact.
//! - Blocks have at least `MIN_CHILDREN` children; the top block has at least 2.
//!
//! User code never runs while the structure is inconsistent: comparisons come first, then the tokens
//! for `Relocate`, then the change, which cannot panic.

use core::fmt;
use rand_core::Rng;

use crate::arena::{Arena, NONE};
use crate::dict::Dict;
use crate::handle::Handle;

mod check;
mod compare;
mod convert;
mod cut;
mod drain;
mod hand_over;
mod height;
mod index;
mod insert;
mod into_iter;
mod iter;
#[cfg(feature = "unstable-internals")]
pub(crate) mod layout;
mod leaf;
mod leaves;
mod members;
mod pop_if;
mod position;
mod range;
mod read;
mod rebalance;
mod remove;
mod reserve;
mod sample;
mod search;
#[cfg(feature = "serde")]
mod serde;
mod share;
mod shift;
mod split_off;
#[cfg(test)]
mod tests;
mod traits;
mod update;

pub use drain::Drain;
pub use into_iter::IntoIter;
pub use iter::Iter;

pub(crate) use leaf::AT_ONCE;
pub(crate) use members::MembersMut;

pub(crate) use position::Position;
pub(crate) use range::RankedRange;
pub(crate) use search::{Target, before};

use height::Heights;
use index::Block;
use leaf::{LeafRef, SmallLeaf};
use leaves::Leaves;

/// An ordered list of `(member, score)` elements, sorted by score, then by member.
///
/// It is the ordered half of [`SortedSet`](crate::SortedSet), without the dict: elements may repeat,
/// and finding an element requires its score. Use it when you do not need to look up members by
/// themselves, as in a log of timestamps.
///
/// Any `Ord + Copy` type is a score. `f64` is not `Ord`; use [`Score`](crate::Score).
///
/// With the feature `serde`, a list serializes as a sequence of `(member, score)` in order, and
/// deserializes from a sequence in any order.
///
/// # Examples
///
/// ```
/// use zset_core::SkipList;
///
/// let mut log = SkipList::new();
/// log.insert("login", 30);
/// log.insert("login", 10);
/// log.insert("login", 30);
/// assert_eq!(log.len(), 3);
/// assert_eq!(log.count_by_score(20..), 2);
/// assert_eq!(log.pop_first(), Some(("login", 10)));
/// ```
#[derive(Clone)]
pub struct SkipList<M, S> {
    leaves: Leaves<M, S>,
    /// The index blocks of all levels.
    blocks: Arena<Block<S>>,
    /// The top block, or `NONE` if there is only one leaf.
    top: u32,
    /// The number of index levels. Leaves are level 0.
    levels: u8,
    /// The first leaf in order.
    head: u32,
    /// The last leaf in order.
    tail: u32,
    len: usize,
    /// Whether the last insertion was at the end, which makes it likely that the next one is too.
    is_appended_to: bool,
    heights: Heights,
}

/// The result of a look-up.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a, M, S> {
    pub(crate) handle: Handle,
    pub(crate) member: &'a M,
    pub(crate) score: S,
}

/// Receives the moves and removals of elements, so that a dict of handles can be kept up to date.
pub(crate) trait Relocate<M> {
    /// What is needed to find the member's handle again, such as its hash.
    type Token: Copy;

    /// Computes the token. Called before anything moves, because it may run user code, which may panic.
    fn token(&self, member: &M) -> Self::Token;

    /// Reports that the element of this token moves to `to`, before or after it does. The handle of no
    /// other element is `to` or `from`.
    fn relocate(&mut self, token: Self::Token, from: Handle, to: Handle);

    /// Reports that the element of this token, at `handle`, is about to be removed.
    fn forget(&mut self, token: Self::Token, handle: Handle);
}

/// Ignores moves and removals, for a list without a dict.
pub(crate) struct NoDict;

impl<M> Relocate<M> for NoDict {
    type Token = ();

    #[inline]
    fn token(&self, _: &M) {}

    #[inline]
    fn relocate(&mut self, (): (), _: Handle, _: Handle) {}

    #[inline]
    fn forget(&mut self, (): (), _: Handle) {}
}

/// Construction.
impl<M, S: Copy> SkipList<M, S> {
    /// Creates an empty list without allocating. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use zset_core::SkipList;
    ///
    /// static LOG: Mutex<SkipList<&str, u64>> = Mutex::new(SkipList::new());
    ///
    /// LOG.lock().unwrap().insert("login", 30);
    /// assert_eq!(LOG.lock().unwrap().len(), 1);
    /// ```
    pub const fn new() -> Self {
        Self::with_heights(Heights::DEFAULT)
    }

    /// Creates an empty list whose random heights are seeded by `rng`. **O(1)**.
    ///
    /// The generator affects neither results nor the bounds on costs.
    ///
    /// # Examples
    ///
    /// ```
    /// use rand::{SeedableRng, rngs::SmallRng};
    ///
    /// let mut rng = SmallRng::seed_from_u64(7);
    /// let list = zset_core::SkipList::<&str, u32>::from_rng(&mut rng);
    /// assert!(list.is_empty());
    /// ```
    pub fn from_rng<R: Rng + ?Sized>(rng: &mut R) -> Self {
        Self::with_heights(Heights::from_rng(rng))
    }

    /// Returns an empty list that continues this list's sequence of heights.
    pub(crate) fn empty(&self) -> Self {
        Self::with_heights(self.heights.clone())
    }

    /// Removes all elements and frees their memory. **O(n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut list = zset_core::SkipList::from_iter([("a", 1), ("b", 2)]);
    /// list.clear();
    /// assert!(list.is_empty());
    /// ```
    pub fn clear(&mut self) {
        // If dropping a member panics, the list is already empty.
        *self = self.empty();
    }
}

impl<M, S: Copy> SkipList<M, S> {
    const fn with_heights(heights: Heights) -> Self {
        SkipList {
            leaves: Leaves::new(),
            blocks: Arena::new(),
            top: NONE,
            levels: 0,
            head: 0,
            tail: 0,
            len: 0,
            is_appended_to: false,
            heights,
        }
    }

    #[cfg_attr(not(target_os = "none"), inline)]
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn leaf(&self, id: u32) -> LeafRef<'_, M, S> {
        self.leaves.get(id)
    }

    /// Returns the element at a handle.
    #[inline]
    pub(crate) fn element_at(&self, handle: Handle) -> (&M, S) {
        let leaf = self.leaf(handle.leaf());
        (&leaf.members[handle.slot() as usize], leaf.scores[handle.slot() as usize])
    }

    /// Returns the element of this hash whose member `is_sought` accepts.
    #[expect(
        clippy::inline_always,
        reason = "a call for each score takes a fifth more instructions"
    )]
    #[inline(always)]
    pub(crate) fn find(
        &self,
        dict: &Dict,
        hash: usize,
        is_sought: impl Fn(&M) -> bool,
    ) -> Option<Element<'_, M, S>> {
        match &self.leaves {
            Leaves::Blocks(arena) => {
                // Kept, since getting the leaf once more takes a tenth of a look-up.
                let mut found = None;
                let handle = dict.find(hash, |handle| {
                    let leaf = arena.get(handle.leaf());
                    found = Some(leaf);
                    leaf.members.get(handle.slot() as usize).is_some_and(&is_sought)
                })?;
                let (leaf, slot) = (found?, handle.slot() as usize);
                Some(Element {
                    handle,
                    member: leaf.members.get(slot)?,
                    score: *leaf.scores.get(slot)?,
                })
            }
            Leaves::Small(leaf) => find_in_small(leaf, dict, hash, is_sought),
        }
    }

    /// Returns the member at a handle, or `None` if the handle is stale.
    #[cfg_attr(not(target_os = "none"), inline)]
    #[cfg_attr(target_os = "none", inline(never))]
    pub(crate) fn member(&self, handle: Handle) -> Option<&M> {
        self.leaf(handle.leaf()).members.get(handle.slot() as usize)
    }

    /// Returns a mutable reference to the member at a handle. Its order and hash must not change.
    #[inline]
    pub(crate) fn member_mut(&mut self, handle: Handle) -> &mut M {
        self.leaves.member_mut(handle)
    }

    /// Returns the score of the element at a handle.
    #[inline]
    pub(crate) fn score(&self, handle: Handle) -> S {
        self.leaf(handle.leaf()).scores[handle.slot() as usize]
    }
}

/// `find` for a list with one leaf. Not inlined, so that the loop for several leaves keeps its registers.
#[inline(never)]
fn find_in_small<'a, M, S: Copy>(
    leaf: &'a SmallLeaf<M, S>,
    dict: &Dict,
    hash: usize,
    is_sought: impl Fn(&M) -> bool,
) -> Option<Element<'a, M, S>> {
    let handle =
        dict.find(hash, |handle| leaf.members.get(handle.slot() as usize).is_some_and(&is_sought))?;
    let slot = handle.slot() as usize;
    Some(Element { handle, member: leaf.members.get(slot)?, score: *leaf.scores.get(slot)? })
}

impl<M: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for SkipList<M, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}
