//! The common part of ZRANDMEMBER and SRANDMEMBER.

use crate::error::CommandError;
use crate::resp::Replies;

use super::arguments::integer;

/// The maximum size of a reply with repeated members. Redis would continue until memory runs out.
const MAX_REPLY: usize = 64 << 20;

/// The size of the shortest member in a reply.
const SHORTEST: usize = b"$0\r\n\r\n".len();

/// Parses the number of members to draw: if positive, up to that many distinct members; if negative,
/// exactly that many, possibly repeated.
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

/// Returns the number of members to draw from `len`.
pub(super) fn drawn_len(count: i64, len: usize) -> Result<usize, CommandError> {
    let number = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
    if count >= 0 {
        return Ok(number.min(len));
    }
    if number > MAX_REPLY / SHORTEST { Err(too_many()) } else { Ok(number) }
}

/// Writes the drawn members; returns an error if a reply with repeated members grows too large.
pub(super) fn write_drawn<T>(
    replies: &mut Replies,
    count: i64,
    drawn: impl Iterator<Item = T>,
    mut write: impl FnMut(&mut Replies, T),
) -> Result<(), CommandError> {
    // Without repetition, the reply is no larger than that of a full range.
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
