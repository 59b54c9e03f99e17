//! Tests that random steps have the same outcomes on a queue of zset-redis and on a queue of
//! zset-std.

use std::fmt::Debug;
use std::num::NonZeroU32;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zset_redis::DelayQueueError;
use zset_redis::blocking::{Connect, DelayQueue, Pool};
use zset_redis::delay_queue::Lease;
use zset_std::shared_delay_queue::{Nacked, PushWithIdError, RequeueError, StaleLease};
use zset_std::{SharedDelayQueue, Timestamp};

use crate::servers::{Cluster, Kind, PATIENCE, Server, at_micros as at};

/// The ids include bytes that are not valid UTF-8, numbers, and one like the numbers that the
/// server stores before ids.
const IDS: [&[u8]; 7] = [b"", b"\0", b"1", b"a\xFFb", b"a", b"}{", b"0000000000000001"];

type Model = SharedDelayQueue<Vec<u8>, Vec<u8>>;
type ModelLease = zset_std::Lease<Vec<u8>, Vec<u8>>;

struct Episode<M: Connect> {
    queue: DelayQueue<M>,
    model: Model,
    /// The leases of the queue and of the model, which may be stale.
    leases: Vec<(Lease, ModelLease)>,
    random: SmallRng,
    /// The current time, in microseconds. Its last three digits are the number of the step, and
    /// delays are whole milliseconds. So no two jobs are due at the same time: the two queues would
    /// order such jobs differently after a lease.
    now: u64,
}

fn stale<T>(result: Result<T, DelayQueueError>) -> Result<T, StaleLease> {
    match result {
        Err(DelayQueueError::StaleLease) => Err(StaleLease),
        result => Ok(result.unwrap()),
    }
}

#[track_caller]
fn fails<T: Debug>(result: Result<T, DelayQueueError>, error: &DelayQueueError) {
    assert_eq!(result.unwrap_err().to_string(), error.to_string());
}

impl<M: Connect> Episode<M> {
    fn new(pool: Pool<M>, seed: u64) -> Self {
        let mut random = SmallRng::seed_from_u64(seed);
        let mut queue = DelayQueue::new(pool, &format!("equality {seed}"))
            .with_max_dead_letters(u32::MAX)
            .with_deadline(PATIENCE);
        let mut model = Model::new();
        if random.random() {
            let max = NonZeroU32::new(random.random_range(1..4)).unwrap();
            queue = queue.with_max_deliveries(max);
            model = model.with_max_deliveries(max);
        }
        if random.random() {
            let max = random.random_range(0..5);
            queue = queue.with_max_len(max);
            model = model.with_max_len(max as usize);
        }
        let now = random.random_range(0..1u64 << 40) * 1000;
        Episode { queue, model, leases: Vec::new(), random, now }
    }

    fn millis(&mut self) -> Duration {
        Duration::from_millis(self.random.random_range(0..8))
    }

    fn step(&mut self) {
        let id = *IDS.choose(&mut self.random).unwrap();
        let now = at(self.now);
        let duration = self.millis();
        let due = now.saturating_add(duration);
        let payload = self.random.random::<u64>().to_le_bytes();
        match self.random.random_range(0..100) {
            0..30 => self.push(id, &payload, due),
            30..55 => {
                let lease = self.queue.at(now).lease(duration).unwrap();
                let expected = self.model.at(now).lease(duration);
                assert_eq!(lease.is_some(), expected.is_some());
                if let (Some(lease), Some(expected)) = (lease, expected) {
                    assert_eq!((&lease.id, &lease.payload), (&expected.id, &expected.payload));
                    assert_eq!(lease.deliveries, expected.deliveries);
                    assert_eq!(lease.until, expected.until);
                    self.leases.push((lease, expected));
                }
            }
            55..65 => {
                assert_eq!(self.queue.at(now).pop().unwrap(), self.model.at(now).pop());
            }
            65..70 => assert_eq!(self.queue.cancel(id).unwrap(), self.model.cancel(id)),
            70..73 => {
                let old = self.queue.reschedule(id, due).unwrap();
                assert_eq!(old, self.model.reschedule(id, due));
            }
            73..75 => {
                let old = self.queue.at(now).reschedule_after(id, duration).unwrap();
                assert_eq!(old, self.model.at(now).reschedule_after(id, duration));
            }
            75..99 => self.use_lease(now, duration),
            _ => {
                assert_eq!(self.queue.clear().unwrap(), self.model.len() as u64);
                self.model.clear();
            }
        }
    }

    fn push(&mut self, id: &[u8], payload: &[u8], due: Timestamp) {
        let (pushed, expected) = if self.random.random() {
            let expected = self.model.push_with_id(id.into(), payload.into(), due);
            (self.queue.push_with_id(id, payload, due), expected)
        } else {
            let now = at(self.now);
            let delay = due.saturating_duration_since(now);
            let model = self.model.at(now);
            let expected = model.push_with_id_after(id.into(), payload.into(), delay);
            (self.queue.at(now).push_with_id_after(id, payload, delay), expected)
        };
        match expected {
            Ok(()) => pushed.unwrap(),
            Err(PushWithIdError::Duplicate(_)) => fails(pushed, &DelayQueueError::DuplicateJob),
            Err(_) => fails(pushed, &DelayQueueError::QueueFull),
        }
    }

    fn use_lease(&mut self, now: Timestamp, duration: Duration) {
        let Some((lease, expected)) = self.leases.choose(&mut self.random) else { return };
        match self.random.random_range(0..3) {
            0 => assert_eq!(stale(self.queue.ack(lease)), self.model.ack(expected)),
            1 => {
                let outcome = stale(self.queue.at(now).nack(lease, duration));
                assert_eq!(outcome, self.model.at(now).nack(expected, duration));
                if outcome == Ok(Nacked::Dead) {
                    self.requeue();
                    self.compare_dead_letters();
                }
            }
            _ => {
                let until = stale(self.queue.at(now).renew(lease, duration));
                assert_eq!(until, self.model.at(now).renew(expected, duration));
            }
        }
    }

    /// Requeues the oldest dead letter, and an id without a dead letter.
    fn requeue(&mut self) {
        let now = at(self.now);
        // The delay has an extra half millisecond, so no other job is due at the same time.
        let delay = self.millis() + Duration::from_micros(500);
        let dead = self.queue.dead_letters(1).unwrap();
        for id in dead.iter().map(|letter| &letter.id[..]).chain([&b"absent"[..]]) {
            let requeued = self.queue.at(now).requeue(id, delay);
            match self.model.at(now).requeue(id, delay) {
                Ok(expected) => assert_eq!(requeued.unwrap(), expected),
                Err(RequeueError::Duplicate) => fails(requeued, &DelayQueueError::DuplicateJob),
                Err(_) => fails(requeued, &DelayQueueError::QueueFull),
            }
        }
    }

    fn compare(&self) {
        let id = IDS[self.now as usize % IDS.len()];
        assert_eq!(self.queue.due(id).unwrap(), self.model.due(id));
        assert_eq!(self.queue.get(id).unwrap(), self.model.get(id));
        assert_eq!(self.queue.contains(id).unwrap(), self.model.contains(id));
        let stats = self.queue.stats().unwrap();
        assert_eq!(stats.len, self.model.len() as u64);
        assert_eq!(stats.leased, self.model.leased_len() as u64);
        assert_eq!(stats.next_due, self.model.next_due());
        self.compare_dead_letters();
    }

    /// Takes and compares all dead letters, so no id can have two: the model would keep both.
    fn compare_dead_letters(&self) {
        let dead = self.queue.take_dead_letters(100).unwrap();
        let dead =
            dead.into_iter().map(|dead| (dead.since, dead.id, dead.payload, dead.deliveries));
        let expected = self.model.take_dead_letters(100).into_iter();
        let expected = expected.map(|dead| (dead.since, dead.id, dead.payload, dead.deliveries));
        // The model lists dead letters in the order in which it noticed that their leases had
        // ended, so sort them by the times at which they failed.
        let mut expected: Vec<_> = expected.collect();
        expected.sort();
        assert_eq!(dead.collect::<Vec<_>>(), expected);
    }
}

fn random_steps<M: Connect>(pool: &Pool<M>) {
    for seed in 0..12 {
        let mut episode = Episode::new(pool.clone(), seed);
        for number in 0..300 {
            episode.now += episode.random.random_range(0..4) * 1000;
            episode.now = episode.now / 1000 * 1000 + number;
            episode.step();
            if episode.random.random() {
                episode.requeue();
            }
            episode.compare();
        }
    }
}

#[test]
fn on_each_server() {
    Server::of_each_kind().for_each(|server| random_steps(&server.pool()));
}

#[test]
fn on_a_cluster() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    random_steps(&cluster.pool());
}
