//! The subject: `zset_std::Leaderboard`.

use zset_std::leaderboard::Standings;
use zset_std::{Leaderboard, Ties};

use crate::uses::boards::Board;

/// `zset_std::Leaderboard<u64, u64>`.
pub struct ZsetBoard(Leaderboard<u64, u64>);

#[inline]
fn visit(lines: Standings<'_, u64, u64>, mut each: impl FnMut(usize, u64, u64)) {
    for line in lines {
        each(line.number, *line.member, line.score);
    }
}

impl Board for ZsetBoard {
    const NAME: &'static str = "zset";

    fn load(members: &[(u64, u64)]) -> Self {
        let mut board = Leaderboard::new();
        for &(member, score) in members {
            board.submit(member, score);
        }
        ZsetBoard(board)
    }

    #[inline]
    fn submit(&mut self, member: u64, score: u64) -> bool {
        self.0.submit(member, score).is_changed()
    }

    #[inline]
    fn standing(&self, member: u64) -> Option<usize> {
        self.0.standing(&member, Ties::Competition)
    }

    #[inline]
    fn page(&self, offset: usize, n: usize, each: impl FnMut(usize, u64, u64)) {
        visit(self.0.page(offset, n), each);
    }

    #[inline]
    fn around(&self, member: u64, n: usize, each: impl FnMut(usize, u64, u64)) {
        if let Some(lines) = self.0.around(&member, n) {
            visit(lines, each);
        }
    }
}
