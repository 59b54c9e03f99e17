//! [`FixedWindow`] on a server: the script returns the units of the current window.

use zset_std::{FixedWindow, SingleQuota};

use super::numbers::Numbers;
use super::rule::{Algorithm, One, Rule, State, script, waits};
use crate::script::NANOS_PER_MICRO;
use crate::{Failure, UnsupportedQuota};

pub(super) struct OnServer;

impl One for FixedWindow {
    fn rule(&self) -> Result<Rule, UnsupportedQuota> {
        Rule::new(&OnServer, self.quota().into())
    }
}

impl Algorithm for OnServer {
    script!("fixed_window");

    fn state(
        &self,
        rule: &Rule,
        numbers: &mut Numbers<'_>,
        units: [u32; 2],
    ) -> Result<State, Failure> {
        let (counted, used) = (numbers.next()?, numbers.next()?);
        let remaining = u64::from(rule.limit).saturating_sub(used);
        let rest = rule.period - counted % rule.period;
        let waits = waits(units, remaining, |_| rest * NANOS_PER_MICRO);
        Ok(State { counted, used, remaining, waits })
    }
}
