//! A naive limiter, written from the documentation alone: it keeps a list of all units and denials,
//! and finds waits by binary search.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use zset_std::{Decision, Funnel, Timestamp, Verdict, WhenFull};

/// Times and durations, in nanoseconds.
pub(crate) type Nanos = u64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    SlidingWindow,
    WindowCounter,
    FixedWindow,
    Funnel,
}

/// When a key is blocked: after some denials in a row, for a time that doubles with each block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) denials: u32,
    pub(crate) shortest: Nanos,
    pub(crate) longest: Nanos,
}

fn period(quota: Funnel) -> Nanos {
    quota.quota().period().as_nanos().try_into().unwrap()
}

/// Returns the time in which a unit leaks out of a funnel. Tests choose whole nanoseconds.
fn interval(quota: Funnel) -> Nanos {
    assert_eq!(period(quota) % Nanos::from(quota.quota().count()), 0);
    period(quota) / Nanos::from(quota.quota().count())
}

/// A denial that counts for the penalty.
#[derive(Clone, Copy, Debug)]
struct Denial {
    at: Nanos,
    /// How often units had been taken before. Denials in a row have the same number.
    taken: usize,
}

/// A block that results from denials.
#[derive(Clone, Copy, Debug)]
struct Blocked {
    /// The index of the denial that starts it.
    by: usize,
    start: Nanos,
    length: Nanos,
}

/// The units and denials of a key.
#[derive(Clone, Debug)]
struct Key {
    algorithm: Algorithm,
    /// The limiter's quota.
    own: Funnel,
    block: Option<Block>,
    /// The times of all units, ascending.
    units: Vec<Nanos>,
    /// When the funnel will be empty, if it is one.
    empty_at: Nanos,
    /// The time of the latest check or charge.
    checked: Nanos,
    /// How often units have been taken.
    taken: usize,
    /// All denials that count for the penalty.
    denials: Vec<Denial>,
}

impl Key {
    fn limit(&self, quota: Funnel) -> u32 {
        if self.algorithm == Algorithm::Funnel { quota.capacity() } else { quota.quota().count() }
    }

    fn passes(&self, quota: Funnel, n: u32, now: Nanos) -> bool {
        let period = period(quota);
        let count = |is_in: &dyn Fn(Nanos) -> bool| {
            self.units.iter().filter(|&&at| is_in(at)).count() as Nanos
        };
        let window = now / period;
        let used = match self.algorithm {
            Algorithm::SlidingWindow => count(&|at| now - at < period),
            Algorithm::FixedWindow => count(&|at| at / period == window),
            Algorithm::WindowCounter => {
                let previous = count(&|at| at / period + 1 == window);
                let rest = period - now % period;
                let weighed = (u128::from(previous) * u128::from(rest)).div_ceil(period.into());
                count(&|at| at / period == window) + Nanos::try_from(weighed).unwrap()
            }
            Algorithm::Funnel => {
                let level = self.empty_at.saturating_sub(now);
                let poured = level + Nanos::from(n) * interval(quota);
                return n == 0 || poured <= Nanos::from(quota.capacity()) * interval(quota);
            }
        };
        n == 0 || used + Nanos::from(n) <= quota.quota().count().into()
    }

    fn take(&mut self, quota: Funnel, n: u32, now: Nanos) {
        if self.algorithm == Algorithm::Funnel {
            self.empty_at = self.empty_at.max(now) + Nanos::from(n) * interval(quota);
        } else {
            self.units.extend((0..n).map(|_| now));
        }
    }

    /// Returns how long a request of `n` units has to wait. `n` must not exceed the limit.
    fn wait(&self, quota: Funnel, n: u32, now: Nanos) -> Nanos {
        // After `high`, no recorded unit counts against the limit.
        let (mut low, mut high) = (0, 2 * period(quota) + self.empty_at.saturating_sub(now));
        while low < high {
            let middle = low.midpoint(high);
            if self.passes(quota, n, now + middle) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Decides without the penalty, and takes the units if they are allowed.
    fn decide(&mut self, quota: Funnel, n: u32, now: Nanos) -> Decision {
        let limit = self.limit(quota);
        let verdict = if n > limit {
            Verdict::Never
        } else if self.passes(quota, n, now) {
            self.take(quota, n, now);
            Verdict::Allowed
        } else {
            Verdict::Denied { retry_after: Duration::from_nanos(self.wait(quota, n, now)) }
        };
        let left = (0..=limit).rev().find(|&left| self.passes(quota, left, now));
        let reset_after = Duration::from_nanos(self.wait(quota, limit, now));
        Decision { verdict, limit, remaining: left.unwrap(), reset_after }
    }

    /// Returns the blocks that result from all denials.
    fn blocks(&self) -> Vec<Blocked> {
        let Some(block) = self.block else { return Vec::new() };
        let mut blocks: Vec<Blocked> = Vec::new();
        for (by, denial) in self.denials.iter().enumerate() {
            // By the time of denial `first`, all earlier denials and blocks had been forgotten.
            let first = (0..=by).rev().find(|&first| {
                let before = blocks.iter().copied().filter(|block| block.by < first);
                forgotten_at(block, &self.denials[..first], before) <= self.denials[first].at
            });
            let remembered: Vec<_> =
                blocks.iter().filter(|block| block.by >= first.unwrap()).collect();
            let start_of_row = remembered.last().map_or(first.unwrap(), |latest| latest.by + 1);
            let row = &self.denials[start_of_row..=by];
            let in_a_row = row.iter().filter(|other| other.taken == denial.taken).count();
            if in_a_row == block.denials as usize {
                let growth = 2_u64.saturating_pow(remembered.len() as u32);
                let length = block.shortest.saturating_mul(growth).min(block.longest);
                blocks.push(Blocked { by, start: denial.at, length });
            }
        }
        blocks
    }

    /// Returns how long the latest block still lasts at a time, or zero.
    fn rest(&self, now: Nanos) -> Duration {
        let end = self.blocks().last().map_or(0, |block| block.start + block.length);
        Duration::from_nanos(end.saturating_sub(now))
    }

    /// Returns when all denials and blocks are forgotten.
    fn forgotten_at(&self) -> Nanos {
        self.block.map_or(0, |block| forgotten_at(block, &self.denials, self.blocks()))
    }

    /// Decides on `n` units in addition to `held` ones, without the penalty. Takes allowed units if
    /// `takes` is set.
    fn check_inside(
        &mut self,
        quota: Funnel,
        n: u32,
        held: u32,
        takes: bool,
        now: Nanos,
    ) -> Decision {
        let mut after = self.clone();
        let mut decision = after.decide(quota, n, now);
        if decision.is_allowed() && n > 0 && held > decision.remaining {
            let retry_after = Duration::from_secs(1);
            decision.verdict = Verdict::Denied { retry_after };
            decision.remaining += n;
        }
        decision.remaining = decision.remaining.saturating_sub(held);
        if decision.is_allowed() && takes {
            *self = after;
        }
        decision
    }

    /// Decides on `n` units in addition to `held` ones. Takes allowed units if `takes` is set.
    fn check(&mut self, quota: Funnel, n: u32, held: u32, takes: bool, now: Nanos) -> Decision {
        self.checked = now;
        let mut decision;
        if self.rest(now) > Duration::ZERO {
            // During a block, no units are taken, and denials do not count.
            decision = self.clone().check_inside(quota, n, held, false, now);
            if decision.is_allowed() {
                let reset_after = self.clone().decide(quota, 0, now).reset_after;
                decision = Decision { reset_after, ..decision };
            }
        } else {
            decision = self.check_inside(quota, n, held, takes, now);
            match decision.verdict {
                Verdict::Allowed => self.taken += usize::from(takes && n > 0),
                Verdict::Denied { .. } => {
                    self.denials.push(Denial { at: now, taken: self.taken });
                }
                Verdict::Never => {}
            }
        }
        let rest = self.rest(now);
        if rest > Duration::ZERO {
            decision.remaining = 0;
            decision.reset_after = decision.reset_after.max(rest);
            let is_denied = n > 0 && decision.verdict != Verdict::Never;
            if is_denied {
                let retry_after = decision.retry_after().unwrap_or_default().max(rest);
                decision.verdict = Verdict::Denied { retry_after };
            }
        }
        decision
    }

    /// Charges units that were held, even during a block. This ends a row of denials.
    fn charge(&mut self, quota: Funnel, n: u32, now: Nanos) {
        self.take(quota, n, now);
        self.checked = now;
        self.taken += 1;
    }

    /// Refunds the newest units, and returns how many.
    fn refund(&mut self, quota: Funnel, n: u32) -> u32 {
        if self.algorithm == Algorithm::Funnel {
            let level = self.empty_at.saturating_sub(self.checked);
            let refunded = level.min(Nanos::from(n) * interval(quota));
            self.empty_at -= refunded;
            return (refunded / interval(quota)) as u32;
        }
        let (period, checked) = (period(self.own), self.checked);
        let is_on_record = |at: Nanos| match self.algorithm {
            Algorithm::SlidingWindow => checked - at < period,
            Algorithm::FixedWindow => at / period == checked / period,
            _ => checked / period - at / period < 2,
        };
        let newest = self.units.iter().rev().take_while(|&&at| is_on_record(at));
        let refunded = newest.take(n as usize).count();
        self.units.truncate(self.units.len() - refunded);
        refunded as u32
    }

    /// Returns when the key becomes idle: from then on, no unit, denial or block counts.
    fn idle_at(&self) -> Nanos {
        let period = period(self.own);
        let last = self.units.last().copied();
        let units = match self.algorithm {
            Algorithm::SlidingWindow => last.map(|last| last + period),
            Algorithm::FixedWindow => last.map(|last| (last / period + 1) * period),
            Algorithm::WindowCounter => last.map(|last| (last / period + 2) * period),
            Algorithm::Funnel => Some(self.empty_at),
        };
        units.unwrap_or(0).max(self.forgotten_at())
    }
}

/// Returns when all denials and blocks are forgotten: a denial after the time of the shortest
/// block, and a block when its length has passed since its end.
fn forgotten_at(
    block: Block,
    denials: &[Denial],
    blocks: impl IntoIterator<Item = Blocked>,
) -> Nanos {
    let denials = denials.iter().map(|denial| denial.at + block.shortest);
    let blocks = blocks.into_iter().map(|block| block.start + 2 * block.length);
    denials.chain(blocks).max().unwrap_or(0)
}

/// Where the units of a key are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Key,
    Shared,
    Refused,
}

/// A limiter of many keys, with a bound on their number.
#[derive(Clone, Debug)]
pub(crate) struct Naive {
    new: Key,
    keys: BTreeMap<u8, Key>,
    shared: Key,
    bound: Option<(usize, WhenFull)>,
    held: BTreeMap<u8, u32>,
    held_by_shared: u32,
}

/// A decision, and where it was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decided {
    pub(crate) decision: Decision,
    pub(crate) place: Place,
}

impl Naive {
    pub(crate) fn new(
        algorithm: Algorithm,
        own: Funnel,
        block: Option<Block>,
        bound: Option<(usize, WhenFull)>,
    ) -> Self {
        let (units, denials) = (Vec::new(), Vec::new());
        let new = Key { algorithm, own, block, units, empty_at: 0, checked: 0, taken: 0, denials };
        let (keys, held) = (BTreeMap::new(), BTreeMap::new());
        Naive { shared: new.clone(), new, keys, bound, held, held_by_shared: 0 }
    }

    /// Returns where the units of a key are counted: for the key itself, as long as fewer than
    /// `max_keys` other keys are in use or have units in flight.
    fn place(&self, key: u8, now: Nanos) -> Place {
        let Some((max_keys, when_full)) = self.bound else { return Place::Key };
        let in_use = self.keys.iter().filter(|(_, key)| key.idle_at() > now).map(|(key, _)| *key);
        let mut others: BTreeSet<u8> = in_use.chain(self.held.keys().copied()).collect();
        others.remove(&key);
        match when_full {
            _ if others.len() < max_keys => Place::Key,
            WhenFull::SharedBucket => Place::Shared,
            _ => Place::Refused,
        }
    }

    /// Decides on `n` units of a key, by calling `decide` with the state that counts them.
    fn decide(
        &mut self,
        key: u8,
        quota: Funnel,
        n: u32,
        now: Nanos,
        decide: impl FnOnce(&mut Key, Place) -> Decision,
    ) -> Decided {
        let place = self.place(key, now);
        let decision = match place {
            Place::Key => {
                let new = || self.new.clone();
                decide(self.keys.entry(key).or_insert_with(new), place)
            }
            Place::Shared => decide(&mut self.shared, place),
            Place::Refused => {
                let new = self.new.clone().check(quota, n, 0, true, now);
                let retry_after = Duration::MAX;
                let verdict = match new.verdict {
                    Verdict::Never => Verdict::Never,
                    _ if n == 0 => Verdict::Allowed,
                    // The limiter only estimates this wait, so the tests do not compare it.
                    _ => Verdict::Denied { retry_after },
                };
                Decision { verdict, remaining: 0, reset_after: retry_after, ..new }
            }
        };
        Decided { decision, place }
    }

    /// Takes `n` units of a key, or denies them.
    pub(crate) fn check(&mut self, key: u8, quota: Funnel, n: u32, now: Nanos) -> Decided {
        let held = self.held(key);
        self.decide(key, quota, n, now, |key, place| key.check(quota, n, held(place), true, now))
    }

    /// Returns what `check` would, without taking units.
    pub(crate) fn peek(&self, key: u8, quota: Funnel, n: u32, now: Nanos) -> Decided {
        self.clone().check(key, quota, n, now)
    }

    /// Holds `n` units of a key, or denies them.
    pub(crate) fn hold(&mut self, key: u8, quota: Funnel, n: u32, now: Nanos) -> Decided {
        let held = self.held(key);
        let decided = self
            .decide(key, quota, n, now, |key, place| key.check(quota, n, held(place), false, now));
        if decided.decision.is_allowed() && n > 0 {
            match decided.place {
                Place::Key => *self.held.entry(key).or_default() += n,
                Place::Shared => self.held_by_shared += n,
                Place::Refused => {}
            }
        }
        decided
    }

    /// Returns a function from a place to the units held there.
    fn held(&self, key: u8) -> impl Fn(Place) -> u32 + use<> {
        let of_key = self.held.get(&key).copied().unwrap_or(0);
        let of_shared = self.held_by_shared;
        move |place| if place == Place::Key { of_key } else { of_shared }
    }

    /// Ends a hold, and charges its units if `is_charged` is set.
    pub(crate) fn settle(
        &mut self,
        key: u8,
        place: Place,
        quota: Funnel,
        n: u32,
        is_charged: bool,
        now: Nanos,
    ) {
        let state = if place == Place::Key {
            let held = self.held.get_mut(&key).unwrap();
            *held -= n;
            if *held == 0 {
                self.held.remove(&key);
            }
            self.keys.get_mut(&key).unwrap()
        } else {
            self.held_by_shared -= n;
            &mut self.shared
        };
        if is_charged {
            state.charge(quota, n, now);
        }
    }

    /// Returns whether a key is indistinguishable from a new one, so that it may be swept.
    pub(crate) fn is_idle(&self, key: u8, now: Nanos) -> bool {
        self.keys.get(&key).is_none_or(|key| key.idle_at() <= now)
    }

    /// Refunds the newest units of a key, and returns how many. Units of the shared bucket are not
    /// refunded.
    pub(crate) fn refund(&mut self, key: u8, quota: Funnel, n: u32) -> u32 {
        self.keys.get_mut(&key).map_or(0, |key| key.refund(quota, n))
    }
}

pub(crate) fn nanos(now: Timestamp) -> Nanos {
    now.as_nanos()
}
