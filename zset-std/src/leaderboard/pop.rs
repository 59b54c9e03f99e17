//! Removing the best member.

use core::hash::Hash;

use super::Leaderboard;

impl<Id: Ord + Hash, S: Ord + Copy, K> Leaderboard<Id, S, K> {
    /// Removes and returns the first member, which has the highest score. **O(log n)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut board = zset_std::Leaderboard::from([("ann", 7), ("bob", 9)]);
    /// assert_eq!(board.pop(), Some(("bob", 9)));
    /// assert_eq!(board.pop(), Some(("ann", 7)));
    /// assert_eq!(board.pop(), None);
    /// ```
    pub fn pop(&mut self) -> Option<(Id, S)> {
        self.ranking.pop_first()
    }
}
