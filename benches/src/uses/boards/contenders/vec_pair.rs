//! A sorted `Vec` plus a hash table.

use std::cmp::Reverse;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::uses::boards::{BETTER, Board, NEW};
use crate::uses::sorted_vec::SortedVec;

/// `Vec<(Reverse<u64>, u64)>` and `HashMap<u64, u64>`.
pub struct VecPair {
    lines: SortedVec<(Reverse<u64>, u64)>,
    scores: HashMap<u64, u64>,
}

impl Board for VecPair {
    const NAME: &'static str = "sorted Vec + HashMap";
    const LINEAR: &'static [&'static str] = &[NEW, BETTER];

    fn load(members: &[(u64, u64)]) -> Self {
        let lines = members.iter().map(|&(member, score)| (Reverse(score), member)).collect();
        let scores = members.iter().copied().collect();
        VecPair { lines: SortedVec::from_unsorted(lines), scores }
    }

    #[inline]
    fn submit(&mut self, member: u64, score: u64) -> bool {
        let line = (Reverse(score), member);
        match self.scores.entry(member) {
            Entry::Occupied(entry) if *entry.get() >= score => return false,
            Entry::Occupied(mut entry) => {
                let old = entry.insert(score);
                self.lines.replace(&(Reverse(old), member), line);
            }
            Entry::Vacant(entry) => {
                entry.insert(score);
                self.lines.insert(line);
            }
        }
        true
    }

    #[inline]
    fn standing(&self, member: u64) -> Option<usize> {
        let score = *self.scores.get(&member)?;
        Some(self.lines.rank(&(Reverse(score), u64::MIN)) + 1)
    }

    #[inline]
    fn page(&self, offset: usize, n: usize, mut each: impl FnMut(usize, u64, u64)) {
        let lines = self.lines.as_slice().iter().skip(offset).take(n);
        for (&(Reverse(score), member), number) in lines.zip(offset + 1..) {
            each(number, member, score);
        }
    }

    #[inline]
    fn around(&self, member: u64, n: usize, each: impl FnMut(usize, u64, u64)) {
        if let Some(&score) = self.scores.get(&member) {
            let rank = self.lines.rank(&(Reverse(score), member));
            let start = rank.saturating_sub(n);
            self.page(start, rank - start + 1 + n, each);
        }
    }
}
