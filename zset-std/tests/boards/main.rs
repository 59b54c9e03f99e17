//! Compares leaderboards with lists that are sorted for each query.

#[path = "../fuse/mod.rs"]
mod fuse;
mod hostile;
mod leaderboard;
mod packed_score;
mod windowed_leaderboard;

use std::cmp::Reverse;

use proptest::prelude::*;
use zset_std::Ties;

type Id = u8;

/// The elements of a board. Elements of equal score are in the order in which their scores were
/// set.
#[derive(Clone, Debug, Default)]
struct Naive<S> {
    scores: Vec<(Id, S)>,
    /// Whether the board lists members of equal score in the order in which they reached it,
    /// instead of by member.
    is_unordered: bool,
}

impl<S: Ord + Copy> Naive<S> {
    /// Returns the lines, highest score first.
    fn sorted(&self) -> Vec<(Id, S)> {
        let mut scores = self.scores.clone();
        scores.sort_by_key(|&(id, score)| (Reverse(score), (!self.is_unordered).then_some(id)));
        scores
    }

    fn score(&self, id: Id) -> Option<S> {
        self.scores.iter().find(|(other, _)| *other == id).map(|&(_, score)| score)
    }

    fn set(&mut self, id: Id, score: S) {
        if self.score(id) != Some(score) {
            self.remove(id);
            self.scores.push((id, score));
        }
    }

    fn remove(&mut self, id: Id) -> Option<S> {
        let score = self.score(id);
        self.scores.retain(|(other, _)| *other != id);
        score
    }

    fn trim(&mut self, len: usize) -> Vec<(Id, S)> {
        let mut sorted = self.sorted();
        let removed = sorted.split_off(len.min(sorted.len()));
        self.scores = sorted;
        removed
    }

    /// Sets the score of a member, and evicts the last element if there are too many. Returns the
    /// member's new score and the evicted element.
    fn submit(&mut self, id: Id, score: S, max_len: usize) -> (Option<S>, Option<(Id, S)>) {
        self.set(id, score);
        let dropped = self.trim(max_len);
        assert!(dropped.len() <= 1);
        (self.score(id), dropped.first().copied())
    }

    /// Returns the numbered lines. Scores tie if their keys are equal.
    fn numbered_by<K: Ord>(&self, ties: Ties, key: impl Fn(S) -> K) -> Vec<(usize, Id, S)> {
        let sorted = self.sorted();
        let number = |rank: usize, score: S| {
            let mut higher: Vec<_> = sorted.iter().map(|line| key(line.1)).collect();
            higher.retain(|other| *other > key(score));
            match ties {
                Ties::Ordinal => return 1 + rank,
                Ties::Competition => {}
                Ties::Dense => higher.dedup(),
            }
            1 + higher.len()
        };
        (0..).zip(&sorted).map(|(rank, &(id, score))| (number(rank, score), id, score)).collect()
    }

    fn numbered(&self, ties: Ties) -> Vec<(usize, Id, S)> {
        self.numbered_by(ties, |score| score)
    }

    fn number(&self, id: Id, ties: Ties) -> Option<usize> {
        self.numbered(ties).into_iter().find(|line| line.1 == id).map(|line| line.0)
    }
}

const TIES: [Ties; 3] = [Ties::Dense, Ties::Competition, Ties::Ordinal];

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}
