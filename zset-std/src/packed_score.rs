//! [`PackedScore`], a layout that packs several numbers into one `f64` score, and its errors.

use core::error::Error;
use core::fmt;

use zset_core::Score;

// Invariants: each size is at least 2, and the product of the sizes is at most `LARGEST`.

/// An `f64` represents every integer up to this one exactly.
const LARGEST: u64 = 1 << 53;

/// A layout that packs `N` fields into one `f64` score, for servers such as Redis.
///
/// Packed scores of one layout compare by the first field, then by the second, and so on.
///
/// # In process, use a tuple
///
/// A [`Leaderboard`](crate::Leaderboard) and a [`SortedSet`](zset_core::SortedSet) accept any score
/// type that is `Ord + Clone`. A tuple needs no layout and cannot be misinterpreted, and its fields
/// are bounded only by their types:
///
/// ```
/// use zset_std::{Latest, Leaderboard};
///
/// let mut medals = Leaderboard::with_policy(Latest);
/// medals.submit("A", (5, 15, 0)); // gold, silver, bronze
/// medals.submit("B", (50, 1, 0));
/// assert_eq!(medals.best(), Some((&"B", &(50, 1, 0))));
/// ```
///
/// # What goes wrong without a layout
///
/// Concatenated digits: 5 gold and 15 silver make 515, but 50 gold and 1 silver make 501.
///
/// ```
/// let score = |gold: u32, silver: u32| -> u32 { format!("{gold}{silver}").parse().unwrap() };
/// assert_eq!((score(5, 15), score(50, 1)), (515, 501));
/// assert!(score(5, 15) > score(50, 1)); // wrong: 5 gold before 50
/// ```
///
/// Silver as a decimal fraction: 15 silver make `.15`, but 2 silver make `.2`.
///
/// ```
/// let score = |gold: u32, silver: u32| -> f64 { format!("{gold}.{silver}").parse().unwrap() };
/// assert_eq!((score(5, 15), score(5, 2)), (5.15, 5.2));
/// assert!(score(5, 15) < score(5, 2)); // wrong: 2 silver before 15
/// ```
///
/// Neither has a fixed width for each field. With fixed widths, the order is right, and a number
/// that does not fit is an error instead of overflowing into the next field:
///
/// ```
/// use zset_std::PackedScore;
///
/// // Three decimal digits each: readable, and at most 15 in total.
/// let medals = PackedScore::with_digits([3, 3, 3])?;
/// assert_eq!(medals.pack([5, 15, 0])?.to_string(), "5015000");
/// assert!(medals.pack([5, 15, 0])? < medals.pack([50, 1, 0])?);
/// assert!(medals.pack([5, 15, 0])? > medals.pack([5, 2, 0])?);
/// let error = medals.pack([5, 1000, 0]).unwrap_err();
/// assert_eq!((error.field, error.value, error.max), (1, 1000, 999));
///
/// // Bits hold the most, 53 in total.
/// let medals = PackedScore::with_bits([18, 18, 17])?;
/// assert!(medals.pack([5, 15, 0])? < medals.pack([50, 1, 0])?);
/// assert_eq!(medals.unpack(medals.pack([5, 15, 0])?)?, [5, 15, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Examples
///
/// Points, with the earlier of two equal results ranked higher:
///
/// ```
/// use zset_std::PackedScore;
///
/// // 20 bits of points, 33 bits of seconds since 1970.
/// let layout = PackedScore::with_bits([20, 33])?.descending::<1>();
/// let (early, late) = (1_700_000_000, 1_700_000_001);
/// assert!(layout.pack([70, early])? > layout.pack([70, late])?);
/// assert!(layout.pack([71, late])? > layout.pack([70, early])?);
/// assert_eq!(layout.unpack(layout.pack([70, late])?)?, [70, late]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedScore<const N: usize> {
    fields: [Field; N],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Field {
    /// The number of values, which start at 0.
    size: u64,
    order: Order,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Order {
    Ascending,
    Descending,
}

impl Field {
    fn max(self) -> u64 {
        self.size - 1
    }

    /// Converts a value to its packed form, or a packed form back to its value.
    fn turn(self, value: u64) -> u64 {
        match self.order {
            Order::Ascending => value,
            Order::Descending => self.max() - value,
        }
    }
}

impl<const N: usize> PackedScore<N> {
    /// Creates a layout of fields with the given widths in bits, the most significant field first.
    /// **O(N)**.
    ///
    /// # Errors
    ///
    /// [`PackedScoreError`] if a field has no bits, or if the fields have more than 53 bits in
    /// total.
    pub fn with_bits(widths: [u32; N]) -> Result<Self, PackedScoreError> {
        Self::new(widths, 2)
    }

    /// Creates a layout of fields with the given widths in decimal digits, the most significant
    /// field first. **O(N)**.
    ///
    /// # Errors
    ///
    /// [`PackedScoreError`] if a field has no digits, or if the fields have more than 15 digits in
    /// total.
    pub fn with_digits(widths: [u32; N]) -> Result<Self, PackedScoreError> {
        Self::new(widths, 10)
    }

    fn new(widths: [u32; N], base: u64) -> Result<Self, PackedScoreError> {
        let mut all = 1u64;
        for (field, &width) in widths.iter().enumerate() {
            if width == 0 {
                return Err(PackedScoreError::EmptyField { field });
            }
            let size = base.checked_pow(width).and_then(|size| all.checked_mul(size));
            all = size.filter(|&size| size <= LARGEST).ok_or(PackedScoreError::TooWide)?;
        }
        let field = |width| Field { size: base.pow(width), order: Order::Ascending };
        Ok(PackedScore { fields: widths.map(field) })
    }

    /// Returns the layout with the order of one field reversed, so that its lower values rank
    /// higher. **O(1)**.
    ///
    /// The field is given by its index, and packed as its largest value minus its value. Reversing
    /// it twice restores its order.
    ///
    /// # Examples
    ///
    /// See [`PackedScore`]. An index out of range does not compile:
    ///
    /// ```compile_fail
    /// let layout = zset_std::PackedScore::with_bits([20, 33]).unwrap().descending::<2>();
    /// ```
    #[must_use]
    pub fn descending<const FIELD: usize>(mut self) -> Self {
        const { assert!(FIELD < N, "the field index is out of bounds") };
        let field = &mut self.fields[FIELD];
        field.order = match field.order {
            Order::Ascending => Order::Descending,
            Order::Descending => Order::Ascending,
        };
        self
    }

    /// Packs one value for each field. **O(N)**.
    ///
    /// # Errors
    ///
    /// [`PackError`] for the first field whose value does not fit.
    pub fn pack(&self, values: [u64; N]) -> Result<Score, PackError> {
        let mut packed = 0;
        for (index, (field, value)) in self.fields.iter().zip(values).enumerate() {
            if value > field.max() {
                return Err(PackError { field: index, value, max: field.max() });
            }
            packed = packed * field.size + field.turn(value);
        }
        #[expect(clippy::cast_precision_loss, reason = "it is below 2^53")]
        let packed = packed as f64;
        Ok(Score::new(packed).expect("an integer is a number"))
    }

    /// Returns the value of each field of a score. **O(N)**.
    ///
    /// A score does not identify its layout: unpacking a score that another layout packed may
    /// succeed, with meaningless values.
    ///
    /// # Errors
    ///
    /// [`UnpackError`] if this layout cannot have packed the score: it is negative, has a fraction,
    /// or is too large.
    pub fn unpack(&self, score: Score) -> Result<[u64; N], UnpackError> {
        let score = score.get();
        let size: u64 = self.fields.iter().map(|field| field.size).product();
        #[expect(clippy::cast_sign_loss, reason = "a negative score is an error")]
        let mut rest = score as u64;
        #[expect(clippy::cast_precision_loss, reason = "they are at most 2^53")]
        if score < 0.0 {
            return Err(UnpackError::Negative);
        } else if score >= size as f64 {
            return Err(UnpackError::TooLarge);
        } else if score - rest as f64 != 0.0 {
            return Err(UnpackError::Fraction);
        }
        let mut values = [0; N];
        for (value, field) in values.iter_mut().zip(self.fields).rev() {
            *value = field.turn(rest % field.size);
            rest /= field.size;
        }
        Ok(values)
    }

    /// Returns the largest value of each field. **O(N)**.
    pub fn max_values(&self) -> [u64; N] {
        self.fields.map(Field::max)
    }
}

/// The error of a layout that does not fit in a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackedScoreError {
    /// A field has a width of zero.
    EmptyField {
        /// The index of the field, from 0.
        field: usize,
    },
    /// The fields have more than 53 bits or 15 decimal digits in total.
    TooWide,
}

impl fmt::Display for PackedScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackedScoreError::EmptyField { field } => {
                write!(f, "field {field} has a width of zero")
            }
            PackedScoreError::TooWide => {
                f.write_str("fields have more than 53 bits or 15 decimal digits in total")
            }
        }
    }
}

impl Error for PackedScoreError {}

/// The error of a value that does not fit in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackError {
    /// The index of the field, from 0.
    pub field: usize,
    /// The value.
    pub value: u64,
    /// The largest value that fits in the field.
    pub max: u64,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PackError { field, value, max } = self;
        write!(f, "value {value} of field {field} exceeds {max}")
    }
}

impl Error for PackError {}

/// The error of a score that a layout cannot have packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnpackError {
    /// The score is negative.
    Negative,
    /// The score is not an integer.
    Fraction,
    /// The score is larger than any that the layout packs.
    TooLarge,
}

impl fmt::Display for UnpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UnpackError::Negative => "score is negative",
            UnpackError::Fraction => "score is not an integer",
            UnpackError::TooLarge => "score is too large for its layout",
        })
    }
}

impl Error for UnpackError {}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn all_53_bits_and_all_15_digits_can_be_used() {
        let whole = PackedScore::with_bits([53]).unwrap();
        let largest = (1 << 53) - 1;
        assert_eq!(whole.pack([largest]).unwrap().to_string(), "9007199254740991");
        assert_eq!(whole.unpack(whole.pack([largest]).unwrap()), Ok([largest]));
        assert!(whole.pack([1 << 53]).is_err());
        assert_eq!(PackedScore::with_bits([54]), Err(PackedScoreError::TooWide));

        let whole = PackedScore::with_digits([15]).unwrap();
        assert_eq!(whole.pack([999_999_999_999_999]).unwrap().to_string(), "999999999999999");
        assert_eq!(PackedScore::with_digits([16]), Err(PackedScoreError::TooWide));
        assert_eq!(PackedScore::with_bits([u32::MAX; 5]), Err(PackedScoreError::TooWide));
        assert_eq!(PackedScore::with_digits([u32::MAX, 1]), Err(PackedScoreError::TooWide));
    }

    #[test]
    fn a_field_of_zero_width_is_rejected() {
        assert_eq!(PackedScore::with_bits([8, 0]), Err(PackedScoreError::EmptyField { field: 1 }));
    }

    #[test]
    fn a_layout_may_have_no_fields() {
        let layout = PackedScore::with_bits([]).unwrap();
        assert_eq!(layout.pack([]), Ok(Score::ZERO));
        assert_eq!(layout.unpack(Score::ZERO), Ok([]));
        assert_eq!(layout.unpack(Score::from(1)), Err(UnpackError::TooLarge));
    }

    #[test]
    fn scores_outside_a_layout_are_rejected() {
        let layout = PackedScore::with_bits([4, 4]).unwrap();
        let unpack = |score| layout.unpack(Score::new(score).unwrap());
        assert_eq!(unpack(-1.0), Err(UnpackError::Negative));
        assert_eq!(unpack(-0.5), Err(UnpackError::Negative));
        assert_eq!(unpack(0.5), Err(UnpackError::Fraction));
        assert_eq!(unpack(255.5), Err(UnpackError::Fraction));
        assert_eq!(unpack(255.0), Ok([15, 15]));
        assert_eq!(unpack(256.0), Err(UnpackError::TooLarge));
        assert_eq!(unpack(f64::INFINITY), Err(UnpackError::TooLarge));
        assert_eq!(unpack(f64::NEG_INFINITY), Err(UnpackError::Negative));
    }

    #[test]
    fn errors_name_the_field() {
        let error = PackedScore::with_bits([4, 4]).unwrap().pack([15, 16]).unwrap_err();
        assert_eq!(error.to_string(), "value 16 of field 1 exceeds 15");
        let error = PackedScore::with_digits([1, 0]).unwrap_err();
        assert_eq!(error.to_string(), "field 1 has a width of zero");
    }
}
