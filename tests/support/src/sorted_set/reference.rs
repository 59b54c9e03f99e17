//! The reference for a `SortedSet`, which keeps its elements in two collections of the standard
//! library.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeBounds;

/// A sorted set with slow ranks that is obviously correct.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    scores: BTreeMap<u16, i32>,
    order: BTreeSet<(i32, u16)>,
}

impl Reference {
    pub fn insert(&mut self, member: u16, score: i32) -> Option<i32> {
        let old = self.remove(member);
        self.scores.insert(member, score);
        self.order.insert((score, member));
        old
    }

    pub fn remove(&mut self, member: u16) -> Option<i32> {
        let score = self.scores.remove(&member)?;
        assert!(self.order.remove(&(score, member)));
        Some(score)
    }

    pub fn score(&self, member: u16) -> Option<i32> {
        self.scores.get(&member).copied()
    }

    pub fn rank(&self, member: u16) -> Option<usize> {
        let score = self.score(member)?;
        Some(self.order.range(..(score, member)).count())
    }

    /// Returns all elements in order, in the form in which a sorted set returns them.
    pub fn elements(&self) -> Vec<(u16, i32)> {
        self.order.iter().map(|&(score, member)| (member, score)).collect()
    }

    /// Returns the elements that the test accepts, in order.
    pub fn matching(&self, mut accept: impl FnMut(u16, i32) -> bool) -> Vec<(u16, i32)> {
        self.elements().into_iter().filter(|&(member, score)| accept(member, score)).collect()
    }

    /// Returns the elements of a range of scores. An inverted range contains nothing.
    pub fn by_score(&self, range: &impl RangeBounds<i32>) -> Vec<(u16, i32)> {
        self.matching(|_, score| range.contains(&score))
    }

    pub fn by_rank(&self, range: &impl RangeBounds<usize>) -> Vec<(u16, i32)> {
        let ranked = self.elements().into_iter().enumerate();
        ranked.filter(|(rank, _)| range.contains(rank)).map(|(_, element)| element).collect()
    }

    pub fn remove_all(&mut self, elements: &[(u16, i32)]) {
        for &(member, score) in elements {
            assert_eq!(self.remove(member), Some(score));
        }
    }
}

impl Extend<(u16, i32)> for Reference {
    fn extend<I: IntoIterator<Item = (u16, i32)>>(&mut self, elements: I) {
        for (member, score) in elements {
            self.insert(member, score);
        }
    }
}

impl FromIterator<(u16, i32)> for Reference {
    fn from_iter<I: IntoIterator<Item = (u16, i32)>>(elements: I) -> Self {
        let mut reference = Reference::default();
        reference.extend(elements);
        reference
    }
}
