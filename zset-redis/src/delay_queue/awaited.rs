//! [`DelayQueue`]: a queue to be awaited.

mod dead;
mod lease;
mod manage;
mod push;

use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use redis::aio::ConnectionLike;

use super::job::Attempt;
use super::queue::Queue;
use super::wake::Pause;
use super::{ConnectAsync, Waiter};
use crate::Error;
use crate::operation::Operation;
use crate::run::Link;

/// A queue of jobs on the server, each due at a time: [`zset_std::SharedDelayQueue`] for many machines.
///
/// Ids and payloads are strings or bytes. `C` is a connection that can be cloned: a
/// [`MultiplexedConnection`](redis::aio::MultiplexedConnection), a
/// [`ConnectionManager`](redis::aio::ConnectionManager), or a connection to a cluster. Clones share the
/// connection. Each method is one round trip. A [`Waiter`] waits for jobs. The
/// [module](crate::delay_queue) explains leases, waiting, and what a failover can lose.
///
/// # Examples
///
/// ```no_run
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
pub struct DelayQueue<C> {
    link: Link<C>,
    pub(super) queue: Queue,
}

impl<C> DelayQueue<C> {
    /// Makes a queue; its keys contain `name`. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`DelayQueue`].
    pub fn new(connection: C, name: &str) -> Self {
        DelayQueue { link: Link::new(connection), queue: Queue::new(name) }
    }

    /// Returns the queue with a hashed name: the server stores a hash of the name, keyed with
    /// `secret`, instead of the name. **O(n)** for n bytes of the secret.
    ///
    /// It is for names that contain a user or a token. Ids and payloads are stored as they are. All
    /// machines use the same secret: with another one, it is another queue. [Hashed
    /// keys](crate#hashed-keys) has more.
    pub fn hashed_keys(mut self, secret: impl AsRef<[u8]>) -> Self {
        self.queue.hash_keys(secret.as_ref());
        self
    }

    /// Returns the queue with another deadline for each call; the default is one second. **O(1)**.
    ///
    /// Waiting for a job is not bounded by it.
    pub fn with_deadline(mut self, deadline: Duration) -> Self {
        self.queue.deadline = deadline;
        self
    }

    /// Returns the queue with a bound on the number of jobs, whether due or not, on lease or not.
    /// **O(1)**.
    ///
    /// Dead letters do not count.
    pub fn with_max_len(mut self, max_len: u64) -> Self {
        self.queue.max_len = Some(max_len);
        self
    }

    /// Returns the queue with a bound on the number of deliveries per job. **O(1)**.
    ///
    /// A job whose last permitted delivery fails becomes a [dead
    /// letter](crate::delay_queue::DeadLetter): at once if the worker calls [`nack`](Self::nack), or,
    /// if the lease expires, when the job would be delivered again.
    pub fn with_max_deliveries(mut self, max_deliveries: NonZeroU32) -> Self {
        self.queue.max_deliveries = Some(max_deliveries);
        self
    }

    /// Returns the queue with a bound on the number of dead letters kept, 1024 by default. When it is
    /// exceeded, the oldest is dropped. **O(1)**.
    ///
    /// A lower bound than before takes effect with the next dead letters, ten for each of them.
    pub fn with_max_dead_letters(mut self, max_dead_letters: u32) -> Self {
        self.queue.max_dead_letters = max_dead_letters;
        self
    }
}

impl<C: ConnectionLike + Clone> DelayQueue<C> {
    /// Returns a worker that waits for jobs, over a connection of its own that `client` opens when it
    /// is first needed. **O(1)**.
    ///
    /// # Examples
    ///
    /// See [`Waiter`].
    pub fn waiter<M: ConnectAsync>(&self, client: M) -> Waiter<C, M> {
        Waiter::new(self.clone(), client)
    }

    async fn run<T>(&self, operation: Operation<T>) -> Result<T, Error> {
        operation.run(&self.link, self.queue.deadline).await
    }

    /// Attempts until a job is taken or none is due.
    pub(super) async fn take<T>(
        &self,
        attempt: impl Fn(&Queue) -> Result<Operation<Attempt<T>>, Error>,
    ) -> Result<Result<T, Pause>, Error> {
        loop {
            match self.run(attempt(&self.queue)?).await? {
                Attempt::Taken(taken) => return Ok(Ok(taken)),
                Attempt::Nothing(pause) => return Ok(Err(pause)),
                Attempt::Again => {}
            }
        }
    }
}

impl<C> fmt::Debug for DelayQueue<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelayQueue").field("queue", &self.queue).finish_non_exhaustive()
    }
}
