//! How much memory the sets take: what they ask the allocator for, and what the process has then.
//!
//! A process keeps what was freed, so each set is made in one of its own: this program starts itself
//! again for each ([`Request`] is what it passes on).

use std::env;
use std::fs;
use std::io::{self, Error};
use std::process::{Command, Stdio};

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::allocator::live_bytes;
use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::member::{Kind, Member};
use crate::names;
use crate::operation::Operation;
use crate::workload::as_f64;

/// The random updates after the load, which leave gaps in memory; ten an element, where that is less.
const UPDATES: usize = 1_000_000;

/// The size of a page, as Linux has it on common machines.
const PAGE: usize = 4096;

/// One set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// The contender, by its place.
    pub contender: usize,
    /// The elements.
    pub n: usize,
    /// Their members.
    pub kind: Kind,
}

/// The bytes an element that a set takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Memory {
    /// Requested from the allocator, after the load.
    pub requested: f64,
    /// Resident, after the load.
    pub resident: f64,
    /// Requested, after the updates.
    pub requested_later: f64,
    /// Resident, after the updates.
    pub resident_later: f64,
}

impl Memory {
    /// Has another process make the set; this program has to know the command `memory-of`.
    ///
    /// # Errors
    ///
    /// Those of starting it, and of what it answers.
    pub fn of(request: Request) -> io::Result<Memory> {
        let Request { contender, n, kind } = request;
        let output = Command::new(env::current_exe()?)
            .args(["memory-of", &contender.to_string(), &n.to_string(), kind.name()])
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Memory::parse(&text).ok_or_else(|| Error::other(format!("no figures: {text}")))
    }

    /// Makes the set here. Figures are right if nothing else was allocated before.
    pub fn here(request: Request) -> Memory {
        let Request { contender, n, kind } = request;
        match kind {
            Kind::Integers => measure(contender, n, names::scramble),
            Kind::Strings => measure(contender, n, names::string),
            Kind::Names => measure(contender, n, names::name),
        }
    }

    /// Returns the figures as a line.
    pub fn line(self) -> String {
        let Memory { requested, resident, requested_later, resident_later } = self;
        format!("{requested} {resident} {requested_later} {resident_later}")
    }

    fn parse(line: &str) -> Option<Memory> {
        let figures: Vec<f64> =
            line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        let &[requested, resident, requested_later, resident_later] = &figures[..] else {
            return None;
        };
        Some(Memory { requested, resident, requested_later, resident_later })
    }
}

fn measure<M: Member>(contender: usize, n: usize, make_up: fn(u64) -> M) -> Memory {
    let mut maker = Maker { left: contender, n, make_up, memory: None };
    visit_all(&mut maker);
    maker.memory.expect("there are so many contenders")
}

struct Maker<M> {
    /// How many contenders come before the one that counts.
    left: usize,
    n: usize,
    make_up: fn(u64) -> M,
    memory: Option<Memory>,
}

impl<M: Member> Visitor<M> for Maker<M> {
    fn visit<C: Contender<M>>(&mut self) {
        if self.left > 0 || self.memory.is_some() {
            self.left = self.left.saturating_sub(1);
            return;
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let end = as_f64(self.n);
        let (requested_before, resident_before) = (live_bytes(), resident());
        // Members are made up on the way, so that nothing else is allocated for long.
        let mut set = C::new();
        for number in 0..self.n as u64 {
            set.insert((self.make_up)(number), rng.random_range(0.0..end));
        }
        let now = || {
            let requested = live_bytes() - requested_before;
            let resident = resident().saturating_sub(resident_before);
            (as_f64(requested.unsigned_abs()) / end, as_f64(resident) / end)
        };
        let (requested, resident) = now();
        if C::offers(Operation::Update) {
            for _ in 0..UPDATES.min(10 * self.n) {
                let member = (self.make_up)(rng.random_range(0..self.n as u64));
                set.update(&member, rng.random_range(0.0..end));
            }
        }
        let (requested_later, resident_later) = now();
        self.memory = Some(Memory { requested, resident, requested_later, resident_later });
    }
}

/// Returns the bytes of this process that are in memory, as Linux tells; 0 elsewhere.
fn resident() -> usize {
    let text = fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: usize = text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(0);
    pages * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_go_from_one_process_to_the_other() {
        let memory =
            Memory { requested: 1.5, resident: 2.25, requested_later: 3.0, resident_later: 4.0 };
        assert_eq!(Memory::parse(&memory.line()), Some(memory));
        assert_eq!(Memory::parse("1 2 3"), None);
        assert_eq!(Memory::parse("1 2 3 x"), None);
    }

    #[test]
    fn each_contender_is_found_by_its_place() {
        for contender in 0..crate::tail::contenders() {
            Memory::here(Request { contender, n: 100, kind: Kind::Names });
        }
    }
}
