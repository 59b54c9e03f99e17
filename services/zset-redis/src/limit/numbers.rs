//! The numbers that scripts of limiters read and write: big-endian doubles.

use std::slice;

use crate::Failure;

/// Writes numbers, which are exact below 2^53.
#[expect(clippy::cast_precision_loss, reason = "they are exact")]
pub(super) fn pack(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    numbers.into_iter().flat_map(|number| (number as f64).to_be_bytes()).collect()
}

/// The numbers of a reply.
pub(super) struct Numbers<'a> {
    rest: slice::ChunksExact<'a, u8>,
}

impl<'a> Numbers<'a> {
    pub(super) fn new(reply: &'a [u8]) -> Numbers<'a> {
        Numbers { rest: reply.chunks_exact(size_of::<f64>()) }
    }

    pub(super) fn next(&mut self) -> Result<u64, Failure> {
        self.next_or_none()?.ok_or(Failure::UnexpectedReply)
    }

    /// Reads the next number, or `None` if it is negative.
    pub(super) fn next_or_none(&mut self) -> Result<Option<u64>, Failure> {
        let bytes = self.rest.next().and_then(|bytes| bytes.try_into().ok());
        let number = f64::from_be_bytes(bytes.ok_or(Failure::UnexpectedReply)?);
        if number.fract() != 0.0 {
            return Err(Failure::UnexpectedReply);
        }
        #[expect(clippy::cast_sign_loss, reason = "a negative number is none")]
        Ok((number >= 0.0).then_some(number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let written = [0, 1, (1 << 52) - 1, (1 << 53) - 1];
        let packed = pack(written);
        let mut numbers = Numbers::new(&packed);
        for number in written {
            assert_eq!(numbers.next().unwrap(), number);
        }
        assert!(numbers.next().is_err());
    }

    #[test]
    fn other_replies_are_errors() {
        for number in [0.5, f64::NAN, f64::INFINITY, -1.0] {
            assert!(Numbers::new(&number.to_be_bytes()).next().is_err(), "{number}");
        }
        assert_eq!(Numbers::new(&(-1.0_f64).to_be_bytes()).next_or_none().unwrap(), None);
        assert!(Numbers::new(&[0; 7]).next().is_err());
    }
}
