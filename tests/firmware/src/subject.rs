//! The kinds of sets under test.

use core::fmt::Write;
use zset_core::fixed_sorted_set::SlotNumber;
use zset_core::{FixedSortedSet, PackedZSet, Score};

/// The error of an insertion for lack of memory.
#[derive(Debug, PartialEq)]
pub struct Full;

/// The methods that every kind of set has.
pub trait Subject {
    fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, Full>;
    fn remove(&mut self, member: u32) -> Option<u32>;
    fn pop_first(&mut self) -> Option<(u32, u32)>;
    fn pop_last(&mut self) -> Option<(u32, u32)>;
    fn clear(&mut self);
    fn len(&self) -> usize;
    fn score(&self, member: u32) -> Option<u32>;
    fn rank(&self, member: u32) -> Option<usize>;
    fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)>;
    fn count_by_score(&self, from: u32, to: u32) -> usize;
    fn for_each(&self, visit: &mut dyn FnMut(u32, u32));
    /// Panics if an invariant is violated.
    fn check(&self);
}

/// Converts a member to the set's member type, which must be able to hold it.
fn narrow<T: TryFrom<u32>>(member: u32) -> T {
    T::try_from(member).ok().expect("the members of the test fit")
}

/// Forwards all methods to a typed set with members of this type, whose methods have the same
/// names.
macro_rules! forward {
    ($member:ty) => {
        fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, Full> {
            self.try_insert(narrow::<$member>(member), score).map_err(|_| Full)
        }

        fn remove(&mut self, member: u32) -> Option<u32> {
            self.remove(&narrow::<$member>(member))
        }

        fn pop_first(&mut self) -> Option<(u32, u32)> {
            self.pop_first().map(|(member, score)| (member.into(), score))
        }

        fn pop_last(&mut self) -> Option<(u32, u32)> {
            self.pop_last().map(|(member, score)| (member.into(), score))
        }

        fn clear(&mut self) {
            self.clear();
        }

        fn len(&self) -> usize {
            self.len()
        }

        fn score(&self, member: u32) -> Option<u32> {
            self.score(&narrow::<$member>(member))
        }

        fn rank(&self, member: u32) -> Option<usize> {
            self.rank(&narrow::<$member>(member))
        }

        fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)> {
            self.get_by_rank(rank).map(|(member, score)| ((*member).into(), score))
        }

        fn count_by_score(&self, from: u32, to: u32) -> usize {
            self.count_by_score(from..to)
        }

        fn for_each(&self, visit: &mut dyn FnMut(u32, u32)) {
            self.iter().for_each(|(member, score)| visit((*member).into(), score));
        }

        fn check(&self) {
            self.check();
        }
    };
}

impl<const N: usize, I: SlotNumber> Subject for FixedSortedSet<u16, u32, N, I> {
    forward!(u16);
}

/// A member of a set of byte strings: a letter and six digits, so strings and numbers have the same
/// order.
struct Text {
    bytes: [u8; 7],
    len: usize,
}

impl Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        self.bytes[self.len..][..text.len()].copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}

impl AsRef<[u8]> for Text {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

fn text(member: u32) -> Text {
    let mut text = Text { bytes: [0; 7], len: 0 };
    write!(text, "m{member:06}").expect("it has seven characters");
    text
}

fn number(text: &[u8]) -> u32 {
    text[1..].iter().fold(0, |number, digit| 10 * number + u32::from(digit - b'0'))
}

fn whole(score: Score) -> u32 {
    score.get() as u32
}

impl<B: zset_core::listpack::Storage> Subject for PackedZSet<B> {
    fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, Full> {
        let old = self.try_insert(text(member), Score::from(score)).map_err(|_| Full)?;
        Ok(old.map(whole))
    }

    fn remove(&mut self, member: u32) -> Option<u32> {
        self.remove(text(member)).map(whole)
    }

    fn pop_first(&mut self) -> Option<(u32, u32)> {
        self.pop_first_with(|member, score| (number(member), whole(score)))
    }

    fn pop_last(&mut self) -> Option<(u32, u32)> {
        self.pop_last_with(|member, score| (number(member), whole(score)))
    }

    fn clear(&mut self) {
        self.clear();
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn score(&self, member: u32) -> Option<u32> {
        self.score(text(member)).map(whole)
    }

    fn rank(&self, member: u32) -> Option<usize> {
        self.rank(text(member))
    }

    fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)> {
        self.get_by_rank(rank).map(|(member, score)| (number(&member), whole(score)))
    }

    fn count_by_score(&self, from: u32, to: u32) -> usize {
        self.count_by_score(Score::from(from)..Score::from(to))
    }

    fn for_each(&self, visit: &mut dyn FnMut(u32, u32)) {
        self.iter().for_each(|(member, score)| visit(number(&member), whole(score)));
    }

    fn check(&self) {}
}

#[cfg(feature = "heap")]
mod heap {
    use zset_core::{SortedMap, SortedSet, ZSet};

    use super::*;

    impl Subject for SortedSet<u32, u32> {
        forward!(u32);
    }

    /// The value of each member is twice the member.
    impl Subject for SortedMap<u32, u32, u32> {
        fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, Full> {
            let old = self.try_insert(member, 2 * member, score).map_err(|_| Full)?;
            Ok(old.map(|(value, score)| {
                assert_eq!(value, 2 * member);
                score
            }))
        }

        fn remove(&mut self, member: u32) -> Option<u32> {
            self.remove(&member).map(|(_, score)| score)
        }

        fn pop_first(&mut self) -> Option<(u32, u32)> {
            self.pop_first().map(|(member, _, score)| (member, score))
        }

        fn pop_last(&mut self) -> Option<(u32, u32)> {
            self.pop_last().map(|(member, _, score)| (member, score))
        }

        fn clear(&mut self) {
            self.clear();
        }

        fn len(&self) -> usize {
            self.len()
        }

        fn score(&self, member: u32) -> Option<u32> {
            self.score(&member)
        }

        fn rank(&self, member: u32) -> Option<usize> {
            self.rank(&member)
        }

        fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)> {
            let (member, value, score) = self.get_by_rank(rank)?;
            assert_eq!(*value, 2 * *member);
            Some((*member, score))
        }

        fn count_by_score(&self, from: u32, to: u32) -> usize {
            self.count_by_score(from..to)
        }

        fn for_each(&self, visit: &mut dyn FnMut(u32, u32)) {
            self.iter().for_each(|(member, _, score)| visit(*member, score));
        }

        fn check(&self) {
            self.check();
        }
    }

    impl Subject for ZSet {
        fn try_insert(&mut self, member: u32, score: u32) -> Result<Option<u32>, Full> {
            let old = self.try_insert(text(member), Score::from(score)).map_err(|_| Full)?;
            Ok(old.map(whole))
        }

        fn remove(&mut self, member: u32) -> Option<u32> {
            self.remove(text(member)).map(whole)
        }

        fn pop_first(&mut self) -> Option<(u32, u32)> {
            self.pop_first().map(|(member, score)| (number(&member), whole(score)))
        }

        fn pop_last(&mut self) -> Option<(u32, u32)> {
            self.pop_last().map(|(member, score)| (number(&member), whole(score)))
        }

        fn clear(&mut self) {
            self.clear();
        }

        fn len(&self) -> usize {
            self.len()
        }

        fn score(&self, member: u32) -> Option<u32> {
            self.score(text(member)).map(whole)
        }

        fn rank(&self, member: u32) -> Option<usize> {
            self.rank(text(member))
        }

        fn get_by_rank(&self, rank: usize) -> Option<(u32, u32)> {
            self.get_by_rank(rank).map(|(member, score)| (number(&member), whole(score)))
        }

        fn count_by_score(&self, from: u32, to: u32) -> usize {
            self.count_by_score(Score::from(from)..Score::from(to))
        }

        fn for_each(&self, visit: &mut dyn FnMut(u32, u32)) {
            self.iter().for_each(|(member, score)| visit(number(&member), whole(score)));
        }

        fn check(&self) {
            self.check();
        }
    }
}
