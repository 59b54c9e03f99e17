//! ZRANGE, the older commands that it replaces, and ZRANGESTORE.

use zset_core::ZSet;

use super::query::{Form, Query};
use super::store;
use crate::command::{Context, Replied};
use crate::error::CommandError;

pub(super) fn range(context: &mut Context<'_>, arguments: &[&[u8]], form: Form) -> Replied {
    let query = Query::parse(&arguments[2..], form, false)?;
    match context.state.keyspace.get::<ZSet>(arguments[1])? {
        Some(set) => query.write(set, context.replies),
        None => context.replies.array(0),
    }
    Ok(())
}

pub(super) fn zrangestore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (target, source) = (arguments[1], arguments[2]);
    let query = Query::parse(&arguments[3..], None, true)?;
    let set = context.state.keyspace.get::<ZSet>(source)?;
    let elements = set.into_iter().flat_map(|set| query.sorted_elements(set));
    let limits = context.state.config.limits();
    let stored = ZSet::from_sorted_iter_with_limits(elements, limits);
    store(context, target, stored.map_err(CommandError::err)?)
}
