//! The reference for a `ZSet`: a list of members and scores, sorted after each insertion.

use std::ops::RangeBounds;
use zset_core::redis::{AddFlags, Added};
use zset_core::{Encoding, ListpackLimits, NanScore, Score};

use crate::listpack::{self, Entry};

pub type Element = (Vec<u8>, f64);

/// A sorted set that is slow and obviously correct.
#[derive(Clone, Debug)]
pub struct Reference {
    elements: Vec<Element>,
    pub limits: ListpackLimits,
    pub encoding: Encoding,
}

pub fn score(number: f64) -> Score {
    Score::new(number).unwrap()
}

impl Reference {
    pub fn new(limits: ListpackLimits) -> Self {
        Reference { elements: Vec::new(), limits, encoding: Encoding::Listpack }
    }

    /// Creates the reference of a set that was built at once, in the encoding for its size.
    pub fn of(elements: impl IntoIterator<Item = Element>, limits: ListpackLimits) -> Self {
        let mut reference = Reference::new(limits);
        for (member, score) in elements {
            reference.insert(&member, score);
        }
        reference
    }

    pub(super) fn len(&self) -> usize {
        self.elements.len()
    }

    pub fn score(&self, member: &[u8]) -> Option<f64> {
        self.elements.iter().find(|(other, _)| other == member).map(|(_, score)| *score)
    }

    /// Returns all elements in order: by score, then by bytes, and a prefix first.
    pub fn sorted(&self) -> Vec<Element> {
        self.elements.clone()
    }

    pub fn matching(&self, accept: impl Fn(&[u8], f64) -> bool) -> Vec<Element> {
        self.sorted().into_iter().filter(|(member, score)| accept(member, *score)).collect()
    }

    pub fn by_score(&self, range: &impl RangeBounds<f64>) -> Vec<Element> {
        self.matching(|_, score| range.contains(&score))
    }

    pub fn by_rank(&self, range: &impl RangeBounds<usize>) -> Vec<Element> {
        let ranked = self.sorted().into_iter().enumerate();
        ranked.filter(|(rank, _)| range.contains(rank)).map(|(_, element)| element).collect()
    }

    pub fn by_lex(&self, range: &impl RangeBounds<Vec<u8>>) -> Vec<Element> {
        self.matching(|member, _| range.contains(&member.to_vec()))
    }

    /// Returns whether all scores are equal, as lexicographic ranges require.
    pub fn is_level(&self) -> bool {
        self.elements.windows(2).all(|pair| score(pair[0].1) == score(pair[1].1))
    }

    /// Returns the bytes of the set as a listpack.
    pub fn bytes(&self) -> Vec<u8> {
        let pairs = self.sorted().into_iter();
        let entries = pairs.flat_map(|(member, score)| [Entry::of(&member), score_entry(score)]);
        listpack::listpack(&entries.collect::<Vec<_>>())
    }

    pub fn insert(&mut self, member: &[u8], score: f64) -> Option<f64> {
        let old = self.remove(member);
        // A score is never negative zero. Adding 0.0 turns -0.0 into 0.0.
        self.elements.push((member.to_vec(), score + 0.0));
        self.elements.sort_by(|(a, x), (b, y)| x.partial_cmp(y).unwrap().then_with(|| a.cmp(b)));
        let ListpackLimits { max_listpack_entries, max_listpack_value } = self.limits;
        if old.is_none() && (self.len() > max_listpack_entries || member.len() > max_listpack_value)
        {
            self.encoding = Encoding::Skiplist;
        }
        old
    }

    pub fn remove(&mut self, member: &[u8]) -> Option<f64> {
        let place = self.elements.iter().position(|(other, _)| other == member)?;
        Some(self.elements.remove(place).1)
    }

    pub fn remove_all(&mut self, elements: &[Element]) {
        for (member, score) in elements {
            assert_eq!(self.remove(member), Some(*score));
        }
    }

    pub fn clear(&mut self) {
        *self = Reference::new(self.limits);
    }

    /// Implements `ZADD` as documented by Redis.
    pub fn add(&mut self, member: &[u8], given: f64, flags: AddFlags) -> Result<Added, NanScore> {
        let AddFlags { nx, xx, gt, lt, incr, .. } = flags;
        let Some(old) = self.score(member) else {
            if xx {
                return Ok(Added::Blocked);
            }
            self.insert(member, given);
            return Ok(Added::Inserted { score: score(given) });
        };
        if nx {
            return Ok(Added::Blocked);
        }
        let new = if incr { old + given } else { given };
        if new.is_nan() {
            return Err(NanScore);
        }
        if gt && new <= old || lt && new >= old {
            return Ok(Added::Blocked);
        }
        self.insert(member, new);
        let (old, score) = (score(old), score(new));
        Ok(if score == old { Added::Unchanged { score } } else { Added::Updated { old, score } })
    }
}

/// Integral scores are stored as integers, up to half of the range of `i64`.
fn score_entry(number: f64) -> Entry {
    #[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "whether it is exact")]
    if number.abs() <= (1_i64 << 62) as f64 && number.trunc() == number {
        return Entry::Integer(number as i64);
    }
    Entry::of(score(number).to_string().as_bytes())
}
