//! Commands that change one set.

use rand::RngExt;

use super::{Generator, Scores, Word, words};

impl Generator {
    pub(super) fn write(&mut self) -> Vec<Word> {
        let scores = if self.one_in(3) { Scores::Equal } else { Scores::Mixed };
        let key = self.written_key(scores);
        match self.random.random_range(0..100) {
            0..30 => self.one_addition(key, scores),
            30..65 => self.many_additions(key, scores),
            65..75 if scores == Scores::Mixed => {
                words!["ZINCRBY", key, self.score_or_not(), self.member()]
            }
            65..85 => {
                let mut words = words!["ZREM", key];
                let most = if self.one_in(10) { 60 } else { 5 };
                for _ in 0..self.random.random_range(1..most) {
                    words.push(self.member());
                }
                words
            }
            85..89 => words!["ZREMRANGEBYRANK", key, self.near_an_end(), self.near_an_end()],
            89 => words!["ZREMRANGEBYRANK", key, self.integer(), self.integer()],
            90..92 => {
                let (min, max) = self.score_bounds();
                words!["ZREMRANGEBYSCORE", key, min, max]
            }
            92..94 if scores == Scores::Equal => {
                let (min, max) = self.lex_bounds();
                words!["ZREMRANGEBYLEX", key, min, max]
            }
            // The range of all members is defined for all sets.
            92 if self.one_in(5) => words!["ZREMRANGEBYLEX", key, "-", "+"],
            _ => {
                let mut words = words![if self.flip() { "ZPOPMIN" } else { "ZPOPMAX" }, key];
                if self.one_in(8) {
                    words.push(self.integer().into());
                } else if self.flip() {
                    words.push(self.random.random_range(0..5).to_string().into());
                }
                words
            }
        }
    }

    /// Draws a rank near an end, for ranges that leave members in the set or are inverted.
    fn near_an_end(&mut self) -> String {
        self.random.random_range(-3..3).to_string()
    }

    fn written_key(&mut self, scores: Scores) -> &'static str {
        loop {
            let key = self.key(scores);
            if key != "none" {
                return key;
            }
        }
    }

    fn score_at(&mut self, scores: Scores) -> String {
        match scores {
            Scores::Equal => self.equal_score.clone(),
            Scores::Mixed => self.score_or_not(),
        }
    }

    /// Draws a ZADD of one member, with any options.
    fn one_addition(&mut self, key: &str, scores: Scores) -> Vec<Word> {
        let mut words = words!["ZADD", key];
        for option in ["NX", "XX", "GT", "LT", "CH", "INCR", "nx", "Gt"] {
            // An increment would make equal scores differ.
            if self.one_in(6) && (option != "INCR" || scores == Scores::Mixed) {
                words.push(option.into());
            }
        }
        words.push(self.score_at(scores).into());
        words.push(self.member());
        words
    }

    /// Draws a ZADD of several members; few have more members than fit in a listpack.
    fn many_additions(&mut self, key: &str, scores: Scores) -> Vec<Word> {
        let mut words = words!["ZADD", key];
        if self.one_in(3) {
            words.push((*self.pick(&["CH", "NX", "XX", "GT", "LT"])).into());
        }
        if self.one_in(30) {
            // An error, since only one member may be incremented; so equal scores stay equal.
            words.push("INCR".into());
            words.extend(words![self.score_at(scores), self.member()]);
        }
        let most = if self.one_in(4) { 200 } else { 12 };
        for _ in 0..self.random.random_range(1..most) {
            words.push(self.score_at(scores).into());
            words.push(self.member());
        }
        words
    }
}
