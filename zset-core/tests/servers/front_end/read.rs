//! Commands that ask one set.

use std::collections::{BTreeMap, BTreeSet};

use zset_core::redis::{LexRange, ScoreRange, rank_range};
use zset_core::{Member, Score, ZSet, zset};

use super::arguments::{Arguments, integer};
use super::{Database, Refused, Result, elements};
use crate::answer::{Answer, Sample};

/// What the ends of a range are.
#[derive(Clone, Copy, Default)]
enum By {
    #[default]
    Rank,
    Score,
    Lex,
}

/// What follows the ends of a range.
#[derive(Default)]
struct RangeOptions {
    reverse: bool,
    with_scores: bool,
    /// How many to leave out, and how many to list: all if that is negative.
    limit: Option<(i64, i64)>,
}

impl RangeOptions {
    fn parse(&mut self, arguments: &mut Arguments<'_>) -> Result<()> {
        if arguments.take("WITHSCORES") {
            self.with_scores = true;
        } else if arguments.take("LIMIT") {
            self.limit = Some((arguments.integer()?, arguments.integer()?));
        } else {
            return Err(Refused);
        }
        Ok(())
    }

    /// Answers with a range. A negative number to leave out leaves out all.
    fn page(&self, range: zset::Iter<'_>) -> Answer {
        let (skip, take) = self.limit.unwrap_or((0, -1));
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        let take = usize::try_from(take).unwrap_or(usize::MAX);
        if self.reverse {
            elements(range.rev().skip(skip).take(take), self.with_scores)
        } else {
            elements(range.skip(skip).take(take), self.with_scores)
        }
    }
}

impl Database {
    pub(super) fn len(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        arguments.end()?;
        Ok(set.len().into())
    }

    pub(super) fn score(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        let score = set.score(arguments.word()?);
        arguments.end()?;
        Ok(score.map_or(Answer::Nil, Answer::Score))
    }

    pub(super) fn scores(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        let scores = set.scores(arguments.rest()?);
        Ok(Answer::List(scores.map(|score| score.map_or(Answer::Nil, Answer::Score)).collect()))
    }

    pub(super) fn rank(
        &self,
        mut arguments: Arguments<'_>,
        rank: fn(&ZSet, &[u8]) -> Option<usize>,
    ) -> Result {
        let set = self.set(arguments.word()?);
        let rank = rank(set, arguments.word()?);
        arguments.end()?;
        Ok(rank.map_or(Answer::Nil, Answer::from))
    }

    pub(super) fn count_by_score(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        let range = ScoreRange::parse(arguments.word()?, arguments.word()?)?;
        arguments.end()?;
        Ok(set.count_by_score(range).into())
    }

    pub(super) fn count_by_lex(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        let range = LexRange::parse(arguments.word()?, arguments.word()?)?;
        arguments.end()?;
        Ok(set.count_by_lex(range).into())
    }

    pub(super) fn range(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        let (start, stop) = (arguments.word()?, arguments.word()?);
        let mut by = By::default();
        let mut options = RangeOptions::default();
        while arguments.len() > 0 {
            // These are refused if they come a second time.
            if matches!(by, By::Rank) && arguments.take("BYSCORE") {
                by = By::Score;
            } else if matches!(by, By::Rank) && arguments.take("BYLEX") {
                by = By::Lex;
            } else if !options.reverse && arguments.take("REV") {
                options.reverse = true;
            } else {
                options.parse(&mut arguments)?;
            }
        }
        match by {
            By::Score => range_by_score(set, start, stop, &options),
            By::Lex => range_by_lex(set, start, stop, &options),
            // A limit that does not limit is let pass, and does nothing.
            By::Rank if options.limit.take().is_some_and(|(_, count)| count != -1) => Err(Refused),
            By::Rank => range_by_rank(set, start, stop, &options),
        }
    }

    pub(super) fn rev_range(&self, mut arguments: Arguments<'_>) -> Result {
        let set = self.set(arguments.word()?);
        let (start, stop) = (arguments.word()?, arguments.word()?);
        let with_scores = arguments.take("WITHSCORES");
        arguments.end()?;
        let options = RangeOptions { reverse: true, with_scores, ..Default::default() };
        range_by_rank(set, start, stop, &options)
    }

    pub(super) fn range_by_score(&self, mut arguments: Arguments<'_>, reverse: bool) -> Result {
        let set = self.set(arguments.word()?);
        let (start, stop) = (arguments.word()?, arguments.word()?);
        let mut options = RangeOptions { reverse, ..Default::default() };
        while arguments.len() > 0 {
            options.parse(&mut arguments)?;
        }
        range_by_score(set, start, stop, &options)
    }

    pub(super) fn range_by_lex(&self, mut arguments: Arguments<'_>, reverse: bool) -> Result {
        let set = self.set(arguments.word()?);
        let (start, stop) = (arguments.word()?, arguments.word()?);
        let mut options = RangeOptions { reverse, ..Default::default() };
        while arguments.len() > 0 {
            options.parse(&mut arguments)?;
        }
        range_by_lex(set, start, stop, &options)
    }

    pub(super) fn random(&mut self, mut arguments: Arguments<'_>) -> Result {
        let key = arguments.word()?;
        let set = self.sets.get(key).unwrap_or(&self.empty);
        let elements: BTreeMap<Vec<u8>, Score> =
            set.iter().map(|(member, score)| (member.to_vec(), score)).collect();
        if arguments.len() == 0 {
            let members = elements.into_keys().collect::<BTreeSet<_>>();
            return Ok(if members.is_empty() { Answer::Nil } else { Answer::OneOf(members) });
        }
        let count = arguments.integer()?;
        let with_scores = arguments.take("WITHSCORES");
        arguments.end()?;
        let most = if with_scores { i64::MAX / 2 } else { i64::MAX };
        if count.unsigned_abs() > most.unsigned_abs() {
            return Err(Refused);
        }

        // What others answer is compared with the sample; our own answer is checked at once.
        let sample = Sample { elements, count, with_scores };
        let wanted = usize::try_from(count.unsigned_abs())?;
        let ours: Vec<(Member<'_>, Score)> = if count < 0 {
            set.sample_with_replacement(&mut self.random, wanted).collect()
        } else {
            set.sample(&mut self.random, wanted).collect()
        };
        assert_eq!(ours.len(), sample.len());
        let distinct: BTreeSet<&[u8]> = ours.iter().map(|(member, _)| &**member).collect();
        assert!(count < 0 || distinct.len() == ours.len(), "{ours:?} repeats a member");
        for (member, score) in &ours {
            assert_eq!(sample.elements.get(&**member), Some(score), "{member:?} was drawn");
        }
        Ok(Answer::Sample(sample))
    }

    pub(super) fn encoding(&self, mut arguments: Arguments<'_>) -> Result {
        if !arguments.take("ENCODING") {
            return Err(Refused);
        }
        let set = self.set(arguments.word()?);
        let encoding = set.encoding().to_string().into_bytes();
        Ok(if set.is_empty() { Answer::Nil } else { Answer::Text(encoding) })
    }
}

fn range_by_rank(set: &ZSet, start: &[u8], stop: &[u8], options: &RangeOptions) -> Result {
    let (start, stop) = (integer(start)?, integer(stop)?);
    let mut ranks = rank_range(start, stop, set.len());
    if options.reverse {
        ranks = set.len() - ranks.end..set.len() - ranks.start;
    }
    Ok(options.page(set.range_by_rank(ranks)))
}

fn range_by_score(set: &ZSet, start: &[u8], stop: &[u8], options: &RangeOptions) -> Result {
    let (min, max) = if options.reverse { (stop, start) } else { (start, stop) };
    Ok(options.page(set.range_by_score(ScoreRange::parse(min, max)?)))
}

fn range_by_lex(set: &ZSet, start: &[u8], stop: &[u8], options: &RangeOptions) -> Result {
    let (min, max) = if options.reverse { (stop, start) } else { (start, stop) };
    let range = LexRange::parse(min, max)?;
    // Servers have no scores to show there.
    if options.with_scores { Err(Refused) } else { Ok(options.page(set.range_by_lex(range))) }
}
