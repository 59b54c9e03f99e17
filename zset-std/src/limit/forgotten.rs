//! [`Forgotten`]: units whose times a limiter no longer knows one by one.

use crate::Timestamp;

/// The most units that are counted: more than any limit, and few enough that sums cannot overflow.
pub(super) const MOST_UNITS: u64 = u64::MAX / 4;

/// The number of units that a limiter has forgotten, and a time before which all of them passed.
///
/// Under a quota with a longer period than before, they may count again. A limiter then assumes that
/// all of them passed as late as possible: an error towards denial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Forgotten {
    units: u64,
    /// None of the units passed later.
    latest: Timestamp,
}

impl Forgotten {
    /// Adds units none of which passed after `latest`.
    pub(super) fn add(&mut self, units: u64, latest: Timestamp) {
        if units > 0 {
            self.units = self.units.saturating_add(units).min(MOST_UNITS);
            self.latest = self.latest.max(latest);
        }
    }

    /// Returns the units, with the time that they count as, if they may be less than `period`
    /// nanoseconds old.
    pub(super) fn within(&self, period: u64, now: Timestamp) -> Option<(Timestamp, u64)> {
        let age = now.as_nanos().saturating_sub(self.latest.as_nanos());
        (self.units > 0 && age < period).then_some((self.latest, self.units))
    }
}
