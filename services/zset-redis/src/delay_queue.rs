//! Queues of jobs with due times: [`DelayQueue`], and the types that it returns.
//!
//! A `DelayQueue` is like a [`zset_std::SharedDelayQueue`] whose jobs are on a server, so any
//! number of processes can push jobs and take them. Ids and payloads are bytes.
//!
//! # Taking jobs
//!
//! There are two ways to take a job. `pop` removes the job and returns it to one caller. If that
//! caller dies, or its connection fails before the reply arrives, the job is lost. `lease` keeps
//! the job in the queue: unless the worker acknowledges the job first, it is due again at the end
//! of the lease. So no job is lost when a worker dies, and each job is delivered *at least once*.
//! At most one [`Lease`] of a job is valid at any time, and a stale lease can be neither
//! acknowledged nor renewed. So a job is *acknowledged at most once*, unless a
//! [failover](#what-a-failover-can-lose) loses the acknowledgement.
//!
//! A worker that was paused, or whose lease was too short, may still be working on a job after
//! another worker has taken it. The `ack` of the late worker then returns
//! [`DelayQueueError::StaleLease`]. If running a job twice does harm, make the effect of the job
//! conditional on its id.
//!
//! ```no_run
//! use std::num::NonZeroU32;
//! use std::time::Duration;
//! use zset_redis::DelayQueue;
//! use zset_redis::blocking::Pool;
//!
//! let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
//! let queue = DelayQueue::new(pool, "mail").with_max_deliveries(NonZeroU32::new(5).unwrap());
//! // In one process:
//! queue.push_with_id_after("order 17", "your order ships", Duration::from_secs(3600))?;
//! // In others:
//! loop {
//!     let lease = queue.wait_lease(Duration::from_secs(30)).block()?;
//!     if is_sent(&lease.payload) {
//!         queue.ack(&lease)?;
//!     } else {
//!         // Again after a minute; after five deliveries it is a dead letter.
//!         queue.nack(&lease, Duration::from_secs(60))?;
//!     }
//! }
//! # fn is_sent(_: &[u8]) -> bool { true }
//! # #[allow(unreachable_code)]
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order and time
//!
//! Jobs are delivered in the order of their due times. Jobs due in the same microsecond are
//! delivered in the order in which they were pushed. Times are in microseconds since 1970, by the
//! server's clock, so the methods that take a delay, such as `push_after`, need no client clock. A
//! [`Timestamp`] that you pass, e.g. from a [`SystemClock`](zset_std::SystemClock), is rounded up
//! and compared with the server's clock. For tests, [`DelayQueue::at`] makes calls at a given time,
//! but waiting always uses the server's clock.
//!
//! # Waiting
//!
//! A waiting worker does not poll. If an attempt to lease finds that no job is due, the reply
//! contains the due time of the first job. The worker then sends a command that blocks its own
//! connection until that time. A call that makes a job due before all others, such as a push, adds
//! an entry to a stream. The entry ends the blocking commands of all waiting workers, and each of
//! them makes one more attempt. So a push to an idle queue costs one call for each waiting worker.
//! Workers do not depend on each other, and an entry that is added between the attempt and the
//! blocking command is not missed. A worker makes an attempt at least every 30 seconds, in case a
//! failover has lost an entry.
//!
//! A client's response timeout does not end a wait: over a cluster, a worker waits on a separate
//! connection with a longer timeout. But a cluster client's `overall_response_timeout` does end the
//! wait, with [`Failure::Timeout`]. It defaults to the response timeout, so set it to `None`, as in
//! the example for [clusters](crate#clusters).
//!
//! # Keys and settings
//!
//! A queue has up to eight keys, such as `queue:{name}:due`. They are in one slot of a cluster, and
//! never expire. The server must not evict them, so give it enough memory and the policy
//! `noeviction`. The bounds and the maximum number of deliveries are not stored on the server. Each
//! client applies its own settings, so all clients of a queue should use the same ones.
//!
//! # Deleted keys
//!
//! If a key of the queue, or an entry in such a key, was deleted or evicted, no call fails, and
//! intact jobs are still delivered. A job whose payload or due time is missing is no longer in the
//! queue, and its id can be pushed again. If the payload is missing, a lease of the job is stale;
//! if only the due time is missing, `nack` and `renew` put the job back. What remains of a lost job
//! is dropped when the job would be due or when its id is pushed again, and is counted in
//! [`Stats::lost_jobs`]. A dead letter without a payload is dropped and counted too. If the key
//! `deliveries` is missing, deliveries start from zero. If `receipts` is missing, all leases are
//! stale. If `counts` is missing, jobs due in the same microsecond may be delivered in a different
//! order. If a key has the wrong type, calls return an error that names the key.
//!
//! # Calls that fail
//!
//! After [`Failure::Timeout`], and after some connection errors, the server may have run the call,
//! or may run it later; a cluster client may even run it twice. Repeating a push is safe if it has
//! an id: as long as the job is in the queue, the second push returns
//! [`DelayQueueError::DuplicateJob`]. Repeating an `ack` is also safe, but
//! [`DelayQueueError::StaleLease`] may then mean that the first `ack` succeeded. A lease whose
//! reply is lost expires, and still counts as a delivery.
//!
//! # What a failover can lose
//!
//! Replication is asynchronous: a primary replies before its replicas have received the write. If
//! the primary fails and a replica takes over, the writes that the replica has not received are
//! lost, usually those of the last few milliseconds:
//!
//! - **A push**: the job is lost.
//! - **A lease**: the job may be delivered to another worker while the first worker is still
//!   working. The lease of the first worker is stale. It never becomes valid again, since receipts
//!   contain the server's time.
//! - **An acknowledgement, pop or cancellation**: the job is delivered again.
//! - **A nack, renewal or reschedule**: the job has its previous due time. A job that a lost nack
//!   had made a dead letter is on its last lease again.
//!
//! The new primary's clock may differ from that of the old one. Jobs then become due, and leases
//! end, earlier or later by the difference. Each script is replicated as one transaction, so a
//! queue is never left in an intermediate state. With `min-replicas-to-write 1`, a primary refuses
//! writes unless a replica is within `min-replicas-max-lag`. So only the writes of that time can be
//! lost, even if the old primary was cut off and still serves clients. If you send `WAIT` after a
//! push, on the same connection, it returns once a replica has received the push. A server that
//! restarts loses the writes that it had not saved: with `appendfsync everysec`, those of the last
//! second or two.

mod job;
mod wait;

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use redis::Value;
use zset_std::Timestamp;
pub use zset_std::shared_delay_queue::Nacked;

#[cfg(doc)]
use crate::Failure;
#[cfg(doc)]
use crate::blocking::Pool;
use crate::connection::Caller;
#[cfg(feature = "tokio")]
pub use crate::connection::ConnectAsync;
use crate::key::FixedNames;
use crate::operation::{self, operations, read};
use crate::script::{Script, scripts};
use crate::settings::settings;
use crate::{Connection, DelayQueueError};
pub use job::{DeadLetter, Job, Lease, Stats};
use job::{
    micros, read_dead_letters, read_job, read_nacked, refused, rounded_down, rounded_up, timestamp,
};
use wait::Pause;
pub use wait::WaitLease;
#[cfg(feature = "tokio")]
pub use wait::Waiter;

type Operation<'a, T> = operation::Operation<'a, T, DelayQueueError>;

type Call = crate::script::Call<DelayQueueError>;

/// A queue of jobs on the server, each with a due time: [`zset_std::SharedDelayQueue`] for many
/// machines.
///
/// Ids and payloads are strings or bytes. `C` is the connection, as for a [limiter](crate::Keyed):
/// over a [`Pool`] calls block, over an asynchronous connection they are awaited. Clones share the
/// connection. Each call is usually one round trip, except those that wait, and returns a
/// [`DelayQueueError`] if the server fails. The [module](crate::delay_queue) explains leases,
/// waiting, and what a failover can lose.
///
/// # Examples
///
#[cfg_attr(feature = "tokio", doc = "```no_run")]
#[cfg_attr(not(feature = "tokio"), doc = "```ignore")]
/// use std::time::Duration;
/// use zset_redis::DelayQueue;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let client = redis::Client::open("redis://127.0.0.1/")?;
/// let queue = DelayQueue::new(client.get_connection_manager().await?, "mail");
/// queue.push_with_id_after("order 17", "your order ships", Duration::from_secs(3600)).await?;
///
/// let mut waiter = queue.waiter(client);
/// let lease = waiter.wait_lease(Duration::from_secs(30)).await?;
/// println!("sending {:?}", lease.payload);
/// queue.ack(&lease).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct DelayQueue<C: Connection> {
    caller: Caller<C>,
    queue: Queue,
}

impl<C: Connection> DelayQueue<C> {
    /// Makes a queue; its keys contain `name`. **O(1)**.
    pub fn new(connection: C, name: &str) -> Self {
        let queue = Queue {
            names: FixedNames::new("queue", name, &KEYS),
            at: None,
            max_len: None,
            max_deliveries: None,
            // The default of zset-std is the same.
            max_dead_letters: 1024,
            deadline: Duration::from_secs(1),
        };
        DelayQueue { caller: Caller::new(connection), queue }
    }

    settings! {
        "queue", queue;
        /// Returns the queue with a hashed name: the server stores a hash of the name, keyed with
        /// `secret`, instead of the name. **O(n)** for n bytes of the secret.
        ///
        /// Use it if the name contains a user or a token. Ids and payloads are stored as they are.
        /// All machines must use the same secret: another secret means another queue. See [hashed
        /// keys](crate#hashed-keys).
        with_hashed_keys
        ///
        /// The deadline does not limit waiting for a job.
        with_deadline
    }

    /// Returns the queue with a bound on the number of jobs, due or not, leased or not. **O(1)**.
    ///
    /// Dead letters do not count.
    pub fn with_max_len(mut self, max_len: u64) -> Self {
        self.queue.max_len = Some(max_len);
        self
    }

    /// Returns the queue with a bound on the number of deliveries per job. **O(1)**.
    ///
    /// A job whose last permitted delivery fails becomes a [`DeadLetter`]: immediately if the
    /// worker calls [`nack`](Self::nack), or, if the lease expires, when the job would be delivered
    /// again.
    pub fn with_max_deliveries(mut self, max_deliveries: NonZeroU32) -> Self {
        self.queue.max_deliveries = Some(max_deliveries);
        self
    }

    /// Returns the queue with a bound on the number of dead letters kept, 1024 by default. When it
    /// is exceeded, the oldest is dropped. **O(1)**.
    ///
    /// If the bound is lowered, the excess is dropped gradually: up to ten with each new dead
    /// letter.
    pub fn with_max_dead_letters(mut self, max_dead_letters: u32) -> Self {
        self.queue.max_dead_letters = max_dead_letters;
        self
    }
}

impl<C: Connection> DelayQueue<C> {
    /// Returns the same queue with its clock fixed at `now`, rounded down to microseconds.
    /// **O(1)**.
    ///
    /// It is for tests: waiting for a job still uses the server's clock. Calls return
    /// [`DelayQueueError::TimeTooLate`] if `now` is too late.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::{DelayQueueError, blocking::DelayQueue};
    /// # fn example(queue: DelayQueue) -> Result<(), DelayQueueError> {
    /// use zset_std::Timestamp;
    ///
    /// let (start, minute) = (Timestamp::ZERO, Duration::from_secs(60));
    /// queue.at(start).push_after("mail", minute)?;
    /// assert!(queue.at(start).pop()?.is_none());
    /// assert!(queue.at(start.saturating_add(minute)).pop()?.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub fn at(&self, now: Timestamp) -> Self {
        let mut queue = self.clone();
        queue.queue.at = Some(now);
        queue
    }
}

operations! {
    DelayQueueError:
    impl<C> DelayQueue<C> {
        /// Pushes a job that is due at a time of the server's clock, and returns the id assigned by
        /// the queue.
        ///
        /// **O(log n)** on the server. The id is a number as a string, unique among the jobs in the
        /// queue: a zero, the server's time in microseconds and three more digits, so it differs
        /// from ids of your own that do not begin with a zero. If the call may be repeated after a
        /// failure, use [`push_with_id`](Self::push_with_id).
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::QueueFull`] or [`DelayQueueError::TimeTooLate`].
        pub fn push(
            &self,
            payload: &(impl AsRef<[u8]> + ?Sized),
            due: Timestamp,
        ) -> Operation<String> {
            self.queue.push(None, payload.as_ref(), When::At(due))
        }

        /// Like [`push`](Self::push), but the job is due after a delay by the server's clock.
        /// **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::QueueFull`].
        pub fn push_after(
            &self,
            payload: &(impl AsRef<[u8]> + ?Sized),
            delay: Duration,
        ) -> Operation<String> {
            self.queue.push(None, payload.as_ref(), When::After(delay))
        }

        /// Pushes a job with the caller's id that is due at a time of the server's clock.
        /// **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::DuplicateJob`] if a job with this id is in the queue,
        /// [`DelayQueueError::QueueFull`] or [`DelayQueueError::TimeTooLate`].
        pub fn push_with_id(
            &self,
            id: &(impl AsRef<[u8]> + ?Sized),
            payload: &(impl AsRef<[u8]> + ?Sized),
            due: Timestamp,
        ) -> Operation<()> {
            self.queue.push(Some(id.as_ref()), payload.as_ref(), When::At(due)).map(drop)
        }

        /// Like [`push_with_id`](Self::push_with_id), but the job is due after a delay by the
        /// server's clock. **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::DuplicateJob`] if a job with this id is in the queue, or
        /// [`DelayQueueError::QueueFull`].
        pub fn push_with_id_after(
            &self,
            id: &(impl AsRef<[u8]> + ?Sized),
            payload: &(impl AsRef<[u8]> + ?Sized),
            delay: Duration,
        ) -> Operation<()> {
            self.queue.push(Some(id.as_ref()), payload.as_ref(), When::After(delay)).map(drop)
        }

        /// Leases the first job if it is due; it is due again after `visibility`.
        ///
        /// **O(log n)** on the server. First, jobs whose last permitted lease has ended become dead
        /// letters, and [lost jobs](crate::delay_queue#deleted-keys) are dropped: one more round
        /// trip for each hundred of them.
        pub fn lease(&self, visibility: Duration) -> Operation<Option<Lease>> {
            self.queue.lease(visibility).map(Result::ok)
        }

        /// Acknowledges that a job is done, and removes it. **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::StaleLease`] if the lease is no longer valid: the job may be
        /// delivered again, or has been already.
        pub fn ack(&self, lease: &Lease) -> Operation<()> {
            self.queue.call(&scripts::ACK).lease(lease).read(|reply| {
                if read(reply)? { Ok(()) } else { Err(DelayQueueError::StaleLease) }
            })
        }

        /// Reports that a job has failed: it is due again after a delay, or becomes a
        /// [`DeadLetter`] if this was its last permitted delivery. **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::StaleLease`] if the lease is no longer valid; the queue is unchanged.
        pub fn nack(&self, lease: &Lease, delay: Duration) -> Operation<Nacked> {
            let call = self.queue.call(&scripts::NACK).lease(lease).number(micros(delay));
            call.limits(&self.queue).read(read_nacked)
        }

        /// Sets the end of a lease to `visibility` from now, and returns that time.
        ///
        /// **O(log n)** on the server. The new end may be earlier than the old one.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::StaleLease`] if the lease is no longer valid; the queue is unchanged.
        pub fn renew(&self, lease: &Lease, visibility: Duration) -> Operation<Timestamp> {
            let call = self.queue.call(&scripts::RENEW).lease(lease).number(micros(visibility));
            call.read(|reply| read_time(reply)?.ok_or(DelayQueueError::StaleLease))
        }

        /// Removes and returns the first job if it is due.
        ///
        /// **O(log n)** on the server, like [`lease`](Self::lease). If the reply does not arrive,
        /// the job is lost: prefer `lease`.
        pub fn pop(&self) -> Operation<Option<Job>> {
            self.queue.call(&scripts::POP).limits(&self.queue).attempt(read_job).map(Result::ok)
        }

        /// Removes and returns a job, due or not, leased or not.
        ///
        /// **O(log n)** on the server. If the job is on lease, the lease becomes stale.
        pub fn cancel(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Option<Job>> {
            self.queue.call(&scripts::CANCEL).argument(id.as_ref()).read(|reply| match reply {
                Value::Nil => Ok(None),
                reply => read_job(reply).map(Some),
            })
        }

        /// Sets the due time of a job, and returns the previous one, or `None` if the job is not in
        /// the queue.
        ///
        /// **O(log n)** on the server. A lease of the job becomes stale, and its deliveries start
        /// from zero.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::TimeTooLate`].
        pub fn reschedule(
            &self,
            id: &(impl AsRef<[u8]> + ?Sized),
            due: Timestamp,
        ) -> Operation<Option<Timestamp>> {
            let call = self.queue.call(&scripts::RESCHEDULE).argument(id.as_ref());
            call.when(When::At(due)).read(read_time)
        }

        /// Like [`reschedule`](Self::reschedule), but the job is due after a delay by the server's
        /// clock. **O(log n)** on the server.
        pub fn reschedule_after(
            &self,
            id: &(impl AsRef<[u8]> + ?Sized),
            delay: Duration,
        ) -> Operation<Option<Timestamp>> {
            let call = self.queue.call(&scripts::RESCHEDULE).argument(id.as_ref());
            call.when(When::After(delay)).read(read_time)
        }

        /// Returns the payload of a job, due or not, leased or not. **O(1)** on the server.
        pub fn get(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Option<Vec<u8>>> {
            self.queue.call(&scripts::GET).argument(id.as_ref()).value()
        }

        /// Returns whether a job is in the queue, due or not, leased or not. **O(1)** on the
        /// server.
        pub fn contains(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Operation<bool> {
            let call = self.queue.call(&scripts::DUE).argument(id.as_ref());
            call.read(|reply| Ok(read_time(reply)?.is_some()))
        }

        /// Returns the due time of a job, or the end of its lease. **O(1)** on the server.
        pub fn due(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Operation<Option<Timestamp>> {
            self.queue.call(&scripts::DUE).argument(id.as_ref()).read(read_time)
        }

        /// Returns the due time of the first job, or the end of its lease. **O(log n)** on the
        /// server.
        pub fn next_due(&self) -> Operation<Option<Timestamp>> {
            self.queue.stats().map(|stats| stats.next_due)
        }

        /// Returns the number of jobs, due or not, leased or not. **O(log n)** on the server.
        pub fn len(&self) -> Operation<u64> {
            self.queue.stats().map(|stats| stats.len)
        }

        /// Returns whether there are no jobs. **O(log n)** on the server.
        pub fn is_empty(&self) -> Operation<bool> {
            self.queue.stats().map(|stats| stats.len == 0)
        }

        /// Returns the lengths and counts of the queue. **O(log n)** on the server.
        pub fn stats(&self) -> Operation<Stats> {
            self.queue.stats()
        }

        /// Removes all jobs, but not the dead letters, and returns how many there were.
        ///
        /// **O(1)** on the server, which frees them in the background. Their leases become stale.
        pub fn clear(&self) -> Operation<u64> {
            self.queue.call(&scripts::CLEAR).value()
        }

        /// Returns up to `max` of the oldest dead letters.
        ///
        /// **O(log n + m)** on the server for m returned. [Lost
        /// ones](crate::delay_queue#deleted-keys) are dropped, fewer than `max` plus a thousand a
        /// call, so a call may return fewer than there are.
        pub fn dead_letters(&self, max: u32) -> Operation<Vec<DeadLetter>> {
            self.queue.dead_letters(max, false)
        }

        /// Removes and returns up to `max` of the oldest dead letters.
        ///
        /// **O(m log n)** on the server for m returned. If the reply does not arrive, the letters
        /// are lost.
        pub fn take_dead_letters(&self, max: u32) -> Operation<Vec<DeadLetter>> {
            self.queue.dead_letters(max, true)
        }

        /// Turns a dead letter into a job again, due after a delay and with no deliveries, and
        /// returns whether there was a letter with this id. **O(log n)** on the server.
        ///
        /// # Errors
        ///
        /// [`DelayQueueError::DuplicateJob`] if a job with this id is in the queue, or
        /// [`DelayQueueError::QueueFull`]. The dead letter is then unchanged.
        pub fn requeue(
            &self,
            id: &(impl AsRef<[u8]> + ?Sized),
            delay: Duration,
        ) -> Operation<bool> {
            let call = self.queue.call(&scripts::REQUEUE).argument(id.as_ref());
            call.when(When::After(delay)).argument(self.queue.max_len()).read(|reply| {
                refused(&reply)?;
                Ok(read(reply)?)
            })
        }

        /// Removes all dead letters, and returns how many there were.
        ///
        /// **O(1)** on the server, which frees them in the background.
        pub fn purge_dead_letters(&self) -> Operation<u64> {
            self.queue.call(&scripts::PURGE).value()
        }
    }
}

impl<C: Connection> DelayQueue<C> {
    async fn run<T>(&self, operation: Operation<'_, T>) -> Result<T, DelayQueueError> {
        self.caller.run(operation, self.queue.deadline).await
    }
}

impl<C: Connection> fmt::Debug for DelayQueue<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayQueue").field("queue", &self.queue).finish_non_exhaustive()
    }
}

/// The keys and the settings of a queue.
#[derive(Clone, Debug)]
struct Queue {
    names: FixedNames,
    /// The fixed time of all calls, or `None` for the server's clock.
    at: Option<Timestamp>,
    max_len: Option<u64>,
    max_deliveries: Option<NonZeroU32>,
    max_dead_letters: u32,
    deadline: Duration,
}

/// The due time of a job.
#[derive(Clone, Copy, Debug)]
enum When {
    At(Timestamp),
    /// Relative to the time of the call.
    After(Duration),
}

impl Queue {
    fn call(&self, script: &'static Script) -> Call {
        let call = Call::new(script, self.names.all.to_vec());
        match self.at {
            None => call.argument(""),
            Some(now) => call.try_number(rounded_down(now)),
        }
    }

    fn push(&self, id: Option<&[u8]>, payload: &[u8], when: When) -> Operation<'static, String> {
        let call = self.call(&scripts::PUSH).number(id.is_some());
        let call = call.argument(id.unwrap_or_default()).argument(payload).when(when);
        call.argument(self.max_len()).read(|reply| {
            refused(&reply)?;
            let (id,) = read::<(Vec<u8>,)>(reply)?;
            // Ids that the server assigns are digits. An id that the caller chose may not be UTF-8,
            // but `push_with_id` discards this string.
            Ok(String::from_utf8_lossy(&id).into_owned())
        })
    }

    /// Makes an attempt to lease a job.
    fn lease(&self, visibility: Duration) -> Operation<'static, Result<Lease, Pause>> {
        let call = self.call(&scripts::LEASE).limits(self).number(micros(visibility));
        call.attempt(Lease::read)
    }

    fn stats(&self) -> Operation<'static, Stats> {
        self.call(&scripts::STATS).read(Stats::read)
    }

    fn dead_letters(&self, max: u32, removes: bool) -> Operation<'static, Vec<DeadLetter>> {
        if max == 0 {
            return Operation::known(Vec::new());
        }
        self.call(&scripts::DEAD_LETTERS).number(removes).number(max).read(read_dead_letters)
    }

    fn max_len(&self) -> String {
        self.max_len.map_or(String::new(), |max_len| max_len.to_string())
    }
}

/// Adds arguments that several scripts of queues share.
impl Call {
    fn when(self, when: When) -> Call {
        match when {
            When::At(due) => self.try_number(rounded_up(due)).argument(""),
            When::After(delay) => self.argument("").number(micros(delay)),
        }
    }

    fn lease(self, lease: &Lease) -> Call {
        self.argument(&lease.id[..]).argument(&lease.receipt[..])
    }

    fn limits(self, queue: &Queue) -> Call {
        let max_deliveries = queue.max_deliveries.map_or(0, NonZeroU32::get);
        self.number(max_deliveries).number(queue.max_dead_letters)
    }

    /// Makes one attempt to take a job; `take` reads it from the reply.
    fn attempt<T: 'static>(
        self,
        take: fn(Value) -> Result<T, DelayQueueError>,
    ) -> Operation<'static, Result<T, Pause>> {
        Operation::new(self, move |reply| {
            // If the reply is not an array, this call has reached its cap on dead letters and lost
            // jobs, and must be repeated.
            let Value::Array(mut parts) = reply else { return Ok(None) };
            Ok(Some(match parts.len() {
                1 => Ok(take(parts.remove(0))?),
                _ => Err(Pause::read(Value::Array(parts))?),
            }))
        })
    }
}

/// The last parts of the keys, in the order in which `queue.lua` takes them.
const KEYS: [&str; 8] =
    ["due", "jobs", "deliveries", "receipts", "dead", "dead_jobs", "counts", "wake"];

fn read_time(reply: Value) -> Result<Option<Timestamp>, DelayQueueError> {
    Ok(read::<Option<u64>>(reply)?.map(timestamp))
}

scripts! {
    "delay_queue", "queue":
    PUSH writing "push",
    LEASE writing "lease",
    ACK freeing "ack",
    NACK writing "nack",
    RENEW writing "renew",
    POP freeing "pop",
    CANCEL freeing "cancel",
    RESCHEDULE writing "reschedule",
    GET reading "get",
    DUE reading "due",
    STATS reading "stats",
    CLEAR freeing "clear",
    DEAD_LETTERS freeing "dead_letters",
    REQUEUE writing "requeue",
    PURGE freeing "purge"
}
