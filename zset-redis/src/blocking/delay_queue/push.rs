//! Pushing jobs.

use std::time::Duration;

use zset_std::Timestamp;

use super::{Connect, DelayQueue};
use crate::Error;
use crate::delay_queue::time::When;

impl<M: Connect> DelayQueue<M> {
    /// Pushes a job that is due at a time of the server's clock, and returns the id that the queue
    /// assigns to it.
    ///
    /// One round trip, **O(log n)** on the server. The id is a number as text, unique among the jobs in
    /// the queue. If the call may be repeated after a failure, use
    /// [`push_with_id`](Self::push_with_id).
    ///
    /// # Errors
    ///
    /// [`Error::QueueFull`], [`Error::TimeTooLate`], or [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_std::{Clock, SystemClock};
    ///
    /// let id = queue.push("mail", SystemClock.now())?;
    /// queue.cancel(&id)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push(
        &self,
        payload: &(impl AsRef<[u8]> + ?Sized),
        due: Timestamp,
    ) -> Result<String, Error> {
        self.run(self.queue.push(None, payload.as_ref(), When::At(due))?)
    }

    /// Like [`push`](Self::push), but the job is due after a delay by the server's clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::QueueFull`], or [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// queue.push_after("mail", Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push_after(
        &self,
        payload: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<String, Error> {
        self.run(self.queue.push(None, payload.as_ref(), When::After(delay))?)
    }

    /// Pushes a job with the caller's id, which is due at a time of the server's clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateJob`] if a job with this id is in the queue, [`Error::QueueFull`],
    /// [`Error::TimeTooLate`], or [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// use zset_redis::Error;
    /// use zset_std::{Clock, SystemClock};
    ///
    /// match queue.push_with_id("order 17", "mail", SystemClock.now()) {
    ///     Err(Error::DuplicateJob) => println!("it is there already"),
    ///     pushed => pushed?,
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push_with_id(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        payload: &(impl AsRef<[u8]> + ?Sized),
        due: Timestamp,
    ) -> Result<(), Error> {
        self.run(self.queue.push(Some(id.as_ref()), payload.as_ref(), When::At(due))?).map(|_| ())
    }

    /// Like [`push_with_id`](Self::push_with_id), but the job is due after a delay by the server's
    /// clock.
    ///
    /// One round trip, **O(log n)** on the server.
    ///
    /// # Errors
    ///
    /// [`Error::DuplicateJob`] if a job with this id is in the queue, [`Error::QueueFull`], or
    /// [`Error`] if the server fails.
    ///
    /// # Examples
    ///
    /// ```no_run
    /// # use std::time::Duration;
    /// # use zset_redis::blocking::{DelayQueue, Pool};
    /// # let client = redis::Client::open("redis://127.0.0.1/")?;
    /// # let queue = DelayQueue::new(Pool::new(client), "mail");
    /// queue.push_with_id_after("order 17", "mail", Duration::from_secs(60))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn push_with_id_after(
        &self,
        id: &(impl AsRef<[u8]> + ?Sized),
        payload: &(impl AsRef<[u8]> + ?Sized),
        delay: Duration,
    ) -> Result<(), Error> {
        self.run(self.queue.push(Some(id.as_ref()), payload.as_ref(), When::After(delay))?)
            .map(|_| ())
    }
}
