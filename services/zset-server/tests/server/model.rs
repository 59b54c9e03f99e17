//! Compares blocking commands with a naive model, which has a list of blocked clients and, for each
//! key, a sorted list of members. The test uses the engine without sockets, and sets the time.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proptest::prelude::*;
use zset_server::{Client, Engine, Executed, Replies};
use zset_std::FakeClock;

const CLIENTS: usize = 5;
const KEYS: [&str; 3] = ["a", "b", "c"];

#[derive(Clone, Debug)]
enum Step {
    /// A client adds members with these scores to keys: to one key with a single command, or to
    /// several in a transaction.
    Add(usize, Vec<(usize, Vec<u8>)>),
    /// A client pops from keys. After the keys: whether the highest score comes first, the count of
    /// a BZMPOP (`None` for a BZPOPMIN or BZPOPMAX), and the timeout in milliseconds.
    Pop(usize, Vec<usize>, bool, Option<usize>, u64),
    Pass(u64),
    Leave(usize),
    Delete(usize, usize),
    Rename(usize, usize, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let client = || 0..CLIENTS;
    let key = || 0..KEYS.len();
    let scores = prop::collection::vec(any::<u8>(), 1..4);
    let additions = prop::collection::vec((key(), scores), 1..3);
    let keys = prop::collection::vec(key(), 1..4);
    let count = prop::option::of(1..4_usize);
    prop_oneof![
        4 => (client(), additions).prop_map(|(client, additions)| Step::Add(client, additions)),
        6 => (client(), keys, any::<bool>(), count, 0..50_u64).prop_map(
            |(client, keys, max, count, limit)| Step::Pop(client, keys, max, count, limit)
        ),
        2 => (1..30_u64).prop_map(Step::Pass),
        1 => client().prop_map(Step::Leave),
        1 => (client(), key()).prop_map(|(client, key)| Step::Delete(client, key)),
        1 => (client(), key(), key()).prop_map(|(client, from, to)| Step::Rename(client, from, to)),
    ]
}

/// A blocked client of the model.
#[derive(Clone, Debug)]
struct Waiting {
    client: usize,
    keys: Vec<usize>,
    max: bool,
    count: Option<usize>,
    until: Option<u64>,
}

#[derive(Default)]
struct Model {
    keys: [BTreeSet<(u8, String)>; KEYS.len()],
    /// The blocked clients, in the order in which they blocked.
    waiting: Vec<Waiting>,
    /// The replies to clients that were blocked.
    served: BTreeMap<usize, String>,
    now: u64,
    next_member: usize,
    left: BTreeSet<String>,
}

fn bulk(text: &str) -> String {
    format!("${}\r\n{text}\r\n", text.len())
}

impl Model {
    /// Pops members for a client.
    fn pop(&mut self, request: &Waiting) -> Option<String> {
        let key = *request.keys.iter().find(|key| !self.keys[**key].is_empty())?;
        let mut taken = Vec::new();
        for _ in 0..request.count.unwrap_or(1) {
            let set = &mut self.keys[key];
            taken.extend(if request.max { set.pop_last() } else { set.pop_first() });
        }
        for (_, member) in &taken {
            assert!(self.left.remove(member), "{member} was popped before");
        }
        let pairs = taken.iter().map(|(score, member)| bulk(member) + &bulk(&score.to_string()));
        let pairs: Vec<_> = pairs.collect();
        if request.count.is_none() {
            return Some(format!("*3\r\n{}{}", bulk(KEYS[key]), pairs[0]));
        }
        let pairs: String = pairs.iter().map(|pair| ["*2\r\n", pair].concat()).collect();
        Some(format!("*2\r\n{}*{}\r\n{pairs}", bulk(KEYS[key]), taken.len()))
    }

    /// Deletes a key; returns the number of its members.
    fn remove(&mut self, key: usize) -> usize {
        let set = std::mem::take(&mut self.keys[key]);
        for (_, member) in &set {
            self.left.remove(member);
        }
        set.len()
    }

    /// Serves blocked clients after keys have changed.
    fn serve(&mut self, changed: &[usize]) {
        for key in changed {
            while !self.keys[*key].is_empty() {
                let next = self.waiting.iter().position(|waiting| waiting.keys.contains(key));
                let Some(next) = next else { break };
                let waiting = self.waiting.remove(next);
                let reply = self.pop(&waiting).expect("the key exists");
                self.served.insert(waiting.client, reply);
            }
        }
    }

    fn is_waiting(&self, client: usize) -> bool {
        self.waiting.iter().any(|waiting| waiting.client == client)
    }
}

struct Both {
    model: Model,
    clock: FakeClock,
    engine: Engine<FakeClock>,
    clients: Vec<Client>,
}

impl Both {
    fn new() -> Self {
        let clock = FakeClock::new();
        let engine = Engine::with_clock(clock.clone());
        let mut both = Both { model: Model::default(), clock, engine, clients: Vec::new() };
        for client in 0..CLIENTS {
            both.clients.push(Client::default());
            both.connect(client);
        }
        both
    }

    /// Connects a client in place of a disconnected one.
    fn connect(&mut self, client: usize) {
        self.clients[client] = self.engine.client();
        self.clients[client].allow_waiting();
    }

    fn run(&mut self, client: usize, line: &str) -> (String, Executed) {
        let arguments: Vec<&[u8]> = line.split(' ').map(str::as_bytes).collect();
        let mut replies = Replies::default();
        let executed = self.engine.execute(&mut self.clients[client], &arguments, &mut replies);
        (String::from_utf8_lossy(replies.bytes()).into_owned(), executed)
    }

    #[track_caller]
    fn ask(&mut self, client: usize, line: &str, expected: &str) {
        let (reply, executed) = self.run(client, line);
        assert_eq!((&*reply, executed), (expected, Executed::Replied), "{line}");
    }

    fn step(&mut self, step: Step) {
        match step {
            // Skip this step: a blocked client sends nothing.
            Step::Add(client, _)
            | Step::Pop(client, ..)
            | Step::Delete(client, _)
            | Step::Rename(client, ..)
                if self.model.is_waiting(client) => {}
            Step::Add(client, additions) => self.add(client, &additions),
            Step::Pop(client, keys, max, count, limit) => {
                let until = (limit > 0).then(|| self.model.now + limit);
                self.pop(&Waiting { client, keys, max, count, until }, limit);
            }
            Step::Pass(millis) => {
                self.clock.advance(Duration::from_millis(millis));
                self.model.now += millis;
                let now = self.model.now;
                let is_over = |waiting: &&Waiting| waiting.until.is_some_and(|until| until <= now);
                let over = self.model.waiting.iter().filter(is_over);
                for client in over.map(|waiting| waiting.client).collect::<Vec<_>>() {
                    self.model.waiting.retain(|waiting| waiting.client != client);
                    let mut replies = Replies::default();
                    self.engine.end_waiting(&mut self.clients[client], &mut replies);
                    assert_eq!(replies.bytes(), b"*-1\r\n");
                }
            }
            Step::Leave(client) => self.leave(client),
            Step::Delete(client, key) => {
                let reply = format!(":{}\r\n", u8::from(self.model.remove(key) > 0));
                self.ask(client, &format!("DEL {}", KEYS[key]), &reply);
            }
            Step::Rename(client, from, to) => {
                let line = format!("RENAME {} {}", KEYS[from], KEYS[to]);
                if self.model.keys[from].is_empty() {
                    return self.ask(client, &line, "-ERR no such key\r\n");
                }
                if from != to {
                    self.model.remove(to);
                    self.model.keys.swap(from, to);
                    self.model.serve(&[to]);
                }
                self.ask(client, &line, "+OK\r\n");
            }
        }
    }

    fn add(&mut self, client: usize, additions: &[(usize, Vec<u8>)]) {
        let mut changed = Vec::new();
        let mut lines = Vec::new();
        for (key, scores) in additions {
            let mut line = format!("ZADD {}", KEYS[*key]);
            for score in scores {
                let member = self.model.next_member.to_string();
                self.model.next_member += 1;
                line.extend([" ", &score.to_string(), " ", &member]);
                self.model.left.insert(member.clone());
                self.model.keys[*key].insert((*score, member));
            }
            lines.push((line, format!(":{}\r\n", scores.len())));
            changed.push(*key);
        }
        self.model.serve(&changed);
        if let [(line, reply)] = lines.as_slice() {
            return self.ask(client, line, reply);
        }
        self.ask(client, "MULTI", "+OK\r\n");
        let mut all = format!("*{}\r\n", lines.len());
        for (line, reply) in &lines {
            self.ask(client, line, "+QUEUED\r\n");
            all += reply;
        }
        self.ask(client, "EXEC", &all);
    }

    fn pop(&mut self, request: &Waiting, limit: u64) {
        let keys = request.keys.iter().map(|key| KEYS[*key]);
        let keys = keys.collect::<Vec<_>>().join(" ");
        let seconds = format!("0.{limit:03}");
        let end = if request.max { "MAX" } else { "MIN" };
        let line = match request.count {
            None => format!("BZPOP{end} {keys} {seconds}"),
            Some(count) => {
                format!("BZMPOP {seconds} {} {keys} {end} COUNT {count}", request.keys.len())
            }
        };
        if let Some(reply) = self.model.pop(request) {
            return self.ask(request.client, &line, &reply);
        }
        let limit = (limit > 0).then(|| Duration::from_millis(limit));
        let executed = self.run(request.client, &line);
        assert_eq!(executed, (String::new(), Executed::Waits(limit)), "{line}");
        self.model.waiting.push(request.clone());
    }

    fn leave(&mut self, client: usize) {
        self.model.waiting.retain(|waiting| waiting.client != client);
        self.model.served.remove(&client);
        self.engine.leave(&mut self.clients[client]);
        self.connect(client);
    }

    /// Compares the replies to blocked clients, and the remaining members.
    fn check(&mut self) {
        for client in 0..CLIENTS {
            let mut replies = Replies::default();
            let is_served = self.clients[client].take_served(&mut replies);
            let reply = String::from_utf8_lossy(replies.bytes()).into_owned();
            assert_eq!(is_served.then_some(reply), self.model.served.remove(&client));
        }
        if let Some(client) = (0..CLIENTS).find(|client| !self.model.is_waiting(*client)) {
            for (key, set) in KEYS.iter().zip(self.model.keys.clone()) {
                let members: String = set.iter().map(|(_, member)| bulk(member)).collect();
                let reply = format!("*{}\r\n{members}", set.len());
                self.ask(client, &format!("ZRANGE {key} 0 -1"), &reply);
            }
            let (info, _) = self.run(client, "INFO clients");
            let waiting = format!("blocked_clients:{}\r\n", self.model.waiting.len());
            assert!(info.contains(&waiting), "{waiting} is not in {info}");
        }
        let left: usize = self.model.keys.iter().map(BTreeSet::len).sum();
        assert_eq!(self.model.left.len(), left, "a member is lost");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn blocked_clients_are_served_in_order_and_no_member_is_lost(
        steps in prop::collection::vec(step(), 1..60)
    ) {
        let mut both = Both::new();
        for step in steps {
            both.step(step);
            both.check();
        }
    }
}
