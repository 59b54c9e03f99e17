//! Decompressing LZF, in which servers write strings that are long.
//!
//! The format is that of Marc Lehmann's liblzf: runs of literal bytes, and references back.
//!
//! ```text
//! 000lllll                      l + 1 bytes follow
//! lllooooo oooooooo             l + 2 bytes from o + 1 bytes back
//! 111ooooo llllllll oooooooo    l + 9 bytes from o + 1 bytes back
//! ```

use alloc::vec::Vec;

use super::RestoreError;

/// The most bytes that one compressed byte can stand for: a reference has 3 and copies 264.
const MOST_EXPANSION: usize = 88;

/// Returns the `len` bytes that the compressed ones stand for.
pub(super) fn decompress(mut input: &[u8], len: usize) -> Result<Vec<u8>, RestoreError> {
    // Whoever claims more than the bytes can hold does not get the memory for it.
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
        // What is copied may begin with what has just been copied, so it is copied in pieces that
        // are there already.
        while copied > 0 {
            let piece = copied.min(output.len() - from);
            output.extend_from_within(from..from + piece);
            copied -= piece;
        }
    }
    if output.len() == len { Ok(output) } else { Err(RestoreError::Compression) }
}

/// Takes bytes off the front, if there are as many.
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
        // 3 bytes from 3 back, and 9 + 1 that overlap themselves.
        assert_eq!(decompress(b"\x02abc\x20\x02", 6).unwrap(), b"abcabc");
        assert_eq!(decompress(b"\x00a\xE0\x01\x00", 11).unwrap(), b"aaaaaaaaaaa");
        assert_eq!(decompress(b"\x01ab\xE0\x00\x01", 11).unwrap(), b"abababababa");
    }

    #[test]
    fn what_does_not_add_up_is_refused() {
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
