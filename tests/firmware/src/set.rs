//! The trait [`Set`], with the methods that all tested sets share. Members and scores are numbers.

use core::ops::Range;

use zset_core::fixed_sorted_set::SlotNumber;
use zset_core::redis::listpack::Storage;
use zset_core::{FixedSortedSet, PackedZSet, Score, TryReserveError};

/// A set of members below 2^24.
pub trait Set {
    fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, TryReserveError>;
    fn remove(&mut self, member: u32) -> Option<u32>;
    fn pop_first(&mut self) -> Option<(u32, u32)>;
    fn pop_last(&mut self) -> Option<(u32, u32)>;
    fn remove_range_by_score(&mut self, scores: Range<u32>) -> usize;
    fn clear(&mut self);
    fn len(&self) -> usize;
    fn score(&self, member: u32) -> Option<u32>;
    fn rank(&self, member: u32) -> Option<usize>;
    fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)>;
    fn count_by_score(&self, scores: Range<u32>) -> usize;
    fn range_by_score(&self, scores: Range<u32>, visit: &mut dyn FnMut(u32, u32));
    fn for_each(&self, visit: &mut dyn FnMut(u32, u32));
    /// Panics if an invariant is violated.
    fn check(&self);
}

/// Forwards each method to the type's own method of the same name.
///
/// `key` and `to` convert a member and a score to those of the type. `element` converts an element
/// back, and `from` the result of an insertion or removal. The other arguments are the methods
/// whose signatures differ between types.
macro_rules! forward {
    (
        key: $key:expr, to: $to:expr, element: $element:expr, from: $from:expr,
        insert: $insert:expr, pop_first: $pop_first:expr, pop_last: $pop_last:expr
    ) => {
        fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, TryReserveError> {
            Ok($insert(self, $key(member), $to(score))?.map($from))
        }

        fn remove(&mut self, member: u32) -> Option<u32> {
            self.remove(&$key(member)).map($from)
        }

        fn pop_first(&mut self) -> Option<(u32, u32)> {
            $pop_first(self)
        }

        fn pop_last(&mut self) -> Option<(u32, u32)> {
            $pop_last(self)
        }

        fn remove_range_by_score(&mut self, scores: Range<u32>) -> usize {
            self.remove_range_by_score($to(scores.start)..$to(scores.end))
        }

        fn clear(&mut self) {
            self.clear();
        }

        fn len(&self) -> usize {
            self.len()
        }

        fn score(&self, member: u32) -> Option<u32> {
            self.score(&$key(member)).map(number)
        }

        fn rank(&self, member: u32) -> Option<usize> {
            self.rank(&$key(member))
        }

        fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)> {
            self.get_by_rank(rank).map($element)
        }

        fn count_by_score(&self, scores: Range<u32>) -> usize {
            self.count_by_score($to(scores.start)..$to(scores.end))
        }

        fn range_by_score(&self, scores: Range<u32>, visit: &mut dyn FnMut(u32, u32)) {
            let range = self.range_by_score($to(scores.start)..$to(scores.end));
            range.map($element).for_each(|(member, score)| visit(member, score));
        }

        fn for_each(&self, visit: &mut dyn FnMut(u32, u32)) {
            self.iter().map($element).for_each(|(member, score)| visit(member, score));
        }

        fn check(&self) {
            self.check();
        }
    };
}

/// Converts a number, or a reference to one.
fn number(score: impl Number) -> u32 {
    score.number()
}

trait Number {
    fn number(&self) -> u32;
}

impl Number for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

impl Number for Score {
    fn number(&self) -> u32 {
        self.get() as u32
    }
}

impl<N: Number> Number for &N {
    fn number(&self) -> u32 {
        (*self).number()
    }
}

fn pair((member, score): (impl Number, impl Number)) -> (u32, u32) {
    (member.number(), score.number())
}

impl<const N: usize, I: SlotNumber> Set for FixedSortedSet<u32, u32, N, I> {
    forward! {
        key: u32::from, to: u32::from, element: pair, from: number,
        insert: |set: &mut Self, member, score| {
            set.try_insert(member, score).map_err(|_| TryReserveError::BufferFull)
        },
        pop_first: |set: &mut Self| set.pop_first().map(pair),
        pop_last: |set: &mut Self| set.pop_last().map(pair)
    }
}

/// Converts a number to a member of a set of byte strings. The order is preserved. The first byte
/// is a letter, so no member is encoded as an integer.
pub fn bytes(member: u32) -> [u8; 4] {
    (u32::from(b'm') << 24 | member).to_be_bytes()
}

/// Converts an element of a set of byte strings to numbers.
fn text((member, score): (impl AsRef<[u8]>, impl Number)) -> (u32, u32) {
    let member = member.as_ref().try_into().map(u32::from_be_bytes).expect("it has four bytes");
    (member & 0x00FF_FFFF, score.number())
}

impl<B: Storage> Set for PackedZSet<B> {
    forward! {
        key: bytes, to: Score::from, element: text, from: number,
        insert: |set: &mut Self, member, score| set.try_insert(member, score),
        pop_first: |set: &mut Self| set.pop_first_with(|member, score| text((member, score))),
        pop_last: |set: &mut Self| set.pop_last_with(|member, score| text((member, score)))
    }
}

#[cfg(feature = "heap")]
mod heap {
    use core::hash::BuildHasher;
    use zset_core::{SortedMap, SortedSet, ZSet};

    use super::*;

    impl<H: BuildHasher> Set for SortedSet<u32, u32, H> {
        forward! {
            key: u32::from, to: u32::from, element: pair, from: number,
            insert: |set: &mut Self, member, score| set.try_insert(member, score),
            pop_first: |set: &mut Self| set.pop_first().map(pair),
            pop_last: |set: &mut Self| set.pop_last().map(pair)
        }
    }

    /// Converts an element of a map, whose value must be twice the member.
    fn triple((member, value, score): (impl Number, impl Number, impl Number)) -> (u32, u32) {
        assert_eq!(value.number(), 2 * member.number());
        (member.number(), score.number())
    }

    impl Set for SortedMap<u32, u32, u32> {
        forward! {
            key: u32::from, to: u32::from, element: triple, from: |(_, score)| score,
            insert: |set: &mut Self, member, score| set.try_insert(member, 2 * member, score),
            pop_first: |set: &mut Self| set.pop_first().map(triple),
            pop_last: |set: &mut Self| set.pop_last().map(triple)
        }
    }

    impl Set for ZSet {
        forward! {
            key: bytes, to: Score::from, element: text, from: number,
            insert: |set: &mut Self, member, score| set.try_insert(member, score),
            pop_first: |set: &mut Self| set.pop_first().map(text),
            pop_last: |set: &mut Self| set.pop_last().map(text)
        }
    }
}
