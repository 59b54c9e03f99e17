//! ZRANGE, the older commands that it replaces, and ZRANGESTORE.

use std::ops::Range;

use zset_core::ZSet;
use zset_core::redis::zset::Iter;
use zset_core::redis::{LexRange, ScoreRange, rank_range};

use super::{Shown, store, write_elements};
use crate::commands::arguments::{Options, integer, lex_range, score_range};
use crate::commands::{Context, Replied};
use crate::replies::{CommandError, Replies};

/// The kind of a range's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    Rank,
    Score,
    Lex,
}

/// The order of the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Forward,
    Reverse,
}

/// Runs ZRANGE or an older command. The name of an older command determines `form`; ZRANGE has
/// options instead.
pub(super) fn range(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    form: Option<(By, Direction)>,
) -> Replied {
    let query = Query::parse(&arguments[2..], form, false)?;
    query.write(context.state.keyspace.sorted_set(arguments[1])?, context.replies);
    Ok(())
}

pub(super) fn zrangestore(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (target, source) = (arguments[1], arguments[2]);
    let query = Query::parse(&arguments[3..], None, true)?;
    let set = context.state.keyspace.sorted_set(source)?;
    let limits = context.state.config.limits;
    let stored = ZSet::from_sorted_iter_with_limits(query.sorted_elements(set), limits);
    store(context, target, stored.map_err(CommandError::err)?)
}

/// A range of elements, parsed from arguments.
#[derive(Clone, Copy, Debug)]
struct Query<'a> {
    bounds: Bounds<'a>,
    direction: Direction,
    limit: Limit,
    shown: Shown,
}

#[derive(Clone, Copy, Debug)]
enum Bounds<'a> {
    Ranks(i64, i64),
    Scores(ScoreRange),
    Members(LexRange<'a>),
}

/// How many elements to skip, and the maximum number to return: all if `count` is negative, none if
/// `offset` is negative.
#[derive(Clone, Copy, Debug)]
struct Limit {
    offset: i64,
    count: i64,
}

impl Limit {
    /// Returns the positions of the elements to return, out of `len`.
    fn places(self, len: usize) -> Range<usize> {
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX).min(len);
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        offset..offset.saturating_add(count).min(len)
    }
}

impl<'a> Query<'a> {
    /// Parses two bounds and the options after them; errors are checked in Redis's order.
    /// WITHSCORES is an option unless the elements are stored.
    fn parse(
        arguments: &[&'a [u8]],
        form: Option<(By, Direction)>,
        is_stored: bool,
    ) -> Result<Self, CommandError> {
        let [min, max, options @ ..] = arguments else { return Err(CommandError::SYNTAX) };
        let (mut by, mut direction) = form.unzip();
        let mut limit = Limit { offset: 0, count: -1 };
        let mut shown = Shown::Member;
        let mut options = Options(options);
        while let Some(option) = options.name() {
            match option.as_slice() {
                b"withscores" if !is_stored => shown = Shown::MemberAndScore,
                b"limit" => {
                    let values = options.values(2)?;
                    limit = Limit { offset: integer(values[0])?, count: integer(values[1])? };
                }
                b"rev" if direction.is_none() => direction = Some(Direction::Reverse),
                b"bylex" if by.is_none() => by = Some(By::Lex),
                b"byscore" if by.is_none() => by = Some(By::Score),
                _ => return Err(CommandError::SYNTAX),
            }
        }
        let by = by.unwrap_or(By::Rank);
        let direction = direction.unwrap_or(Direction::Forward);
        // As in Redis, a LIMIT with a count of -1 is not rejected here, because -1 is also the
        // default.
        if limit.count != -1 && by == By::Rank {
            return Err(CommandError::err(
                "syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX",
            ));
        }
        if shown == Shown::MemberAndScore && by == By::Lex {
            return Err(CommandError::err(
                "syntax error, WITHSCORES not supported in combination with BYLEX",
            ));
        }
        let (low, high) = match direction {
            Direction::Forward => (min, max),
            Direction::Reverse => (max, min),
        };
        let bounds = match by {
            By::Rank => Bounds::Ranks(integer(min)?, integer(max)?),
            By::Score => Bounds::Scores(score_range(low, high)?),
            By::Lex => Bounds::Members(lex_range(low, high)?),
        };
        Ok(Query { bounds, direction, limit, shown })
    }

    /// Writes the elements of a set in the requested order.
    fn write(&self, set: &ZSet, replies: &mut Replies) {
        let elements = self.sorted_elements(set);
        match self.direction {
            Direction::Forward => write_elements(replies, self.shown, elements),
            Direction::Reverse => write_elements(replies, self.shown, elements.rev()),
        }
    }

    /// Returns the elements of a set that are in the range, in the order of the set. **O(log n)**.
    fn sorted_elements<'s>(&self, set: &'s ZSet) -> Iter<'s> {
        let mut elements = match self.bounds {
            Bounds::Ranks(..) => set.iter(),
            Bounds::Scores(range) => set.range_by_score(range),
            Bounds::Members(range) => set.range_by_lex(range),
        };
        // The positions in `elements` of the elements to return, counted in the requested order.
        let kept = match self.bounds {
            Bounds::Ranks(start, stop) => rank_range(start, stop, elements.len()),
            _ => self.limit.places(elements.len()),
        };
        let (before, after) = (kept.start, elements.len() - kept.end);
        let (front, back) = match self.direction {
            Direction::Forward => (before, after),
            Direction::Reverse => (after, before),
        };
        if front > 0 {
            elements.nth(front - 1);
        }
        if back > 0 {
            elements.nth_back(back - 1);
        }
        elements
    }
}
