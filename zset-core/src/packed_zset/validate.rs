//! Validating a listpack as a sorted set.

use core::error::Error;
use core::fmt;

use super::{PackedZSet, pair_at, try_score_of};
use crate::listpack::{HEADER, Storage, Value, find};
use crate::{Listpack, Member, ParseScoreError, Score};

/// The error returned for a listpack that is not a sorted set.
///
/// # Examples
///
/// ```
/// use zset_core::packed_zset::PackedZSetError;
/// use zset_core::{Listpack, PackedZSet};
///
/// let mut list = Listpack::with_storage([0; 64])?;
/// list.try_push_back("ann")?; // without a score
/// assert_eq!(PackedZSet::from_listpack(list).unwrap_err(), PackedZSetError::OddLength);
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackedZSetError {
    /// The last member has no score.
    OddLength,
    /// The score of the element at this 0-based rank is not a number.
    Score {
        /// The rank.
        rank: usize,
    },
    /// The score of the element at this 0-based rank is NaN.
    Nan {
        /// The rank.
        rank: usize,
    },
    /// The member at this 0-based rank is the text of an integer, but stored as text.
    Text {
        /// The rank.
        rank: usize,
    },
    /// The element at this 0-based rank does not come after the previous one.
    NotAscending {
        /// The rank.
        rank: usize,
    },
    /// The member at this 0-based rank is a duplicate.
    DuplicateMember {
        /// The rank.
        rank: usize,
    },
}

impl fmt::Display for PackedZSetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackedZSetError::OddLength => f.write_str("last member has no score"),
            PackedZSetError::Score { rank } => write!(f, "score of element {rank} is not a number"),
            PackedZSetError::Nan { rank } => write!(f, "score of element {rank} is NaN"),
            PackedZSetError::Text { rank } => {
                write!(f, "member of element {rank} is an integer stored as text")
            }
            PackedZSetError::NotAscending { rank } => {
                write!(f, "element {rank} is out of order")
            }
            PackedZSetError::DuplicateMember { rank } => {
                write!(f, "member of element {rank} repeats an earlier one")
            }
        }
    }
}

impl Error for PackedZSetError {}

impl<B: Storage> PackedZSet<B> {
    /// Converts a listpack into a set, after validating it. **O(n^2)**.
    ///
    /// # Errors
    ///
    /// [`PackedZSetError`] for the first invalid element.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::packed_zset::PackedZSetError;
    /// use zset_core::{Listpack, PackedZSet, Score};
    ///
    /// let mut list = Listpack::with_storage([0; 64])?;
    /// for entry in ["b", "1", "a", "1"] {
    ///     list.try_push_back(entry)?;
    /// }
    /// let error = PackedZSet::from_listpack(list).unwrap_err();
    /// assert_eq!(error, PackedZSetError::NotAscending { rank: 1 });
    /// # Ok::<(), zset_core::TryReserveError>(())
    /// ```
    pub fn from_listpack(list: Listpack<B>) -> Result<Self, PackedZSetError> {
        validate(&list)?;
        Ok(PackedZSet { list })
    }

    /// Panics with a description if an invariant does not hold. For tests; **O(n^2)**.
    #[doc(hidden)]
    pub fn check(&self) {
        self.list.check();
        if let Err(error) = validate(&self.list) {
            panic!("{error}: {:?}", self.list);
        }
    }
}

/// Validates a listpack as a sorted set.
fn validate<B: Storage>(list: &Listpack<B>) -> Result<(), PackedZSetError> {
    let bytes = list.as_bytes();
    let mut at = HEADER;
    let mut before: Option<(Score, Member<'_>)> = None;
    let mut rank = 0;
    while at < list.end() {
        let (member, score, place) = pair_at(bytes, at).ok_or(PackedZSetError::OddLength)?;
        let score = try_score_of(score).map_err(|error| match error {
            ParseScoreError::Nan => PackedZSetError::Nan { rank },
            _ => PackedZSetError::Score { rank },
        })?;
        if matches!(member, Value::Bytes(text) if Value::of(text) != member) {
            return Err(PackedZSetError::Text { rank });
        }
        if find(bytes, member, 1) != Some((at, rank)) {
            return Err(PackedZSetError::DuplicateMember { rank });
        }
        let element = (score, Member::new(member));
        if before.is_some_and(|before| before >= element) {
            return Err(PackedZSetError::NotAscending { rank });
        }
        before = Some(element);
        at = place.behind;
        rank += 1;
    }
    Ok(())
}
