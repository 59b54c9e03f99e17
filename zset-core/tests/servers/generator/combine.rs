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
        // These are refused for ZDIFF.
        let often = if operation == "ZDIFF" { 30 } else { 2 };
        if self.one_in(often) {
            words.push("WEIGHTS".into());
            for _ in 0..sets {
                words.push(self.weight(operation).into());
            }
        }
        if self.one_in(often) {
            words.push("AGGREGATE".into());
            words.push((*self.pick(&["SUM", "MIN", "MAX", "sum", "Min"])).into());
        }
        // Refused where it is stored.
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

    fn weight(&mut self, operation: &str) -> String {
        loop {
            let weight = if self.flip() { "1".to_owned() } else { self.score_or_not() };
            // Servers lose the sum in an intersection where a weight times a score is NaN: see
            // `decisions`.
            let may_be_nan = weight.parse::<f64>().is_ok_and(|it| it == 0.0 || it.is_infinite());
            if operation != "ZINTER" || !may_be_nan {
                return weight;
            }
        }
    }
}
