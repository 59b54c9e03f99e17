//! Looking up many members: a batch is hashed first, then looked up. The look-ups do not depend on each
//! other, so their cache misses overlap.

use arrayvec::ArrayVec;
use core::iter::{Fuse, FusedIterator};

/// The number of members that are hashed before the first of them is looked up.
const BATCH: usize = 16;

/// An iterator over the results of `find` for each member and its hash.
///
/// It takes up to a batch of members from their iterator ahead of time.
pub(crate) struct LookUps<I, T, G, F> {
    members: Fuse<I>,
    hash: G,
    find: F,
    found: arrayvec::IntoIter<T, BATCH>,
}

impl<I, T, G, F> LookUps<I, T, G, F>
where
    I: Iterator,
    G: Fn(&I::Item) -> usize,
    F: Fn(usize, I::Item) -> T,
{
    pub(crate) fn new(members: impl IntoIterator<IntoIter = I>, hash: G, find: F) -> Self {
        let members = members.into_iter().fuse();
        LookUps { members, hash, find, found: ArrayVec::new().into_iter() }
    }

    fn look_up_batch(&mut self) {
        let members = self.members.by_ref().take(BATCH);
        let batch: ArrayVec<_, BATCH> =
            members.map(|member| ((self.hash)(&member), member)).collect();
        let found = batch.into_iter().map(|(hash, member)| (self.find)(hash, member));
        self.found = found.collect::<ArrayVec<_, BATCH>>().into_iter();
    }
}

impl<I, T, G, F> Iterator for LookUps<I, T, G, F>
where
    I: Iterator,
    G: Fn(&I::Item) -> usize,
    F: Fn(usize, I::Item) -> T,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.found.len() == 0 {
            self.look_up_batch();
        }
        self.found.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let (low, high) = self.members.size_hint();
        let found = self.found.len();
        (low.saturating_add(found), high.and_then(|high| high.checked_add(found)))
    }
}

impl<I, T, G, F> FusedIterator for LookUps<I, T, G, F>
where
    I: Iterator,
    G: Fn(&I::Item) -> usize,
    F: Fn(usize, I::Item) -> T,
{
}
