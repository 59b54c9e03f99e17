//! SPOP and SRANDMEMBER.

use rand::RngExt;
use rand::seq::index;

use crate::commands::arguments::not_negative;
use crate::commands::random::{drawn_len, random_count, write_drawn};
use crate::engine::{Context, State};
use crate::error::CommandError;
use crate::keyspace::{Bytes, Set};
use crate::resp::Replies;

pub(super) fn spop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Result<(), CommandError> {
    let (key, count) = match *arguments {
        [_, key] => (key, None),
        [_, key, count] => {
            (key, Some(not_negative(count, "value is out of range, must be positive")?))
        }
        _ => return Err(CommandError::Syntax),
    };
    let State { keyspace, rng, .. } = &mut *context.state;
    let pop = |set: &mut Set| -> Vec<Bytes> {
        let number = count.unwrap_or(1).min(set.len());
        let one = |_| set.swap_remove_index(rng.random_range(0..set.len()));
        (0..number).filter_map(one).collect()
    };
    let popped = keyspace.change(key, pop)?.unwrap_or_default();
    if !popped.is_empty() {
        keyspace.touch(key);
    }
    if count.is_some() {
        context.replies.set(popped.len());
    } else if popped.is_empty() {
        context.replies.null();
    }
    for member in popped {
        context.replies.bulk(&member);
    }
    Ok(())
}

pub(super) fn srandmember(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
) -> Result<(), CommandError> {
    let State { keyspace, rng, .. } = &mut *context.state;
    let replies = &mut *context.replies;
    let (key, count) = match *arguments {
        [_, key] => (key, None),
        [_, key, count] => (key, Some(random_count(count)?)),
        _ => return Err(CommandError::Syntax),
    };
    let set = keyspace.get::<Set>(key)?;
    match (set, count) {
        (Some(set), None) => replies.bulk(&set[rng.random_range(0..set.len())]),
        (None, None) => replies.null(),
        (None, Some(_)) => replies.array(0),
        (Some(set), Some(count)) => {
            let number = drawn_len(count, set.len())?;
            replies.array(number);
            let write = |replies: &mut Replies, place: usize| replies.bulk(&set[place]);
            if count < 0 {
                let places = (0..number).map(|_| rng.random_range(0..set.len()));
                write_drawn(replies, count, places, write)?;
            } else {
                let places = index::sample(rng, set.len(), number);
                write_drawn(replies, count, places.into_iter(), write)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::Engine;
    use crate::testing::ask;

    #[test]
    fn a_reply_that_would_keep_all_others_waiting_is_refused() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        let member = "m".repeat(1000);
        ask(&mut engine, &mut client, &format!("SADD key {member}"));
        // The last count is rejected while the reply is written, the others up front.
        for count in ["-9223372036854775807", "-89478480", "-70000"] {
            let reply = ask(&mut engine, &mut client, &format!("SRANDMEMBER key {count}"));
            assert_eq!(reply, "-ERR value is out of range\r\n", "{count}");
        }
    }

    #[test]
    fn members_that_are_drawn_are_distinct_and_any_of_them() {
        let mut engine = Engine::new();
        let mut client = engine.client();
        ask(&mut engine, &mut client, "SADD key a b c d e f");
        let mut seen = BTreeSet::new();
        for _ in 0..200 {
            let reply = ask(&mut engine, &mut client, "SRANDMEMBER key 3");
            let drawn: BTreeSet<_> =
                reply.lines().filter(|line| !line.starts_with(['*', '$'])).collect();
            assert_eq!(drawn.len(), 3, "{reply}");
            seen.extend(drawn.into_iter().map(str::to_owned));
        }
        assert_eq!(seen.len(), 6);
    }
}
