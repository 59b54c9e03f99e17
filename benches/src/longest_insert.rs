//! `longest-insert`: how long the longest insert takes while a set grows.
//!
//! A table that moves all its entries at once when it is full is fast on average and stops the
//! program for tens of milliseconds now and then. It is the CPU time of the thread that counts: wall
//! time would show when the machine ran something else. Interrupts and a hypervisor still add to it
//! here and there, so it is done in several rounds: a pause that is the contender's own comes back in
//! each of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, Write};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::contender::Contender;
use crate::contenders::{Visitor, visit_all};
use crate::report::{Table, write_header};
use crate::workload::elements;

/// What to measure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The size to grow to.
    pub n: usize,
    /// How often each contender grows, at least once.
    pub rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { n: 10_000_000, rounds: 3 }
    }
}

/// Grows every contender and prints the longest insert of each.
///
/// # Errors
///
/// Those of writing to `out`.
pub fn run(options: &Options, out: &mut impl Write) -> io::Result<()> {
    write_header(out)?;
    let rounds: Vec<Vec<Growth>> = (0..options.rounds)
        .map(|round| {
            let elements = elements(options.n, round as u64);
            let mut grower = Grower { elements: &elements, growths: Vec::new() };
            visit_all(&mut grower);
            grower.growths
        })
        .collect();
    writeln!(out, "\n### Growing to N = {} (rounds: {})\n", options.n, options.rounds)?;
    write!(out, "{}", table(&rounds))?;
    writeln!(out, "\nEach time includes one reading of the clock, {:?} here.", clock_cost())
}

/// How one contender grew in one round.
#[derive(Clone, Copy)]
struct Growth {
    name: &'static str,
    p9999: Duration,
    longest: Duration,
    /// How many elements were there before the longest insert.
    len_before: usize,
}

struct Grower<'a> {
    elements: &'a [(u64, f64)],
    growths: Vec<Growth>,
}

impl Visitor for Grower<'_> {
    fn visit<C: Contender>(&mut self) {
        let mut contender = C::new();
        let mut longest = Longest::for_p9999(self.elements.len());
        for (len, &(member, score)) in self.elements.iter().enumerate() {
            let start = cpu_time();
            contender.insert(member, score);
            longest.add(cpu_time().saturating_sub(start), len);
        }
        let p9999 = longest.p9999();
        let (longest, len_before) = longest.max();
        self.growths.push(Growth { name: C::NAME, p9999, longest, len_before });
    }
}

/// Lays out the round in which the longest insert was the shortest, as the one least disturbed, and
/// the longest inserts of all rounds beside it.
fn table(rounds: &[Vec<Growth>]) -> Table {
    let head = ["CPU time of one insert", "p99.99", "longest", "longest of each round, at length"];
    let mut table = Table::new(head.map(String::from).into());
    for place in 0..rounds[0].len() {
        let growths = rounds.iter().map(|round| round[place]);
        let all: Vec<String> = growths
            .clone()
            .map(|growth| format!("{:.1?} at {}", growth.longest, growth.len_before))
            .collect();
        let Some(calmest) = growths.min_by_key(|growth| growth.longest) else { continue };
        table.push(vec![
            calmest.name.into(),
            format!("{:.1?}", calmest.p9999),
            format!("{:.1?}", calmest.longest),
            all.join(", "),
        ]);
    }
    table
}

/// The longest of many times, just as many as the 99.99th percentile needs.
struct Longest {
    /// The least of them on top, each with the length before the insert.
    times: BinaryHeap<Reverse<(Duration, usize)>>,
    kept: usize,
}

impl Longest {
    /// Makes room for the percentile of `count` times.
    fn for_p9999(count: usize) -> Self {
        // The percentile is the longest of those that are left when one in 10,000 is cut away.
        let kept = count / 10_000 + 1;
        Longest { times: BinaryHeap::with_capacity(kept + 1), kept }
    }

    fn add(&mut self, time: Duration, len: usize) {
        if self.times.len() == self.kept {
            let least = self.times.peek().map_or(Duration::ZERO, |Reverse((least, _))| *least);
            if time <= least {
                return;
            }
            self.times.pop();
        }
        self.times.push(Reverse((time, len)));
    }

    fn p9999(&self) -> Duration {
        self.times.peek().map_or(Duration::ZERO, |Reverse((time, _))| *time)
    }

    fn max(&self) -> (Duration, usize) {
        self.times.iter().map(|Reverse(time)| *time).max().unwrap_or_default()
    }
}

/// Returns the CPU time that this thread has had.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).expect("the CPU time of a thread is not negative")
}

/// Returns the usual time between two readings of the clock.
fn clock_cost() -> Duration {
    let mut costs: Vec<Duration> = (0..1001)
        .map(|_| {
            let start = cpu_time();
            cpu_time().saturating_sub(start)
        })
        .collect();
    costs.sort_unstable();
    costs[costs.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_in_ten_thousand_is_above_the_percentile() {
        let mut longest = Longest::for_p9999(20_000);
        for nanos in 1..=20_000 {
            longest.add(Duration::from_nanos(nanos), 7);
        }
        assert_eq!(longest.p9999(), Duration::from_nanos(19_998));
        assert_eq!(longest.max(), (Duration::from_micros(20), 7));
    }
}
