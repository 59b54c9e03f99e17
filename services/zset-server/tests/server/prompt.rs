//! Runs commands in an engine without a server, at a time set by the test.

use std::time::Duration;

use zset_server::{Client, Engine, Replies};
use zset_std::{Clock, FakeClock};

/// Returns the reply to a line of words. Its line ends become spaces.
pub(crate) fn ask<C: Clock>(engine: &mut Engine<C>, client: &mut Client, line: &str) -> String {
    let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
    let mut replies = Replies::default();
    engine.execute(client, &arguments, &mut replies);
    String::from_utf8_lossy(replies.bytes()).replace("\r\n", " ").trim_end().to_owned()
}

/// An engine with a client, and a clock that only the test advances.
pub(crate) struct Prompt {
    pub(crate) clock: FakeClock,
    pub(crate) engine: Engine<FakeClock>,
    pub(crate) client: Client,
}

impl Prompt {
    pub(crate) fn new() -> Self {
        let clock = FakeClock::new();
        clock.advance(Duration::from_secs(1_000_000));
        let mut engine = Engine::with_clock(clock.clone());
        let client = engine.client();
        Prompt { clock, engine, client }
    }

    /// Like the function [`ask`].
    pub(crate) fn ask(&mut self, line: &str) -> String {
        ask(&mut self.engine, &mut self.client, line)
    }

    /// Returns the reply to the words of a request.
    pub(crate) fn run(&mut self, words: &[&[u8]]) -> Vec<u8> {
        let mut replies = Replies::default();
        self.engine.execute(&mut self.client, words, &mut replies);
        replies.bytes().to_vec()
    }

    /// Returns the next cursor and the members or keys on a page of a scan.
    pub(crate) fn page(&mut self, line: &str) -> (String, Vec<String>) {
        let reply = self.ask(line);
        // Skip the headers of bulk strings and arrays.
        let mut words = reply.split(' ').filter(|word| !word.starts_with(['$', '*']));
        let cursor = words.next().expect("a cursor").to_owned();
        (cursor, words.map(str::to_owned).collect())
    }

    /// Runs each line and compares its reply.
    #[track_caller]
    pub(crate) fn expect(&mut self, rows: &[(&str, &str)]) {
        for (line, reply) in rows {
            assert_eq!(self.ask(line), *reply, "{line}");
        }
    }

    pub(crate) fn advance(&mut self, millis: u64) {
        self.clock.advance(Duration::from_millis(millis));
    }
}
