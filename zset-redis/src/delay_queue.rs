//! Queues of jobs that are due at a time: [`DelayQueue`], [the one that
//! blocks](crate::blocking::DelayQueue), and what they return.
//!
//! They are [`zset_std::SharedDelayQueue`] on a server: any number of processes push jobs and take
//! them. Ids and payloads are bytes.
//!
//! # Taking jobs
//!
//! There are two ways. `pop` removes a job: exactly one caller gets it, and if that caller dies, or its
//! connection fails before the reply arrives, the job is lost. `lease` keeps the job in the queue: it
//! is due again at the end of the lease unless it is acknowledged first. So no job is lost when a
//! worker dies, and each job is delivered *at least once*. At most one [`Lease`] of a job is valid at
//! any time, and a stale one can neither acknowledge nor extend, so each job is *acknowledged exactly
//! once*.
//!
//! A worker that is late, because it was paused or the lease was too short, may still be working when
//! another one has taken the job. Its `ack` then returns [`Error::StaleLease`]. If doing a job twice
//! does harm, make its effect conditional on the id.
//!
//! ```no_run
//! use std::num::NonZeroU32;
//! use std::time::Duration;
//! use zset_redis::blocking::{DelayQueue, Pool};
//!
//! let pool = Pool::new(redis::Client::open("redis://127.0.0.1/")?);
//! let queue = DelayQueue::new(pool, "mail").with_max_deliveries(NonZeroU32::new(5).unwrap());
//! // In one process:
//! queue.push_with_id_after("order 17", "your order ships", Duration::from_secs(3600))?;
//! // In others:
//! loop {
//!     let lease = queue.wait_lease(Duration::from_secs(30))?;
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
//! Jobs come in the order in which they are due; those due in the same microsecond in the order in
//! which they were pushed. Times are the server's, since 1970, in microseconds: the forms with a delay
//! (`push_after`, `reschedule_after`) need no clock of the client. A [`Timestamp`](zset_std::Timestamp)
//! that is given, e.g. of a [`SystemClock`](zset_std::SystemClock), is compared with the server's clock
//! and rounded up. The forms `_at` take the time of the call as well. They are for tests: waiting
//! always uses the server's clock.
//!
//! # Waiting
//!
//! A worker that waits sends nothing. An attempt that finds no job returns when the first one is due,
//! and the worker then sends a command that blocks until that time on a connection of its own. A job
//! that becomes due before all others adds an entry to a stream, which ends that command for all
//! waiting workers. Each of them makes one attempt, so a push to an idle queue costs one call for each
//! waiting worker. None depends on another, and no wake-up is lost between the attempt and the command.
//! A worker makes an attempt every 30 seconds at the latest, in case a failover has lost an entry.
//!
//! # Keys and settings
//!
//! A queue has up to eight keys, `queue:{name}:due` and others, in one slot of a cluster. They never
//! expire. The server must not evict them: give it enough memory and the policy `noeviction`. The
//! bounds and the maximum number of deliveries are not stored: each client applies its own, so all
//! clients of a queue should be made in the same way.
//!
//! # Deleted keys
//!
//! If one of the keys, or an entry of it, was deleted or evicted, no call fails, and jobs that are
//! intact are delivered. A job whose payload or time is missing is no longer in the queue: a lease
//! of it is stale, and its id can be pushed again. What is left of it is dropped when it would be
//! due or when its id is pushed, and counted as [`Stats::lost_jobs`]; so is a dead letter without
//! its payload. Without the deliveries or the receipts, deliveries start from zero, and leases are
//! stale. Without the counts, jobs that are due in the same microsecond may come in another order.
//! A key of another type is an error that names the key.
//!
//! # Calls that fail
//!
//! After [`Error::Timeout`], and after some errors of a connection, the server may have run the call,
//! or run it later; a client of a cluster may even run it twice. Repeating a push is safe with an id:
//! the second one is an [`Error::DuplicateJob`] as long as the job is in the queue. Repeating an `ack`
//! is safe: [`Error::StaleLease`] then may mean that the first one succeeded. A lease whose reply is
//! lost ends by itself, and counts as a delivery.
//!
//! # What a failover can lose
//!
//! Replication is asynchronous: a primary replies before its replicas have the write. If it fails and a
//! replica takes over, the writes of the replication lag are lost, usually of milliseconds:
//!
//! - **A push**: the job is lost. This is the only way to lose one.
//! - **A lease**: the job may be delivered to another worker while the first one still works. The
//!   first one's lease is stale, and receipts contain the server's time, so it is never valid again.
//! - **An acknowledgement, a pop or a cancellation**: the job is delivered again.
//! - **A nack, an extension or a reschedule**: the job is due when it was due before, and a dead letter
//!   is a job again, on its last lease.
//!
//! The new primary's clock may be another one: jobs are due, and leases end, earlier or later by the
//! difference. Each script is replicated as one transaction, so a queue is never left halfway. With
//! `min-replicas-to-write 1` and `min-replicas-max-lag` a primary whose replicas are further behind
//! refuses writes, which bounds the loss to that lag, also for a primary that was cut off and still
//! serves clients. `WAIT` after a push, on the same connection, returns once a replica has received it.
//! A server that restarts loses what it had not saved: with `appendfsync everysec`, the last second or
//! two.
//!
//! [`Error::StaleLease`]: crate::Error::StaleLease
//! [`Error::DuplicateJob`]: crate::Error::DuplicateJob
//! [`Error::Timeout`]: crate::Error::Timeout

#[cfg(feature = "tokio")]
mod awaited;
pub(crate) mod job;
pub(crate) mod queue;
mod scripts;
pub(crate) mod time;
#[cfg(feature = "tokio")]
mod waiter;
pub(crate) mod wake;

#[cfg(feature = "tokio")]
pub use awaited::DelayQueue;
pub use job::{DeadLetter, Job, Lease, Stats};
#[cfg(feature = "tokio")]
pub use waiter::{ConnectAsync, Waiter};
pub use zset_std::shared_delay_queue::Nacked;
