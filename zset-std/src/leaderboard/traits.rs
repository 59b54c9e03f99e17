//! The standard traits.

use core::cmp::Reverse;
use core::fmt;
use core::hash::Hash;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use zset_core::sorted_set::IntoIter as Elements;

use super::{Leaderboard, Policy, Standing, Standings};

impl<Id: Clone, S: Copy, K> Clone for Leaderboard<Id, S, K> {
    fn clone(&self) -> Self {
        Leaderboard { ranking: self.ranking.clone(), max_len: self.max_len, policy: PhantomData }
    }
}

impl<Id, S: Copy, K> Default for Leaderboard<Id, S, K> {
    fn default() -> Self {
        Self::for_policy()
    }
}

/// Two boards are equal if they have the same members with the same scores, regardless of bounds
/// and indexes. **O(n)**.
impl<Id: PartialEq, S: PartialEq + Copy, K, K2> PartialEq<Leaderboard<Id, S, K2>>
    for Leaderboard<Id, S, K>
{
    fn eq(&self, other: &Leaderboard<Id, S, K2>) -> bool {
        self.ranking.set() == other.ranking.set()
    }
}

impl<Id: Eq, S: Eq + Copy, K> Eq for Leaderboard<Id, S, K> {}

/// Submits each score in order. Panics if a score does not combine with the member's current one;
/// see [`try_extend`](Leaderboard::try_extend).
impl<Id, S, K> Extend<(Id, S)> for Leaderboard<Id, S, K>
where
    Id: Ord + Hash,
    S: Ord + Copy,
    K: Policy<S, Error: fmt::Debug>,
{
    #[track_caller]
    fn extend<I: IntoIterator<Item = (Id, S)>>(&mut self, scores: I) {
        self.try_extend(scores).expect("every score combines with the member's current one");
    }
}

/// Submits each score in order, as [`extend`](Leaderboard::extend) does.
impl<Id, S, K> FromIterator<(Id, S)> for Leaderboard<Id, S, K>
where
    Id: Ord + Hash,
    S: Ord + Copy,
    K: Policy<S, Error: fmt::Debug>,
{
    #[track_caller]
    fn from_iter<I: IntoIterator<Item = (Id, S)>>(scores: I) -> Self {
        let mut board = Self::default();
        board.extend(scores);
        board
    }
}

/// Keeps the best score of each member.
impl<Id: Ord + Hash, S: Ord + Copy, const N: usize> From<[(Id, S); N]> for Leaderboard<Id, S> {
    fn from(scores: [(Id, S); N]) -> Self {
        scores.into_iter().collect()
    }
}

impl<'a, Id, S: Ord + Copy, K> IntoIterator for &'a Leaderboard<Id, S, K> {
    type Item = Standing<'a, Id, S>;
    type IntoIter = Standings<'a, Id, S>;

    fn into_iter(self) -> Standings<'a, Id, S> {
        self.iter()
    }
}

impl<Id, S: Copy, K> IntoIterator for Leaderboard<Id, S, K> {
    type Item = (Id, S);
    type IntoIter = IntoIter<Id, S>;

    fn into_iter(self) -> IntoIter<Id, S> {
        IntoIter(self.ranking.into_set().into_iter())
    }
}

/// An owning iterator over the members of a [`Leaderboard`], highest score first.
pub struct IntoIter<Id, S>(Elements<Id, Reverse<S>>);

fn plain<Id, S>((member, Reverse(score)): (Id, Reverse<S>)) -> (Id, S) {
    (member, score)
}

impl<Id, S: Copy> Iterator for IntoIter<Id, S> {
    type Item = (Id, S);

    fn next(&mut self) -> Option<(Id, S)> {
        self.0.next().map(plain)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl<Id, S: Copy> DoubleEndedIterator for IntoIter<Id, S> {
    fn next_back(&mut self) -> Option<(Id, S)> {
        self.0.next_back().map(plain)
    }
}

impl<Id, S: Copy> ExactSizeIterator for IntoIter<Id, S> {}

impl<Id, S: Copy> FusedIterator for IntoIter<Id, S> {}

impl<Id: fmt::Debug, S: fmt::Debug + Copy> fmt::Debug for IntoIter<Id, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
