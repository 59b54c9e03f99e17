//! [`Forgotten`]: units whose individual times a limiter no longer has.

use crate::Timestamp;

/// The largest number of units counted: above any limit, and small enough that sums cannot overflow.
pub(super) const MOST_UNITS: u64 = u64::MAX / 4;

/// The number of units that a limiter has forgotten, and a time by which all of them were allowed.
///
/// They may count again under a quota with a longer period. The limiter then assumes that all of them
/// were allowed as late as possible: an error towards denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Forgotten {
    units: u64,
    /// None of the units was allowed after this time.
    latest: Timestamp,
}

impl Forgotten {
    pub(super) const NONE: Forgotten = Forgotten { units: 0, latest: Timestamp::ZERO };

    /// Adds units, none of which was allowed after `latest`.
    pub(super) fn add(&mut self, units: u64, latest: Timestamp) {
        if units > 0 {
            self.units = self.units.saturating_add(units).min(MOST_UNITS);
            self.latest = self.latest.max(latest);
        }
    }

    /// Returns the units and the time at which they count, if they may be less than `period` nanoseconds
    /// old.
    pub(super) fn within(&self, period: u64, now: Timestamp) -> Option<(Timestamp, u64)> {
        let age = now.as_nanos().saturating_sub(self.latest.as_nanos());
        (self.units > 0 && age < period).then_some((self.latest, self.units))
    }
}
