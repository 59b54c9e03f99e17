//! [`LeasedWindow`]: a sliding window whose units are drawn from the server in batches.
//!
//! **Why no window exceeds the limit.** The server's log has an entry for each lease, with the
//! units of the lease and the time from which they no longer count. A lease drawn at time t counts
//! until t + life + period. Its units are used before t + life: the process measures the life from
//! a time before it sent the draw, and stops using the lease a thousandth of the life early. To end
//! a lease, a process first stops using it, and then sends the number of units that were used. When
//! the server receives this number, at a time r, it removes the unused units from the entry. The
//! used units count until r + period, or until t + life + period if that is earlier. So an entry
//! always has at least the units of the lease that have been or will be used, and counts for at
//! least a period after the last use.
//!
//! Consider the leases whose units were used in the window (T - period, T]. The last of these
//! leases was drawn at a time t <= T. A unit used in the window, at a time u, counts at least until
//! u + period, which is later than T, and thus than t. So when the last lease was drawn, the log
//! still had the other leases, each with all of its units that were ever used. The server grants a
//! draw only if the log, including the new lease, stays within the limit. So the units used in the
//! window are within the limit.
//!
//! The server decides the first of the calls that wait for a draw, at the time of the draw. So a
//! lease that has only the units of this call needs no life: the units count for one period, as in
//! a [`SlidingWindow`](zset_std::SlidingWindow).
//!
//! If a process does not end a lease, because it crashed or its call failed, all units of the lease
//! count against the limit until they leave the window. This errs on the side of denying.

mod draw;
#[cfg(test)]
mod model;
mod slot;
mod tasks;

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use zset_std::{
    AsyncKeyedLimiter, Clock, Decision, Funnel, MonotonicClock, Quota, SlidingWindow, Verdict,
};

use crate::breaker::Pass;
use crate::connection::{Caller, end};
use crate::flights::{Flight, wait};
use crate::keys::Keys;
use crate::limit::{Policy, Read, Step};
use crate::settings::settings;
use crate::{AsyncConnection, Connection, Failure, LimiterError, OnFailure, UnsupportedQuota};
use draw::{Draw, Grant, Terms};
use slot::Slot;

/// The default bound on the keys with leases in this process.
const DEFAULT_MAX_KEYS: usize = 65_536;

/// An exact sliding window for each of many keys, whose units are drawn from the server in batches:
/// most calls for a hot key are decided in this process.
///
/// While the server decides, no window of the quota's period has more than `count` units, over all
/// machines. All machines must use the same name and quota; the batch and the life of leases may
/// differ. The state is separate from that of a [`SlidingWindow`](zset_std::SlidingWindow) of the
/// same name.
///
/// # Leases
///
/// A *lease* is a batch of units that this process may use for the *life* of the lease, by default
/// a tenth of the period. The next draw ends it and returns the unused units. If no call draws, a
/// background task returns them after the end of the life. Calls that wait for a key share draws.
///
/// The batch adapts to the rate: it aims at one draw per half life. A draw sets it to at most twice
/// the last batch or, if they are more, twice the units used of the last lease, and to at most
/// [`with_max_batch`](Self::with_max_batch), by default a quarter of the limit. The batch of a key
/// that uses less than one unit in half a life is zero: every call draws only its own units, and is
/// as exact as in a [`SlidingWindow`](zset_std::SlidingWindow).
///
/// # What it costs
///
/// - **Idle units.** If no draw fails and no units are refunded, at most `machines * max_batch`
///   units of a key are idle. At a steady rate, at most about `rate * life / 2` are, whatever the
///   number of machines. Units of a crashed machine are idle for up to `period + life`; others are
///   returned within about two lives.
/// - **Throughput.** Units count for a period after their lease has ended. So at least `period /
///   (period + life)` of the limit passes under full load, and about `period / (period + life / 2)`
///   if leases end as planned, not counting idle units.
///
/// | calls of one machine | life | throughput at the limit, at least | batch | draws a second |
/// |---|---|---|---|---|
/// | 1,000 a second | 100 ms | 90.9 % | 50 | 20 |
/// | 100,000 a second | 100 ms | 90.9 % | 5,000 | 20 |
/// | 100,000 a second | 10 ms | 99.0 % | 500 | 200 |
/// | 60,000 a minute | 6 s | 90.9 % | 3,000 | 0.3 |
/// | 60,000 a minute | 1 s | 98.4 % | 500 | 2 |
///
/// # Decisions
///
/// `remaining` is the number of units left in the lease, plus those that the server had left after
/// the latest draw. Other machines may have drawn some of these since. `reset_after` and
/// `retry_after` are also as of the latest draw, and err late: returned units are available
/// earlier. After a denial by the server, calls for as many units or more are denied in this
/// process for `retry_after`, but at most for one life, so units that other machines return are
/// noticed after that time.
///
/// A call that finds units in a lease is ready at its first poll, and allocates nothing.
///
/// There is neither a quota for each call nor a penalty: units of a lease are drawn under one quota
/// and used later by any call, and other processes do not see denials in this one.
///
/// # Limits
///
/// The clock of the process must not be slower than the server's by more than a thousandth. While a
/// machine is suspended, many operating systems stop that clock. The rest of a lease must not be
/// used after that, so do not use leases on machines that are suspended. Calls need a `tokio`
/// runtime for their tasks.
///
/// # Examples
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use zset_redis::{LeasedWindow, OnFailure};
/// use zset_std::Quota;
///
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let connection = client.get_multiplexed_async_connection().await?;
/// let quota = Quota::new(100_000, Duration::from_secs(1))?;
/// let requests = LeasedWindow::new(connection, "requests", quota, OnFailure::Deny)?
///     .with_life(Duration::from_millis(50))
///     .with_max_batch(1000);
/// if requests.check("all").await?.is_allowed() {
///     println!("go ahead");
/// }
/// requests.give_back().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct LeasedWindow<C: Connection> {
    caller: Caller<C>,
    policy: Policy,
    terms: Terms,
    max_keys: usize,
    local: Arc<Local>,
}

/// A waiting call.
struct ReplyTo {
    /// The channel for the decision.
    sender: oneshot::Sender<Result<Decision, Failure>>,
    /// The deadline of the call.
    until: Instant,
}

/// The state that clones share.
struct Local {
    keys: Arc<Keys<Slot<ReplyTo>>>,
    clock: MonotonicClock,
    /// A random string that makes the ids of leases unique across all processes.
    process: Box<str>,
    next_id: AtomicU64,
    /// Whether a task that returns unused units is scheduled.
    is_sweep_scheduled: AtomicBool,
}

impl Default for Local {
    fn default() -> Self {
        // Each `RandomState` has a random seed, so its hash of any value is a random number.
        let [high, low] = [0, 1].map(|half| RandomState::new().hash_one(half));
        Local {
            keys: Arc::default(),
            clock: MonotonicClock::new(),
            process: format!("{high:016x}{low:016x}").into(),
            next_id: AtomicU64::new(1),
            is_sweep_scheduled: AtomicBool::new(false),
        }
    }
}

/// The result of `start`: a decision, or a call that needs the server.
enum Start<'a> {
    Decided(Decision),
    Undecided(Undecided<'a>),
}

/// A call that the server decides.
struct Undecided<'a> {
    /// Receives the decision of a draw. `None` for a probe, and for a new key if its shard is full.
    reply: Option<oneshot::Receiver<Result<Decision, Failure>>>,
    until: Instant,
    pass: Pass<'a>,
}

impl<C: Connection> LeasedWindow<C> {
    /// Makes a limiter that gives every key this quota; keys on the server begin with `name`.
    /// **O(1)**.
    ///
    /// # Errors
    ///
    /// [`UnsupportedQuota`] if the limiter cannot be exact for the quota.
    pub fn new(
        connection: C,
        name: &str,
        quota: Quota,
        on_failure: OnFailure,
    ) -> Result<Self, UnsupportedQuota> {
        let policy = Policy::new(name, &SlidingWindow::new(quota), on_failure)?;
        let terms = Terms { quota, life: quota.period() / 10, max_batch: quota.count() / 4 };
        let (caller, local) = (Caller::new(connection), Arc::default());
        Ok(LeasedWindow { caller, policy, terms, max_keys: DEFAULT_MAX_KEYS, local })
    }

    /// Returns the limiter with a different life of leases, at most the quota's period; the default
    /// is a tenth of the period. **O(1)**.
    ///
    /// A life should be many round trips to the server. With a life of zero, leases are never used.
    pub fn with_life(mut self, life: Duration) -> Self {
        self.terms.life = life.min(self.terms.quota.period());
        self
    }

    /// Returns the limiter with a smaller batch: the most units of a key that may be idle in this
    /// process. The default, and the maximum, is a quarter of the limit. **O(1)**.
    ///
    /// Units for which calls are waiting are drawn in addition.
    pub fn with_max_batch(mut self, max_batch: u32) -> Self {
        self.terms.max_batch = max_batch.min(self.terms.limit() / 4);
        self
    }

    /// Returns the limiter with a different bound on the keys with leases in this process; the
    /// default is 65,536. **O(1)**.
    ///
    /// A key usually occupies memory from its first call until a life or two after its last. The
    /// bound is divided among 16 shards of the keys. Calls for further keys are decided by the
    /// server, one by one.
    pub fn with_max_keys(mut self, max_keys: usize) -> Self {
        self.max_keys = max_keys;
        self
    }

    settings!(limiter: local);

    /// Returns the quota. **O(1)**.
    pub fn quota(&self) -> Quota {
        self.terms.quota
    }

    /// Returns the number of keys that occupy memory in this process. **O(1)**.
    pub fn len(&self) -> usize {
        self.local.keys.len()
    }

    /// Returns whether no keys occupy memory in this process. **O(1)**.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<C: AsyncConnection> LeasedWindow<C> {
    /// Allows one unit of a key, or denies it. Usually **O(1)** in this process.
    ///
    /// # Errors
    ///
    /// [`LimiterError`] if the server is needed and fails, unless [`OnFailure`] replaces it.
    pub async fn check<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<Decision, LimiterError> {
        self.check_n(key, 1).await
    }

    /// Allows `n` units of a key together, or denies all of them; 0 units are always allowed.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub async fn check_n<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
    ) -> Result<Decision, LimiterError> {
        let key = key.as_ref();
        let decision = match self.start(key, n) {
            // The early return avoids awaiting another future, which would make the call about 5 %
            // slower.
            Ok(Start::Decided(decision)) => return Ok(decision),
            Ok(Start::Undecided(undecided)) => self.decide(key, n, undecided).await,
            Err(failure) => Err(failure),
        };
        self.or_failure(Step::Check, key, n, decision)
    }

    /// Returns what [`check`](Self::check) would return, without using any units.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub async fn peek<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q) -> Result<Decision, LimiterError> {
        self.peek_n(key, 1).await
    }

    /// Returns what [`check_n`](Self::check_n) would return, without using any units.
    ///
    /// # Errors
    ///
    /// Like [`check`](Self::check).
    pub async fn peek_n<Q: AsRef<[u8]> + ?Sized>(
        &self,
        key: &Q,
        n: u32,
    ) -> Result<Decision, LimiterError> {
        let key = key.as_ref();
        let (known, left) = self.known(key, n);
        if let Some(decision) = known {
            return Ok(decision);
        }
        let decision = async {
            let pass = Pass::of(self.policy.breaker.as_ref())?;
            let until = end(self.policy.deadline);
            // The next draw would first return the `left` unused units of the lease, so ask the
            // server only for the others.
            let grant = self.exchange(key, &Draw::peek(n - left), until, pass).await?;
            Ok(self.peeked(n, left, grant))
        };
        let decision = decision.await;
        self.or_failure(Step::Peek, key, n, decision)
    }

    /// Refunds `n` units of a key, at most those used of its latest lease, and returns how many it
    /// refunded. **O(1)** in this process.
    ///
    /// Units of ended leases are not refunded: they leave the window in time.
    pub fn refund<Q: AsRef<[u8]> + ?Sized>(&self, key: &Q, n: u32) -> u32 {
        let key = key.as_ref();
        self.local.keys.shard(key).get_mut(key).map_or(0, |slot| slot.refund(n))
    }

    /// Returns the unused units of all leases to the server, before the process ends.
    ///
    /// Calls that are waiting for the server at that time keep their leases. The limiter can still
    /// be used.
    ///
    /// # Errors
    ///
    /// [`LimiterError`] if the server fails. Units that were not returned count until they leave
    /// the window.
    pub async fn give_back(&self) -> Result<(), LimiterError> {
        self.give_back_if(|slot, _| !slot.is_in_flight()).await
    }

    /// Waits for the decision of a draw, or makes a draw for this call alone.
    async fn decide(
        &self,
        key: &[u8],
        n: u32,
        undecided: Undecided<'_>,
    ) -> Result<Decision, Failure> {
        let Undecided { reply, until, pass } = undecided;
        if let Some(reply) = reply {
            if let Some(decision) = wait(reply, until).await {
                return decision;
            }
        }
        self.check_without_lease(key, n, until, pass).await
    }

    /// Decides a call by a draw of only its own units.
    async fn check_without_lease(
        &self,
        key: &[u8],
        n: u32,
        until: Instant,
        pass: Pass<'_>,
    ) -> Result<Decision, Failure> {
        let mut slot = Slot::new();
        slot.wait(n, ());
        let draw = slot.draw(&self.terms, self.local.clock.now(), self.next_id());
        let draw = draw.ok_or(Failure::UnexpectedReply)?;
        let grant = self.exchange(key, &draw, until, pass).await?;
        let decided = slot.drawn(&self.terms, self.local.clock.now(), grant).pop();
        decided.map(|(_, decision)| decision).ok_or(Failure::UnexpectedReply)
    }

    async fn exchange(
        &self,
        key: &[u8],
        draw: &Draw,
        until: Instant,
        pass: Pass<'_>,
    ) -> Result<Grant, Failure> {
        let call = draw.call(&self.policy.names, key, &self.local.process, &self.terms, None);
        draw.grant(self.caller.call(&call, until, pass).await?)
    }

    /// Decides a call in this process, or makes it wait for a draw.
    #[inline]
    fn start(&self, key: &[u8], n: u32) -> Result<Start<'_>, Failure> {
        let mut shard = self.local.keys.shard(key);
        // Read the time under the lock, since a lease may end while the thread waits for the lock.
        let now = self.local.clock.now();
        let known = match shard.get_mut(key) {
            Some(slot) => slot.check(&self.terms, now, n),
            None => Slot::<ReplyTo>::new().peek(&self.terms, now, n),
        };
        if let Some(decision) = known {
            return Ok(Start::Decided(decision));
        }
        let pass = Pass::of(self.policy.breaker.as_ref())?;
        let until = end(self.policy.deadline);
        let is_full = shard.len() >= Keys::<Slot<ReplyTo>>::of_a_shard(self.max_keys);
        if pass.is_probe || is_full && !shard.contains_key(key) {
            return Ok(Start::Undecided(Undecided { reply: None, until, pass }));
        }
        let slot = shard.entry(key.into()).or_insert_with(Slot::new);
        let (sender, receiver) = oneshot::channel();
        slot.wait(n, ReplyTo { sender, until });
        let draw = slot.draw(&self.terms, now, self.next_id());
        // Release the lock before the spawn. If there is no runtime, the flight is dropped, and its
        // `drop` takes the lock.
        drop(shard);
        if let Some(draw) = draw {
            let flight = Flight::new(&self.local.keys, key);
            // The future is boxed, because `spawn` moves it several times.
            tokio::spawn(Box::pin(self.clone().fly(flight, draw, until)));
        }
        Ok(Start::Undecided(Undecided { reply: Some(receiver), until, pass }))
    }

    /// Returns the decision of a call if it is known in this process, and the units left in the
    /// lease.
    fn known(&self, key: &[u8], n: u32) -> (Option<Decision>, u32) {
        let shard = self.local.keys.shard(key);
        let now = self.local.clock.now();
        let new = Slot::new();
        let slot = shard.get(key).unwrap_or(&new);
        (slot.peek(&self.terms, now, n), slot.left(now))
    }

    fn peeked(&self, n: u32, left: u32, grant: Grant) -> Decision {
        let available = grant.remaining.saturating_add(left).min(self.terms.limit());
        let (verdict, used) = match grant.retry_after {
            Duration::ZERO => (Verdict::Allowed, n),
            retry_after => (Verdict::Denied { retry_after }, 0),
        };
        Decision {
            verdict,
            limit: self.terms.limit(),
            remaining: available.saturating_sub(used),
            reset_after: grant.reset_after,
        }
    }

    /// Returns a decision, or applies the [`OnFailure`] policy.
    fn or_failure(
        &self,
        step: Step,
        key: &[u8],
        n: u32,
        decision: Result<Decision, Failure>,
    ) -> Result<Decision, LimiterError> {
        decision.or_else(|failure| {
            self.policy.request(step, key, n, Read::DECISION)?.read(Err(failure))
        })
    }

    fn next_id(&self) -> u64 {
        self.local.next_id.fetch_add(1, Ordering::Relaxed)
    }
}

impl<C, Q> AsyncKeyedLimiter<Q> for LeasedWindow<C>
where
    C: AsyncConnection,
    Q: AsRef<[u8]> + Sync + ?Sized,
{
    type Error = LimiterError;

    async fn check_n(&self, key: &Q, n: u32) -> Result<Decision, LimiterError> {
        self.check_n(key, n).await
    }

    async fn peek_n(&self, key: &Q, n: u32) -> Result<Decision, LimiterError> {
        self.peek_n(key, n).await
    }

    async fn refund(&self, key: &Q, n: u32) -> Result<u32, LimiterError> {
        Ok(self.refund(key, n))
    }

    fn terms(&self) -> Option<Funnel> {
        Some(self.terms.quota.into())
    }
}

impl<C: Connection> fmt::Debug for LeasedWindow<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LeasedWindow")
            .field("policy", &self.policy)
            .field("terms", &self.terms)
            .field("keys", &self.local.keys)
            .finish_non_exhaustive()
    }
}
