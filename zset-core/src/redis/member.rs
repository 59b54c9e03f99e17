//! [`Member`]: the bytes of a member of a packed set.

use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;

use crate::redis::listpack::Value;

/// The length of the longest decimal form of an `i64`.
const LONGEST_INTEGER: usize = 20;

/// The bytes of a member, borrowed from its set; dereferences to `[u8]`.
///
/// A listpack stores the text of an integer as the integer, so there are no digits to borrow. In
/// that case, a `Member` holds the digits itself.
///
/// # Examples
///
/// ```
/// use zset_core::{PackedZSet, Score};
///
/// let mut set = PackedZSet::with_storage([0; 64])?;
/// set.try_insert("2024", Score::from(1))?;
/// let (member, _) = set.first().unwrap();
/// assert_eq!(&*member, b"2024");
/// # Ok::<(), zset_core::TryReserveError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Member<'a>(Text<'a>);

/// The bytes between the tag of a variant and its slice.
type Padding = [u8; size_of::<usize>() - 1];

const PADDING: Padding = [0; size_of::<usize>() - 1];

#[derive(Clone, Copy)]
enum Text<'a> {
    /// The padding is zeroed so that the tag is written and copied as a whole word. Uninitialized
    /// padding would be copied byte by byte.
    Borrowed(&'a [u8], #[expect(dead_code, reason = "padding is never read")] Padding),
    /// The text is the last `len` bytes of `digits`.
    Integer { digits: [u8; LONGEST_INTEGER], len: u8 },
}

impl<'a> Member<'a> {
    pub(crate) fn new(value: Value<'a>) -> Self {
        match value {
            Value::Bytes(bytes) => Member(Text::Borrowed(bytes, PADDING)),
            Value::Integer(integer) => Member(print(integer)),
        }
    }
}

impl<'a> From<&'a [u8]> for Member<'a> {
    #[inline]
    fn from(bytes: &'a [u8]) -> Self {
        Member(Text::Borrowed(bytes, PADDING))
    }
}

/// Formats an integer, from its last digit to its first.
fn print(integer: i64) -> Text<'static> {
    let mut digits = [0; LONGEST_INTEGER];
    let mut start = LONGEST_INTEGER;
    let mut rest = integer.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if integer < 0 {
        start -= 1;
        digits[start] = b'-';
    }
    Text::Integer { digits, len: (LONGEST_INTEGER - start) as u8 }
}

impl Deref for Member<'_> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Text::Borrowed(bytes, _) => bytes,
            Text::Integer { digits, len } => &digits[LONGEST_INTEGER - usize::from(*len)..],
        }
    }
}

/// Implements `Borrow<[u8]>` and the traits that must agree with it, for a type that dereferences
/// to bytes. The type is compared, hashed and displayed like its bytes.
macro_rules! by_bytes {
    ($owner:ty) => {
        impl AsRef<[u8]> for $owner {
            #[inline]
            fn as_ref(&self) -> &[u8] {
                self
            }
        }

        impl Borrow<[u8]> for $owner {
            #[inline]
            fn borrow(&self) -> &[u8] {
                self
            }
        }

        impl PartialEq for $owner {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                **self == **other
            }
        }

        impl Eq for $owner {}

        impl PartialOrd for $owner {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $owner {
            #[inline]
            fn cmp(&self, other: &Self) -> Ordering {
                (**self).cmp(&**other)
            }
        }

        impl Hash for $owner {
            #[inline]
            fn hash<H: Hasher>(&self, state: &mut H) {
                (**self).hash(state);
            }
        }

        impl fmt::Debug for $owner {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "\"{}\"", self.escape_ascii())
            }
        }

        impl<const N: usize> PartialEq<&[u8; N]> for $owner {
            fn eq(&self, other: &&[u8; N]) -> bool {
                **self == **other
            }
        }

        by_bytes!($owner: [u8], &[u8], str, &str);
    };
    ($owner:ty: $($other:ty),*) => {$(
        impl PartialEq<$other> for $owner {
            fn eq(&self, other: &$other) -> bool {
                let other: &[u8] = other.as_ref();
                **self == *other
            }
        }
    )*};
}

by_bytes!(Member<'_>);

#[cfg(feature = "alloc")]
pub(crate) use by_bytes;

impl<'a> From<Value<'a>> for Member<'a> {
    fn from(value: Value<'a>) -> Self {
        Member::new(value)
    }
}

#[cfg(feature = "alloc")]
impl From<Member<'_>> for alloc::vec::Vec<u8> {
    fn from(member: Member<'_>) -> Self {
        member.to_vec()
    }
}

/// Serializes as bytes, which deserialize as a `ByteString`.
#[cfg(feature = "serde")]
impl serde::Serialize for Member<'_> {
    fn serialize<T: serde::Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.serialize_bytes(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn integers_are_printed_in_decimal() {
        for integer in [0, 7, -7, 10, -10, 999, i64::MAX, i64::MIN, i64::MIN + 1] {
            let member = Member::new(Value::Integer(integer));
            assert_eq!(&*member, integer.to_string().as_bytes());
            assert_eq!(Value::from(&member[..]), Value::Integer(integer));
            #[cfg(feature = "alloc")]
            assert_eq!(alloc::vec::Vec::from(member), integer.to_string().into_bytes());
        }
    }
}
