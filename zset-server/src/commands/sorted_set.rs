//! Sorted sets.

mod add;
mod blocking;
mod pop;
mod random;
mod range;
mod read;
mod remove;
mod reply;
mod scan;
mod set_ops;

use crate::client::End;
use crate::command::Handlers;

use range::{By, Direction};

pub(crate) use blocking::attempt;
pub(super) use remove::remove_members;
pub(super) use set_ops::{Operation, members};

pub(super) const HANDLERS: Handlers = &[
    ("bzmpop", blocking::bzmpop),
    ("bzpopmax", |context, arguments| blocking::bzpop(context, arguments, End::Max)),
    ("bzpopmin", |context, arguments| blocking::bzpop(context, arguments, End::Min)),
    ("zadd", |context, arguments| add::add(context, arguments, false)),
    // Options are parsed here too, but the arity leaves no pair after them, which is an error.
    ("zincrby", |context, arguments| add::add(context, arguments, true)),
    ("zcard", read::zcard),
    ("zcount", read::zcount),
    ("zdiff", |context, arguments| set_ops::answer(context, arguments, Operation::Difference)),
    ("zdiffstore", |context, arguments| {
        set_ops::store_found(context, arguments, Operation::Difference)
    }),
    ("zinter", |context, arguments| set_ops::answer(context, arguments, Operation::Intersection)),
    ("zintercard", set_ops::zintercard),
    ("zinterstore", |context, arguments| {
        set_ops::store_found(context, arguments, Operation::Intersection)
    }),
    ("zlexcount", read::zlexcount),
    ("zmpop", pop::zmpop),
    ("zmscore", read::zmscore),
    ("zpopmax", |context, arguments| pop::zpop(context, arguments, End::Max)),
    ("zpopmin", |context, arguments| pop::zpop(context, arguments, End::Min)),
    ("zrandmember", random::zrandmember),
    ("zrange", |context, arguments| range::range(context, arguments, None)),
    ("zrangebylex", |context, arguments| {
        range::range(context, arguments, Some((By::Lex, Direction::Forward)))
    }),
    ("zrangebyscore", |context, arguments| {
        range::range(context, arguments, Some((By::Score, Direction::Forward)))
    }),
    ("zrangestore", range::zrangestore),
    ("zrank", |context, arguments| read::rank(context, arguments, |set, member| set.rank(member))),
    ("zrem", remove::zrem),
    ("zremrangebylex", remove::zremrangebylex),
    ("zremrangebyrank", remove::zremrangebyrank),
    ("zremrangebyscore", remove::zremrangebyscore),
    ("zrevrange", |context, arguments| {
        range::range(context, arguments, Some((By::Rank, Direction::Reverse)))
    }),
    ("zrevrangebylex", |context, arguments| {
        range::range(context, arguments, Some((By::Lex, Direction::Reverse)))
    }),
    ("zrevrangebyscore", |context, arguments| {
        range::range(context, arguments, Some((By::Score, Direction::Reverse)))
    }),
    ("zrevrank", |context, arguments| {
        read::rank(context, arguments, |set, member| set.rev_rank(member))
    }),
    ("zscan", scan::zscan),
    ("zscore", read::zscore),
    ("zunion", |context, arguments| set_ops::answer(context, arguments, Operation::Union)),
    ("zunionstore", |context, arguments| {
        set_ops::store_found(context, arguments, Operation::Union)
    }),
];
