//! Commands that combine sets.

use rand::RngExt;

use super::{Generator, Scores, Word, words};

impl Generator {
    pub(super) fn combination(&mut self) -> Vec<Word> {
        let operation = *self.pick(&["ZUNION", "ZINTER", "ZDIFF", "ZINTERCARD"]);
        let store = operation != "ZINTERCARD" && self.flip();
        let mut words = if store {
            words![format!("{operation}STORE"), self.written_mixed_key()]
        } else {
            words![operation]
        };

        let sets = self.random.random_range(1..4);
        words.push(match self.random.random_range(0..60) {
            0 => self.integer().into(),
            1 => (sets + 1).to_string().into(),
            _ => sets.to_string().into(),
        });
        for _ in 0..sets {
            words.push(self.any_key().into());
        }

        if operation == "ZINTERCARD" {
            if self.flip() {
                words.push("LIMIT".into());
                let limit = self.integer();
                let negative = limit.starts_with('-') && !self.one_in(10);
                words.push(if negative { &limit[1..] } else { &limit }.into());
            }
            return words;
        }
        // These are errors with ZDIFF.
        let often = if operation == "ZDIFF" { 30 } else { 2 };
        if self.one_in(often) {
            words.push("WEIGHTS".into());
            for _ in 0..sets {
                words.push(self.weight().into());
            }
        }
        if self.one_in(often) {
            words.push("AGGREGATE".into());
            words.push((*self.pick(&["SUM", "MIN", "MAX", "sum", "Min"])).into());
        }
        // An error if the result is stored.
        if self.one_in(if store { 60 } else { 2 }) {
            words.push("WITHSCORES".into());
        }
        words
    }

    fn written_mixed_key(&mut self) -> &'static str {
        loop {
            let key = self.key(Scores::Mixed);
            if key != "none" {
                return key;
            }
        }
    }

    fn weight(&mut self) -> String {
        if self.flip() { "1".to_owned() } else { self.score_or_not() }
    }
}
