//! The errors of packed scores.

use core::error::Error;
use core::fmt;

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
