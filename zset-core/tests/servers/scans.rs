//! Scans: every member that stays is seen, whatever else happens to the set meanwhile.
//!
//! Cursors are different in every server, and in `ZSet`, so a scan goes through each on its own.

use std::collections::BTreeMap;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use zset_core::{Encoding, ListpackLimits};

use crate::answer::is_text_of;
use crate::both::{Both, LIMITS, Mismatch};
use crate::client::Reply;
use crate::command::{Command, command};
use crate::server::{Server, test_with_each_server};

const KEY: &str = "set";
/// No scan here takes so many pages, but one that never ends.
const MOST_PAGES: usize = 100_000;

test_with_each_server!(unchanged_sets, changing_sets);

/// A scan under way.
#[derive(Default)]
struct Scan {
    cursor: u64,
    pages: usize,
    /// How often each member was seen.
    seen: BTreeMap<Vec<u8>, usize>,
}

impl Scan {
    fn is_done(&self) -> bool {
        self.pages > 0 && self.cursor == 0
    }

    fn saw(&mut self, next: u64, members: impl IntoIterator<Item = Vec<u8>>) {
        self.cursor = next;
        self.pages += 1;
        assert!(self.pages < MOST_PAGES, "the scan does not end");
        for member in members {
            *self.seen.entry(member).or_default() += 1;
        }
    }

    /// Asks the server for the next page; every element on it is in the set now.
    fn their_page(&mut self, both: &mut Both<'_>, count: usize) {
        let command = command!["ZSCAN", KEY, self.cursor.to_string(), "COUNT", count.to_string()];
        let Reply::List(mut reply) = both.server.ask(&command) else { panic!("{command} fails") };
        let elements = reply.pop().expect("a page").into_texts();
        let next = String::from_utf8(reply.pop().expect("a cursor").into_text());
        let next = next.expect("digits").parse().expect("a cursor is a number");
        let set = both.ours.set(KEY.as_bytes());
        for element in elements.chunks(2) {
            let score = set.score(&element[0]).expect("only members are returned");
            assert!(is_text_of(&element[1], score, both.server.kind));
        }
        self.saw(next, elements.chunks(2).map(|element| element[0].clone()));
    }

    /// Asks our set for the next page; every element on it is in the set now.
    fn our_page(&mut self, both: &Both<'_>, count: usize) {
        let set = both.ours.set(KEY.as_bytes());
        let (next, page) = set.scan(self.cursor, count);
        for (member, score) in &page {
            assert_eq!(set.score(member), Some(*score), "{member:?} is returned");
        }
        self.saw(next, page.into_iter().map(|(member, _)| member.to_vec()));
    }
}

/// A member that stays in the set.
fn stays(i: usize) -> Vec<u8> {
    format!("stays {i}").into_bytes()
}

fn add(members: impl IntoIterator<Item = Vec<u8>>, random: &mut SmallRng) -> Vec<Command> {
    let score = |member| command!["ZADD", KEY, random.random_range(-50..50).to_string(), member];
    members.into_iter().map(score).collect()
}

#[track_caller]
fn compare(both: &mut Both<'_>, commands: &[Command]) {
    if let Err(Mismatch { command, ours, theirs, .. }) = both.compare(commands) {
        panic!("{command}\n  ours: {ours:?}\ntheirs: {theirs:?}");
    }
}

fn unchanged_sets(mut server: Server) {
    let mut random = SmallRng::seed_from_u64(1);
    for limits in LIMITS {
        for len in [0, 1, 4, 5, 128, 129, 500] {
            let mut both = Both::new(&mut server, limits);
            compare(&mut both, &add((0..len).map(stays), &mut random));
            for count in [1, 3, 10, 5000] {
                let (mut ours, mut theirs) = (Scan::default(), Scan::default());
                while !theirs.is_done() {
                    theirs.their_page(&mut both, count);
                }
                while !ours.is_done() {
                    ours.our_page(&both, count);
                }
                assert!(theirs.seen.into_keys().eq(ours.seen.keys().cloned()));
                assert_eq!(ours.seen.len(), len);
                assert!(ours.seen.values().all(|&times| times == 1), "{:?}", ours.seen);
            }
        }
    }
}

fn changing_sets(mut server: Server) {
    for seed in 0..12 {
        let mut random = SmallRng::seed_from_u64(seed);
        let limits = if seed % 3 == 0 { ListpackLimits::default() } else { LIMITS[3] };
        let (len, count) =
            [(3, 1), (50, 7), (150, 3), (150, 20), (300, 10), (600, 40)][random.random_range(0..6)];
        let mut both = Both::new(&mut server, limits);
        compare(&mut both, &add((0..len).map(stays), &mut random));
        let mut next_guest = 0;

        let (mut ours, mut theirs) = (Scan::default(), Scan::default());
        while !ours.is_done() || !theirs.is_done() {
            if !ours.is_done() {
                ours.our_page(&both, count);
            }
            if !theirs.is_done() {
                theirs.their_page(&mut both, count);
            }
            let commands = changes(len, &mut next_guest, &mut random);
            compare(&mut both, &commands);
        }
        let encoding = both.ours.set(KEY.as_bytes()).encoding();
        for member in (0..len).map(stays) {
            assert!(
                theirs.seen.contains_key(&member),
                "the server missed {member:?} (seed {seed})"
            );
            let times = ours.seen.get(&member).copied();
            assert_eq!(times, Some(1), "{member:?} (seed {seed}, {count} a page, now {encoding})");
        }
        assert!(len < 128 || encoding == Encoding::Skiplist);
    }
}

/// Draws changes that leave the members that stay: their scores change, and guests come and go,
/// sometimes so many that tables grow or shrink.
fn changes(len: usize, next_guest: &mut usize, random: &mut SmallRng) -> Vec<Command> {
    let guest = |i: usize| format!("guest {i}").into_bytes();
    match random.random_range(0..24) {
        0 => {
            let guests = random.random_range(1..300);
            *next_guest += guests;
            add((*next_guest - guests..*next_guest).map(guest), random)
        }
        1 => {
            let mut words = vec![b"ZREM".to_vec(), KEY.into()];
            words.extend((next_guest.saturating_sub(300)..=*next_guest).map(guest));
            vec![Command::new(words)]
        }
        2..8 => {
            *next_guest += 1;
            add([guest(*next_guest)], random)
        }
        8..14 => vec![command!["ZREM", KEY, guest(random.random_range(0..=*next_guest))]],
        14..20 => add([stays(random.random_range(0..len))], random),
        _ => Vec::new(),
    }
}
