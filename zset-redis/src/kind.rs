//! Which limiter a `Keyed` is. [`SlidingWindow`](crate::blocking::SlidingWindow) and the others are the
//! same type but for these, which have no values.

/// An exact sliding window for each of many keys: at most `count` units in every window of the quota's
/// period, as [`zset_std::SlidingWindow`].
///
/// The window is half-open, `(now - period, now]`. The log of a key is a sorted set, with one entry
/// for all units that were allowed in the same microsecond: at most `count` entries, more only if
/// units were recorded beyond the limit. A call takes **O(log n)** amortized for n entries, since
/// each entry is removed once, and at most **O(log² n)** for a denial if the entries have different
/// numbers of units. A refund takes **O(m log n)** for the m entries that it removes.
#[derive(Debug)]
pub enum SlidingWindow {}

/// A leaky bucket for each of many keys: `capacity` units at once, and then `count` in each period, as
/// [`zset_std::Funnel`].
///
/// The state of a key is one string, the time at which its bucket is empty, without rounding. If the
/// count of the quota is changed, that time is rounded up to the next microsecond. A call takes **O(1)**.
#[derive(Debug)]
pub enum Funnel {}

/// A counter for each of many keys that restarts at every multiple of the period, as
/// [`zset_std::FixedWindow`].
///
/// It can allow **twice the limit** almost at once, at the end of one window and at the start of the
/// next. The state of a key is one string. A call takes **O(1)**.
#[derive(Debug)]
pub enum FixedWindow {}

/// An approximate sliding window for each of many keys, in constant memory, as
/// [`zset_std::WindowCounter`], which states the error.
///
/// The state of a key is one string. A call takes **O(1)**.
#[derive(Debug)]
pub enum WindowCounter {}

/// Several limits of each key that must all agree, e.g. ten per second and a hundred per minute, as
/// [`zset_std::Limits`].
///
/// One script decides for all of them in one round trip. A denial by one takes nothing from the others. The
/// `limit` of a decision is the smallest limit, and a denial reports the longest wait.
#[derive(Debug)]
pub enum Limits {}
