//! The reference: the score of each member, in an array.

/// The number of different members.
pub const MEMBERS: usize = 120;

/// A set of the members `0..MEMBERS`, in which every query is a pass over all of them.
#[derive(Clone)]
pub struct Reference([Option<u32>; MEMBERS]);

impl Default for Reference {
    fn default() -> Self {
        Reference([None; MEMBERS])
    }
}

impl Reference {
    pub fn insert(&mut self, member: u16, score: u32) -> Option<u32> {
        self.0[usize::from(member)].replace(score)
    }

    pub fn remove(&mut self, member: u16) -> Option<u32> {
        self.0[usize::from(member)].take()
    }

    pub fn score(&self, member: u16) -> Option<u32> {
        self.0[usize::from(member)]
    }

    pub fn len(&self) -> usize {
        self.elements().count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements, ordered by member.
    pub fn elements(&self) -> impl Iterator<Item = (u16, u32)> {
        (0..).zip(&self.0).filter_map(|(member, score)| Some((member, (*score)?)))
    }

    /// Returns the elements, ordered by score, then by member.
    pub fn in_order(&self) -> impl Iterator<Item = (u16, u32)> {
        let mut last = None;
        core::iter::from_fn(move || {
            let after = self.elements().filter(|&(member, score)| last < Some((score, member)));
            let (member, score) = after.min_by_key(|&(member, score)| (score, member))?;
            last = Some((score, member));
            Some((member, score))
        })
    }

    pub fn first(&self) -> Option<(u16, u32)> {
        self.elements().min_by_key(|&(member, score)| (score, member))
    }

    pub fn last(&self) -> Option<(u16, u32)> {
        self.elements().max_by_key(|&(member, score)| (score, member))
    }

    pub fn rank(&self, member: u16) -> Option<usize> {
        let score = self.score(member)?;
        Some(self.elements().filter(|&(other, its)| (its, other) < (score, member)).count())
    }
}
