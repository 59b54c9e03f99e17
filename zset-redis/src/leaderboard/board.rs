//! [`Board`]: the keys and the settings of a board, and its operations.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use redis::Value;
use zset_std::Ties;
use zset_std::zset_core::Score;

use super::scripts;
use super::standing::{Standing, Submission, numbered};
use crate::Error;
use crate::key::Names;
use crate::operation::{Operation, read};
use crate::script::{Call, Script};

/// The largest number that a script can add to another one exactly.
const MOST: u64 = (1 << 52) - 1;

/// How a submitted score combines with the current one.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Policy {
    Best,
    Latest,
    Sum,
}

impl Policy {
    fn text(self) -> &'static str {
        match self {
            Policy::Best => "best",
            Policy::Latest => "latest",
            Policy::Sum => "sum",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Board {
    name: Arc<str>,
    keys: [Vec<u8>; 2],
    policy: Policy,
    pub(crate) max_len: Option<u64>,
    pub(crate) has_dense_standings: bool,
    pub(crate) deadline: Duration,
}

impl Board {
    pub(crate) fn new(name: &str, policy: Policy) -> Board {
        Board {
            name: name.into(),
            keys: keys(&Names::new("board"), name),
            policy,
            max_len: None,
            has_dense_standings: false,
            deadline: Duration::from_secs(1),
        }
    }

    pub(crate) fn hash_keys(&mut self, secret: &[u8]) {
        let mut names = Names::new("board");
        names.hash_keys(secret);
        self.keys = keys(&names, &self.name);
    }

    pub(crate) fn submit(&self, member: &[u8], score: Score) -> Operation<Submission> {
        self.submit_under(self.policy, member, score)
    }

    pub(crate) fn increment(&self, member: &[u8], by: Score) -> Operation<Submission> {
        self.submit_under(Policy::Sum, member, by)
    }

    fn submit_under(&self, policy: Policy, member: &[u8], score: Score) -> Operation<Submission> {
        let mut call = self.call(&scripts::SUBMIT);
        call.argument(policy.text());
        call.argument(member);
        call.argument(negated(score));
        call.argument(self.max_len.map_or(String::new(), |max_len| max_len.to_string()));
        call.number(self.has_dense_standings.into());
        Operation::new(call, Submission::read)
    }

    pub(crate) fn remove(&self, member: &[u8]) -> Operation<Option<Score>> {
        self.score_of(&scripts::REMOVE, member)
    }

    pub(crate) fn score(&self, member: &[u8]) -> Operation<Option<Score>> {
        self.score_of(&scripts::SCORE, member)
    }

    fn score_of(
        &self,
        script: &'static LazyLock<Script>,
        member: &[u8],
    ) -> Operation<Option<Score>> {
        let mut call = self.call(script);
        call.argument(member);
        Operation::new(call, read_score)
    }

    pub(crate) fn trim_to(&self, n: u64) -> Operation<u64> {
        let mut call = self.call(&scripts::TRIM_TO);
        call.number(n.min(MOST));
        Operation::new(call, read)
    }

    pub(crate) fn clear(&self) -> Operation<()> {
        Operation::new(self.call(&scripts::CLEAR), |reply| read::<u64>(reply).map(|_| ()))
    }

    pub(crate) fn standing(&self, member: &[u8], ties: Ties) -> Operation<Option<u64>> {
        let mut call = self.call(&scripts::STANDING);
        call.argument(member);
        call.argument(text(ties));
        Operation::new(call, read)
    }

    pub(crate) fn rank(&self, member: &[u8]) -> Operation<Option<u64>> {
        let mut call = self.call(&scripts::STANDING);
        call.argument(member);
        call.argument(text(Ties::Ordinal));
        Operation::new(call, |reply| match read(reply)? {
            Some(0) => Err(Error::UnexpectedReply),
            number => Ok(number.map(|number: u64| number - 1)),
        })
    }

    /// Returns no operation if there is nothing to ask for.
    pub(crate) fn page(&self, offset: u64, n: u64, ties: Ties) -> Option<Operation<Vec<Standing>>> {
        let last = offset.saturating_add(n.checked_sub(1)?);
        if offset > MOST {
            return None;
        }
        let mut call = self.call(&scripts::PAGE);
        call.number(offset);
        call.number(last.min(MOST));
        call.argument(text(ties));
        Some(Operation::new(call, move |reply| numbered(reply, ties)))
    }

    pub(crate) fn around(
        &self,
        member: &[u8],
        n: u64,
        ties: Ties,
    ) -> Operation<Option<Vec<Standing>>> {
        let mut call = self.call(&scripts::AROUND);
        call.argument(member);
        call.number(n.min(MOST));
        call.argument(text(ties));
        Operation::new(call, move |reply| match reply {
            Value::Nil => Ok(None),
            reply => numbered(reply, ties).map(Some),
        })
    }

    pub(crate) fn percentile(&self, member: &[u8]) -> Operation<Option<f64>> {
        let mut call = self.call(&scripts::PERCENTILE);
        call.argument(member);
        Operation::new(call, |reply| {
            let counts = read::<Option<(f64, f64, f64)>>(reply)?;
            Ok(counts.map(|(len, above, at_least)| {
                let (below, at_most) = (len - at_least, len - above);
                (below + at_most) * 50.0 / len
            }))
        })
    }

    pub(crate) fn count_at_least(&self, score: Score) -> Operation<u64> {
        let mut call = self.call(&scripts::COUNT_AT_LEAST);
        call.argument(negated(score));
        Operation::new(call, read)
    }

    pub(crate) fn len(&self) -> Operation<u64> {
        Operation::new(self.call(&scripts::LEN), read)
    }

    fn call(&self, script: &'static Script) -> Call {
        let mut call = Call::new(script);
        self.keys.iter().for_each(|key| call.key(key.clone()));
        call
    }
}

fn keys(names: &Names, name: &str) -> [Vec<u8>; 2] {
    ["scores", "distinct"].map(|part| names.of(name.as_bytes(), part))
}

/// Returns a score as it is stored: negated, so that rank 0 is the highest score and members with equal
/// scores are in ascending order.
fn negated(score: Score) -> String {
    let score = -score.get();
    // The negation of zero has a sign, which the server would keep.
    if score == 0.0 { "0".to_owned() } else { score.to_string() }
}

/// Reads a score as it is stored.
pub(super) fn turned(stored: f64) -> Result<Score, Error> {
    Score::new(-stored).map_err(|_| Error::UnexpectedReply)
}

fn read_score(reply: Value) -> Result<Option<Score>, Error> {
    read::<Option<f64>>(reply)?.map(turned).transpose()
}

fn text(ties: Ties) -> &'static str {
    match ties {
        Ties::Dense => "dense",
        Ties::Competition => "competition",
        Ties::Ordinal => "ordinal",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_stored_as_texts_that_read_back_negated() {
        let stored = |score: f64| negated(Score::new(score).unwrap());
        assert_eq!(stored(0.0), "0");
        assert_eq!(stored(9_007_199_254_740_991.0), "-9007199254740991");
        assert_eq!(stored(f64::NEG_INFINITY), "inf");
        for score in [0.1, -1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::INFINITY] {
            let read = turned(stored(score).parse().unwrap());
            assert_eq!(read.unwrap(), Score::new(score).unwrap());
        }
    }
}
