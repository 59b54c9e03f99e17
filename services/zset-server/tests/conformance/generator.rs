//! Random commands.
//!
//! An episode has few keys, and members from a small pool, so that commands depend on earlier ones.
//! All scores at the keys `l0` and `l1` are equal, since lexicographic ranges are defined only
//! there; those at `m0` to `m2` are of all kinds. The key `none` never has a set.

mod combine;
mod reads;
mod values;
mod writes;

use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::command::Command;

/// The keys to which commands write.
pub(crate) const KEYS: [&str; 5] = ["m0", "m1", "m2", "l0", "l1"];
const MIXED: &[&str] = KEYS.split_at(3).0;
const EQUAL: &[&str] = KEYS.split_at(3).1;

pub(crate) struct Generator {
    random: Xoshiro256PlusPlus,
    members: Vec<Vec<u8>>,
    /// The score of all members at the keys in `EQUAL`.
    equal_score: String,
}

impl Generator {
    pub(crate) fn new(seed: u64) -> Generator {
        let mut generator = Generator {
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            members: Vec::new(),
            equal_score: String::new(),
        };
        let members = *generator.pick(&[3, 12, 40, 150, 400, 400]);
        generator.members = (0..members).map(|_| generator.new_member()).collect();
        generator.equal_score = generator.score();
        generator
    }

    /// Draws a command, rarely with a lowercase name or a wrong number of words.
    pub(crate) fn command(&mut self) -> Command {
        let mut words = match self.random.random_range(0..100) {
            0..40 => self.write(),
            40..85 => self.read(),
            _ => self.combination(),
        };
        if self.one_in(200) {
            if self.flip() && words.len() > 1 {
                words.pop();
            } else if !matches!(&*words[0], b"ZRANK" | b"ZREVRANK") {
                // With these commands, Redis 7.0 returns a different error, since it lacks
                // WITHSCORE.
                words.push(b"more".to_vec());
            }
        }
        if self.one_in(20) {
            words[0].make_ascii_lowercase();
        }
        Command::new(words)
    }

    pub(crate) fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        values.choose(&mut self.random).expect("the choices are not empty")
    }

    fn flip(&mut self) -> bool {
        self.random.random()
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.random.random_ratio(1, n)
    }

    /// Draws the key of a set whose scores are all equal, or of one whose scores may differ.
    fn key(&mut self, scores: Scores) -> &'static str {
        if self.one_in(30) {
            return "none";
        }
        let keys = match scores {
            Scores::Equal => EQUAL,
            Scores::Mixed => MIXED,
        };
        self.pick::<&str>(keys)
    }

    fn any_key(&mut self) -> &'static str {
        let scores = if self.one_in(3) { Scores::Equal } else { Scores::Mixed };
        self.key(scores)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Scores {
    Equal,
    Mixed,
}

type Word = Vec<u8>;

/// Creates a vector of words.
macro_rules! words {
    ($($word:expr),+ $(,)?) => { vec![$(Vec::<u8>::from($word)),+] };
}
use words;
