//! Taking jobs out, inspecting and changing the queue.

use std::time::Duration;

use zset_std::Timestamp;

use super::{Connect, DelayQueue};
use crate::Error;
use crate::delay_queue::time::When;
use crate::delay_queue::{Job, Stats};

impl<M: Connect> DelayQueue<M> {
    /// Removes and returns the first job if it is due.
    ///
    /// One round trip, **O(log n)** on the server. If the reply does not arrive, the job is lost:
    /// prefer [`lease`](Self::lease).
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// while let Some(job) = queue.pop()? {
    ///     println!("{:?} was due at {:?}", job.id, job.due);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pop(&self) -> Result<Option<Job>, Error> {
        Ok(self.take(|queue| queue.pop(None))?.ok())
    }

    /// Like [`pop`](Self::pop), at the time `now`, rounded down to microseconds.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, or [`Error::TimeTooLate`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_std::{Clock, SystemClock};
    ///
    /// let job = queue.pop_at(SystemClock.now())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pop_at(&self, now: Timestamp) -> Result<Option<Job>, Error> {
        Ok(self.take(|queue| queue.pop(Some(now)))?.ok())
    }

    /// Removes and returns a job, whether due or not, on lease or not.
    ///
    /// One round trip, **O(log n)** on the server. A lease of it is then stale.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// if queue.cancel("order 17")?.is_none() {
    ///     println!("too late");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cancel(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Result<Option<Job>, Error> {
        self.run(self.queue.cancel(id.as_ref()))
    }

    /// Sets when a job is due, and returns when it was due before, or `None` if it is not in the queue.
    ///
    /// One round trip, **O(log n)** on the server. A lease of it is then stale, and its deliveries
    /// start from zero.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails, or [`Error::TimeTooLate`].
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_std::{Clock, SystemClock};
    ///
    /// queue.reschedule("order 17", SystemClock.now())?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reschedule(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        due: Timestamp,
    ) -> Result<Option<Timestamp>, Error> {
        self.run(self.queue.reschedule(id.as_ref(), When::At(due))?)
    }

    /// Like [`reschedule`](Self::reschedule), but the job is due after a delay by the server's clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// queue.reschedule_after("order 17", Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reschedule_after(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<Option<Timestamp>, Error> {
        self.run(self.queue.reschedule(id.as_ref(), When::After(delay))?)
    }

    /// Returns when a job is due, or its lease ends.
    ///
    /// One round trip, **O(1)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// let is_queued = queue.due("order 17")?.is_some();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn due(&self, id: &(impl AsRef<[u8]> + ?Sized)) -> Result<Option<Timestamp>, Error> {
        self.run(self.queue.due(id.as_ref()))
    }

    /// Returns when the first job is due, or its lease ends.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// let is_empty = queue.next_due()?.is_none();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn next_due(&self) -> Result<Option<Timestamp>, Error> {
        Ok(self.stats()?.next_due)
    }

    /// Returns the number of jobs, whether due or not, on lease or not.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// println!("{} jobs", queue.len()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(&self) -> Result<u64, Error> {
        Ok(self.stats()?.len)
    }

    /// Returns whether there are no jobs.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// if queue.is_empty()? {
    ///     println!("no jobs");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn is_empty(&self) -> Result<bool, Error> {
        Ok(self.len()? == 0)
    }

    /// Returns the lengths and counts of the queue.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// let stats = queue.stats()?;
    /// println!("{} jobs, {} of them on lease", stats.len, stats.leased);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> Result<Stats, Error> {
        self.run(self.queue.stats())
    }

    /// Removes all jobs, but not the dead letters, and returns how many there were.
    ///
    /// One round trip, **O(1)** on the server, which frees them in the background. Their leases are
    /// then stale.
    ///
    /// # Errors
    ///
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// queue.clear()?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn clear(&self) -> Result<u64, Error> {
        self.run(self.queue.clear())
    }
}
