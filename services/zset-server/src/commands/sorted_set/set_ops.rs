//! ZUNION, ZINTER, ZDIFF, their STORE variants, and ZINTERCARD.
//!
//! Members are borrowed from the sources until they are written to a reply or stored. A result that
//! is only sent in a reply is never copied into a set.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use zset_core::{Member, Score, ZSet};
use zset_std::RandomState;

use super::{Shown, store, write_elements};
use crate::commands::arguments::{Options, integer, not_negative, score};
use crate::commands::{Context, Replied};
use crate::keyspace::{EMPTY, Keyspace};
use crate::replies::CommandError;

/// Elements with distinct members.
type Elements<'a> = Vec<(Member<'a>, Score)>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Union,
    Intersection,
    Difference,
}

/// What to do with the result, which determines the valid options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Answer,
    Store,
    Count,
}

/// How the scores of a member that is in several sources are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Aggregate {
    Sum,
    Min,
    Max,
}

impl Aggregate {
    /// Combines two weighed scores; `inf + -inf` is 0.
    fn combine(self, a: Score, b: Score) -> Score {
        match self {
            Aggregate::Sum => a.checked_add(b.get()).unwrap_or(Score::ZERO),
            Aggregate::Min => a.min(b),
            Aggregate::Max => a.max(b),
        }
    }
}

/// Returns the product of a score and a weight; `0 * inf` is 0.
fn weighed(score: Score, weight: Score) -> Score {
    Score::new(score.get() * weight.get()).unwrap_or(Score::ZERO)
}

pub(super) fn zintercard(context: &mut Context<'_>, arguments: &[&[u8]]) -> Replied {
    let (keyspace, operation) = (&context.state.keyspace, Operation::Intersection);
    let (name, rest) = (arguments[0], &arguments[1..]);
    let request = Request::parse(keyspace, name, rest, operation, Purpose::Count)?;
    let count = request.common().take(request.limit).count();
    context.count(count)
}

pub(super) fn answer(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    operation: Operation,
) -> Replied {
    let Context { state, replies, .. } = context;
    let (name, rest) = (arguments[0], &arguments[1..]);
    let request = Request::parse(&state.keyspace, name, rest, operation, Purpose::Answer)?;
    write_elements(replies, request.shown, request.elements().into_iter());
    Ok(())
}

pub(super) fn store_found(
    context: &mut Context<'_>,
    arguments: &[&[u8]],
    operation: Operation,
) -> Replied {
    let limits = context.state.config.limits;
    let keyspace = &context.state.keyspace;
    let (name, key, rest) = (arguments[0], arguments[1], &arguments[2..]);
    let request = Request::parse(keyspace, name, rest, operation, Purpose::Store)?;
    let stored = ZSet::from_sorted_iter_with_limits(request.elements(), limits);
    store(context, key, stored.map_err(CommandError::err)?)
}

/// A parsed command.
struct Request<'a> {
    operation: Operation,
    /// The sources with their weights, in the cheapest order. For unions and intersections: from
    /// the smallest to the largest, which is also the order in which Redis adds scores up. For
    /// differences: the first source first, then the others from the largest to the smallest.
    sources: Vec<(&'a ZSet, Score)>,
    aggregate: Aggregate,
    shown: Shown,
    /// The maximum number of members to count.
    limit: usize,
}

impl<'a> Request<'a> {
    /// Parses `numkeys key [key ...]` and the options after it; errors are checked in Redis's
    /// order.
    fn parse(
        keyspace: &'a Keyspace,
        command: &[u8],
        arguments: &[&[u8]],
        operation: Operation,
        purpose: Purpose,
    ) -> Result<Self, CommandError> {
        let (number, rest) = arguments.split_first().ok_or(CommandError::SYNTAX)?;
        let number = integer(number)?;
        if number < 1 {
            let command = String::from_utf8_lossy(command).to_lowercase();
            let text = format!("at least 1 input key is needed for '{command}' command");
            return Err(CommandError::err(text));
        }
        let number = usize::try_from(number).map_err(|_| CommandError::SYNTAX)?;
        let (keys, options) = rest.split_at_checked(number).ok_or(CommandError::SYNTAX)?;
        let source = |key: &&[u8]| Ok((source(keyspace, key)?, Score::from(1)));
        let mut request = Request {
            operation,
            sources: keys.iter().map(source).collect::<Result<_, CommandError>>()?,
            aggregate: Aggregate::Sum,
            shown: Shown::Member,
            limit: usize::MAX,
        };
        request.parse_options(Options(options), purpose)?;
        match operation {
            Operation::Union | Operation::Intersection => {
                request.sources.sort_by_key(|(source, _)| source.len());
            }
            Operation::Difference => {
                request.sources[1..].sort_by_key(|(source, _)| Reverse(source.len()));
            }
        }
        Ok(request)
    }

    fn parse_options(
        &mut self,
        mut options: Options<'_>,
        purpose: Purpose,
    ) -> Result<(), CommandError> {
        let has_scores = self.operation != Operation::Difference && purpose != Purpose::Count;
        while let Some(option) = options.name() {
            match option.as_slice() {
                b"weights" if has_scores => {
                    let no_float = |_| CommandError::err("weight value is not a float");
                    let weights = options.values(self.sources.len())?;
                    for ((_, weight), text) in self.sources.iter_mut().zip(weights) {
                        *weight = score(text).map_err(no_float)?;
                    }
                }
                b"aggregate" if has_scores => {
                    self.aggregate = match options.value()?.to_ascii_lowercase().as_slice() {
                        b"sum" => Aggregate::Sum,
                        b"min" => Aggregate::Min,
                        b"max" => Aggregate::Max,
                        _ => return Err(CommandError::SYNTAX),
                    };
                }
                b"withscores" if purpose == Purpose::Answer => self.shown = Shown::MemberAndScore,
                b"limit" if purpose == Purpose::Count => {
                    let limit = not_negative(options.value()?, "LIMIT can't be negative")?;
                    // LIMIT 0 means no limit, as in Redis.
                    self.limit = if limit == 0 { usize::MAX } else { limit };
                }
                _ => return Err(CommandError::SYNTAX),
            }
        }
        Ok(())
    }

    /// Returns the result in the order of a sorted set.
    fn elements(&self) -> Elements<'a> {
        let mut elements = match self.operation {
            Operation::Union => self.union(),
            Operation::Intersection => self.common().collect(),
            Operation::Difference => self.difference(),
        };
        elements.sort_unstable_by(|(a, a_score), (b, b_score)| {
            a_score.cmp(b_score).then_with(|| a.cmp(b))
        });
        elements
    }

    /// Returns the members of all sources, in arbitrary order. **O(n)** in the total number of
    /// members.
    fn union(&self) -> Elements<'a> {
        let largest = self.sources.last().map_or(0, |(source, _)| source.len());
        let mut scores: HashMap<Member<'a>, Score, RandomState> =
            HashMap::with_capacity_and_hasher(largest, RandomState::default());
        for (source, weight) in &self.sources {
            for (member, score) in *source {
                let score = weighed(score, *weight);
                scores
                    .entry(member)
                    .and_modify(|sum| *sum = self.aggregate.combine(*sum, score))
                    .or_insert(score);
            }
        }
        scores.into_iter().collect()
    }

    /// Returns the members common to all sources, in arbitrary order and lazily, so that counting
    /// can stop early.
    fn common(&self) -> impl Iterator<Item = (Member<'a>, Score)> {
        // This index is valid, because `Request::parse` requires at least one key.
        let (smallest, weight) = self.sources[0];
        smallest.iter().filter_map(move |(member, score)| {
            let weighed = weighed(score, weight);
            let score = self.sources[1..].iter().try_fold(weighed, |sum, (source, weight)| {
                Some(self.combine_weighed(sum, source.score(&*member)?, *weight))
            })?;
            Some((member, score))
        })
    }

    /// Combines a score with that of the previous sources.
    ///
    /// The product of infinity and zero is 0 in a union and in the smallest source. Elsewhere in an
    /// intersection it is NaN in Redis: the sum is then 0, and the minimum or maximum ignores it.
    fn combine_weighed(&self, sum: Score, score: Score, weight: Score) -> Score {
        match (Score::new(score.get() * weight.get()), self.aggregate) {
            (Ok(weighed), aggregate) => aggregate.combine(sum, weighed),
            (Err(_), Aggregate::Min | Aggregate::Max) => sum,
            (Err(_), Aggregate::Sum) => Score::ZERO,
        }
    }

    /// Returns the members of the first source that are in no other source, in arbitrary order.
    ///
    /// Each member of the first source is looked up in each larger source. Several smaller sources
    /// are merged first, so that one lookup covers all of them.
    fn difference(&self) -> Elements<'a> {
        let (first, _) = self.sources[0];
        let others = &self.sources[1..];
        let large = others.partition_point(|(source, _)| source.len() > first.len());
        let (large, small) = others.split_at(large);
        let (large, small) = if small.len() < 2 { (others, &[][..]) } else { (large, small) };
        let small: HashSet<Member<'a>, RandomState> =
            small.iter().flat_map(|(source, _)| source.iter()).map(|(member, _)| member).collect();
        let elements = first.iter().filter(|(member, _)| {
            !small.contains(member) && !large.iter().any(|(source, _)| source.contains(member))
        });
        elements.collect()
    }
}

/// Returns the elements of a set, sorted or not; none if the key is missing.
fn source<'a>(keyspace: &'a Keyspace, key: &[u8]) -> Result<&'a ZSet, CommandError> {
    match keyspace.value(key) {
        None => Ok(&EMPTY),
        Some(value) => value.elements().ok_or(CommandError::WRONG_TYPE),
    }
}
