//! Views of a board with numbered lines (pages, neighbours and ranges), and its iterators without
//! numbers.

use core::borrow::Borrow;
use core::cmp::Reverse;
use core::fmt;
use core::hash::Hash;
use core::iter::FusedIterator;
use core::ops::Bound::{self, Excluded, Included, Unbounded};
use core::ops::RangeBounds;

use zset_core::Equivalent;
use zset_core::sorted_set;

use super::Leaderboard;
use super::ranking::{Ranking, unreversed, unreversed_ref};
use crate::mapped::mapped_iterator;

/// How members with equal scores are numbered, starting from 1.
///
/// # Examples
///
/// ```
/// use zset_std::{Leaderboard, Ties};
///
/// let board = Leaderboard::from([("ann", 9), ("bob", 7), ("cid", 7), ("dan", 5)]);
/// let numbers = |ties| board.standings().ties(ties).map(|standing| standing.number);
/// assert!(numbers(Ties::Dense).eq([1, 2, 2, 3]));
/// assert!(numbers(Ties::Competition).eq([1, 2, 2, 4]));
/// assert!(numbers(Ties::Ordinal).eq([1, 2, 3, 4]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ties {
    /// 1, 2, 2, 3: tied members share a number, and the next score gets the next number.
    Dense,
    /// 1, 2, 2, 4: tied members share a number, leaving gaps after it, as in most sports.
    Competition,
    /// 1, 2, 3, 4: every member has its own number, tied members in the order of the board.
    Ordinal,
}

/// A line of a board.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Standing<'a, Id, S> {
    /// The standing, starting from 1: ordinal unless set otherwise by [`Standings::ties`].
    pub number: usize,
    /// The member.
    pub member: &'a Id,
    /// Its score.
    pub score: &'a S,
}

impl<Id, S> Clone for Standing<'_, Id, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Id, S> Copy for Standing<'_, Id, S> {}

/// An iterator over lines of a board, highest score first, returned by [`Leaderboard::top`] and the
/// other views.
///
/// It is lazy, double-ended and exact-size. Each step is **O(1)**, except for those that look up a
/// [standing](Leaderboard::standing). Under [`Ties::Competition`] and [`Ties::Dense`], the first
/// step from each end does so. Under [`Ties::Competition`], each step from the back to another
/// score does so too, in O(log n). `nth` and `nth_back`, and so `skip`, are **O(log n)** plus such
/// a look-up.
pub struct Standings<'a, Id, S> {
    elements: sorted_set::Iter<'a, Id, Reverse<S>>,
    /// The ordinal of the next element from the front.
    ordinal: usize,
    numbering: Numbering<'a, Id, S>,
    /// The score and the number of the element last returned from the front, if elements that tie
    /// share a number.
    front: Option<(&'a Reverse<S>, usize)>,
    /// Like `front`, for the element last returned from the back.
    back: Option<(&'a Reverse<S>, usize)>,
}

/// How lines are numbered.
struct Numbering<'a, Id, S> {
    ranking: &'a Ranking<Id, S>,
    ties: Ties,
    /// Decides whether two scores tie; `None` for `==`.
    same: Option<fn(&S, &S) -> bool>,
}

impl<'a, Id, S> Standings<'a, Id, S> {
    fn new(
        ranking: &'a Ranking<Id, S>,
        skipped: usize,
        elements: sorted_set::Iter<'a, Id, Reverse<S>>,
    ) -> Self {
        let numbering = Numbering { ranking, ties: Ties::Ordinal, same: None };
        let ordinal = skipped.saturating_add(1);
        Standings { elements, ordinal, numbering, front: None, back: None }
    }

    /// Returns the same lines with ties numbered according to `ties`. **O(1)**.
    pub fn ties(self, ties: Ties) -> Self {
        let numbering = Numbering { ties, same: None, ..self.numbering };
        Standings { numbering, front: None, back: None, ..self }
    }

    /// Like [`ties`](Self::ties), but members tie if `same` is true of their scores. **O(1)**.
    ///
    /// `same` compares a part of the scores by which they are ordered first, such as the first
    /// field of a tuple. Otherwise the numbers are unspecified. A look-up of a number takes
    /// O(log t log n) for t members that tie; [`Ties::Dense`] takes as much for each higher part.
    ///
    /// # Examples
    ///
    /// Players with equal points share a number, and the first to reach them is listed first:
    ///
    /// ```
    /// use std::cmp::Reverse;
    /// use zset_std::{Leaderboard, Ties};
    ///
    /// // Points, and the time at which they were reached.
    /// let mut board = Leaderboard::new();
    /// board.submit("ann", (120, Reverse(1030)));
    /// board.submit("bob", (90, Reverse(1000)));
    /// board.submit("zoe", (120, Reverse(1015)));
    ///
    /// let lines = board.top(3).ties_by(Ties::Competition, |a, b| a.0 == b.0);
    /// let lines = lines.map(|line| (line.number, *line.member));
    /// assert!(lines.eq([(1, "zoe"), (1, "ann"), (3, "bob")]));
    ///
    /// let mut ann = board.around("ann", 0).unwrap().ties_by(Ties::Competition, |a, b| a.0 == b.0);
    /// assert_eq!(ann.next().map(|line| line.number), Some(1));
    /// ```
    pub fn ties_by(self, ties: Ties, same: fn(&S, &S) -> bool) -> Self {
        let standings = self.ties(ties);
        let numbering = Numbering { same: Some(same), ..standings.numbering };
        Standings { numbering, ..standings }
    }
}

impl<Id, S> Clone for Numbering<'_, Id, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Id, S> Copy for Numbering<'_, Id, S> {}

/// The methods take `self` by value, so that the compiler keeps the iterator of a caller's loop in
/// registers.
impl<Id, S: Ord> Numbering<'_, Id, S> {
    /// Returns the number of the element with this ordinal, given the score and the number of the
    /// element before it, if known.
    fn after(
        self,
        before: Option<(&Reverse<S>, usize)>,
        ordinal: usize,
        score: &Reverse<S>,
    ) -> usize {
        match (self.ties, before) {
            (Ties::Ordinal, _) => ordinal,
            (_, Some((last, number))) if self.is_tie(last, score) => number,
            (Ties::Competition, Some(_)) => ordinal,
            (Ties::Dense, Some((_, number))) => number + 1,
            (_, None) => self.look_up(ordinal, score),
        }
    }

    /// Returns the number of the element with this ordinal, given the score and the number of the
    /// element after it, if known.
    fn before(
        self,
        after: Option<(&Reverse<S>, usize)>,
        ordinal: usize,
        score: &Reverse<S>,
    ) -> usize {
        match (self.ties, after) {
            (Ties::Ordinal, _) => ordinal,
            (_, Some((last, number))) if self.is_tie(last, score) => number,
            // The number is at least 2, unless the `Ord` of the scores is inconsistent. Saturating
            // avoids an overflow in that case.
            (Ties::Dense, Some((_, number))) => number.saturating_sub(1),
            _ => self.look_up(ordinal, score),
        }
    }

    fn is_tie(self, a: &Reverse<S>, b: &Reverse<S>) -> bool {
        self.same.map_or_else(|| a == b, |same| same(&a.0, &b.0))
    }

    /// Looks up the number of the element with this ordinal.
    fn look_up(self, ordinal: usize, score: &Reverse<S>) -> usize {
        match self.same {
            Some(same) => self.ranking.number_by(ordinal - 1, self.ties, same),
            None => self.ranking.number(score, self.ties),
        }
    }
}

impl<'a, Id, S: Ord> Iterator for Standings<'a, Id, S> {
    type Item = Standing<'a, Id, S>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let (member, score) = self.elements.next()?;
        let mut number = self.ordinal;
        self.ordinal += 1;
        if self.numbering.ties != Ties::Ordinal {
            number = self.numbering.after(self.front, number, score);
            self.front = Some((score, number));
        }
        Some(Standing { number, member, score: &score.0 })
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.elements.size_hint()
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        if let Some(last_skipped) = n.checked_sub(1) {
            self.elements.nth(last_skipped)?;
            self.ordinal += n;
            self.front = None;
        }
        self.next()
    }

    fn last(mut self) -> Option<Self::Item> {
        self.next_back()
    }
}

impl<Id, S: Ord> DoubleEndedIterator for Standings<'_, Id, S> {
    #[inline]
    fn next_back(&mut self) -> Option<Self::Item> {
        let (member, score) = self.elements.next_back()?;
        let mut number = self.ordinal + self.elements.len();
        if self.numbering.ties != Ties::Ordinal {
            number = self.numbering.before(self.back, number, score);
            self.back = Some((score, number));
        }
        Some(Standing { number, member, score: &score.0 })
    }

    fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
        if let Some(last_skipped) = n.checked_sub(1) {
            self.elements.nth_back(last_skipped)?;
            self.back = None;
        }
        self.next_back()
    }
}

impl<Id, S: Ord> ExactSizeIterator for Standings<'_, Id, S> {}

impl<Id, S: Ord> FusedIterator for Standings<'_, Id, S> {}

impl<Id, S> Clone for Standings<'_, Id, S> {
    fn clone(&self) -> Self {
        Standings { elements: self.elements.clone(), ..*self }
    }
}

impl<Id: fmt::Debug, S: fmt::Debug + Ord> fmt::Debug for Standings<'_, Id, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// Lazy views; [`Standings::ties`] sets how their lines are numbered.
impl<Id, S, K> Leaderboard<Id, S, K> {
    /// Returns all members with their scores, highest score first. **O(1)** to start.
    pub fn iter(&self) -> Iter<'_, Id, S> {
        Iter(self.ranking.set().iter())
    }

    /// Returns all lines, highest score first. **O(1)** to start.
    pub fn standings(&self) -> Standings<'_, Id, S> {
        Standings::new(&self.ranking, 0, self.ranking.set().iter())
    }

    /// Returns the first `n` lines. **O(log n)** to start.
    #[inline]
    pub fn top(&self, n: usize) -> Standings<'_, Id, S> {
        self.page(0, n)
    }

    /// Returns up to `n` lines, skipping the first `offset`; empty past the end. **O(log n)** to
    /// start.
    #[inline]
    pub fn page(&self, offset: usize, n: usize) -> Standings<'_, Id, S> {
        let elements = self.ranking.set().range_by_rank(offset..offset.saturating_add(n));
        Standings::new(&self.ranking, offset, elements)
    }

    /// Returns up to `n` lines after a member and score, which may no longer be on the board.
    /// **O(log n)** to start.
    ///
    /// Unlike paging by [offset](Self::page), continuing from the last line of the previous page
    /// neither skips nor repeats members whose scores are unchanged, even if others are submitted
    /// in between.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::Leaderboard;
    ///
    /// let mut board = Leaderboard::from([("ann", 9), ("bob", 7), ("cid", 7), ("dan", 5)]);
    /// let last = board.top(2).last().unwrap();
    /// assert_eq!((*last.member, *last.score), ("bob", 7));
    /// board.submit("eve", 8);
    /// board.remove("bob");
    /// let page = board.page_after("bob", &7, 10);
    /// assert!(page.map(|line| (line.number, *line.member)).eq([(3, "cid"), (4, "dan")]));
    /// ```
    pub fn page_after<Q>(&self, member: &Q, score: &S, n: usize) -> Standings<'_, Id, S>
    where
        Id: Borrow<Q> + Ord,
        Q: Ord + ?Sized,
        S: Ord + Clone,
    {
        let score = Reverse(score.clone());
        let rest = self.ranking.set().range((Excluded((&score, member)), Unbounded));
        self.page(self.len() - rest.len(), n)
    }

    /// Returns the line of a member with up to `n` lines on each side, fewer at the ends, or `None`
    /// if the member is not on the board. **O(log n)** expected to start.
    ///
    /// # Examples
    ///
    /// ```
    /// let board = zset_std::Leaderboard::from([("ann", 9), ("bob", 7), ("cid", 5), ("dan", 3)]);
    /// let around = |id| Some(board.around(id, 1)?.map(|line| *line.member).collect());
    /// assert_eq!(around("cid"), Some(vec!["bob", "cid", "dan"]));
    /// assert_eq!(around("ann"), Some(vec!["ann", "bob"]));
    /// assert_eq!(around("eve"), None);
    /// ```
    pub fn around<Q>(&self, member: &Q, n: usize) -> Option<Standings<'_, Id, S>>
    where
        Q: Hash + Equivalent<Id> + ?Sized,
    {
        let rank = self.rank(member)?;
        let start = rank.saturating_sub(n);
        Some(self.page(start, (rank - start).saturating_add(1).saturating_add(n)))
    }

    /// Returns the lines whose scores are in the range, highest score first. **O(log n)** to start.
    ///
    /// An inverted range is empty. Each bound is cloned once.
    pub fn range_by_score(&self, range: impl RangeBounds<S>) -> Standings<'_, Id, S>
    where
        S: Ord + Clone,
    {
        let set = self.ranking.set();
        let reverse = |bound: Bound<&S>| bound.map(|score| Reverse(score.clone()));
        let (start, end) = (reverse(range.end_bound()), reverse(range.start_bound()));
        let skipped = match &start {
            Included(highest) => self.ranking.above(highest),
            Excluded(highest) => self.ranking.at_least(highest),
            Unbounded => 0,
        };
        Standings::new(&self.ranking, skipped, set.range_by_score((start, end)))
    }
}

/// A double-ended, exact-size iterator over the members of a [`Leaderboard`] with their scores,
/// highest score first. Each step is **O(1)**; `nth` and `nth_back` are **O(log n)**.
pub struct Iter<'a, Id, S>(sorted_set::Iter<'a, Id, Reverse<S>>);

mapped_iterator!(['a, Id, S] Iter<'a, Id, S>, (&'a Id, &'a S), unreversed_ref);

impl<Id, S> Clone for Iter<'_, Id, S> {
    fn clone(&self) -> Self {
        Iter(self.0.clone())
    }
}

impl<Id: fmt::Debug, S: fmt::Debug> fmt::Debug for Iter<'_, Id, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

/// A double-ended, exact-size owning iterator over the members of a [`Leaderboard`] with their
/// scores, highest score first.
pub struct IntoIter<Id, S>(sorted_set::IntoIter<Id, Reverse<S>>);

mapped_iterator!([Id, S] IntoIter<Id, S>, (Id, S), unreversed);

impl<Id: fmt::Debug, S: fmt::Debug> fmt::Debug for IntoIter<Id, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'a, Id, S, K> IntoIterator for &'a Leaderboard<Id, S, K> {
    type Item = (&'a Id, &'a S);
    type IntoIter = Iter<'a, Id, S>;

    fn into_iter(self) -> Iter<'a, Id, S> {
        self.iter()
    }
}

impl<Id, S, K> IntoIterator for Leaderboard<Id, S, K> {
    type Item = (Id, S);
    type IntoIter = IntoIter<Id, S>;

    fn into_iter(self) -> IntoIter<Id, S> {
        IntoIter(self.ranking.into_set().into_iter())
    }
}
