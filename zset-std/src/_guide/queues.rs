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
//! The types are [`DelayQueue`](crate::DelayQueue), [`SharedDelayQueue`](crate::SharedDelayQueue),
//! [`JobRunner`](crate::JobRunner) and [`ExpiringSet`](crate::ExpiringSet). The crate's docs say
//! [which one to use](crate#which-type).
//!
//! If jobs are only pushed and popped, one at a time, a `BinaryHeap` or a timer wheel is faster;
//! see the project's `docs/benchmarks.md`. The queues here can also cancel and reschedule jobs by
//! id. A `DelayQueue` can also list jobs in order and count the jobs that are due.
//!
//! # Pop or lease
//!
//! - [`wait_pop`](crate::SharedDelayQueue::wait_pop) removes a job. Exactly one caller gets it. If
//!   that caller dies, the job is lost.
//! - [`wait_lease`](crate::SharedDelayQueue::wait_lease) leases a job. The job stays in the queue.
//!   At the end of the lease it is due again, unless the worker has acknowledged it with
//!   [`ack`](crate::SharedDelayQueue::ack). So a job may be delivered more than once, and handlers
//!   must tolerate repetition. A worker that fails calls [`nack`](crate::SharedDelayQueue::nack),
//!   and the job is due again after a delay.
//!
//! A job that fails as often as
//! [`with_max_deliveries`](crate::SharedDelayQueue::with_max_deliveries) permits becomes a dead
//! letter. [`take_dead_letters`](crate::SharedDelayQueue::take_dead_letters) removes and returns
//! dead letters.
//!
//! # On one thread
//!
//! A [`DelayQueue`](crate::DelayQueue) has no clock. Calls that depend on the time take the current
//! time as an argument.
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
//! To schedule events, such as the opening of sales, use a queue of ids without payloads. An id
//! leaves the queue when it is popped. So, unless it is scheduled again, it is popped only once,
//! even if the call is late or the clock steps back:
//!
//! ```
//! use zset_std::{DelayQueue, Timestamp};
//!
//! /// Schedules or reschedules an id. An id that already has this due time keeps its place, so
//! /// scheduling all queued ids again, e.g. after reloading a table, is a no-op.
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
//! [`SharedDelayQueue::run`](crate::SharedDelayQueue::run) starts a thread that calls a function
//! for each job that is due. If threads share a queue, another thread may push the same id between
//! the calls in `schedule`. [`push_with_id`](crate::SharedDelayQueue::push_with_id) then returns an
//! error, and the caller should try again.
//!
//! An [`ExpiringSet`](crate::ExpiringSet) contains members with deadlines, such as sessions. A
//! member is live strictly before its deadline. Look-ups that take the time treat an expired member
//! as absent, even before it is removed.
//!
//! # Clocks and storage
//!
//! Types that threads share accept any [`Clock`](crate::Clock), e.g. a
//! [`SystemClock`](crate::SystemClock) for times of day, or a [`FakeClock`](crate::FakeClock) in
//! tests. With the feature `serde`, a `DelayQueue` and an `ExpiringSet` can be serialized. A shared
//! queue must first be converted into a `DelayQueue`.
//!
//! # Programs
//!
//! `delayed_jobs` leases jobs to workers that die or fail, and `flash_sale` opens sales at
//! scheduled times: `cargo run --example delayed_jobs`.
