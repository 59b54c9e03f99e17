//! The types of a table's members and scores, with parsing and formatting.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::error::Error;
use std::fmt;
use std::hash::{Hash, Hasher};

use zset_core::Score;

use crate::text;

/// A member of a table. A board finds it by its text, and uses it to order equal scores.
pub(crate) trait Member: Ord + Hash + Borrow<str> + fmt::Display {
    fn read(fields: &[&str]) -> Self;
    fn cells(&self) -> Vec<String>;
}

/// The scores of one member. A board accepts any type that is `Ord + Clone`.
pub(crate) trait Scores: Ord + Copy {
    fn read(fields: &[&str]) -> Result<Self, BadScore>;
    fn cells(self) -> Vec<String>;
}

/// Gold, silver and bronze: tuples compare as medal tables do.
pub(crate) type Medals = (u32, u32, u32);

/// A team. Its code identifies it, and orders teams with equal medals.
pub(crate) struct Team {
    code: String,
    country: String,
}

// Only the code is compared and hashed, exactly as a `str` is, so a code finds its team.
impl Borrow<str> for Team {
    fn borrow(&self) -> &str {
        &self.code
    }
}

impl Hash for Team {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.code.hash(state);
    }
}

impl PartialEq for Team {
    fn eq(&self, other: &Team) -> bool {
        self.code == other.code
    }
}

impl Eq for Team {}

impl PartialOrd for Team {
    fn partial_cmp(&self, other: &Team) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Team {
    fn cmp(&self, other: &Team) -> Ordering {
        self.code.cmp(&other.code)
    }
}

impl fmt::Display for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.country)
    }
}

impl Member for Team {
    fn read(fields: &[&str]) -> Team {
        let field = |index: usize| fields.get(index).copied().unwrap_or_default().to_string();
        Team { code: field(0), country: field(1) }
    }

    fn cells(&self) -> Vec<String> {
        vec![self.code.clone(), self.country.clone()]
    }
}

impl Member for String {
    fn read(fields: &[&str]) -> String {
        fields.concat()
    }

    fn cells(&self) -> Vec<String> {
        vec![text::printable(self)]
    }
}

impl Scores for Medals {
    fn read(fields: &[&str]) -> Result<Medals, BadScore> {
        let &[gold, silver, bronze] = fields else {
            return Err(BadScore::Count { found: fields.len(), expected: 3 });
        };
        let number = |text: &str| text.parse().map_err(|error| BadScore::number(text, &error));
        Ok((number(gold)?, number(silver)?, number(bronze)?))
    }

    fn cells(self) -> Vec<String> {
        let (gold, silver, bronze) = self;
        [gold, silver, bronze].map(|count| count.to_string()).to_vec()
    }
}

impl<const N: usize> Scores for [Score; N] {
    fn read(fields: &[&str]) -> Result<[Score; N], BadScore> {
        if fields.len() != N {
            return Err(BadScore::Count { found: fields.len(), expected: N });
        }
        let mut scores = [Score::ZERO; N];
        for (score, text) in scores.iter_mut().zip(fields) {
            *score = text.parse().map_err(|error| BadScore::number(text, &error))?;
        }
        Ok(scores)
    }

    fn cells(self) -> Vec<String> {
        self.map(|score| score.to_string()).to_vec()
    }
}

/// The error of a string that is not a valid score.
#[derive(Debug)]
pub(crate) enum BadScore {
    Count { found: usize, expected: usize },
    Number { text: String, reason: String },
}

impl BadScore {
    fn number(text: &str, reason: &dyn Error) -> BadScore {
        BadScore::Number { text: text::fit(text, 40), reason: reason.to_string() }
    }
}

impl fmt::Display for BadScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadScore::Count { found, expected } => {
                write!(f, "{found} scores given, but the table has {expected} score columns")
            }
            BadScore::Number { text, reason } => write!(f, "score {text:?}: {reason}"),
        }
    }
}

impl Error for BadScore {}
