//! The arguments of `CL.THROTTLE`.

use std::time::Duration;

use zset_std::Quota;
use zset_std::limit::ThrottleError;

use super::Rule;
use crate::Error;

/// Returns the rule and the number of units given by the arguments.
pub(crate) fn parse(
    max_burst: i64,
    count: i64,
    period: i64,
    quantity: i64,
) -> Result<(Rule, u32), Error> {
    let capacity = max_burst.checked_add(1).filter(|_| max_burst >= 0);
    let capacity = capacity.and_then(|capacity| u32::try_from(capacity).ok());
    let count = u32::try_from(count).map_err(|_| ThrottleError::Rate)?;
    let period = u64::try_from(period).map_err(|_| ThrottleError::Rate)?;
    let quantity = u32::try_from(quantity).map_err(|_| ThrottleError::Quantity)?;
    let quota = Quota::new(count, Duration::from_secs(period)).map_err(ThrottleError::Quota)?;
    let quota = quota.with_capacity(capacity.ok_or(ThrottleError::MaxBurst)?);
    Ok((Rule::funnel(quota.map_err(ThrottleError::Quota)?)?, quantity))
}
