//! Commands that read one set.

use rand::RngExt;
use rand::seq::SliceRandom;

use super::{Generator, Scores, Word, words};

impl Generator {
    pub(super) fn read(&mut self) -> Vec<Word> {
        let key = self.any_key();
        match self.random.random_range(0..100) {
            0..5 => words!["ZSCORE", key, self.member()],
            5..10 => {
                let mut words = words!["ZMSCORE", key];
                for _ in 0..self.random.random_range(1..5) {
                    words.push(self.member());
                }
                words
            }
            10..13 => words!["ZCARD", key],
            13..19 => words!["ZRANK", key, self.member()],
            19..25 => words!["ZREVRANK", key, self.member()],
            25..32 => {
                let (min, max) = self.score_bounds();
                words!["ZCOUNT", key, min, max]
            }
            32..39 => {
                let key = self.key(Scores::Equal);
                let (min, max) = self.lex_bounds();
                words!["ZLEXCOUNT", key, min, max]
            }
            39..60 => self.range(key),
            60..65 => {
                let mut words = words!["ZREVRANGE", key, self.integer(), self.integer()];
                self.add_with_scores(&mut words);
                words
            }
            65..79 => {
                let (min, max) = self.score_bounds();
                let mut words = if self.flip() {
                    words!["ZRANGEBYSCORE", key, min, max]
                } else {
                    words!["ZREVRANGEBYSCORE", key, max, min]
                };
                self.add_with_scores(&mut words);
                self.add_limit(&mut words);
                words
            }
            79..90 => {
                let key = self.key(Scores::Equal);
                let (min, max) = self.lex_bounds();
                let mut words = if self.flip() {
                    words!["ZRANGEBYLEX", key, min, max]
                } else {
                    words!["ZREVRANGEBYLEX", key, max, min]
                };
                self.add_limit(&mut words);
                words
            }
            _ => self.sample(key),
        }
    }

    /// Draws a ZRANGE with its options in any order.
    fn range(&mut self, key: &'static str) -> Vec<Word> {
        let mut options: Vec<Vec<Word>> = Vec::new();
        let reverse = self.flip();
        if reverse {
            options.push(words!["REV"]);
        }
        let by = *self.pick(&["", "BYSCORE", "BYLEX"]);
        let mut words = match by {
            "BYSCORE" => {
                let (min, max) = self.score_bounds();
                words!["ZRANGE", key, min, max]
            }
            "BYLEX" => {
                let (min, max) = self.lex_bounds();
                words!["ZRANGE", self.key(Scores::Equal), min, max]
            }
            _ => words!["ZRANGE", key, self.integer(), self.integer()],
        };
        if !by.is_empty() {
            options.push(words![by]);
            if reverse {
                words.swap(2, 3);
            }
        }
        // WITHSCORES with BYLEX is an error, and so is LIMIT with neither BYLEX nor BYSCORE.
        if self.one_in(if by == "BYLEX" { 20 } else { 2 }) {
            options.push(words!["WITHSCORES"]);
        }
        if !by.is_empty() || self.one_in(10) {
            let mut limit = Vec::new();
            self.add_limit(&mut limit);
            options.push(limit);
        }
        if self.one_in(50) {
            options.push(words![*self.pick(&["REV", "BYSCORE", "BYLEX", "WITHSCORES", "NX"])]);
        }
        options.shuffle(&mut self.random);
        words.extend(options.into_iter().flatten());
        words
    }

    fn sample(&mut self, key: &'static str) -> Vec<Word> {
        let mut words = words!["ZRANDMEMBER", key];
        if self.one_in(5) {
            return words;
        }
        // A negative count draws that many members, so it is small or invalid.
        words.push(match self.random.random_range(0..10) {
            0 => i64::MAX.to_string().into(),
            1 => i64::MIN.to_string().into(),
            2 => "x".into(),
            3 => (i64::MAX / 2).to_string().into(),
            4 => self.random.random_range(-600..600).to_string().into(),
            _ => self.random.random_range(-12..12).to_string().into(),
        });
        self.add_with_scores(&mut words);
        words
    }

    fn add_with_scores(&mut self, words: &mut Vec<Word>) {
        if self.flip() {
            words.push("WITHSCORES".into());
        }
    }

    fn add_limit(&mut self, words: &mut Vec<Word>) {
        if self.one_in(3) {
            // Servers disagree about negative offsets: see `decisions`.
            let skip = self.integer();
            words.extend(words!["LIMIT", skip.strip_prefix('-').unwrap_or(&skip), self.integer()]);
        }
    }
}
