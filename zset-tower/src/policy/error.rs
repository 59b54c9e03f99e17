//! [`PolicyError`].

use std::error::Error;
use std::fmt;

/// The error of an invalid policy: the headers can show printable ASCII only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PolicyError {
    /// The name is empty or not printable ASCII.
    InvalidName,
    /// The unit is empty or not printable ASCII.
    InvalidUnit,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PolicyError::InvalidName => "name of a policy is empty or not printable ASCII",
            PolicyError::InvalidUnit => "unit of a quota is empty or not printable ASCII",
        })
    }
}

impl Error for PolicyError {}
