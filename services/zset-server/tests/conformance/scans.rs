//! Tests that ZSCAN returns each member that stays in the set during the scan, whatever else
//! changes.
//!
//! Cursors differ between the servers, so each server has its own scan.

use std::collections::BTreeMap;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use zset_core::ListpackLimits;

use super::both::{Both, LIMITS};
use super::command::{Command, command};
use super::process::{Kind, Reply, Server};
use super::score::is_same_score;
use super::test_with_each_server;

const KEY: &str = "set";
/// The maximum number of pages; the scans in these tests have fewer.
const MAX_PAGES: usize = 100_000;

test_with_each_server!(unchanged_sets, changing_sets);

struct Scan {
    /// The kind of the other server; `None` for the engine.
    server: Option<Kind>,
    cursor: String,
    pages: usize,
    /// How often each member was returned.
    seen: BTreeMap<Vec<u8>, usize>,
}

impl Scan {
    fn of(server: Option<Kind>) -> Scan {
        Scan { server, cursor: "0".into(), pages: 0, seen: BTreeMap::new() }
    }

    fn is_done(&self) -> bool {
        self.pages > 0 && self.cursor == "0"
    }

    /// Reads the next page. Every element on it must be in the set now.
    fn read_page(&mut self, both: &mut Both<'_>, count: usize) {
        let command = command!["ZSCAN", KEY, self.cursor, "COUNT", count.to_string()];
        let reply = match self.server {
            None => both.ours.run(&command),
            Some(_) => both.server.run(&command),
        };
        let mut parts = Reply::of(&reply).into_parts().into_iter();
        let mut next = || parts.next().expect("a cursor and a page");
        self.cursor = String::from_utf8(next().into_text().to_vec()).expect("a cursor is digits");
        let page: Vec<_> = next().into_parts().into_iter().map(Reply::into_text).collect();
        self.pages += 1;
        assert!(self.pages < MAX_PAGES, "the scan does not end");
        for element in page.chunks(2) {
            let (member, score) = (element[0], element[1]);
            let reply = both.ours.run(&command!["ZSCORE", KEY, member]);
            let Reply::Line(b',', ours) = Reply::of(&reply) else { panic!("it is not in the set") };
            let is_same = match self.server {
                None => ours == score,
                Some(kind) => is_same_score(ours, score, kind),
            };
            assert!(is_same, "{}", score.escape_ascii());
            *self.seen.entry(member.to_vec()).or_default() += 1;
        }
    }
}

/// Returns a member that stays in the set.
fn resident(i: usize) -> Vec<u8> {
    format!("resident {i}").into_bytes()
}

fn add(
    members: impl IntoIterator<Item = Vec<u8>>,
    random: &mut Xoshiro256PlusPlus,
) -> Vec<Command> {
    let score = |member| command!["ZADD", KEY, random.random_range(-50..50).to_string(), member];
    members.into_iter().map(score).collect()
}

fn unchanged_sets(mut server: Server) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    for limits in LIMITS {
        for len in [0, 1, 4, 5, 128, 129, 500] {
            let mut both = Both::new(&mut server, limits);
            both.agree_all(add((0..len).map(resident), &mut random));
            for count in [1, 3, 10, 5000] {
                let [ours, theirs] = [None, Some(both.server.kind)].map(|server| {
                    let mut scan = Scan::of(server);
                    while !scan.is_done() {
                        scan.read_page(&mut both, count);
                    }
                    scan.seen
                });
                assert!(theirs.keys().eq(ours.keys()));
                assert_eq!(ours.len(), len);
                assert!(ours.values().all(|&times| times == 1), "{ours:?}");
            }
        }
    }
}

fn changing_sets(mut server: Server) {
    for seed in 0..12 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let limits = if seed % 3 == 0 { ListpackLimits::default() } else { LIMITS[3] };
        let (len, count) =
            [(3, 1), (50, 7), (150, 3), (150, 20), (300, 10), (600, 40)][random.random_range(0..6)];
        let mut both = Both::new(&mut server, limits);
        both.agree_all(add((0..len).map(resident), &mut random));
        let mut next_guest = 0;

        let mut scans = [None, Some(both.server.kind)].map(Scan::of);
        while !scans.iter().all(Scan::is_done) {
            for scan in scans.iter_mut().filter(|scan| !scan.is_done()) {
                scan.read_page(&mut both, count);
            }
            both.agree_all(changes(len, &mut next_guest, &mut random));
        }
        let [ours, theirs] = scans.map(|scan| scan.seen);
        let [encoding, _] = both.show("OBJECT ENCODING set");
        for member in (0..len).map(resident) {
            assert!(theirs.contains_key(&member), "the server missed {member:?} (seed {seed})");
            let times = ours.get(&member).copied();
            assert_eq!(times, Some(1), "{member:?} (seed {seed}, {count} a page, now {encoding})");
        }
        assert!(len < 128 || encoding == "\"skiplist\"");
    }
}

/// Draws changes that keep the residents: their scores change, and guests are added and removed,
/// sometimes enough of them for tables to grow or shrink.
fn changes(len: usize, next_guest: &mut usize, random: &mut Xoshiro256PlusPlus) -> Vec<Command> {
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
        14..20 => add([resident(random.random_range(0..len))], random),
        _ => Vec::new(),
    }
}
