//! What ZRANDMEMBER and SRANDMEMBER have in common.

use crate::error::CommandError;
use crate::resp::Replies;

use super::arguments::integer;

/// The bytes of a reply of members that repeat. Redis would go on until its memory is full.
const MAX_REPLY: usize = 64 << 20;

/// The bytes of the shortest member, in a reply.
const SHORTEST: usize = b"$0\r\n\r\n".len();

/// Reads how many members are drawn: at most so many distinct ones, or, below zero, so many that may
/// repeat.
pub(super) fn random_count(text: &[u8]) -> Result<i64, CommandError> {
    let count = integer(text)?;
    if count == i64::MIN {
        return Err(CommandError::err(format_args!(
            "value is out of range, value must between {} and {}",
            -i64::MAX,
            i64::MAX
        )));
    }
    Ok(count)
}

pub(super) fn too_many() -> CommandError {
    CommandError::err("value is out of range")
}

/// Returns how many of `len` members are drawn.
pub(super) fn drawn_len(count: i64, len: usize) -> Result<usize, CommandError> {
    let number = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count >= 0 {
        return Ok(number.min(len));
    }
    if number > MAX_REPLY / SHORTEST { Err(too_many()) } else { Ok(number) }
}

/// Writes members that are drawn, as long as the reply of those that repeat does not grow too large.
pub(super) fn write_drawn<T>(
    replies: &mut Replies,
    count: i64,
    drawn: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Replies, T),
) -> Result<(), CommandError> {
    // No more than a range of all, if they do not repeat.
    let most = if count < 0 { MAX_REPLY } else { usize::MAX };
    let before = replies.bytes().len();
    for member in drawn {
        write(replies, member);
        if replies.bytes().len() - before > most {
            return Err(too_many());
        }
    }
    Ok(())
}
