//! Merging: combining the scores of a member across the kept buckets.
//!
//! The result depends only on the buckets. Scores are combined from the newest bucket to the
//! oldest. A score that does not combine with its newer neighbour waits until it has been combined
//! with older scores. For integers, this misses no valid sum: two neighbours with opposite signs
//! always have a valid sum, and if all scores have the same sign, every partial sum of a valid sum
//! is valid too.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::Hash;

use super::WindowedLeaderboard;
use crate::{Leaderboard, Policy};

/// The merged score of a member.
pub(super) struct Merged<S> {
    pub(super) score: S,
    /// Whether the member has older scores that do not combine with the others, and so do not
    /// count.
    pub(super) is_partial: bool,
}

/// The combination of as many of a member's newest scores as combine.
struct Combined<S, E> {
    score: S,
    /// The oldest bucket that counts.
    since: u64,
    /// The error that ended the combination, if some older buckets do not count.
    error: Option<E>,
}

impl<S: Clone, E> Combined<S, E> {
    /// Combines scores, each with its bucket number, from the newest to the oldest.
    fn of<'a, K>(newest: (u64, S), older: impl Iterator<Item = (u64, &'a S)>) -> Self
    where
        S: 'a,
        K: Policy<S, Error = E>,
    {
        let whole = |(since, score)| Combined { score, since, error: None };
        let mut newer = whole(newest);
        // The scores that are older than those in `newer` and do not combine with them yet, from
        // the newest to the oldest. No two neighbours in this list combine.
        let mut waiting: Vec<S> = Vec::new();
        for (bucket, score) in older {
            let mut score = score.clone();
            loop {
                match K::combine(&score, waiting.last().unwrap_or(&newer.score).clone()) {
                    Ok(combined) => score = combined,
                    Err(error) => {
                        newer.error = Some(error);
                        waiting.push(score);
                        break;
                    }
                }
                if waiting.pop().is_none() {
                    newer = whole((bucket, score));
                    break;
                }
            }
        }
        newer
    }

    fn into_merged(self) -> Merged<S> {
        Merged { score: self.score, is_partial: self.error.is_some() }
    }
}

impl<Id: Ord + Hash, S: Ord + Clone, K: Policy<S>> WindowedLeaderboard<Id, S, K> {
    /// Returns the merged score that a member would have after a submission. **O(1)** expected if
    /// the policy is exact, all buckets of all members count and nothing fails, otherwise **O(k)**
    /// for k boards.
    ///
    /// Returns an error if the new score does not combine with the one in the newest bucket, or if
    /// a bucket that counts would no longer count.
    pub(super) fn merged_after(&self, member: &Id, score: &S) -> Result<Merged<S>, K::Error> {
        let Some(merged) = self.merged.score(member) else {
            return Ok(Merged { score: score.clone(), is_partial: false });
        };
        if K::IS_EXACT && !self.is_partial {
            // A shortcut with the same result as the code below. The merged score combines all
            // scores of the member. If it combines with the new score, all scores combine with it,
            // in any grouping, since the policy is exact. So the result is the same as if the new
            // score were first combined with the score in the newest bucket.
            if let Ok(score) = K::combine(merged, score.clone()) {
                return Ok(Merged { score, is_partial: false });
            }
        }
        let number = self.number();
        let mut older = scores(&self.boards, self.oldest(), member).peekable();
        let new = match older.next_if(|&(bucket, _)| bucket == number) {
            Some((_, old)) => K::combine(old, score.clone())?,
            None => score.clone(),
        };
        let after = Combined::of::<K>((number, new), older);
        match after.error {
            Some(error) if self.combined(member).is_some_and(|now| now.since < after.since) => {
                Err(error)
            }
            error => Ok(Combined { error, ..after }.into_merged()),
        }
    }

    /// Recomputes the merged score of a member, or removes it if no bucket has it.
    pub(super) fn merge(&mut self, member: &Id)
    where
        Id: Clone,
    {
        match self.combined(member) {
            Some(combined) => self.set_merged(member.clone(), combined.into_merged()),
            None => _ = self.merged.remove(member),
        }
    }

    /// Recomputes the merged board.
    pub(super) fn merge_all(&mut self)
    where
        Id: Clone,
    {
        self.merged.clear();
        self.is_partial = false;
        let oldest = self.oldest();
        for (member, _) in self.boards.range(oldest..).flat_map(|(_, board)| board) {
            if self.merged.contains(member) {
                continue;
            }
            if let Some(combined) = combined::<_, _, K>(&self.boards, oldest, member) {
                let Merged { score, is_partial } = combined.into_merged();
                self.is_partial |= is_partial;
                self.merged.set_score(member.clone(), score);
            }
        }
    }

    pub(super) fn set_merged(&mut self, member: Id, merged: Merged<S>) {
        self.is_partial |= merged.is_partial;
        self.merged.set_score(member, merged.score);
    }

    fn combined(&self, member: &Id) -> Option<Combined<S, K::Error>> {
        combined::<_, _, K>(&self.boards, self.oldest(), member)
    }

    /// Panics with a description of the first broken invariant. For tests: **O(n k)**.
    #[doc(hidden)]
    pub fn check_invariants(&self) {
        let (oldest, number) = (self.oldest(), self.number());
        for (bucket, board) in &self.boards {
            board.check_invariants();
            assert!((oldest..=number).contains(bucket), "a bucket is too old");
            assert!(!board.is_empty(), "a board is empty");
            assert!(
                board.iter().all(|(member, _)| self.merged.contains(member)),
                "a member is not merged"
            );
        }
        self.merged.check_invariants();
        for (member, merged) in &self.merged {
            let Some(Combined { score, error, .. }) = self.combined(member) else {
                panic!("a merged member is in no bucket");
            };
            assert!(score == *merged, "a merged score differs from its buckets");
            assert!(error.is_none() || self.is_partial, "a bucket does not count");
        }
        assert!(self.empty.is_empty(), "the initial board is not empty");
    }
}

/// Combines the scores of a member in the boards from bucket `oldest` on. **O(k)** expected for k
/// boards.
fn combined<Id, S, K>(
    boards: &BTreeMap<u64, Leaderboard<Id, S, K>>,
    oldest: u64,
    member: &Id,
) -> Option<Combined<S, K::Error>>
where
    Id: Ord + Hash,
    S: Ord + Clone,
    K: Policy<S>,
{
    let mut scores = scores(boards, oldest, member);
    let (newest, score) = scores.next()?;
    Some(Combined::of::<K>((newest, score.clone()), scores))
}

/// Returns the scores of a member with their bucket numbers, from the newest to the oldest.
fn scores<'a, Id: Hash + Eq, S, K>(
    boards: &'a BTreeMap<u64, Leaderboard<Id, S, K>>,
    oldest: u64,
    member: &Id,
) -> impl Iterator<Item = (u64, &'a S)> {
    let boards = boards.range(oldest..).rev();
    boards.filter_map(move |(&bucket, board)| Some((bucket, board.score(member)?)))
}
