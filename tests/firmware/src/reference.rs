//! The references: the score of each member in an array, or for many members, two B-trees.

#[cfg(feature = "heap")]
use alloc::collections::{BTreeMap, BTreeSet};

/// The number of distinct members.
pub const MEMBERS: u32 = 120;

/// A set of the members `0..MEMBERS`. Every query is a pass over all of them.
#[derive(Clone)]
pub struct Reference([Option<u32>; MEMBERS as usize]);

impl Default for Reference {
    fn default() -> Self {
        Reference([None; MEMBERS as usize])
    }
}

impl Reference {
    pub fn insert(&mut self, member: u32, score: u32) -> Option<u32> {
        self.0[member as usize].replace(score)
    }

    pub fn remove(&mut self, member: u32) -> Option<u32> {
        self.0[member as usize].take()
    }

    pub fn score(&self, member: u32) -> Option<u32> {
        self.0[member as usize]
    }

    pub fn len(&self) -> usize {
        self.elements().count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements, ordered by member.
    pub fn elements(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.0).filter_map(|(member, score)| Some((member, (*score)?)))
    }

    /// Returns the elements, ordered by score, then by member.
    pub fn in_order(&self) -> impl Iterator<Item = (u32, u32)> {
        let mut last = None;
        core::iter::from_fn(move || {
            let after = self.elements().filter(|&(member, score)| last < Some((score, member)));
            let (member, score) = after.min_by_key(|&(member, score)| (score, member))?;
            last = Some((score, member));
            Some((member, score))
        })
    }

    pub fn first(&self) -> Option<(u32, u32)> {
        self.elements().min_by_key(|&(member, score)| (score, member))
    }

    pub fn last(&self) -> Option<(u32, u32)> {
        self.elements().max_by_key(|&(member, score)| (score, member))
    }

    pub fn rank(&self, member: u32) -> Option<usize> {
        let score = self.score(member)?;
        Some(self.elements().filter(|&(other, its)| (its, other) < (score, member)).count())
    }
}

/// A set of any members, with fast queries except for ranks.
#[cfg(feature = "heap")]
#[derive(Default)]
pub struct LargeReference {
    scores: BTreeMap<u32, u32>,
    /// The scores and members, in order.
    elements: BTreeSet<(u32, u32)>,
}

#[cfg(feature = "heap")]
impl LargeReference {
    pub fn insert(&mut self, member: u32, score: u32) -> Option<u32> {
        let old = self.scores.insert(member, score);
        if let Some(old) = old {
            self.elements.remove(&(old, member));
        }
        self.elements.insert((score, member));
        old
    }

    pub fn remove(&mut self, member: u32) -> Option<u32> {
        let old = self.scores.remove(&member)?;
        self.elements.remove(&(old, member));
        Some(old)
    }

    pub fn pop_first(&mut self) -> Option<(u32, u32)> {
        let (score, member) = self.elements.pop_first()?;
        self.scores.remove(&member);
        Some((member, score))
    }

    pub fn pop_last(&mut self) -> Option<(u32, u32)> {
        let (score, member) = self.elements.pop_last()?;
        self.scores.remove(&member);
        Some((member, score))
    }

    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns the elements, in order.
    pub fn elements(&self) -> impl Iterator<Item = (u32, u32)> {
        self.elements.iter().map(|&(score, member)| (member, score))
    }
}
