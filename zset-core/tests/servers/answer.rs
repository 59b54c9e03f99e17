//! What the front end answers, and when a server's reply is the same.

use std::cmp::Ordering::Equal;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use zset_core::Score;

use crate::client::Reply;
use crate::command::Quoted;
use crate::server::Kind;

/// What the front end answers.
#[derive(Clone)]
pub(crate) enum Answer {
    Nil,
    Number(i64),
    Text(Vec<u8>),
    Score(Score),
    List(Vec<Answer>),
    /// Any one of these texts.
    OneOf(BTreeSet<Vec<u8>>),
    /// Anything that this sample could have been.
    Sample(Sample),
    /// An error. What it says is up to the front end.
    Refused,
}

impl Answer {
    /// Returns whether the server replied the same.
    pub(crate) fn agrees_with(&self, reply: &Reply, kind: Kind) -> bool {
        match (self, reply) {
            (Answer::Nil, Reply::Nil) | (Answer::Refused, Reply::Error(_)) => true,
            (Answer::Number(ours), Reply::Number(theirs)) => ours == theirs,
            (Answer::Text(ours), Reply::Text(theirs)) => ours == theirs,
            (Answer::Score(ours), Reply::Text(theirs)) => is_text_of(theirs, *ours, kind),
            (Answer::List(ours), Reply::List(theirs)) => {
                ours.len() == theirs.len()
                    && ours.iter().zip(theirs).all(|(ours, theirs)| ours.agrees_with(theirs, kind))
            }
            (Answer::OneOf(texts), Reply::Text(theirs)) => texts.contains(theirs),
            (Answer::Sample(sample), Reply::List(theirs)) => sample.could_be(theirs, kind),
            _ => false,
        }
    }
}

impl From<usize> for Answer {
    fn from(number: usize) -> Answer {
        Answer::Number(i64::try_from(number).expect("no set is so large"))
    }
}

/// Returns whether a server writes this score like that.
pub(crate) fn is_text_of(text: &[u8], score: Score, kind: Kind) -> bool {
    let ours = score.to_string();
    let Ok(text) = std::str::from_utf8(text) else { return false };
    // A zero with a sign is equal to one without.
    let is_same_number =
        || text.parse::<f64>().is_ok_and(|number| number.partial_cmp(&score.get()) == Some(Equal));
    match kind {
        Kind::Valkey if ours == text => true,
        // Servers keep the sign of a zero in a skip list, and do not always find the shortest text,
        // or of those the nearest. It has other digits, so this hides no difference in the layout.
        Kind::Valkey => is_same_number() && (text == "-0" || has_worse_digits(text, &ours)),
        Kind::Redis => is_same_number(),
    }
}

fn has_worse_digits(theirs: &str, ours: &str) -> bool {
    let (theirs, ours) = (digits(theirs), digits(ours));
    theirs.len() > ours.len() || (theirs.len() == ours.len() && theirs != ours)
}

/// Returns the digits that matter, of a finite number in decimals.
fn digits(text: &str) -> String {
    let mantissa = text.split('e').next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

/// What a ZRANDMEMBER with a count may answer.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) elements: BTreeMap<Vec<u8>, Score>,
    /// Negative: exactly so many, which may repeat. Else as many as there are up to this, distinct.
    pub(crate) count: i64,
    pub(crate) with_scores: bool,
}

impl Sample {
    pub(crate) fn len(&self) -> usize {
        let len = usize::try_from(self.count.unsigned_abs()).expect("64 bits");
        if self.elements.is_empty() {
            0
        } else if self.count < 0 {
            len
        } else {
            len.min(self.elements.len())
        }
    }

    fn could_be(&self, replies: &[Reply], kind: Kind) -> bool {
        let mut seen = BTreeSet::new();
        let width = if self.with_scores { 2 } else { 1 };
        replies.len() == self.len() * width
            && replies.chunks(width).all(|reply| {
                let Reply::Text(member) = &reply[0] else { return false };
                let Some(&score) = self.elements.get(member) else { return false };
                let has_score = !self.with_scores
                    || matches!(&reply[1], Reply::Text(text) if is_text_of(text, score, kind));
                has_score && (seen.insert(member) || self.count < 0)
            })
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Nil => f.write_str("nil"),
            Answer::Number(number) => write!(f, "{number}"),
            Answer::Text(text) => fmt::Display::fmt(&Quoted(text), f),
            Answer::Score(score) => write!(f, "score {score}"),
            Answer::List(answers) => f.debug_list().entries(answers).finish(),
            Answer::OneOf(texts) => write!(f, "one of {} texts", texts.len()),
            Answer::Sample(sample) => {
                write!(f, "{} of {} elements", sample.len(), sample.elements.len())
            }
            Answer::Refused => f.write_str("refused"),
        }
    }
}
