//! Commands that combine sets: by a `SortedSet` of the same elements.

use zset_core::{Aggregate, ByteString, Score, SortedSet, ZSet};

use super::{Arguments, Database, Refused, Result, elements};
use crate::answer::Answer;

pub(crate) type Sorted = SortedSet<ByteString>;

/// Returns the set as the type that combines sets.
pub(crate) fn sorted(set: &ZSet) -> Sorted {
    set.clone().into_iter().collect()
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Union,
    Intersection,
    Difference,
}

/// The sets, and what follows them.
struct Operands<'a> {
    keys: Vec<&'a [u8]>,
    /// One for each key, if they were given.
    weights: Option<Vec<Score>>,
    aggregate: Option<Aggregate>,
    with_scores: bool,
}

impl<'a> Operands<'a> {
    fn parse(mut arguments: Arguments<'a>, operation: Operation) -> Result<Operands<'a>> {
        let keys = keys(&mut arguments)?;
        let mut operands = Operands { keys, weights: None, aggregate: None, with_scores: false };
        while arguments.len() > 0 {
            if arguments.take("WEIGHTS") {
                let weights = operands.keys.iter().map(|_| arguments.score());
                operands.weights = Some(weights.collect::<Result<_>>()?);
            } else if arguments.take("AGGREGATE") {
                operands.aggregate = Some(if arguments.take("SUM") {
                    Aggregate::Sum
                } else if arguments.take("MIN") {
                    Aggregate::Min
                } else if arguments.take("MAX") {
                    Aggregate::Max
                } else {
                    return Err(Refused);
                });
            } else if arguments.take("WITHSCORES") {
                operands.with_scores = true;
            } else {
                return Err(Refused);
            }
        }
        let is_weighted = operands.weights.is_some() || operands.aggregate.is_some();
        if operation == Operation::Difference && is_weighted { Err(Refused) } else { Ok(operands) }
    }

    /// Returns the sets with their weights, the smallest first: servers combine them in this order.
    fn sorted(&self, database: &Database) -> Vec<(Sorted, Score)> {
        let weights = self.weights.iter().flatten().copied();
        let weights = weights.chain(std::iter::repeat(Score::from(1)));
        let sets = self.keys.iter().map(|key| sorted(database.set(key)));
        let mut sets: Vec<_> = sets.zip(weights).collect();
        sets.sort_by_key(|(set, _)| set.len());
        sets
    }
}

fn keys<'a>(arguments: &mut Arguments<'a>) -> Result<Vec<&'a [u8]>> {
    let count = usize::try_from(arguments.integer()?)?;
    let keys = arguments.words(count)?.iter().map(Vec::as_slice).collect::<Vec<_>>();
    if keys.is_empty() { Err(Refused) } else { Ok(keys) }
}

impl Database {
    pub(super) fn combine(&self, arguments: Arguments<'_>, operation: Operation) -> Result {
        let operands = Operands::parse(arguments, operation)?;
        Ok(elements(&self.combination(&operands, operation), operands.with_scores))
    }

    pub(super) fn store(&mut self, mut arguments: Arguments<'_>, operation: Operation) -> Result {
        let key = arguments.word()?;
        let operands = Operands::parse(arguments, operation)?;
        if operands.with_scores {
            return Err(Refused);
        }
        let set = self.combination(&operands, operation);
        let len = set.len();
        self.put(key, set);
        Ok(Answer::from(len))
    }

    fn combination(&self, operands: &Operands<'_>, operation: Operation) -> ZSet {
        let (sets, aggregate) = (operands.sorted(self), operands.aggregate.unwrap_or_default());
        let weighted = sets.iter().map(|(set, weight)| (set, *weight));
        let combine = |a, b| aggregate.combine(a, b);
        let combined = match (operation, &sets[..], &operands.weights) {
            // Without weights, the methods for two sets do the same.
            (Operation::Union, [(a, _), (b, _)], None) => a.union_with(b, combine),
            (Operation::Intersection, [(a, _), (b, _)], None) => a.intersection_with(b, combine),
            (Operation::Union, ..) => Sorted::weighted_union(weighted, aggregate),
            (Operation::Intersection, ..) => Sorted::weighted_intersection(weighted, aggregate),
            (Operation::Difference, ..) => self.difference(&operands.keys),
        };
        // Laid out by what is in it.
        ZSet::from_sorted_iter_with_limits(combined, self.limits()).expect("it is sorted")
    }

    fn difference(&self, keys: &[&[u8]]) -> Sorted {
        let others = keys[1..].iter().map(|key| sorted(self.set(key)));
        others.fold(sorted(self.set(keys[0])), |difference, other| &difference - &other)
    }

    pub(super) fn intersection_len(&self, mut arguments: Arguments<'_>) -> Result {
        let keys = keys(&mut arguments)?;
        let mut limit = 0;
        while arguments.len() > 0 {
            if !arguments.take("LIMIT") {
                return Err(Refused);
            }
            limit = usize::try_from(arguments.integer()?)?;
        }
        let limit = (limit > 0).then_some(limit);
        let (last, others) = keys.split_last().ok_or(Refused)?;
        // The set that is counted with the last one: all others in one, or itself.
        let last = sorted(self.set(last));
        let others = others.iter().map(|key| sorted(self.set(key)));
        let other = others.reduce(|a, b| &a & &b).unwrap_or_else(|| last.clone());
        Ok(other.intersection_len(&last, limit).into())
    }
}
