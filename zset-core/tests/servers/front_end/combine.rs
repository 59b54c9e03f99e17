//! Commands that combine sets.

use zset_core::{Aggregate, Score, ZSet};

use super::{Arguments, Database, Refused, Result, elements};
use crate::answer::Answer;

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
    fn sorted(&self, database: &'a Database) -> Vec<(&'a ZSet, Score)> {
        let weights = self.weights.iter().flatten().copied();
        let weights = weights.chain(std::iter::repeat(Score::from(1)));
        let mut sets: Vec<_> = self.keys.iter().map(|key| database.set(key)).zip(weights).collect();
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
        match (operation, &sets[..], &operands.weights) {
            // Without weights, the methods for two sets do the same.
            (Operation::Union, &[(a, _), (b, _)], None) => {
                a.union(b, |a, b| aggregate.combine(a, b))
            }
            (Operation::Intersection, &[(a, _), (b, _)], None) => {
                a.intersection(b, |a, b| aggregate.combine(a, b))
            }
            (Operation::Union, ..) => ZSet::weighted_union(sets, aggregate),
            (Operation::Intersection, ..) => ZSet::weighted_intersection(sets, aggregate),
            (Operation::Difference, ..) => self.difference(&operands.keys),
        }
    }

    fn difference(&self, keys: &[&[u8]]) -> ZSet {
        let mut difference = self.set(keys[0]).clone();
        // Less nothing, at the end: a result is laid out by what is in it.
        for other in keys[1..].iter().map(|key| self.set(key)).chain([&self.empty]) {
            let mut less = ZSet::with_limits(self.limits());
            less.extend(difference.difference(other));
            difference = less;
        }
        difference
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
        let limit = if limit == 0 { usize::MAX } else { limit };
        let (last, others) = keys.split_last().ok_or(Refused)?;
        // The set that is counted with the last one: all others in one.
        let other = others.iter().map(|key| self.set(key).clone());
        let other = other.reduce(|a, b| a.intersection(&b, |score, _| score));
        let last = self.set(last);
        Ok(other.map_or(last.len().min(limit), |other| other.intersection_len(last, limit)).into())
    }
}
