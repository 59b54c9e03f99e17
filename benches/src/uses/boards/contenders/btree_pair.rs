//! std's B-tree plus a hash table.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::uses::boards::{AROUND, Board, PAGE, STANDING};

/// `BTreeSet<(Reverse<u64>, u64)>` and `HashMap<u64, u64>`. A B-tree without counts must walk all
/// elements before a position to number it.
pub struct BTreePair {
    lines: BTreeSet<(Reverse<u64>, u64)>,
    scores: HashMap<u64, u64>,
}

impl Board for BTreePair {
    const NAME: &'static str = "BTreeSet + HashMap";
    const LINEAR: &'static [&'static str] = &[STANDING, PAGE, AROUND];

    fn load(members: &[(u64, u64)]) -> Self {
        let mut board = BTreePair { lines: BTreeSet::new(), scores: HashMap::new() };
        for &(member, score) in members {
            board.submit(member, score);
        }
        board
    }

    #[inline]
    fn submit(&mut self, member: u64, score: u64) -> bool {
        match self.scores.entry(member) {
            Entry::Occupied(entry) if *entry.get() >= score => return false,
            Entry::Occupied(mut entry) => {
                let old = entry.insert(score);
                self.lines.remove(&(Reverse(old), member));
            }
            Entry::Vacant(entry) => {
                entry.insert(score);
            }
        }
        self.lines.insert((Reverse(score), member))
    }

    #[inline]
    fn standing(&self, member: u64) -> Option<usize> {
        let score = *self.scores.get(&member)?;
        Some(self.lines.range(..(Reverse(score), u64::MIN)).count() + 1)
    }

    #[inline]
    fn page(&self, offset: usize, n: usize, mut each: impl FnMut(usize, u64, u64)) {
        let lines = self.lines.iter().skip(offset).take(n);
        for (&(Reverse(score), member), number) in lines.zip(offset + 1..) {
            each(number, member, score);
        }
    }

    #[inline]
    fn around(&self, member: u64, n: usize, each: impl FnMut(usize, u64, u64)) {
        if let Some(&score) = self.scores.get(&member) {
            let rank = self.lines.range(..(Reverse(score), member)).count();
            let start = rank.saturating_sub(n);
            self.page(start, rank - start + 1 + n, each);
        }
    }
}
