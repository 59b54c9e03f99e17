//! Commands that change one set.

use zset_core::redis::{AddFlags, AddOptions, Added, LexRange, ScoreRange, rank_range};
use zset_core::{ByteString, Score, ZSet};

use super::{Arguments, Database, Refused, Result, elements};
use crate::answer::Answer;
use crate::server::Kind;

impl Database {
    pub(super) fn add(&mut self, mut arguments: Arguments<'_>) -> Result {
        let key = arguments.word()?;
        let mut flags = AddFlags::default();
        loop {
            let flag = if arguments.take("NX") {
                &mut flags.nx
            } else if arguments.take("XX") {
                &mut flags.xx
            } else if arguments.take("GT") {
                &mut flags.gt
            } else if arguments.take("LT") {
                &mut flags.lt
            } else if arguments.take("CH") {
                &mut flags.ch
            } else if arguments.take("INCR") {
                &mut flags.incr
            } else {
                break;
            };
            *flag = true;
        }
        let options = AddOptions::from_flags(flags)?;
        let mut pairs = Vec::new();
        while arguments.len() > 0 {
            let score = arguments.score()?;
            pairs.push((arguments.word()?, score));
        }
        if pairs.is_empty() || (flags.incr && pairs.len() > 1) {
            return Err(Refused);
        }

        let added = self.add_all(key, &pairs, options)?;
        if flags.incr {
            return Ok(added[0].score().map_or(Answer::Nil, Answer::Score));
        }
        let count: usize = added.into_iter().map(|added| added.count(options)).sum();
        Ok(count.into())
    }

    fn add_all(
        &mut self,
        key: &[u8],
        pairs: &[(&[u8], Score)],
        options: AddOptions,
    ) -> Result<Vec<Added>> {
        let hint = self.is_hint(pairs.iter().map(|&(member, _)| member));
        self.change(key, |set| {
            if hint {
                set.promote();
            }
            let add = |&(member, score): &(&[u8], Score)| Ok(set.add(member, score, options)?);
            pairs.iter().map(add).collect()
        })
    }

    pub(super) fn increment(&mut self, mut arguments: Arguments<'_>) -> Result {
        let (key, by, member) = (arguments.word()?, arguments.score()?, arguments.word()?);
        arguments.end()?;
        let hint = self.is_hint([member].into_iter());
        let score = self.change(key, |set| {
            if hint {
                set.promote();
            }
            set.increment(member, by.get())
        });
        Ok(Answer::Score(score?))
    }

    /// Returns whether the server converts a set because it is given these members, whether it
    /// then adds them or not.
    fn is_hint<'m>(&self, mut members: impl ExactSizeIterator<Item = &'m [u8]>) -> bool {
        let limits = self.limits();
        self.kind == Kind::Valkey
            && (members.len() > limits.max_listpack_entries
                || members.any(|member| member.len() > limits.max_listpack_value))
    }

    pub(super) fn remove(&mut self, mut arguments: Arguments<'_>) -> Result {
        let (key, members) = (arguments.word()?, arguments.rest()?);
        let removed = self.change(key, |set| {
            members.iter().filter(|member| set.remove(member.as_slice()).is_some()).count()
        });
        Ok(removed.into())
    }

    pub(super) fn remove_range_by_rank(&mut self, mut arguments: Arguments<'_>) -> Result {
        let key = arguments.word()?;
        let (start, stop) = (arguments.integer()?, arguments.integer()?);
        arguments.end()?;
        let removed =
            self.change(key, |set| set.remove_range_by_rank(rank_range(start, stop, set.len())));
        Ok(removed.into())
    }

    pub(super) fn remove_range_by_score(&mut self, mut arguments: Arguments<'_>) -> Result {
        let key = arguments.word()?;
        let range = ScoreRange::parse(arguments.word()?, arguments.word()?)?;
        arguments.end()?;
        Ok(self.change(key, |set| set.remove_range_by_score(range)).into())
    }

    pub(super) fn remove_range_by_lex(&mut self, mut arguments: Arguments<'_>) -> Result {
        let key = arguments.word()?;
        let range = LexRange::parse(arguments.word()?, arguments.word()?)?;
        arguments.end()?;
        Ok(self.change(key, |set| set.remove_range_by_lex(range)).into())
    }

    pub(super) fn pop(
        &mut self,
        mut arguments: Arguments<'_>,
        one: fn(&mut ZSet) -> Option<(ByteString, Score)>,
        many: fn(&mut ZSet, usize) -> Vec<(ByteString, Score)>,
    ) -> Result {
        let key = arguments.word()?;
        if arguments.len() == 0 {
            return Ok(elements(self.change(key, one), true));
        }
        let count = usize::try_from(arguments.integer()?)?;
        arguments.end()?;
        Ok(elements(self.change(key, |set| many(set, count)), true))
    }
}
