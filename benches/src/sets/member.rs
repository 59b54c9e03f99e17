//! The members of the measured sets.

use std::fmt;
use std::hash::Hash;
use std::str::FromStr;

use crate::random;

/// A member of a measured set.
pub trait Member: Clone + Ord + Hash + fmt::Debug + 'static {
    /// The bytes that a set of byte strings stores, in the same order as the members.
    type Bytes<'a>: AsRef<[u8]>;

    /// The kind of members that the type stands for.
    const KIND: Kind;

    /// Returns the member for a number. Different numbers have different members, whose order looks
    /// random.
    fn nth(number: u64) -> Self;

    /// Returns a member not greater than any other.
    fn least() -> Self;

    /// Returns the bytes of the member.
    fn bytes(&self) -> Self::Bytes<'_>;

    /// Returns a number that depends on the member's contents, so that computing it must read the
    /// member.
    #[inline]
    fn digest(&self) -> u64 {
        digest_bytes(self.bytes().as_ref())
    }
}

impl Member for u64 {
    type Bytes<'a> = [u8; 8];

    const KIND: Kind = Kind::Integers;

    fn nth(number: u64) -> Self {
        random::scramble(number)
    }

    fn least() -> Self {
        0
    }

    #[inline]
    fn bytes(&self) -> [u8; 8] {
        self.to_be_bytes()
    }
}

impl Member for String {
    type Bytes<'a> = &'a [u8];

    const KIND: Kind = Kind::Strings;

    fn nth(number: u64) -> Self {
        random::string(number)
    }

    fn least() -> Self {
        String::new()
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

/// Returns the [digest](Member::digest) of the member with these bytes: its first eight.
#[inline]
pub fn digest_bytes(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().fold(0, |digest, &byte| digest << 8 | u64::from(byte)),
    }
}

/// The kinds of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Random numbers.
    Integers,
    /// Strings of 20 bytes with a common prefix.
    Strings,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 2] = [Kind::Integers, Kind::Strings];

    /// Returns the name on the command line, which is also that of the table.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Integers => "u64",
            Kind::Strings => "strings",
        }
    }

    /// Returns the label shown in the tables.
    pub fn label(self) -> &'static str {
        match self {
            Kind::Integers => "u64",
            Kind::Strings => "String, 20 bytes",
        }
    }
}

impl FromStr for Kind {
    type Err = String;

    fn from_str(name: &str) -> Result<Kind, String> {
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        kind.ok_or_else(|| format!("`{name}` is none of {}", Kind::ALL.map(Kind::name).join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_in_the_order_of_the_members() {
        let numbers = [0, 1, 255, 256, u64::MAX];
        assert!(numbers.is_sorted_by_key(Member::bytes));
        assert_eq!(numbers[3].digest(), 256);
        assert_eq!("abc".to_owned().digest(), 0x61_6263);
        assert_eq!("abcdefghi".to_owned().digest(), "abcdefghx".to_owned().digest());
    }
}
