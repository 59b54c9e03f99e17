//! [`Slot`]: what this process knows about one key. A slot has neither a connection nor a clock, so
//! the caller passes the time and sends the draws.
//!
//! - At most one draw is in flight. Calls that need the server wait for the reply, so one draw can
//!   serve many calls.
//! - At most one lease is in use. The next draw also ends this lease, in the same script call. The
//!   lease is taken out of the slot before that call is sent, so none of its units can be used
//!   after the server has ended it.
//! - Every draw has a new id. So a draw that the server runs late, after its sender has given up,
//!   cannot be confused with a later draw. The units of the late draw are never used. Unless a
//!   later draw returns them, they count against the limit until they leave the window.

use std::mem;

use zset_std::{Decision, Timestamp, Verdict};

use super::draw::{Draw, Ended, Grant, Terms};

/// The maximum number of ended leases kept for the next successful draw. The units of further
/// leases are not returned.
const MOST_ENDED: usize = 4;

/// What this process knows about a key. `T` is where a waiting call receives its decision.
#[derive(Debug)]
pub(super) struct Slot<T> {
    lease: Option<Lease>,
    /// Leases that the next draw will end on the server.
    ended: Vec<Ended>,
    denial: Option<Denial>,
    /// The units to draw in addition to those for which calls are waiting.
    batch: u32,
    /// The units that the server had left at its latest reply.
    remaining: u32,
    /// When all units that the server counted at its latest reply will have left the window.
    reset_at: Timestamp,
    waiting: Vec<Waiting<T>>,
    in_flight: Option<InFlight>,
}

/// Units drawn from the server.
#[derive(Clone, Copy, Debug)]
struct Lease {
    id: u64,
    units: u32,
    used: u32,
    /// When the draw was sent, i.e. before the server counted the units.
    drawn: Timestamp,
    /// The time from which the units must not be used.
    end: Timestamp,
}

/// A denial by the server.
#[derive(Clone, Copy, Debug)]
struct Denial {
    /// Calls for this number of units or more are denied.
    units: u32,
    retry_at: Timestamp,
    /// Until this time, calls are denied without another draw.
    recheck_at: Timestamp,
}

#[derive(Debug)]
pub(super) struct Waiting<T> {
    pub(super) n: u32,
    pub(super) reply: T,
}

#[derive(Clone, Copy, Debug)]
struct InFlight {
    id: u64,
    least: u32,
    sent: Timestamp,
}

impl<T> Slot<T> {
    pub(super) fn new() -> Self {
        Slot {
            lease: None,
            ended: Vec::new(),
            denial: None,
            batch: 0,
            remaining: 0,
            reset_at: Timestamp::ZERO,
            waiting: Vec::new(),
            in_flight: None,
        }
    }

    /// Decides a call without the server, or returns `None` if only the server can decide it.
    #[inline]
    pub(super) fn check(&mut self, terms: &Terms, now: Timestamp, n: u32) -> Option<Decision> {
        let decision = self.peek(terms, now, n)?;
        if let (Verdict::Allowed, Some(lease)) = (decision.verdict, &mut self.lease) {
            lease.used += n;
        }
        Some(decision)
    }

    /// Returns what [`check`](Self::check) would return, without using any units.
    #[inline]
    pub(super) fn peek(&self, terms: &Terms, now: Timestamp, n: u32) -> Option<Decision> {
        let left = self.left(now);
        let verdict = if n <= left {
            Verdict::Allowed
        } else if n > terms.limit() {
            Verdict::Never
        } else {
            let denial =
                self.denial.filter(|denial| n >= denial.units && now < denial.recheck_at)?;
            Verdict::Denied { retry_after: denial.retry_at.saturating_duration_since(now) }
        };
        Some(self.decision(terms, now, verdict, n))
    }

    /// Returns the number of units of the lease that may be used now.
    #[inline]
    pub(super) fn left(&self, now: Timestamp) -> u32 {
        match &self.lease {
            Some(lease) if now < lease.end => lease.units - lease.used,
            _ => 0,
        }
    }

    /// Returns a decision about `n` units, which have not been subtracted from the lease yet.
    #[inline]
    fn decision(&self, terms: &Terms, now: Timestamp, verdict: Verdict, n: u32) -> Decision {
        // By `reset_at`, all units that the server counted have left the window.
        let remaining = if now < self.reset_at { self.remaining } else { terms.limit() };
        let remaining = remaining.saturating_add(self.left(now)).min(terms.limit());
        let used = if verdict == Verdict::Allowed { n } else { 0 };
        Decision {
            verdict,
            limit: terms.limit(),
            remaining: remaining.saturating_sub(used),
            reset_after: self.reset_at.saturating_duration_since(now),
        }
    }

    /// Refunds `n` units, at most those used of the latest lease, and returns how many it refunded.
    pub(super) fn refund(&mut self, n: u32) -> u32 {
        let Some(lease) = &mut self.lease else { return 0 };
        let refunded = n.min(lease.used);
        lease.used -= refunded;
        refunded
    }

    /// Adds a call that needs the server.
    pub(super) fn wait(&mut self, n: u32, reply: T) {
        self.waiting.push(Waiting { n, reply });
    }

    /// Returns the draw to send now, if any.
    pub(super) fn draw(&mut self, terms: &Terms, now: Timestamp, id: u64) -> Option<Draw> {
        let least = match self.waiting.first() {
            _ if self.in_flight.is_some() => return None,
            Some(first) => first.n,
            // No call is waiting, but calls that gave up have left more than a batch of unused
            // units. End the lease, to return them.
            None if self.left(now) > terms.max_batch => 0,
            None => return None,
        };
        self.end_lease(terms, now);
        let most = if least == 0 {
            0
        } else {
            let waiting = self.waiting.iter().fold(0, |sum: u32, call| sum.saturating_add(call.n));
            waiting.saturating_add(self.batch)
        };
        self.in_flight = Some(InFlight { id, least, sent: now });
        Some(Draw { id, least, most, ended: self.ended.clone() })
    }

    /// Ends the lease, and sets the batch to the number of units used in half a life at the rate of
    /// this lease.
    fn end_lease(&mut self, terms: &Terms, now: Timestamp) {
        let Some(lease) = self.lease.take() else { return };
        let elapsed = now.saturating_duration_since(lease.drawn).as_nanos().max(1);
        let expected = u128::from(lease.used) * (terms.life / 2).as_nanos() / elapsed;
        // The batch is at most twice the larger of the old batch and the used units, so a short
        // burst does not reserve many units.
        let most = self.batch.max(lease.used).saturating_mul(2).min(terms.max_batch);
        self.batch = u32::try_from(expected).unwrap_or(u32::MAX).min(most);
        // If all units were used and the lease has expired, the server need not be told: it stops
        // counting the units at the right time anyway.
        if lease.used < lease.units || now < lease.end {
            self.push_ended(Ended { id: lease.id, used: lease.used });
        }
    }

    fn push_ended(&mut self, ended: Ended) {
        if self.ended.len() < MOST_ENDED {
            self.ended.push(ended);
        }
    }

    /// Handles the reply to the draw in flight, and returns the calls that it decides. The other
    /// waiting calls need another draw.
    pub(super) fn drawn(
        &mut self,
        terms: &Terms,
        now: Timestamp,
        grant: Grant,
    ) -> Vec<(Waiting<T>, Decision)> {
        let Some(draw) = self.in_flight.take() else { return Vec::new() };
        self.ended.clear();
        self.remaining = grant.remaining;
        self.reset_at = now.saturating_add(grant.reset_after);
        let mut waiting = mem::take(&mut self.waiting).into_iter();
        let mut decided = Vec::new();
        let first = if draw.least > 0 { waiting.next() } else { None };
        if let Some(first) = first {
            let decision = self.first(terms, now, draw, grant);
            decided.push((first, decision));
        }
        for call in waiting {
            match self.check(terms, now, call.n) {
                Some(decision) => decided.push((call, decision)),
                None => self.waiting.push(call),
            }
        }
        decided
    }

    /// Decides the call that was first when the draw was sent. The server decided it at the time of
    /// the draw, so the decision is valid even if the lease ended before the reply arrived.
    fn first(&mut self, terms: &Terms, now: Timestamp, draw: InFlight, grant: Grant) -> Decision {
        let InFlight { id, least, sent } = draw;
        if grant.units == 0 {
            let retry_at = now.saturating_add(grant.retry_after);
            let recheck_at = retry_at.min(now.saturating_add(terms.life));
            self.denial = Some(Denial { units: least, retry_at, recheck_at });
            let retry_after = grant.retry_after;
            return self.decision(terms, now, Verdict::Denied { retry_after }, least);
        }
        // If the first call uses all units, the lease has no life: the server counts it for only
        // one period.
        let is_spent = grant.units <= least;
        let end = if is_spent { sent } else { sent.saturating_add(terms.local_life()) };
        self.lease = Some(Lease { id, units: grant.units, used: least, drawn: sent, end });
        let known = grant.remaining.saturating_add(self.left(now));
        self.denial = self.denial.filter(|denial| denial.units > known);
        self.decision(terms, now, Verdict::Allowed, 0)
    }

    /// Returns the waiting calls.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &T> {
        self.waiting.iter().map(|call| &call.reply)
    }

    /// Handles the failure of the draw in flight, and returns the waiting calls, except the ones
    /// that can wait for another draw.
    ///
    /// The server may have run the draw, or may run it later, so the next draw ends its lease.
    pub(super) fn failed(&mut self, can_wait: impl Fn(&T) -> bool) -> Vec<Waiting<T>> {
        if let Some(draw) = self.in_flight.take() {
            self.push_ended(Ended { id: draw.id, used: 0 });
        }
        // Draw no batch next time, so that another failure wastes at most the units of the waiting
        // calls.
        self.batch = 0;
        let waiting = mem::take(&mut self.waiting).into_iter();
        let (patient, failed) = waiting.partition(|call| can_wait(&call.reply));
        self.waiting = patient;
        failed
    }

    /// Returns whether the slot can decide no call, and has no draw in flight.
    pub(super) fn is_idle(&self, now: Timestamp) -> bool {
        !self.is_in_flight()
            && self.lease.is_none_or(|lease| now >= lease.end)
            && self.denial.is_none_or(|denial| now >= denial.recheck_at)
    }

    pub(super) fn is_in_flight(&self) -> bool {
        self.in_flight.is_some()
    }

    /// Ends the lease in this process, and returns the leases that the server must end.
    pub(super) fn give_back(&mut self, terms: &Terms, now: Timestamp) -> Vec<Ended> {
        self.end_lease(terms, now);
        mem::take(&mut self.ended)
    }
}
