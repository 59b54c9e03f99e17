//! The words behind the name of a command.

use zset_core::Score;

use super::{Refused, Result};

#[derive(Clone, Copy)]
pub(super) struct Arguments<'a> {
    rest: &'a [Vec<u8>],
}

impl<'a> Arguments<'a> {
    pub(super) fn new(words: &'a [Vec<u8>]) -> Arguments<'a> {
        Arguments { rest: words }
    }

    pub(super) fn word(&mut self) -> Result<&'a [u8]> {
        let (first, rest) = self.rest.split_first().ok_or(Refused)?;
        self.rest = rest;
        Ok(first)
    }

    pub(super) fn words(&mut self, count: usize) -> Result<&'a [Vec<u8>]> {
        let (words, rest) = self.rest.split_at_checked(count).ok_or(Refused)?;
        self.rest = rest;
        Ok(words)
    }

    /// Takes all that is left, at least one word.
    pub(super) fn rest(&mut self) -> Result<&'a [Vec<u8>]> {
        if self.rest.is_empty() { Err(Refused) } else { self.words(self.rest.len()) }
    }

    /// Takes the next word if it is this one, in capitals or not.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let found =
            self.rest.first().is_some_and(|first| first.eq_ignore_ascii_case(word.as_bytes()));
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    pub(super) fn integer(&mut self) -> Result<i64> {
        integer(self.word()?)
    }

    pub(super) fn score(&mut self) -> Result<Score> {
        Ok(Score::parse(self.word()?)?)
    }

    pub(super) fn len(self) -> usize {
        self.rest.len()
    }

    pub(super) fn end(self) -> Result<()> {
        if self.rest.is_empty() { Ok(()) } else { Err(Refused) }
    }
}

/// Parses an integer. There is one text for each: no `+1`, no `01`, no `-0`.
pub(super) fn integer(text: &[u8]) -> Result<i64> {
    let text = std::str::from_utf8(text)?;
    let number: i64 = text.parse()?;
    if number.to_string() == text { Ok(number) } else { Err(Refused) }
}
