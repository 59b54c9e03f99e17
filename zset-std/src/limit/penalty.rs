//! [`Penalty`]: a limiter that blocks a key for a time after repeated denials.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
use core::borrow::{Borrow, BorrowMut};
use core::num::NonZeroU32;
use core::time::Duration;

use super::quota::LONGEST_PERIOD;
use super::{Decision, Funnel, Limiter, Quota, SingleQuota, Verdict};
use crate::Timestamp;

/// When a [`Penalty`] blocks, and for how long.
///
/// # Examples
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use zset_std::Block;
///
/// // A minute after ten denials, then two, then four, up to an hour.
/// let ten = NonZeroU32::new(10).unwrap();
/// let block = Block::after(ten, Duration::from_secs(60)).doubling_up_to(Duration::from_secs(3600));
/// assert_eq!((block.denials(), block.shortest().as_secs(), block.longest().as_secs()), (10, 60, 3600));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    denials: NonZeroU32,
    /// In nanoseconds.
    shortest: u64,
    /// In nanoseconds; not less than `shortest`.
    longest: u64,
}

impl Block {
    /// Blocks for `time` after that many denials in a row. **O(1)**.
    ///
    /// A time of more than 146 years counts as 146 years.
    pub const fn after(denials: NonZeroU32, time: Duration) -> Block {
        let time = nanos(time);
        Block { denials, shortest: time, longest: time }
    }

    /// Returns the block with a time that doubles with each block after the first, up to `longest`.
    /// **O(1)**.
    ///
    /// A `longest` that is below the time of the first block counts as that time.
    pub const fn doubling_up_to(self, longest: Duration) -> Block {
        let longest = nanos(longest);
        Block { longest: if longest > self.shortest { longest } else { self.shortest }, ..self }
    }

    /// Returns the number of denials in a row after which it blocks. **O(1)**.
    pub const fn denials(self) -> u32 {
        self.denials.get()
    }

    /// Returns the time of the first block. **O(1)**.
    pub const fn shortest(self) -> Duration {
        Duration::from_nanos(self.shortest)
    }

    /// Returns the time up to which blocks grow. **O(1)**.
    pub const fn longest(self) -> Duration {
        Duration::from_nanos(self.longest)
    }
}

/// Returns a time in nanoseconds, bounded so that sums do not overflow.
const fn nanos(time: Duration) -> u64 {
    if time.as_nanos() > LONGEST_PERIOD as u128 { LONGEST_PERIOD } else { time.as_nanos() as u64 }
}

/// A limiter that blocks a key that keeps sending while denied. After some denials in a row, all
/// units are denied for a time, even units that the limiter inside would allow.
///
/// It wraps any algorithm. For example, `Keyed<K, Penalty<Funnel>>` has a penalty for each key.
/// Wrap [`Limits`](crate::Limits) as a whole, as in `Penalty<Limits<_>>`. A penalty inside them
/// would count no denials, since they peek at each limit before they take from any.
///
/// - **Denials in a row** are denials with no allowed unit in between. The last of them starts the
///   block. [`Verdict::Never`], a check of 0 units and a peek are not denials. Units that are
///   [held](crate::Hold) end a row of denials only when they are charged.
/// - **During a block**, checks deny all units and take nothing. These denials are not counted, so
///   they do not make the block longer. `retry_after` and `reset_after` are at least the rest of
///   the block, and `remaining` is 0.
/// - **The next block** can be longer: with [`Block::doubling_up_to`], each block is twice as long
///   as the previous one, up to a given time.
/// - **Denials and blocks are forgotten** once two times have passed: the length of the first block
///   since the latest counted denial, and the length of the latest block since its end.
///
/// A reset ends a block. Refunding or recording units leaves it unchanged. A key is not idle until
/// its denials and blocks are forgotten.
///
/// A key needs 8 bytes more than with the limiter alone and, after its first denial, another 32
/// bytes on the heap. Without an allocator, it always needs 40 bytes more.
///
/// # Examples
///
/// ```
/// use std::num::NonZeroU32;
/// use std::time::Duration;
/// use zset_std::{Block, Funnel, Keyed, Penalty, Quota, Timestamp};
///
/// let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
/// let funnel = Funnel::new(Quota::new(1, Duration::from_secs(1))?);
/// let block = Block::after(NonZeroU32::new(2).unwrap(), Duration::from_secs(60));
/// let logins = Keyed::<String, _>::new(Penalty::new(funnel, block));
/// assert!(logins.at(at(0)).check("ann").is_allowed());
/// assert_eq!(logins.at(at(0)).check("ann").retry_after(), Some(Duration::from_secs(1)));
/// // She does not wait, and is denied again.
/// assert_eq!(logins.at(at(0)).check("ann").retry_after(), Some(Duration::from_secs(60)));
/// assert!(!logins.at(at(59)).check("ann").is_allowed());
/// assert!(logins.at(at(60)).check("ann").is_allowed());
/// # Ok::<(), zset_std::limit::QuotaError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Penalty<L> {
    limiter: L,
    block: Block,
}

impl<L: Limiter> Penalty<L> {
    /// Adds a penalty to a limiter. **O(1)**.
    pub const fn new(limiter: L, block: Block) -> Self {
        Penalty { limiter, block }
    }

    /// Returns the limiter inside. **O(1)**.
    pub const fn limiter(&self) -> &L {
        &self.limiter
    }

    /// Returns the limiter inside mutably, e.g. to change its quota or to replace it. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::num::NonZeroU32;
    /// use std::time::Duration;
    /// use zset_std::{Block, FakeClock, Funnel, Keyed, Penalty, Quota};
    ///
    /// let minute = Duration::from_secs(60);
    /// let block = Block::after(NonZeroU32::MIN, minute);
    /// let penalty = Penalty::new(Funnel::new(Quota::new(1, minute)?), block);
    /// let logins = Keyed::<String, _>::new(penalty).with_clock(FakeClock::new());
    /// assert!(logins.check("ann").is_allowed());
    /// assert!(!logins.check("ann").is_allowed()); // blocked for a minute
    ///
    /// let mut penalty = logins.limiter();
    /// *penalty.limiter_mut() = Funnel::new(Quota::new(60, minute)?).with_capacity(5)?;
    /// logins.set_limiter(penalty);
    /// assert_eq!(logins.check("ann").retry_after(), Some(minute)); // still blocked
    /// assert!(logins.check_n("bob", 5).is_allowed());
    /// # Ok::<(), zset_std::limit::QuotaError>(())
    /// ```
    pub const fn limiter_mut(&mut self) -> &mut L {
        &mut self.limiter
    }

    /// Returns when it blocks, and for how long. **O(1)**.
    pub const fn block(&self) -> Block {
        self.block
    }

    /// Decides on `n` units by a `check` of the limiter inside or, during a block, by a `peek`. If
    /// they are allowed, the penalty counts `taken` of them as taken.
    fn check_by(
        &self,
        state: &mut PenaltyState<L::State>,
        (n, taken): (u32, u32),
        now: Timestamp,
        check: impl FnOnce(&L, &mut L::State, u32) -> Decision,
        peek: impl FnOnce(&L, &L::State) -> Decision,
    ) -> Decision {
        let PenaltyState { limiter, record } = state;
        let decision = if now < record.blocked_until() {
            // Check 0 units, which takes nothing and records the time. If the limiter would allow
            // the units, use the decision on 0 units instead, since the block denies the units.
            let units = peek(&self.limiter, limiter);
            let none = check(&self.limiter, limiter, 0);
            if units.is_allowed() { none } else { units }
        } else {
            let decision = check(&self.limiter, limiter, n);
            record.count(self.block, taken, now, decision.verdict);
            decision
        };
        blocked(decision, n, now, record.blocked_until())
    }

    /// Decides on `n` units by a `hold` of the limiter inside, without taking them.
    fn hold_by(
        &self,
        state: &mut PenaltyState<L::State>,
        n: u32,
        now: Timestamp,
        hold: impl Fn(&L, &mut L::State, u32) -> Decision,
    ) -> Decision {
        let peek = |inside: &L, state: &L::State| hold(inside, &mut state.clone(), n);
        self.check_by(state, (n, 0), now, &hold, peek)
    }
}

impl<L: SingleQuota> Penalty<L> {
    /// Returns the quota of the limiter inside. **O(1)**.
    pub fn quota(&self) -> Quota {
        self.limiter.quota()
    }
}

impl<L: Limiter> Limiter for Penalty<L> {
    type State = PenaltyState<L::State>;

    const NEW: Self::State = PenaltyState { limiter: L::NEW, record: Kept(None) };

    const ADAPTS: bool = L::ADAPTS;

    fn check_n(&self, state: &mut Self::State, n: u32, now: Timestamp) -> Decision {
        let check = |inside: &L, state: &mut L::State, n| inside.check_n(state, n, now);
        self.check_by(state, (n, n), now, check, |inside, state| inside.peek_n(state, n, now))
    }

    fn peek_n(&self, state: &Self::State, n: u32, now: Timestamp) -> Decision {
        let mut record = state.record.get();
        let mut decision = self.limiter.peek_n(&state.limiter, n, now);
        if now >= record.blocked_until {
            record.count(self.block, n, now, decision.verdict);
        } else if decision.is_allowed() {
            decision = self.limiter.peek_n(&state.limiter, 0, now);
        }
        blocked(decision, n, now, record.blocked_until)
    }

    fn record(&self, state: &mut Self::State, n: u32, now: Timestamp) {
        self.limiter.record(&mut state.limiter, n, now);
    }

    fn refund(&self, state: &mut Self::State, n: u32) -> u32 {
        self.limiter.refund(&mut state.limiter, n)
    }

    fn idle_from(&self, state: &Self::State) -> Timestamp {
        self.limiter.idle_from(&state.limiter).max(state.record.get().forget_at)
    }

    fn adapt(&self, state: &mut Self::State, before: &Self) {
        self.limiter.adapt(&mut state.limiter, &before.limiter);
    }

    fn terms(&self) -> Option<Funnel> {
        self.limiter.terms()
    }

    fn under(&self, terms: Funnel) -> Option<impl Limiter<State = Self::State>> {
        let limiter = self.limiter.under(terms)?;
        Some(Penalty { limiter, block: self.block })
    }

    fn hold_n(&self, state: &mut Self::State, n: u32, held: u64, now: Timestamp) -> Decision {
        self.hold_by(state, n, now, |inside, state, n| inside.hold_n(state, n, held, now))
    }

    /// Records the units even during a block, since they were allowed before it. They end a row of
    /// denials when they are charged, since released units do not end one.
    fn charge(&self, state: &mut Self::State, n: u32, now: Timestamp) {
        self.limiter.charge(&mut state.limiter, n, now);
        state.record.count(self.block, n, now, Verdict::Allowed);
    }
}

impl<L: SingleQuota> SingleQuota for Penalty<L> {
    type Terms = L::Terms;

    fn quota(&self) -> Quota {
        self.limiter.quota()
    }

    fn set_quota(&mut self, terms: L::Terms) {
        self.limiter.set_quota(terms);
    }

    fn check_with(
        &self,
        state: &mut Self::State,
        terms: L::Terms,
        n: u32,
        now: Timestamp,
    ) -> Decision {
        let check = |inside: &L, state: &mut L::State, n| inside.check_with(state, terms, n, now);
        let peek = |inside: &L, state: &L::State| inside.peek_with(state, terms, n, now);
        self.check_by(state, (n, n), now, check, peek)
    }

    fn hold_with(
        &self,
        state: &mut Self::State,
        terms: L::Terms,
        n: u32,
        held: u64,
        now: Timestamp,
    ) -> Decision {
        self.hold_by(state, n, now, |inside, state, n| inside.hold_with(state, terms, n, held, now))
    }

    fn refund_with(&self, state: &mut Self::State, terms: L::Terms, n: u32) -> u32 {
        self.limiter.refund_with(&mut state.limiter, terms, n)
    }
}

/// The state of a key: that of the limiter inside, and what the penalty has counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PenaltyState<S> {
    limiter: S,
    record: Kept,
}

/// The denials and blocks of a key that has been denied. On the heap, since most keys never are.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept(
    #[cfg(feature = "alloc")] Option<Box<Record>>,
    #[cfg(not(feature = "alloc"))] Option<Record>,
);

impl Kept {
    #[inline]
    fn get(&self) -> Record {
        self.0.as_ref().map_or(Record::NONE, |record| *Borrow::<Record>::borrow(record))
    }

    #[inline]
    fn blocked_until(&self) -> Timestamp {
        self.get().blocked_until
    }

    /// Counts a denial, or ends a row of them if units are taken.
    #[inline]
    fn count(&mut self, block: Block, taken: u32, now: Timestamp, verdict: Verdict) {
        if let Some(record) = &mut self.0 {
            BorrowMut::<Record>::borrow_mut(record).count(block, taken, now, verdict);
        } else if let Verdict::Denied { .. } = verdict {
            self.keep(block, taken, now, verdict);
        }
    }

    /// Counts the first denial.
    #[cold]
    fn keep(&mut self, block: Block, taken: u32, now: Timestamp, verdict: Verdict) {
        let mut record = Record::NONE;
        record.count(block, taken, now, verdict);
        #[cfg(feature = "alloc")]
        let record = Box::new(record);
        self.0 = Some(record);
    }
}

/// Returns the decision of the limiter inside, adapted to a block that lasts until `until`.
#[inline]
fn blocked(decision: Decision, n: u32, now: Timestamp, until: Timestamp) -> Decision {
    if now >= until {
        return decision;
    }
    let rest = until.saturating_duration_since(now);
    let verdict = match decision.verdict {
        Verdict::Allowed if n > 0 => Verdict::Denied { retry_after: rest },
        Verdict::Denied { retry_after } => Verdict::Denied { retry_after: retry_after.max(rest) },
        verdict => verdict,
    };
    let reset_after = decision.reset_after.max(rest);
    Decision { verdict, remaining: 0, reset_after, ..decision }
}

/// The denials and blocks of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Record {
    /// How many denials in a row were counted since the latest block.
    denials: u32,
    /// How long the latest block is, in nanoseconds; zero if there is none.
    length: u64,
    blocked_until: Timestamp,
    /// The time from which all of this is forgotten. An allowed unit does not make it earlier: the
    /// key would be idle sooner, which only a refund or another quota may cause.
    forget_at: Timestamp,
}

impl Record {
    const NONE: Record = Record {
        denials: 0,
        length: 0,
        blocked_until: Timestamp::ZERO,
        forget_at: Timestamp::ZERO,
    };

    /// Counts a denial, or ends a row of them if units are taken.
    #[inline]
    fn count(&mut self, block: Block, taken: u32, now: Timestamp, verdict: Verdict) {
        if now >= self.forget_at {
            *self = Record::NONE;
        }
        match verdict {
            Verdict::Allowed if taken > 0 => self.denials = 0,
            Verdict::Denied { .. } => {
                self.denials += 1;
                self.forget_at = self.forget_at.max(now.saturating_add(block.shortest()));
                if self.denials >= block.denials() {
                    // The product cannot overflow: it is at most 2^63.
                    let length = (2 * self.length).clamp(block.shortest, block.longest);
                    let time = Duration::from_nanos(length);
                    let blocked_until = now.saturating_add(time);
                    let forget_at = blocked_until.saturating_add(time);
                    *self = Record { denials: 0, length, blocked_until, forget_at };
                }
            }
            Verdict::Allowed | Verdict::Never => {}
        }
    }
}
