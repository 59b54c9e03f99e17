//! Plain sets.

use rand::RngExt;

use super::arguments::not_negative;
use super::sorted_set::{Operation, members, remove_members};
use crate::command::{Context, Handlers, Replied, State};
use crate::error::CommandError;
use crate::keyspace::{Bytes, Keyspace, Set, Typed as _, WrongType};

pub(super) const HANDLERS: Handlers = &[
    ("sadd", sadd),
    ("scard", scard),
    ("sdiff", |context, arguments| answer(context, arguments, Operation::Difference)),
    ("sdiffstore", |context, arguments| store(context, arguments, Operation::Difference)),
    ("sinter", |context, arguments| answer(context, arguments, Operation::Intersection)),
    ("sinterstore", |context, arguments| store(context, arguments, Operation::Intersection)),
    ("sismember", sismember),
    ("smembers", smembers),
    ("smismember", smismember),
    ("spop", spop),
    ("srem", srem),
    ("sunion", |context, arguments| answer(context, arguments, Operation::Union)),
    ("sunionstore", |context, arguments| store(context, arguments, Operation::Union)),
];

fn sadd(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, members) = (arguments[1], &arguments[2..]);
    let add = |set: &mut Set| {
        // Checking first avoids an allocation for a member that is present.
        members
            .iter()
            .filter(|member| !set.contains(**member) && set.insert((**member).into()))
            .count()
    };
    let keyspace = &mut context.state.keyspace;
    let added = keyspace.change_or_insert(key, Set::default, add)?;
    if added > 0 {
        keyspace.touch(key);
    }
    context.count(added)
}

fn srem(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, members) = (arguments[1], &arguments[2..]);
    remove_members(context, key, |set: &mut Set| {
        members.iter().filter(|member| set.swap_remove(**member)).count()
    })
}

fn smembers(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.replies.set(set.map_or(0, Set::len));
    set.into_iter().flatten().for_each(|member| context.replies.bulk(member));
    Ok(())
}

fn scard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.count(set.map_or(0, Set::len))
}

fn sismember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    context.integer(set.is_some_and(|set| set.contains(arguments[2])))
}

fn smismember(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let set = context.state.keyspace.get::<Set>(arguments[1])?;
    let members = &arguments[2..];
    context.replies.array(members.len());
    for member in members {
        context.replies.integer(set.is_some_and(|set| set.contains(*member)).into());
    }
    Ok(())
}

fn spop(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (key, count) = match *arguments {
        [_, key] => (key, None),
        [_, key, count] => {
            (key, Some(not_negative(count, "value is out of range, must be positive")?))
        }
        _ => return Err(CommandError::SYNTAX),
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

fn answer(context: &mut Context<'_>, arguments: &[&[u8]], operation: Operation) -> Replied {
    let members = members(&find(&context.state.keyspace, &arguments[1..])?, operation);
    context.replies.set(members.len());
    for member in members {
        context.replies.bulk(&member);
    }
    Ok(())
}

fn store(context: &mut Context<'_>, arguments: &[&[u8]], operation: Operation) -> Replied {
    let keyspace = &mut context.state.keyspace;
    let members = members(&find(keyspace, &arguments[2..])?, operation);
    let stored: Set = members.into_iter().map(|member| Bytes::from(&*member)).collect();
    let len = stored.len();
    keyspace.set(arguments[1], stored.into_value());
    context.count(len)
}

fn find<'a>(keyspace: &'a Keyspace, keys: &[&[u8]]) -> Result<Vec<Option<&'a Set>>, WrongType> {
    keys.iter().map(|key| keyspace.get::<Set>(key)).collect()
}
