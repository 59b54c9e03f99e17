//! The measured operations, under one name for all types. None is inlined, so a measured call has
//! its frame.

use zset_core::{FixedSortedSet, PackedZSet, Score, SortedSet, ZSet};

/// A set to measure. Members are below 2^24. Results of calls are passed to
/// [`output`](crate::output).
pub trait Subject: Sized + 'static {
    fn insert(&mut self, member: u32, score: u32);
    fn remove(&mut self, member: u32);
    fn score(&mut self, member: u32);
    fn rank(&mut self, member: u32);
    fn select(&mut self, rank: u32);
    fn range(&mut self, from: u32, to: u32);
    fn pop(&mut self);
    fn remove_range(&mut self, from: u32, to: u32);
    fn len(&self) -> usize;
    /// An insertion with a fractional score, if the type has such scores.
    const INSERT_FRACTION: Option<fn(&mut Self, member: u32, score: u32)> = None;
}

/// The score of a member: numbers below 2^20 in a scattered order.
pub fn scatter(member: u32) -> u32 {
    member.wrapping_mul(0x9E37_79B9) >> 12
}

/// Removes all elements.
pub fn empty(set: &mut impl Subject) {
    while set.len() > 0 {
        set.pop();
    }
}

/// A sum over all elements of an iterator.
pub(crate) fn show(items: impl Iterator<Item = u32>) {
    crate::output(items.fold(0, u32::wrapping_add));
}

macro_rules! typed {
    () => {
        #[inline(never)]
        fn insert(&mut self, member: u32, score: u32) {
            show(self.try_insert(member, score).expect("there is room").into_iter());
        }

        #[inline(never)]
        fn remove(&mut self, member: u32) {
            show(self.remove(&member).into_iter());
        }

        #[inline(never)]
        fn score(&mut self, member: u32) {
            show(Self::score(self, &member).into_iter());
        }

        #[inline(never)]
        fn rank(&mut self, member: u32) {
            show(Self::rank(self, &member).into_iter().map(|rank| rank as u32));
        }

        #[inline(never)]
        fn select(&mut self, rank: u32) {
            show(self.get_by_rank(rank as usize).into_iter().map(|(member, _)| *member));
        }

        #[inline(never)]
        fn range(&mut self, from: u32, to: u32) {
            show(self.range_by_score(from..to).map(|(member, _)| *member));
        }

        #[inline(never)]
        fn pop(&mut self) {
            show(self.pop_first().into_iter().map(|(member, _)| member));
        }

        #[inline(never)]
        fn remove_range(&mut self, from: u32, to: u32) {
            show([self.remove_range_by_score(from..to) as u32].into_iter());
        }

        fn len(&self) -> usize {
            self.len()
        }
    };
}

impl<const N: usize> Subject for FixedSortedSet<u32, u32, N> {
    typed!();
}

impl Subject for SortedSet<u32, u32> {
    typed!();
}

/// The bytes of a member. The first is a letter, so no member is an integer.
pub(crate) fn bytes(member: u32) -> [u8; 4] {
    (u32::from(b'm') << 24 | member).to_be_bytes()
}

fn bits(score: Score) -> u32 {
    score.get() as u32
}

macro_rules! byte_strings {
    ($pop:expr) => {
        #[inline(never)]
        fn insert(&mut self, member: u32, score: u32) {
            let old = self.try_insert(bytes(member), Score::from(score));
            show(old.expect("there is room").into_iter().map(bits));
        }

        const INSERT_FRACTION: Option<fn(&mut Self, u32, u32)> = Some(|set, member, score| {
            let score = Score::new(f64::from(score) / 7.0).expect("not NaN");
            let old = set.try_insert(bytes(member), score);
            show(old.expect("there is room").into_iter().map(bits));
        });

        #[inline(never)]
        fn remove(&mut self, member: u32) {
            show(self.remove(bytes(member)).into_iter().map(bits));
        }

        #[inline(never)]
        fn score(&mut self, member: u32) {
            show(Self::score(self, bytes(member)).into_iter().map(bits));
        }

        #[inline(never)]
        fn rank(&mut self, member: u32) {
            show(Self::rank(self, bytes(member)).into_iter().map(|rank| rank as u32));
        }

        #[inline(never)]
        fn select(&mut self, rank: u32) {
            show(self.get_by_rank(rank as usize).into_iter().map(|(member, _)| member[3].into()));
        }

        #[inline(never)]
        fn range(&mut self, from: u32, to: u32) {
            let range = Score::from(from)..Score::from(to);
            show(self.range_by_score(range).map(|(member, _)| member[3].into()));
        }

        #[inline(never)]
        fn pop(&mut self) {
            let pop: fn(&mut Self) -> Option<u32> = $pop;
            show(pop(self).into_iter());
        }

        #[inline(never)]
        fn remove_range(&mut self, from: u32, to: u32) {
            let range = Score::from(from)..Score::from(to);
            show([self.remove_range_by_score(range) as u32].into_iter());
        }

        fn len(&self) -> usize {
            self.len()
        }
    };
}

impl<const N: usize> Subject for PackedZSet<[u8; N]> {
    byte_strings!(|set| set.pop_first_with(|member, _| member[3].into()));
}

impl Subject for ZSet {
    byte_strings!(|set| set.pop_first().map(|(member, _)| member[3].into()));
}
