//! The subject, and the collections of `heapless`. Elements of the heap and of the list are
//! `(score, member)`.

use heapless::binary_heap::{self, BinaryHeap};
use heapless::index_map::FnvIndexMap;
use heapless::sorted_linked_list::{self, SortedLinkedList};
use zset_core::FixedSortedSet;

use super::{Element, FIRST_TEN, Fixed, REMOVE, UPDATE};

/// The subject.
pub type ZsetFixed<const N: usize> = FixedSortedSet<u32, u32, N>;

/// A heap, whose elements other than the first are found by scans and cannot be changed.
pub type Heap<const N: usize> = BinaryHeap<Element, binary_heap::Min, N>;

/// A list with links of two bytes, as the slot numbers of the subject.
pub type LinkedList<const N: usize> = SortedLinkedList<Element, sorted_linked_list::Min, N, u16>;

/// A hash table, which has no order by score.
pub type IndexMap<const N: usize> = FnvIndexMap<u32, u32, N>;

impl<const N: usize> Fixed for ZsetFixed<N> {
    const NAME: &'static str = "zset";

    #[inline]
    fn new() -> Self {
        FixedSortedSet::new()
    }

    #[inline]
    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.try_insert(member, score);
        debug_assert_eq!(inserted, Ok(None));
    }

    #[inline]
    fn pop_first(&mut self) -> Option<Element> {
        self.pop_first()
    }

    #[inline]
    fn score(&self, member: u32) -> Option<u32> {
        self.score(&member).copied()
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        self.rank(&member)
    }

    #[inline]
    fn update(&mut self, member: u32, score: u32) {
        self.update(&member, |_| score);
    }

    #[inline]
    fn remove(&mut self, member: u32) -> Option<u32> {
        self.remove(&member)
    }

    #[inline]
    fn first(&self, n: usize) -> impl Iterator<Item = Element> {
        self.iter().take(n).map(|(&member, &score)| (member, score))
    }
}

/// The methods that are the same for the heap and the list.
macro_rules! same_methods {
    () => {
        #[inline]
        fn insert(&mut self, member: u32, score: u32) {
            let inserted = self.push((score, member));
            debug_assert_eq!(inserted, Ok(()));
        }

        #[inline]
        fn pop_first(&mut self) -> Option<Element> {
            self.pop().map(|(score, member)| (member, score))
        }

        #[inline]
        fn score(&self, member: u32) -> Option<u32> {
            self.iter().find(|element| element.1 == member).map(|element| element.0)
        }
    };
}

impl<const N: usize> Fixed for Heap<N> {
    const NAME: &'static str = "BinaryHeap";
    const LACKS: &'static [&'static str] = &[UPDATE, REMOVE, FIRST_TEN];

    same_methods!();

    #[inline]
    fn new() -> Self {
        BinaryHeap::new()
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        let element = (self.score(member)?, member);
        Some(self.iter().filter(|other| **other < element).count())
    }
}

impl<const N: usize> Fixed for LinkedList<N> {
    const NAME: &'static str = "SortedLinkedList";

    same_methods!();

    #[inline]
    fn new() -> Self {
        SortedLinkedList::new_u16()
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        self.iter().position(|element| element.1 == member)
    }

    #[inline]
    fn update(&mut self, member: u32, score: u32) {
        if let Some(mut element) = self.find_mut(|element| element.1 == member) {
            element.0 = score;
            element.finish();
        }
    }

    #[inline]
    fn remove(&mut self, member: u32) -> Option<u32> {
        Some(self.find_mut(|element| element.1 == member)?.pop().0)
    }

    #[inline]
    fn first(&self, n: usize) -> impl Iterator<Item = Element> {
        self.iter().take(n).map(|&(score, member)| (member, score))
    }
}

impl<const N: usize> Fixed for IndexMap<N> {
    const NAME: &'static str = "FnvIndexMap";
    const LACKS: &'static [&'static str] = &[FIRST_TEN];

    #[inline]
    fn new() -> Self {
        FnvIndexMap::new()
    }

    #[inline]
    fn insert(&mut self, member: u32, score: u32) {
        let inserted = self.insert(member, score);
        debug_assert_eq!(inserted, Ok(None));
    }

    #[inline]
    fn pop_first(&mut self) -> Option<Element> {
        let (&member, &score) = self.iter().min_by_key(|(member, score)| (**score, **member))?;
        self.swap_remove(&member);
        Some((member, score))
    }

    #[inline]
    fn score(&self, member: u32) -> Option<u32> {
        self.get(&member).copied()
    }

    #[inline]
    fn rank(&self, member: u32) -> Option<usize> {
        let element = (self.score(member)?, member);
        Some(self.iter().filter(|(member, score)| (**score, **member) < element).count())
    }

    #[inline]
    fn update(&mut self, member: u32, score: u32) {
        if let Some(old) = self.get_mut(&member) {
            *old = score;
        }
    }

    #[inline]
    fn remove(&mut self, member: u32) -> Option<u32> {
        self.swap_remove(&member)
    }
}
