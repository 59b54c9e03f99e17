//! What replies do not show: whether a command notes that a key has changed.

use crate::client::Client;
use crate::engine::Engine;
use crate::resp::Replies;

struct Prompt {
    engine: Engine,
    client: Client,
}

impl Prompt {
    fn new() -> Self {
        let mut engine = Engine::new();
        let client = engine.client();
        Prompt { engine, client }
    }

    fn run(&mut self, line: &str) -> String {
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let mut replies = Replies::default();
        self.engine.execute(&mut self.client, &arguments, &mut replies);
        replies.bytes().escape_ascii().to_string()
    }

    /// Returns whether a command is noted as a change of a key.
    fn changes(&mut self, key: &str, line: &str) -> bool {
        let version = self.engine.state.keyspace.watch(key.as_bytes());
        let reply = self.run(line);
        assert!(!reply.starts_with('-'), "{line}: {reply}");
        !self.engine.state.keyspace.unwatch(key.as_bytes(), version)
    }
}

#[test]
fn what_changes_a_key_is_noted_and_nothing_else() {
    for (key, line, changes) in [
        ("key", "ZREM key a", true),
        ("key", "ZREM key a b c", true),
        ("key", "ZREM key nobody", false),
        ("key", "ZREM other a", false),
        ("key", "ZREMRANGEBYRANK key 0 0", true),
        ("key", "ZREMRANGEBYRANK key 5 9", false),
        ("key", "ZREMRANGEBYSCORE key 1 1", true),
        ("key", "ZREMRANGEBYSCORE key (3 9", false),
        ("key", "ZREMRANGEBYLEX key - +", true),
        ("key", "ZREMRANGEBYLEX key + -", false),
        ("key", "ZPOPMIN key", true),
        ("key", "ZPOPMAX key 7", true),
        ("key", "ZPOPMAX key 0", false),
        ("key", "ZMPOP 2 nokey key MIN", true),
        ("key", "ZMPOP 2 other key MIN", false),
        ("other", "ZMPOP 2 other key MIN", true),
        ("key", "ZUNION 2 key other", false),
        ("key", "ZUNIONSTORE other 1 key", false),
        ("key", "ZUNIONSTORE key 1 key", true),
        ("key", "ZDIFFSTORE key 2 key key", true),
        ("key", "ZINTERSTORE nokey 2 key nokey", false),
        ("nokey", "ZINTERSTORE nokey 2 key nokey", false),
        ("nokey", "ZINTERSTORE nokey 1 key", true),
        ("plain", "SADD plain a", false),
        ("plain", "SADD plain a b", true),
        ("plain", "SREM plain b", false),
        ("plain", "SREM plain a", true),
        ("plain", "SMEMBERS plain", false),
    ] {
        let mut prompt = Prompt::new();
        prompt.run("ZADD key 1 a 2 b 3 c");
        prompt.run("ZADD other 1 a");
        prompt.run("SADD plain a");
        assert_eq!(prompt.changes(key, line), changes, "{line}");
    }
}

#[test]
fn a_key_that_is_stored_to_stays_for_ever() {
    let mut prompt = Prompt::new();
    prompt.run("ZADD key 1 a");
    let keyspace = &mut prompt.engine.state.keyspace;
    let later = keyspace.now().saturating_add(std::time::Duration::from_secs(1000));
    keyspace.set_deadline(b"key", Some(later));
    prompt.run("ZUNIONSTORE key 1 key");
    assert_eq!(prompt.engine.state.keyspace.deadline(b"key"), Some(None));
}
