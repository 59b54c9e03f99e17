//! Queues: jobs and events that are due at a time, and members that expire.
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{FakeClock, SharedDelayQueue};
//!
//! // A worker that dies does not lose its job.
//! let clock = FakeClock::new();
//! let mails = SharedDelayQueue::<&str>::new().with_clock(clock.clone());
//! mails.push_after("welcome", Duration::from_secs(10))?;
//! clock.advance(Duration::from_secs(10));
//! let lost = mails.wait_lease(Duration::from_secs(30)).block().unwrap();
//! clock.advance(Duration::from_secs(30));
//! let again = mails.wait_lease(Duration::from_secs(30)).block().unwrap();
//! assert_eq!((again.payload, again.deliveries), ("welcome", 2));
//! assert!(mails.ack(&lost).is_err() && mails.ack(&again).is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Choosing a queue
//!
//! The types are a [`DelayQueue`](crate::DelayQueue), a
//! [`SharedDelayQueue`](crate::SharedDelayQueue) with or without a [`JobRunner`](crate::JobRunner),
//! and an [`ExpiringSet`](crate::ExpiringSet): [which one for what](crate#which-type).
//!
//! If jobs are only pushed and popped, a `BinaryHeap` or a timer wheel is faster; the project's
//! `docs/benchmarks.md` has the measurements. These queues also cancel and reschedule by id, list
//! jobs in order, and count the jobs that are due.
//!
//! # Pop or lease
//!
//! - [`wait_pop`](crate::SharedDelayQueue::wait_pop) removes a job. Exactly one caller gets it; if
//!   that worker dies, the job is lost.
//! - [`wait_lease`](crate::SharedDelayQueue::wait_lease) leases a job. The job stays in the queue
//!   and is due again at the end of the lease, unless the worker acknowledges it with
//!   [`ack`](crate::SharedDelayQueue::ack) first. So each job is delivered at least once, and
//!   handlers must tolerate a repetition. [`nack`](crate::SharedDelayQueue::nack) returns a failed
//!   job to the queue, due after a delay.
//!
//! A job that has been delivered as often as
//! [`with_max_deliveries`](crate::SharedDelayQueue::with_max_deliveries) permits becomes a dead
//! letter, for [`take_dead_letters`](crate::SharedDelayQueue::take_dead_letters) to return.
//!
//! # On one thread
//!
//! A [`DelayQueue`](crate::DelayQueue) has no clock: each call that depends on the time takes it.
//!
//! ```
//! use std::time::Duration;
//! use zset_std::{DelayQueue, Timestamp};
//!
//! let at = |seconds| Timestamp::ZERO.saturating_add(Duration::from_secs(seconds));
//! let mut mails = DelayQueue::new();
//! mails.push("remind ann", at(60));
//! let bob = mails.push("remind bob", at(30));
//! let cid = mails.push("remind cid", at(10));
//! assert_eq!(mails.next_due(), Some(at(10)));
//!
//! mails.cancel(&cid); // Cid has answered.
//! mails.reschedule(&bob, at(90)); // Bob asked for more time.
//! let due: Vec<_> = mails.pop_due(10, at(60)).map(|job| job.payload).collect();
//! assert_eq!(due, ["remind ann"]);
//! assert_eq!(mails.next_due(), Some(at(90)));
//! ```
//!
//! # Events and expiry
//!
//! A schedule of events, such as sales that open, is a queue of ids without payloads. A popped id
//! is no longer in the queue, so it is popped exactly once, however late the call and even if the
//! clock steps back:
//!
//! ```
//! use zset_std::{DelayQueue, Timestamp};
//!
//! /// Schedules an id for a time, or moves it. An id that already has the time keeps its place, so
//! /// scheduling everything again, e.g. after reloading a table, is a no-op.
//! fn schedule(events: &mut DelayQueue<(), &'static str>, id: &'static str, due: Timestamp) {
//!     if events.due(id) != Some(due) && events.reschedule(id, due).is_none() {
//!         events.push_with_id(id, (), due).expect("the id is not in the queue");
//!     }
//! }
//!
//! let at = Timestamp::from_nanos;
//! let mut sales = DelayQueue::new();
//! for (sale, due) in [("shoes", at(20)), ("hats", at(10)), ("bags", at(20)), ("shoes", at(20))] {
//!     schedule(&mut sales, sale, due);
//! }
//! assert!(sales.iter().take(2).map(|job| *job.id).eq(["hats", "shoes"]));
//! sales.cancel("hats");
//! let open: Vec<_> = sales.pop_due(usize::MAX, at(25)).map(|job| (job.id, job.due)).collect();
//! assert_eq!(open, [("shoes", at(20)), ("bags", at(20))]);
//! assert!(sales.pop(at(20)).is_none()); // the clock has stepped back
//! ```
//!
//! [`SharedDelayQueue::run`](crate::SharedDelayQueue::run) gives a queue a thread that calls a
//! function for each job that is due. Threads that share a queue try again if another pushes the
//! same id in between: [`push_with_id`](crate::SharedDelayQueue::push_with_id) reports it.
//!
//! An [`ExpiringSet`](crate::ExpiringSet) holds members such as sessions. A member is live strictly
//! before its deadline; an expired one is absent in every call that takes the time, even before it
//! is removed.
//!
//! # Clocks and storage
//!
//! The types for one thread have no clock. The shared ones take any [`Clock`](crate::Clock):
//! [`SystemClock`](crate::SystemClock) for times of day, [`FakeClock`](crate::FakeClock) in tests.
//! The types that hold data are serialized with the feature `serde`, a shared queue as the
//! `DelayQueue` that it converts into.
//!
//! # Programs
//!
//! `delayed_jobs` leases jobs to workers that die and fail, and `flash_sale` opens sales at their
//! times: `cargo run --example delayed_jobs`.
