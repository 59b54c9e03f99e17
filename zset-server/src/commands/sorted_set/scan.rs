//! ZSCAN.

use zset_core::ZSet;

use crate::command::{Context, Replied};
use crate::commands::arguments::{PAGE, cursor, page_len};
use crate::error::CommandError;
use crate::glob;

pub(super) fn zscan(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let &[_, key, start, ref options @ ..] = arguments else { return Err(CommandError::SYNTAX) };
    let start = cursor(start)?;
    let Some(set) = context.state.keyspace.get::<ZSet>(key)? else {
        // In this case the options are not checked.
        context.replies.array(2);
        context.replies.bulk(b"0");
        context.replies.array(0);
        return Ok(());
    };
    let (mut count, mut pattern, mut with_scores) = (PAGE, None, true);
    let mut rest = options;
    while let [option, behind @ ..] = rest {
        rest = behind;
        match (option.to_ascii_lowercase().as_slice(), behind) {
            (b"count", [number, behind @ ..]) => {
                count = page_len(number)?;
                rest = behind;
            }
            (b"match", [text, behind @ ..]) => {
                pattern = Some(*text);
                rest = behind;
            }
            (b"noscores", _) => with_scores = false,
            (b"novalues", _) => {
                return Err(CommandError::err("NOVALUES option can only be used in HSCAN"));
            }
            _ => return Err(CommandError::SYNTAX),
        }
    }
    let (next, mut page) = set.scan(start, count);
    page.retain(|(member, _)| pattern.is_none_or(|pattern| glob::matches(pattern, member)));
    let replies = &mut *context.replies;
    replies.array(2);
    replies.text(format_args!("{next}"));
    replies.array(if with_scores { 2 * page.len() } else { page.len() });
    for (member, score) in page {
        replies.bulk(&member);
        if with_scores {
            // As text in both protocols.
            replies.text(format_args!("{score}"));
        }
    }
    Ok(())
}
