//! ZRANDMEMBER.

use zset_core::{Member, Score, ZSet};

use super::reply::{self, Shown};
use crate::command::{Command, READ};
use crate::commands::random::{drawn_len, random_count, too_many, write_drawn};
use crate::engine::{Context, State};
use crate::error::CommandError;
use crate::resp::Replies;

pub(in crate::commands) const COMMANDS: &[Command] = &[Command {
    name: "zrandmember",
    arity: -2,
    flags: READ,
    keys: (1, 1, 1),
    summary: "Returns random members.",
    handler: zrandmember,
}];

fn zrandmember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let State { keyspace, rng, .. } = &mut *context.state;
    let &[_, key, ref options @ ..] = arguments else { return Err(CommandError::Syntax) };
    let [count, options @ ..] = options else {
        let set = keyspace.get::<ZSet>(key)?;
        match set.and_then(|set| set.sample(rng, 1).next()) {
            Some((member, _)) => context.replies.bulk(&member),
            None => context.replies.null(),
        }
        return Ok(());
    };
    let count = random_count(count)?;
    let shown = match options {
        [] => Shown::Member,
        [option] if option.eq_ignore_ascii_case(b"withscores") => Shown::MemberAndScore,
        _ => return Err(CommandError::Syntax),
    };
    if shown == Shown::MemberAndScore && count.unsigned_abs() > i64::MAX.unsigned_abs() / 2 {
        return Err(too_many());
    }
    let Some(set) = keyspace.get::<ZSet>(key)? else {
        context.replies.array(0);
        return Ok(());
    };
    let len = drawn_len(count, set.len())?;
    reply::begin(context.replies, shown, len);
    let write = |replies: &mut Replies, element: (Member<'_>, Score)| {
        reply::element(replies, shown, element);
    };
    if count < 0 {
        let drawn = set.sample_with_replacement(rng, len);
        write_drawn(context.replies, count, drawn, write)
    } else {
        write_drawn(context.replies, count, set.sample(rng, len), write)
    }
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn a_reply_that_would_keep_all_others_waiting_is_refused() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let member = "m".repeat(1000);
        ask(&mut engine, &mut client, &format!("ZADD key 1 {member}"));
        // The last count is rejected while the reply is written, the others up front.
        for count in ["-9223372036854775807", "-4611686018427387903", "-89478480", "-70000"] {
            let reply = ask(&mut engine, &mut client, &format!("ZRANDMEMBER key {count}"));
            assert_eq!(reply, "-ERR value is out of range\r\n", "{count}");
        }
        let reply = ask(&mut engine, &mut client, "ZRANDMEMBER key -2");
        assert_eq!(reply, format!("*2\r\n$1000\r\n{member}\r\n$1000\r\n{member}\r\n"));
    }
}
