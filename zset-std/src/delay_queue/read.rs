//! Lookups by id, the first job, and iteration.

use core::hash::Hash;

use zset_core::Equivalent;

use super::job::job;
use super::{DelayQueue, Job, Jobs};
use crate::Timestamp;

impl<T, I> DelayQueue<T, I> {
    /// Returns the due time of the first job. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::<&str>::new();
    /// assert_eq!(queue.next_due(), None);
    /// queue.push("mail", Timestamp::from_nanos(10));
    /// assert_eq!(queue.next_due(), Some(Timestamp::from_nanos(10)));
    /// ```
    pub fn next_due(&self) -> Option<Timestamp> {
        let (_, _, (due, _)) = self.jobs.first()?;
        Some(due)
    }

    /// Returns the first job, due or not. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::<&str>::new();
    /// queue.push("late", Timestamp::from_nanos(20));
    /// queue.push("early", Timestamp::from_nanos(10));
    /// assert_eq!(queue.first().map(|job| *job.payload), Some("early"));
    /// ```
    pub fn first(&self) -> Option<Job<&T, &I>> {
        self.jobs.first().map(job)
    }

    /// Returns the number of jobs, due or not. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// queue.push("mail", Timestamp::MAX);
    /// assert_eq!(queue.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Returns whether there are no jobs. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// assert!(zset_std::DelayQueue::<u32>::new().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Returns the number of jobs that are due: not after `now`. **O(log n)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let queue: DelayQueue<_> = [("a", at(1)), ("b", at(2)), ("c", at(3))].into_iter().collect();
    /// assert_eq!(queue.count_due(at(2)), 2);
    /// ```
    pub fn count_due(&self, now: Timestamp) -> usize {
        self.jobs.count_by_score(..=(now, u64::MAX))
    }

    /// Returns the jobs in order, the earliest due first. Lazy, double-ended, **O(1)** per step.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let at = Timestamp::from_nanos;
    /// let queue: DelayQueue<_> = [("b", at(2)), ("a", at(1))].into_iter().collect();
    /// assert!(queue.iter().map(|job| *job.payload).eq(["a", "b"]));
    /// assert!(queue.iter().rev().map(|job| *job.payload).eq(["b", "a"]));
    /// ```
    pub fn iter(&self) -> Jobs<'_, T, I> {
        Jobs::new(self.jobs.iter())
    }
}

impl<T, I> DelayQueue<T, I> {
    /// Returns the payload of a job. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, JobId, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// let id = queue.push("mail", Timestamp::ZERO);
    /// assert_eq!(queue.get(&id), Some(&"mail"));
    /// assert_eq!(queue.get(&JobId::new(7)), None);
    /// ```
    pub fn get<Q>(&self, id: &Q) -> Option<&T>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.get(id)
    }

    /// Returns a mutable reference to the payload of a job. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// let id = queue.push("mail".to_string(), Timestamp::ZERO);
    /// queue.get_mut(&id).unwrap().push_str(" to ann");
    /// assert_eq!(queue.get(&id).unwrap(), "mail to ann");
    /// ```
    pub fn get_mut<Q>(&mut self, id: &Q) -> Option<&mut T>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.get_mut(id)
    }

    /// Returns the due time of a job. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// let id = queue.push("mail", Timestamp::from_nanos(5));
    /// assert_eq!(queue.due(&id), Some(Timestamp::from_nanos(5)));
    /// ```
    pub fn due<Q>(&self, id: &Q) -> Option<Timestamp>
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        let (due, _) = self.jobs.score(id)?;
        Some(due)
    }

    /// Returns whether a job is in the queue, due or not. **O(1)** expected.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_std::{DelayQueue, Timestamp};
    ///
    /// let mut queue = DelayQueue::new();
    /// assert!(queue.push_with_id("backup".to_string(), 7, Timestamp::ZERO).is_ok());
    /// assert!(queue.contains("backup") && !queue.contains("restore"));
    /// ```
    pub fn contains<Q>(&self, id: &Q) -> bool
    where
        Q: Hash + Equivalent<I> + ?Sized,
    {
        self.jobs.contains_key(id)
    }
}
