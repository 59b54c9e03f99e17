//! The front end: maps commands to calls of `ZSet`.
//!
//! As thin as it can be, so that what is compared is `ZSet`: it parses words, and does what servers
//! do around their sets. Keys without elements do not exist, and a set of what is not there is an
//! empty one.

mod arguments;
mod combine;
mod read;
mod write;

use std::collections::BTreeMap;
use std::error::Error;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::{ListpackLimits, Score, ZSet};

use crate::answer::Answer;
use crate::command::Command;
use crate::server::Kind;
use arguments::Arguments;
use combine::Operation;
pub(crate) use combine::sorted;

/// The error of a command that cannot be done. What is wrong does not matter here.
struct Refused;

impl<E: Error> From<E> for Refused {
    fn from(_: E) -> Refused {
        Refused
    }
}

type Result<T = Answer> = std::result::Result<T, Refused>;

pub(crate) struct Database {
    sets: BTreeMap<Vec<u8>, ZSet>,
    /// What a key without a set has.
    empty: ZSet,
    limits: ListpackLimits,
    kind: Kind,
    random: SmallRng,
}

impl Database {
    pub(crate) fn new(limits: ListpackLimits, kind: Kind) -> Database {
        Database {
            sets: BTreeMap::new(),
            empty: ZSet::with_limits(limits),
            limits,
            kind,
            random: SmallRng::seed_from_u64(0),
        }
    }

    pub(crate) fn limits(&self) -> ListpackLimits {
        self.limits
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.sets.keys().map(Vec::as_slice)
    }

    /// Returns the set at the key, an empty one if there is none.
    pub(crate) fn set(&self, key: &[u8]) -> &ZSet {
        self.sets.get(key).unwrap_or(&self.empty)
    }

    pub(crate) fn put(&mut self, key: &[u8], set: ZSet) {
        // Looking at all of a large set each time takes too long.
        if set.len() < 30 || self.random.random_ratio(30, set.len() as u32) {
            set.check();
        }
        assert_eq!(set.limits(), self.limits, "every set of a database has the same limits");
        if set.is_empty() {
            self.sets.remove(key);
        } else {
            self.sets.insert(key.to_vec(), set);
        }
    }

    /// Changes a set, which is made for it if there is none, and removed if nothing is left in it.
    fn change<R>(&mut self, key: &[u8], change: impl FnOnce(&mut ZSet) -> R) -> R {
        let mut set = self.sets.remove(key).unwrap_or_else(|| ZSet::with_limits(self.limits));
        let answer = change(&mut set);
        self.put(key, set);
        answer
    }

    /// Does a command.
    pub(crate) fn run(&mut self, command: &Command) -> Answer {
        let arguments = Arguments::new(&command.words()[1..]);
        let answer = match command.name().as_str() {
            "ZADD" => self.add(arguments),
            "ZINCRBY" => self.increment(arguments),
            "ZREM" => self.remove(arguments),
            "ZREMRANGEBYRANK" => self.remove_range_by_rank(arguments),
            "ZREMRANGEBYSCORE" => self.remove_range_by_score(arguments),
            "ZREMRANGEBYLEX" => self.remove_range_by_lex(arguments),
            "ZPOPMIN" => self.pop(arguments, ZSet::pop_first, ZSet::pop_min),
            "ZPOPMAX" => self.pop(arguments, ZSet::pop_last, ZSet::pop_max),
            "ZCARD" => self.len(arguments),
            "ZSCORE" => self.score(arguments),
            "ZMSCORE" => self.scores(arguments),
            "ZRANK" => self.rank(arguments, |set, member| set.rank(member)),
            "ZREVRANK" => self.rank(arguments, |set, member| set.rev_rank(member)),
            "ZCOUNT" => self.count_by_score(arguments),
            "ZLEXCOUNT" => self.count_by_lex(arguments),
            "ZRANGE" => self.range(arguments),
            "ZREVRANGE" => self.rev_range(arguments),
            "ZRANGEBYSCORE" => self.range_by_score(arguments, false),
            "ZREVRANGEBYSCORE" => self.range_by_score(arguments, true),
            "ZRANGEBYLEX" => self.range_by_lex(arguments, false),
            "ZREVRANGEBYLEX" => self.range_by_lex(arguments, true),
            "ZRANDMEMBER" => self.random(arguments),
            "OBJECT" => self.encoding(arguments),
            "ZUNION" => self.combine(arguments, Operation::Union),
            "ZINTER" => self.combine(arguments, Operation::Intersection),
            "ZDIFF" => self.combine(arguments, Operation::Difference),
            "ZINTERCARD" => self.intersection_len(arguments),
            "ZUNIONSTORE" => self.store(arguments, Operation::Union),
            "ZINTERSTORE" => self.store(arguments, Operation::Intersection),
            "ZDIFFSTORE" => self.store(arguments, Operation::Difference),
            name => panic!("{name} is unknown"),
        };
        answer.unwrap_or(Answer::Refused)
    }
}

/// Lists members, each with its score if wanted.
fn elements<M: AsRef<[u8]>>(
    elements: impl IntoIterator<Item = (M, Score)>,
    with_scores: bool,
) -> Answer {
    let mut list = Vec::new();
    for (member, score) in elements {
        list.push(Answer::Text(member.as_ref().to_vec()));
        if with_scores {
            list.push(Answer::Score(score));
        }
    }
    Answer::List(list)
}
