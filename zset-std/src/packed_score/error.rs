//! What goes wrong with packed scores.

use std::error::Error;
use std::fmt;

/// The error of a layout that no score has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackedScoreError {
    /// This field, from 0, has a width of zero.
    EmptyField {
        /// Its index.
        field: usize,
    },
    /// The fields have more than 53 bits or 15 decimal digits together.
    TooWide,
}

impl fmt::Display for PackedScoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackedScoreError::EmptyField { field } => {
                write!(f, "field {field} has a width of zero")
            }
            PackedScoreError::TooWide => {
                f.write_str("fields have more than 53 bits or 15 decimal digits together")
            }
        }
    }
}

impl Error for PackedScoreError {}

/// The error of a value that would flow over into the field before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PackError {
    /// The index of its field, from 0.
    pub field: usize,
    /// The value.
    pub value: u64,
    /// The largest value that the field has room for.
    pub max: u64,
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PackError { field, value, max } = self;
        write!(f, "value {value} of field {field} is more than {max}")
    }
}

impl Error for PackError {}

/// The error of a score that a layout does not pack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnpackError {
    /// It is below zero.
    Negative,
    /// It is not an integer.
    Fraction,
    /// It is more than the largest values make.
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
