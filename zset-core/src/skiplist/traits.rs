//! The standard traits.

use super::{IntoIter, Iter, SkipList};

impl<M, S: Copy> Default for SkipList<M, S> {
    fn default() -> Self {
        Self::new()
    }
}

impl<M: PartialEq, S: PartialEq + Copy> PartialEq for SkipList<M, S> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<M: Eq, S: Eq + Copy> Eq for SkipList<M, S> {}

impl<M: Ord, S: Ord + Copy> Extend<(M, S)> for SkipList<M, S> {
    fn extend<I: IntoIterator<Item = (M, S)>>(&mut self, elements: I) {
        elements.into_iter().for_each(|(member, score)| self.insert(member, score));
    }
}

impl<M: Ord, S: Ord + Copy> FromIterator<(M, S)> for SkipList<M, S> {
    fn from_iter<I: IntoIterator<Item = (M, S)>>(elements: I) -> Self {
        let mut list = SkipList::new();
        list.extend(elements);
        list
    }
}

impl<M, S: Copy> IntoIterator for SkipList<M, S> {
    type Item = (M, S);
    type IntoIter = IntoIter<M, S>;

    fn into_iter(self) -> IntoIter<M, S> {
        IntoIter::new(self)
    }
}

impl<'a, M, S: Copy> IntoIterator for &'a SkipList<M, S> {
    type Item = (&'a M, S);
    type IntoIter = Iter<'a, M, S>;

    fn into_iter(self) -> Iter<'a, M, S> {
        self.iter()
    }
}
