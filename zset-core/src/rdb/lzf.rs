//! Decompressing LZF, which servers use for long strings.
//!
//! The format is that of Marc Lehmann's liblzf: literal runs and back-references.
//!
//! ```text
//! 000lllll                      l + 1 literal bytes follow
//! lllooooo oooooooo             copy l + 2 bytes from o + 1 bytes back
//! 111ooooo llllllll oooooooo    copy l + 9 bytes from o + 1 bytes back
//! ```

use alloc::vec::Vec;

use super::RestoreError;

/// The maximum expansion per compressed byte: a back-reference of 3 bytes copies up to 264.
const MOST_EXPANSION: usize = 88;

/// Decompresses `input` into exactly `len` bytes.
pub(super) fn decompress(mut input: &[u8], len: usize) -> Result<Vec<u8>, RestoreError> {
    // Do not allocate for a length that the input cannot expand to.
    if len > input.len().saturating_mul(MOST_EXPANSION) {
        return Err(RestoreError::Compression);
    }
    let mut output = Vec::new();
    output.try_reserve_exact(len).map_err(|error| RestoreError::Memory(error.into()))?;
    while let Some(control) = take(&mut input, 1) {
        let control = usize::from(control[0]);
        if control < 0x20 {
            let literals = take(&mut input, control + 1).ok_or(RestoreError::Compression)?;
            if literals.len() > len - output.len() {
                return Err(RestoreError::Compression);
            }
            output.extend_from_slice(literals);
            continue;
        }
        let mut byte = || take(&mut input, 1).map(|byte| usize::from(byte[0]));
        let mut copied = control >> 5;
        if copied == 7 {
            copied += byte().ok_or(RestoreError::Compression)?;
        }
        copied += 2;
        let back = (control & 0x1F) << 8 | byte().ok_or(RestoreError::Compression)?;
        let from = output.len().checked_sub(back + 1).ok_or(RestoreError::Compression)?;
        if copied > len - output.len() {
            return Err(RestoreError::Compression);
        }
        // A back-reference may overlap its own output, so copy in pieces that are already written.
        while copied > 0 {
            let piece = copied.min(output.len() - from);
            output.extend_from_within(from..from + piece);
            copied -= piece;
        }
    }
    if output.len() == len { Ok(output) } else { Err(RestoreError::Compression) }
}

/// Removes the first `len` bytes, if there are that many.
fn take<'a>(input: &mut &'a [u8], len: usize) -> Option<&'a [u8]> {
    let (taken, rest) = input.split_at_checked(len)?;
    *input = rest;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_references_are_expanded() {
        assert_eq!(decompress(b"", 0).unwrap(), b"");
        assert_eq!(decompress(b"\x02abc", 3).unwrap(), b"abc");
        // Copies 3 bytes from 3 bytes back, and 9 + 1 bytes that overlap themselves.
        assert_eq!(decompress(b"\x02abc\x20\x02", 6).unwrap(), b"abcabc");
        assert_eq!(decompress(b"\x00a\xE0\x01\x00", 11).unwrap(), b"aaaaaaaaaaa");
        assert_eq!(decompress(b"\x01ab\xE0\x00\x01", 11).unwrap(), b"abababababa");
    }

    #[test]
    fn malformed_input_is_rejected() {
        for (input, len) in [
            (&b"\x02abc"[..], 2),
            (b"\x02abc", 4),
            (b"\x02ab", 3),
            (b"\x00a\x20", 4),
            (b"\x00a\xE0\x00", 10),
            (b"\x00a\x20\x01", 4),
            (b"\x20\x00", 3),
            (b"\x00a\x20\x00", 3),
            (b"\x00a", usize::MAX),
            (b"", 1),
        ] {
            assert_eq!(decompress(input, len), Err(RestoreError::Compression), "{input:?} {len}");
        }
    }
}
