//! The server of the model: a plain reference implementation, alone or compared with the real
//! script.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use zset_std::Timestamp;

use crate::leased::draw::{Draw, Grant, Terms};

/// Executes draws at given times.
pub(super) trait Server {
    fn run(&mut self, now: Timestamp, process: &str, terms: &Terms, draw: &Draw) -> Grant;
}

/// The units of a lease, and the time from which they no longer count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    units: u32,
    leaves: u64,
}

/// A simple reference implementation of the server.
#[derive(Debug, Default)]
pub(super) struct FakeServer {
    pub(super) entries: BTreeMap<(String, u64), Entry>,
    /// Injects a bug: a lease counts for one period, as if its units were used at the time of the
    /// draw.
    pub(super) ignores_life: bool,
    /// Injects a bug: unused units are taken from the newest leases instead of the ended one.
    pub(super) gives_back_the_newest: bool,
}

impl FakeServer {
    pub(super) fn units(&self) -> u32 {
        self.entries.values().map(|entry| entry.units).sum()
    }

    fn end(&mut self, id: (String, u64), used: u32, leaves: u64) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        let mut unused = entry.units - used.min(entry.units);
        entry.leaves = entry.leaves.min(leaves);
        let mut ends = vec![id];
        if self.gives_back_the_newest {
            ends = self.entries.keys().cloned().collect();
            ends.sort_by_key(|id| Reverse(self.entries[id].leaves));
        }
        for id in ends {
            if let Some(entry) = self.entries.get_mut(&id) {
                let taken = unused.min(entry.units);
                entry.units -= taken;
                unused -= taken;
            }
        }
        self.entries.retain(|_, entry| entry.units > 0);
    }
}

impl Server for FakeServer {
    fn run(&mut self, now: Timestamp, process: &str, terms: &Terms, draw: &Draw) -> Grant {
        let micros = |duration: Duration| duration.as_nanos().div_ceil(1000) as u64;
        let (now, period) = (now.as_nanos() / 1000, micros(terms.quota.period()));
        self.entries.retain(|_, entry| entry.leaves > now);
        for ended in &draw.ended {
            self.end((process.to_owned(), ended.id), ended.used, now + period);
        }
        let available = terms.limit().saturating_sub(self.units());
        let mut units = 0;
        let mut retry_after = 0;
        if available < draw.least {
            let mut entries: Vec<_> = self.entries.values().copied().collect();
            entries.sort_by_key(|entry| Reverse(entry.leaves));
            let mut available = available;
            while available < draw.least {
                let first = entries.pop().expect("the limit exceeds the units");
                available += first.units;
                retry_after = first.leaves - now;
            }
        } else {
            units = draw.most.min(available);
        }
        if units > 0 {
            let has_life = units > draw.least && !self.ignores_life;
            let life = if has_life { micros(terms.life) } else { 0 };
            let entry = Entry { units, leaves: now + period + life };
            self.entries.insert((process.to_owned(), draw.id), entry);
        }
        let last = self.entries.values().map(|entry| entry.leaves).max();
        Grant {
            units,
            remaining: terms.limit() - self.units(),
            retry_after: Duration::from_micros(retry_after),
            reset_after: Duration::from_micros(last.map_or(0, |last| last - now)),
        }
    }
}

/// Runs the script on a real server, and checks that its replies equal those of the reference.
#[cfg(all(unix, feature = "cluster"))]
pub(super) struct Both {
    pub(super) connection: redis::Connection,
    pub(super) key: String,
    pub(super) fake: FakeServer,
}

#[cfg(all(unix, feature = "cluster"))]
impl Server for Both {
    fn run(&mut self, now: Timestamp, process: &str, terms: &Terms, draw: &Draw) -> Grant {
        let names = crate::key::Names::new("model");
        let call = draw.call(&names, self.key.as_bytes(), process, terms, Some(now));
        let reply = call.by_source().query(&mut self.connection).unwrap();
        let (grant, expected) =
            (draw.grant(reply).unwrap(), self.fake.run(now, process, terms, draw));
        assert_eq!(grant, expected, "{draw:?}");
        grant
    }
}
