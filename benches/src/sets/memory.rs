//! The memory of sets: bytes requested from the allocator, and resident memory of the process.
//!
//! Freed memory may stay resident in a process, so each set is built in a new one: this program
//! starts itself again for each set, and passes the [`Request`] on the command line.

use std::io::{self, Error};
use std::process::{Command, Stdio};
use std::{env, fs};

use rand::RngExt;

use crate::allocator::live_bytes;
use crate::measure::{Rounds, as_f64, to_peers};
use crate::options::{MAX_CALLS, MAX_N, within};
use crate::random::generator;
use crate::record::Record;
use crate::sets::member::{Kind, Member};
use crate::sets::set::Set;
use crate::sets::workload::MIN_N;

/// The usual page size on Linux.
const PAGE: usize = 4096;

/// The labels of the values of a [`Memory`].
pub(crate) const LABELS: [&str; 4] =
    ["bytes requested", "bytes resident", "bytes requested, updated", "bytes resident, updated"];

/// The set to measure.
#[derive(clap::Args, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request {
    /// The kind of members.
    pub kind: Kind,
    /// The index of the contender.
    pub contender: usize,
    /// The number of elements.
    #[arg(value_parser = within(MIN_N, MAX_N))]
    pub n: usize,
    /// The number of random updates after the load, which fragment memory.
    #[arg(value_parser = within(0, MAX_CALLS))]
    pub updates: usize,
}

/// The memory of a set, in bytes per element: requested from the allocator and not freed, and
/// resident in whole pages; both after the load, and after the updates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Memory(pub [f64; LABELS.len()]);

impl Memory {
    /// Builds and measures the set in a child process; this program must support the command
    /// `memory-of`.
    pub fn of(request: Request) -> io::Result<Memory> {
        let Request { contender, n, kind, updates } = request;
        let output = Command::new(env::current_exe()?)
            .args(["memory-of", kind.name()])
            .args([contender, n, updates].map(|number| number.to_string()))
            .stderr(Stdio::inherit())
            .output()?;
        let text = String::from_utf8_lossy(&output.stdout);
        Memory::parse(&text).ok_or_else(|| Error::other(format!("no memory in the output: {text}")))
    }

    /// Returns the values as a line.
    pub fn line(&self) -> String {
        self.0.map(|value| value.to_string()).join(" ")
    }

    fn parse(line: &str) -> Option<Memory> {
        let values: Vec<f64> =
            line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
        Some(Memory(values.try_into().ok()?))
    }
}

/// Returns the memory of sets of all contenders as records of a table. The first `subjects` have no
/// ratio.
pub(crate) fn records(
    table: (&str, usize),
    names: &[&str],
    all: &[Memory],
    subjects: usize,
) -> Vec<Record> {
    let ratio = to_peers(subjects);
    let of_label = |(place, label): (usize, &&str)| {
        let values = all.iter().map(|memory| Some(memory.0[place])).collect();
        Rounds(vec![values]).records(table, (label, "bytes"), names, |round, place| {
            // Sets smaller than a page may need no resident memory, so there may be no valid ratio.
            ratio(round, place).filter(|ratio| ratio.is_normal())
        })
    };
    LABELS.iter().enumerate().flat_map(of_label).collect()
}

/// Builds and measures a set of `C` in this process. The result is accurate only if nothing else
/// was allocated before.
pub(crate) fn measure<M: Member, C: Set<M>>(request: Request) -> Memory {
    let Request { n, updates, .. } = request;
    let mut rng = generator(1);
    let end = as_f64(n);
    let (requested_before, resident_before) = (live_bytes(), resident());
    // Members are generated one at a time, so that only the set's own memory stays allocated.
    let mut set = C::new();
    for number in 0..n as u64 {
        set.insert(M::nth(number), rng.random_range(0.0..end));
    }
    let now = || {
        let requested = live_bytes() - requested_before;
        let resident = resident().saturating_sub(resident_before);
        [requested.unsigned_abs(), resident].map(|bytes| as_f64(bytes) / end)
    };
    let [requested, resident] = now();
    for _ in 0..updates {
        let member = M::nth(rng.random_range(0..n as u64));
        set.update(&member, rng.random_range(0.0..end));
    }
    let [requested_updated, resident_updated] = now();
    Memory([requested, resident, requested_updated, resident_updated])
}

/// Returns the resident memory of this process on Linux, else 0.
fn resident() -> usize {
    resident_of(&fs::read_to_string("/proc/self/statm").unwrap_or_default())
}

/// Returns the resident bytes that do not belong to files, since more of the program itself becomes
/// resident as it runs.
fn resident_of(statm: &str) -> usize {
    let mut pages = statm.split(' ').skip(1).map_while(|pages| pages.parse::<usize>().ok());
    let (all, of_files) = (pages.next().unwrap_or(0), pages.next().unwrap_or(0));
    all.saturating_sub(of_files) * PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_reads_what_another_writes() {
        let memory = Memory([1.5, 2.25, 3.0, 4.0]);
        assert_eq!(Memory::parse(&memory.line()), Some(memory));
        for line in ["", "1", "1 2 3 x", "1 2 3 4 5"] {
            assert_eq!(Memory::parse(line), None, "{line:?}");
        }
    }

    #[test]
    fn the_program_itself_is_not_memory_of_a_set() {
        assert_eq!(resident_of("1000 50 20 5 0 100 0\n"), 30 * 4096);
        assert_eq!(resident_of(""), 0);
        assert!(resident() > 0 || !cfg!(target_os = "linux"));
    }
}
