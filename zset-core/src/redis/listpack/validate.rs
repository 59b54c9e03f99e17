//! Loading and validating untrusted bytes.

use core::error::Error;
use core::fmt;

use super::{
    END, HEADER, Listpack, MAX_BYTES, Storage, UNKNOWN_LEN, Value, decode, entry, header_len,
    total_bytes,
};

/// The error returned for bytes that are not a listpack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListpackError {
    /// There are fewer bytes than the header claims or than an empty listpack has, or more than the
    /// maximum of 2^30.
    Length,
    /// The entry at this offset is malformed: its encoding is unknown, it is truncated, or its
    /// back-length does not match.
    Entry {
        /// The offset in bytes.
        offset: usize,
    },
    /// The end byte is missing, or occurs too early.
    End,
    /// The header's entry count is wrong.
    Count,
}

impl fmt::Display for ListpackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListpackError::Length => {
                f.write_str("listpack length is invalid or differs from its header")
            }
            ListpackError::Entry { offset } => {
                write!(f, "listpack entry at offset {offset} is malformed")
            }
            ListpackError::End => f.write_str("listpack does not end where its header says"),
            ListpackError::Count => f.write_str("listpack entry count differs from its header"),
        }
    }
}

impl Error for ListpackError {}

impl<B: Storage> Listpack<B> {
    /// Loads the listpack at the start of `storage`, after validating every byte of it. **O(n)**.
    ///
    /// Bytes after the listpack are ignored, and overwritten as it grows.
    ///
    /// # Errors
    ///
    /// [`ListpackError`] if the bytes are not a valid listpack.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_core::Listpack;
    /// use zset_core::redis::listpack::{ListpackError, Value};
    ///
    /// let list = Listpack::from_bytes(*b"\x09\0\0\0\x01\0\x05\x01\xFF")?;
    /// assert_eq!(list.get(0), Some(Value::Integer(5)));
    ///
    /// let error = Listpack::from_bytes(*b"\x09\0\0\0\x01\0\x05\x02\xFF").unwrap_err();
    /// assert_eq!(error, ListpackError::Entry { offset: 6 });
    /// # Ok::<(), ListpackError>(())
    /// ```
    pub fn from_bytes(mut storage: B) -> Result<Self, ListpackError> {
        let total = validate(storage.as_slice())?;
        storage.truncate(total);
        Ok(Listpack { storage })
    }

    /// Panics with a description if an invariant does not hold. For tests; **O(n)**.
    #[doc(hidden)]
    pub fn check(&self) {
        if let Err(error) = validate(self.as_bytes()) {
            panic!("{error}: {:02X?}", self.as_bytes());
        }
    }
}

/// Returns the length in bytes of the listpack at the start of `bytes`.
fn validate(bytes: &[u8]) -> Result<usize, ListpackError> {
    let total = total_bytes(bytes);
    if total > bytes.len() {
        return Err(ListpackError::Length);
    }
    for entry in read(&bytes[..total])? {
        let (at, _, behind) = entry?;
        if entry::next(bytes, at) != Some(behind) {
            return Err(ListpackError::Entry { offset: at });
        }
    }
    Ok(total)
}

/// Returns the entries of the listpack in `bytes`, which any server may have written. Each entry
/// comes with its offset and the offset after it.
pub(crate) fn read(bytes: &[u8]) -> Result<Read<'_>, ListpackError> {
    let total = bytes.len();
    if total <= HEADER || total > MAX_BYTES || total != total_bytes(bytes) {
        return Err(ListpackError::Length);
    }
    Ok(Read { bytes, at: HEADER, len: 0 })
}

/// An iterator over the entries of untrusted bytes. It ends after an error.
#[derive(Clone)]
pub(crate) struct Read<'a> {
    bytes: &'a [u8],
    at: usize,
    len: usize,
}

impl<'a> Read<'a> {
    fn entry(&mut self) -> Result<Option<(usize, Value<'a>, usize)>, ListpackError> {
        let (at, end) = (self.at, self.bytes.len() - 1);
        if at == end {
            let counted = header_len(self.bytes);
            return if self.bytes[end] != END {
                Err(ListpackError::End)
            } else if counted != UNKNOWN_LEN && usize::from(counted) != self.len {
                Err(ListpackError::Count)
            } else {
                Ok(None)
            };
        }
        if self.bytes[at] == END {
            return Err(ListpackError::End);
        }
        let malformed = ListpackError::Entry { offset: at };
        let behind = entry::validate(&self.bytes[..end], at).ok_or(malformed)?;
        let (value, _) = decode(&self.bytes[at..]).ok_or(malformed)?;
        self.at = behind;
        self.len += 1;
        Ok(Some((at, value, behind)))
    }
}

impl<'a> Iterator for Read<'a> {
    type Item = Result<(usize, Value<'a>, usize), ListpackError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == self.bytes.len() {
            return None;
        }
        let entry = self.entry().transpose();
        if !matches!(entry, Some(Ok(_))) {
            self.at = self.bytes.len();
        }
        entry
    }
}
