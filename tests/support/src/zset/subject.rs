//! The kinds of sets under test.

use std::fmt::Debug;
use std::ops::Bound;
use zset_core::redis::listpack::Storage;
use zset_core::redis::packed_zset::Iter as PackedIter;
use zset_core::redis::zset;
use zset_core::redis::{AddOptions, Added};
use zset_core::{
    Encoding, IncrementError, Listpack, Member, NanScore, PackedZSet, Score, TryReserveError, ZSet,
};

use super::Element;
use crate::Bounds;

/// The error of a write.
pub type WriteError = IncrementError<NanScore>;

pub type LexBounds<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>);

/// The methods that every kind of set has.
pub trait Subject: Clone + Debug + PartialEq {
    type Iter<'a>: DoubleEndedIterator<Item = (Member<'a>, Score)> + ExactSizeIterator + Clone
    where
        Self: 'a;

    fn add(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<Added, WriteError>;
    fn insert(&mut self, member: &[u8], score: Score) -> Result<Option<Score>, TryReserveError>;
    fn increment(&mut self, member: &[u8], by: f64) -> Result<Score, WriteError>;
    fn update(
        &mut self,
        member: &[u8],
        new_score: impl FnOnce(Score) -> Score,
    ) -> Result<Option<Score>, TryReserveError>;
    fn pop_first(&mut self) -> Option<Element>;
    fn pop_last(&mut self) -> Option<Element>;
    /// Returns the set as a `ZSet`, for methods that only a `ZSet` has.
    fn as_zset(&mut self) -> Option<&mut ZSet>;
    fn encoding(&self) -> Encoding;
    /// Returns the bytes of a set that is a listpack.
    fn bytes(&self) -> Option<&[u8]>;

    fn remove(&mut self, member: &[u8]) -> Option<Score>;
    fn remove_range_by_rank(&mut self, range: Bounds<usize>) -> usize;
    fn remove_range_by_score(&mut self, range: Bounds<Score>) -> usize;
    fn remove_range_by_lex(&mut self, range: LexBounds<'_>) -> usize;
    fn retain(&mut self, keep: impl FnMut(&[u8], Score) -> bool);
    fn clear(&mut self);
    fn len(&self) -> usize;
    fn is_empty(&self) -> bool;
    fn score(&self, member: &[u8]) -> Option<Score>;
    fn contains(&self, member: &[u8]) -> bool;
    fn rank(&self, member: &[u8]) -> Option<usize>;
    fn rev_rank(&self, member: &[u8]) -> Option<usize>;
    fn first(&self) -> Option<(Member<'_>, Score)>;
    fn last(&self) -> Option<(Member<'_>, Score)>;
    fn get_by_rank(&self, rank: usize) -> Option<(Member<'_>, Score)>;
    fn iter(&self) -> Self::Iter<'_>;
    fn range_by_rank(&self, range: Bounds<usize>) -> Self::Iter<'_>;
    fn range_by_score(&self, range: Bounds<Score>) -> Self::Iter<'_>;
    fn range_by_lex(&self, range: LexBounds<'_>) -> Self::Iter<'_>;
    fn range_by_member(&self, score: Score, range: LexBounds<'_>) -> Self::Iter<'_>;
    fn count_by_score(&self, range: Bounds<Score>) -> usize;
    fn count_by_lex(&self, range: LexBounds<'_>) -> usize;
    fn check(&self);
}

/// Forwards methods whose name, arguments and result are the same in every type.
macro_rules! pass_on {
    ($(fn $name:ident(&self $(, $arg:ident: $type:ty)*) -> $answer:ty;)*) => {$(
        fn $name(&self $(, $arg: $type)*) -> $answer {
            self.$name($($arg),*)
        }
    )*};
    (mut $(fn $name:ident(&mut self $(, $arg:ident: $type:ty)*) -> $answer:ty;)*) => {$(
        fn $name(&mut self $(, $arg: $type)*) -> $answer {
            self.$name($($arg),*)
        }
    )*};
}

/// Forwards all methods that both kinds of sets have.
macro_rules! pass_on_all {
    () => {
        pass_on! {
            fn len(&self) -> usize;
            fn is_empty(&self) -> bool;
            fn score(&self, member: &[u8]) -> Option<Score>;
            fn contains(&self, member: &[u8]) -> bool;
            fn rank(&self, member: &[u8]) -> Option<usize>;
            fn rev_rank(&self, member: &[u8]) -> Option<usize>;
            fn first(&self) -> Option<(Member<'_>, Score)>;
            fn last(&self) -> Option<(Member<'_>, Score)>;
            fn get_by_rank(&self, rank: usize) -> Option<(Member<'_>, Score)>;
            fn iter(&self) -> Self::Iter<'_>;
            fn range_by_rank(&self, range: Bounds<usize>) -> Self::Iter<'_>;
            fn range_by_score(&self, range: Bounds<Score>) -> Self::Iter<'_>;
            fn range_by_lex(&self, range: LexBounds<'_>) -> Self::Iter<'_>;
            fn range_by_member(&self, score: Score, range: LexBounds<'_>) -> Self::Iter<'_>;
            fn count_by_score(&self, range: Bounds<Score>) -> usize;
            fn count_by_lex(&self, range: LexBounds<'_>) -> usize;
            fn check(&self) -> ();
        }
        pass_on! {
            mut
            fn remove(&mut self, member: &[u8]) -> Option<Score>;
            fn remove_range_by_rank(&mut self, range: Bounds<usize>) -> usize;
            fn remove_range_by_score(&mut self, range: Bounds<Score>) -> usize;
            fn remove_range_by_lex(&mut self, range: LexBounds<'_>) -> usize;
            fn retain(&mut self, keep: impl FnMut(&[u8], Score) -> bool) -> ();
            fn clear(&mut self) -> ();
        }
    };
}

impl Subject for ZSet {
    type Iter<'a> = zset::Iter<'a>;

    pass_on_all!();

    fn add(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<Added, WriteError> {
        let mut other = self.clone();
        let added = self.try_add(member, score, options);
        assert_eq!(other.add(member, score, options).map_err(WriteError::Score), added);
        assert_eq!((&other, other.encoding()), (&*self, self.encoding()));
        added
    }

    fn insert(&mut self, member: &[u8], score: Score) -> Result<Option<Score>, TryReserveError> {
        let mut other = self.clone();
        let old = self.try_insert(member, score);
        assert_eq!(Ok(other.insert(member, score)), old);
        assert_eq!((&other, other.encoding()), (&*self, self.encoding()));
        old
    }

    fn increment(&mut self, member: &[u8], by: f64) -> Result<Score, WriteError> {
        self.increment(member, by).map_err(WriteError::Score)
    }

    fn update(
        &mut self,
        member: &[u8],
        new_score: impl FnOnce(Score) -> Score,
    ) -> Result<Option<Score>, TryReserveError> {
        Ok(self.update(member, new_score))
    }

    fn pop_first(&mut self) -> Option<Element> {
        self.pop_first().map(|(member, score)| (member.into(), score.get()))
    }

    fn pop_last(&mut self) -> Option<Element> {
        self.pop_last().map(|(member, score)| (member.into(), score.get()))
    }

    fn as_zset(&mut self) -> Option<&mut ZSet> {
        Some(self)
    }

    fn encoding(&self) -> Encoding {
        self.encoding()
    }

    fn bytes(&self) -> Option<&[u8]> {
        self.as_listpack().map(Listpack::as_bytes)
    }
}

impl<B: Storage + Clone> Subject for PackedZSet<B> {
    type Iter<'a>
        = PackedIter<'a>
    where
        B: 'a;

    pass_on_all!();

    fn add(
        &mut self,
        member: &[u8],
        score: Score,
        options: AddOptions,
    ) -> Result<Added, WriteError> {
        self.try_add(member, score, options)
    }

    fn insert(&mut self, member: &[u8], score: Score) -> Result<Option<Score>, TryReserveError> {
        self.try_insert(member, score)
    }

    fn increment(&mut self, member: &[u8], by: f64) -> Result<Score, WriteError> {
        self.try_increment(member, by)
    }

    fn update(
        &mut self,
        member: &[u8],
        new_score: impl FnOnce(Score) -> Score,
    ) -> Result<Option<Score>, TryReserveError> {
        self.try_update(member, new_score)
    }

    fn pop_first(&mut self) -> Option<Element> {
        self.pop_first_with(|member, score| (member.to_vec(), score.get()))
    }

    fn pop_last(&mut self) -> Option<Element> {
        self.pop_last_with(|member, score| (member.to_vec(), score.get()))
    }

    fn as_zset(&mut self) -> Option<&mut ZSet> {
        None
    }

    fn encoding(&self) -> Encoding {
        Encoding::Listpack
    }

    fn bytes(&self) -> Option<&[u8]> {
        Some(self.as_listpack().as_bytes())
    }
}
