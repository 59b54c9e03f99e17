//! The collections of `heapless`. Elements of the heap and of the list are `(score, member)`.

use heapless::binary_heap::{self, BinaryHeap};
use heapless::index_map::FnvIndexMap;
use heapless::sorted_linked_list::{self, SortedLinkedList};

use crate::fixed::{FIRST_TEN, Fixed, REMOVE, UPDATE};

/// `BinaryHeap`, whose elements other than the first are found by scans and cannot be changed.
pub struct Heap<const N: usize>(BinaryHeap<(u32, u32), binary_heap::Min, N>);

/// `SortedLinkedList`, with links of two bytes, as the slot numbers of the subject.
pub struct LinkedList<const N: usize>(
    SortedLinkedList<(u32, u32), sorted_linked_list::Min, N, u16>,
);

/// `FnvIndexMap`, which has no order by score.
pub struct IndexMap<const N: usize>(FnvIndexMap<u32, u32, N>);

impl<const N: usize> Fixed for Heap<N> {
    const NAME: &'static str = "BinaryHeap";
    const LACKS: &'static [&'static str] = &[UPDATE, REMOVE, FIRST_TEN];

    #[inline]
    fn new() -> Self {
        Heap(BinaryHeap::new())
    }

    #[inline]
    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.0.push((score, member));
        debug_assert_eq!(inserted, Ok(()));
    }

    #[inline]
    fn pop_first(&mut self) -> Option<(u32, u32)> {
        self.0.pop().map(|(score, member)| (member, score))
    }

    #[inline]
    fn score(&self, member: u32) -> Option<u32> {
        self.0.iter().find(|element| element.1 == member).map(|element| element.0)
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        let element = (self.score(member)?, member);
        Some(self.0.iter().filter(|other| **other < element).count())
    }
}

impl<const N: usize> Fixed for LinkedList<N> {
    const NAME: &'static str = "SortedLinkedList";

    #[inline]
    fn new() -> Self {
        LinkedList(SortedLinkedList::new_u16())
    }

    #[inline]
    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.0.push((score, member));
        debug_assert_eq!(inserted, Ok(()));
    }

    #[inline]
    fn pop_first(&mut self) -> Option<(u32, u32)> {
        self.0.pop().map(|(score, member)| (member, score))
    }

    #[inline]
    fn score(&self, member: u32) -> Option<u32> {
        self.0.iter().find(|element| element.1 == member).map(|element| element.0)
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        self.0.iter().position(|element| element.1 == member)
    }

    #[inline]
    fn update(&mut self, member: u32, score: u32) {
        if let Some(mut element) = self.0.find_mut(|element| element.1 == member) {
            element.0 = score;
            element.finish();
        }
    }

    #[inline]
    fn remove(&mut self, member: u32) -> Option<u32> {
        Some(self.0.find_mut(|element| element.1 == member)?.pop().0)
    }

    #[inline]
    fn first(&self, n: usize, mut visit: impl FnMut(u32, u32)) {
        self.0.iter().take(n).for_each(|&(score, member)| visit(member, score));
    }
}

impl<const N: usize> Fixed for IndexMap<N> {
    const NAME: &'static str = "FnvIndexMap";
    const LACKS: &'static [&'static str] = &[FIRST_TEN];

    #[inline]
    fn new() -> Self {
        IndexMap(FnvIndexMap::new())
    }

    #[inline]
    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.0.insert(member, score);
        debug_assert_eq!(inserted, Ok(None));
    }

    #[inline]
    fn pop_first(&mut self) -> Option<(u32, u32)> {
        let (member, score) = self.0.iter().min_by_key(|(member, score)| (**score, **member))?;
        let first = (*member, *score);
        self.0.swap_remove(&first.0);
        Some(first)
    }

    #[inline]
    fn score(&self, member: u32) -> Option<u32> {
        self.0.get(&member).copied()
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        let element = (self.score(member)?, member);
        Some(self.0.iter().filter(|(member, score)| (**score, **member) < element).count())
    }

    #[inline]
    fn update(&mut self, member: u32, score: u32) {
        if let Some(old) = self.0.get_mut(&member) {
            *old = score;
        }
    }

    #[inline]
    fn remove(&mut self, member: u32) -> Option<u32> {
        self.0.swap_remove(&member)
    }
}
