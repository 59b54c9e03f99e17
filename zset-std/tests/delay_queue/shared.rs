//! Compares `SharedDelayQueue` with a naive queue, on a single thread.

use std::num::NonZeroU32;
use std::time::Duration;

use super::*;
use zset_std::shared_delay_queue::{
    DeadLetter, Nacked, PushError, PushWithIdError, RequeueError, StaleLease, WaitError,
};
use zset_std::{FakeClock, Lease};

/// Operations choose among the latest few leases, so stale ones are often used again.
#[derive(Clone, Debug)]
enum Operation {
    Push(When),
    PushWithId(u64, When),
    Pop,
    PopDue(usize),
    WaitPop(u64),
    Lease(u64),
    WaitLease(u64),
    Ack(usize),
    Nack(usize, u64),
    Extend(usize, u64),
    Cancel(u64),
    Reschedule(u64, When),
    Requeue(u64, u64),
    SetClock(Timestamp),
    TakeDeadLetters(usize),
    PurgeDeadLetters,
    Clear,
    Drain,
    Close,
}

fn operations() -> impl Strategy<Value = Operation> {
    let ids = || 0..12u64;
    let spans = || prop_oneof![8 => 0..8u64, 1 => Just(u64::MAX)];
    let leases = || 0..6usize;
    prop_oneof![
        40 => whens().prop_map(Operation::Push),
        15 => (ids(), whens()).prop_map(|(id, when)| Operation::PushWithId(id, when)),
        10 => Just(Operation::Pop),
        10 => (0..4usize).prop_map(Operation::PopDue),
        5 => spans().prop_map(Operation::WaitPop),
        50 => spans().prop_map(Operation::Lease),
        5 => spans().prop_map(Operation::WaitLease),
        20 => leases().prop_map(Operation::Ack),
        30 => (leases(), spans()).prop_map(|(lease, delay)| Operation::Nack(lease, delay)),
        20 => (leases(), spans()).prop_map(|(lease, span)| Operation::Extend(lease, span)),
        10 => ids().prop_map(Operation::Cancel),
        15 => (ids(), whens()).prop_map(|(id, when)| Operation::Reschedule(id, when)),
        20 => (ids(), spans()).prop_map(|(id, delay)| Operation::Requeue(id, delay)),
        40 => times().prop_map(Operation::SetClock),
        5 => (0..3usize).prop_map(Operation::TakeDeadLetters),
        1 => Just(Operation::PurgeDeadLetters),
        2 => Just(Operation::Clear),
        2 => Just(Operation::Drain),
        1 => Just(Operation::Close),
    ]
}

#[derive(Clone, Copy, Debug)]
struct Task {
    payload: usize,
    deliveries: u32,
    /// The number of the task's current lease.
    lease: Option<usize>,
}

impl Task {
    fn new(payload: usize) -> Self {
        Task { payload, deliveries: 0, lease: None }
    }
}

/// Bounds on jobs, deliveries and dead letters.
#[derive(Clone, Debug)]
struct Bounds {
    len: usize,
    deliveries: Option<u32>,
    dead_letters: usize,
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let len = prop_oneof![4 => Just(usize::MAX), 1 => 0..8usize];
    let deliveries = prop_oneof![1 => Just(None), 3 => (1..4u32).prop_map(Some)];
    let dead_letters = prop_oneof![3 => 0..4usize, 1 => Just(1024)];
    (len, deliveries, dead_letters).prop_map(|(len, deliveries, dead_letters)| Bounds {
        len,
        deliveries,
        dead_letters,
    })
}

/// The id, payload, deliveries and time of a dead letter, or of a lease.
type Dead = (JobId, usize, u32, Timestamp);

struct Model {
    naive: Naive<Task>,
    bounds: Bounds,
    dead: Vec<Dead>,
}

impl Model {
    fn bury(&mut self, job: Arrived<Task>, since: Timestamp) {
        let Task { payload, deliveries, .. } = job.job;
        self.dead.push((JobId::new(job.id), payload, deliveries, since));
        if self.dead.len() > self.bounds.dead_letters {
            self.dead.remove(0);
        }
    }

    fn is_exhausted(&self, task: &Task) -> bool {
        self.bounds.deliveries.is_some_and(|max| task.deliveries >= max)
    }

    /// Returns the first due job that may be delivered. The jobs before it become dead letters.
    fn due(&mut self, now: Timestamp) -> Option<Arrived<Task>> {
        loop {
            let job = self.naive.due(now)?;
            if !self.is_exhausted(&job.job) {
                return Some(job);
            }
            self.naive.remove(job.id);
            let since = job.due;
            self.bury(job, since);
        }
    }

    fn pop(&mut self, now: Timestamp) -> Option<(JobId, Timestamp, usize)> {
        let id = self.due(now)?.id;
        self.naive.remove(id).map(expected)
    }

    fn lease(&mut self, visibility: u64, now: Timestamp, lease: usize) -> Option<Dead> {
        let id = self.due(now)?.id;
        let until = now.saturating_add(Duration::from_nanos(visibility));
        self.naive.reschedule(id, until);
        let task = &mut self.naive.find(id)?.job;
        task.deliveries += 1;
        task.lease = Some(lease);
        Some((JobId::new(id), task.payload, task.deliveries, until))
    }

    /// Returns the job of a lease.
    fn leased(&self, lease: usize) -> Option<Arrived<Task>> {
        self.naive.jobs.iter().find(|job| job.job.lease == Some(lease)).copied()
    }
}

fn expected(job: Arrived<Task>) -> (JobId, Timestamp, usize) {
    (JobId::new(job.id), job.due, job.job.payload)
}

fn lease_parts(lease: &Lease<usize>) -> Dead {
    (lease.id, lease.payload, lease.deliveries, lease.until)
}

fn dead_parts(dead: DeadLetter<usize>) -> Dead {
    (dead.id, dead.payload, dead.deliveries, dead.since)
}

fn with_bounds(bounds: &Bounds, clock: &FakeClock) -> SharedDelayQueue<usize, JobId, FakeClock> {
    let queue = SharedDelayQueue::new()
        .with_clock(clock.clone())
        .with_max_len(bounds.len)
        .with_max_dead_letters(bounds.dead_letters);
    match bounds.deliveries.and_then(NonZeroU32::new) {
        Some(max) => queue.with_max_deliveries(max),
        None => queue,
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_operations_match_a_list_of_jobs_and_leases(
        bounds in bounds(),
        operations in prop::collection::vec(operations(), 0..150),
    ) {
        let clock = FakeClock::new();
        let queue = with_bounds(&bounds, &clock);
        let mut model = Model { naive: Naive::new(), bounds, dead: Vec::new() };
        let mut leases: Vec<Lease<usize>> = Vec::new();
        let (mut now, mut is_closed) = (Timestamp::ZERO, false);
        for (payload, operation) in operations.into_iter().enumerate() {
            let is_full = model.naive.jobs.len() >= model.bounds.len;
            // Counts leases back from the newest, which is number 0.
            let pick = |number: usize| leases.len().checked_sub(number + 1);
            match operation {
                Operation::Push(when) => {
                    let pushed = match when {
                        When::At(due) => queue.push(payload, due),
                        When::After(delay) => queue.push_after(payload, delay),
                    };
                    let refused = is_closed
                        .then_some(PushError::Closed(payload))
                        .or(is_full.then_some(PushError::Full(payload)));
                    prop_assert_eq!(pushed.err(), refused);
                    match pushed {
                        Ok(id) => {
                            prop_assert!(model.naive.find(id.get()).is_none(), "{id} is in use");
                            model.naive.push(id.get(), when.due(now), Task::new(payload));
                        }
                        Err(error) => prop_assert_eq!(error.into_payload(), payload),
                    }
                }
                Operation::PushWithId(id, when) => {
                    let is_duplicate = model.naive.find(id).is_some();
                    let job = Job { id: JobId::new(id), due: when.due(now), payload };
                    let pushed = match when {
                        When::At(due) => queue.push_with_id(job.id, payload, due),
                        When::After(delay) => queue.push_with_id_after(job.id, payload, delay),
                    };
                    let refused = is_closed
                        .then_some(PushWithIdError::Closed(job))
                        .or(is_duplicate.then_some(PushWithIdError::Duplicate(job)))
                        .or(is_full.then_some(PushWithIdError::Full(job)));
                    prop_assert_eq!(pushed.err(), refused);
                    match pushed {
                        Ok(()) => model.naive.push(id, job.due, Task::new(payload)),
                        Err(error) => prop_assert_eq!(error.into_job(), job),
                    }
                }
                Operation::Pop => {
                    prop_assert_eq!(queue.pop().map(parts), model.pop(now));
                }
                Operation::PopDue(max) => {
                    let popped: Vec<_> = queue.pop_due(max).into_iter().map(parts).collect();
                    let mut wanted = Vec::new();
                    while wanted.len() < max {
                        let Some(job) = model.pop(now) else { break };
                        wanted.push(job);
                    }
                    prop_assert_eq!(popped, wanted);
                }
                // The deadline is not in the future, so the wait does not block.
                Operation::WaitPop(earlier) => {
                    let deadline = now.saturating_sub(Duration::from_nanos(earlier));
                    let popped = queue.wait_pop().deadline(deadline).block().map(parts);
                    let wanted = if is_closed {
                        Err(WaitError::Closed)
                    } else {
                        model.pop(now).ok_or(WaitError::TimedOut)
                    };
                    prop_assert_eq!(popped, wanted);
                }
                Operation::Lease(visibility) => {
                    let lease = queue.lease(Duration::from_nanos(visibility));
                    let wanted = model.lease(visibility, now, leases.len());
                    prop_assert_eq!(lease.as_ref().map(lease_parts), wanted);
                    leases.extend(lease);
                }
                Operation::WaitLease(visibility) => {
                    let visible = Duration::from_nanos(visibility);
                    let lease = queue.wait_lease(visible).timeout(Duration::ZERO).block();
                    let wanted = if is_closed {
                        Err(WaitError::Closed)
                    } else {
                        let lease = model.lease(visibility, now, leases.len());
                        lease.ok_or(WaitError::TimedOut)
                    };
                    prop_assert_eq!(lease.as_ref().map(lease_parts).map_err(|error| *error), wanted);
                    leases.extend(lease);
                }
                Operation::Ack(number) => {
                    let Some(number) = pick(number) else { continue };
                    let acked = queue.ack(&leases[number]);
                    let job = model.leased(number);
                    prop_assert_eq!(acked.is_ok(), job.is_some());
                    if let Some(job) = job {
                        model.naive.remove(job.id);
                    }
                }
                Operation::Nack(number, delay) => {
                    let Some(number) = pick(number) else { continue };
                    let nacked = queue.nack(&leases[number], Duration::from_nanos(delay));
                    let wanted = match model.leased(number) {
                        None => Err(StaleLease),
                        Some(job) if model.is_exhausted(&job.job) => {
                            model.naive.remove(job.id);
                            model.bury(job, now);
                            Ok(Nacked::Dead)
                        }
                        Some(job) => {
                            let due = now.saturating_add(Duration::from_nanos(delay));
                            model.naive.reschedule(job.id, due);
                            model.naive.find(job.id).unwrap().job.lease = None;
                            Ok(Nacked::Requeued { due })
                        }
                    };
                    prop_assert_eq!(nacked, wanted);
                }
                Operation::Extend(number, visibility) => {
                    let Some(number) = pick(number) else { continue };
                    let visibility = Duration::from_nanos(visibility);
                    let extended = queue.renew(&leases[number], visibility);
                    let until = now.saturating_add(visibility);
                    let job = model.leased(number);
                    prop_assert_eq!(extended, job.as_ref().map(|_| until).ok_or(StaleLease));
                    if let Some(job) = job {
                        model.naive.reschedule(job.id, until);
                    }
                }
                Operation::Cancel(id) => {
                    let cancelled = queue.cancel(&JobId::new(id)).map(parts);
                    prop_assert_eq!(cancelled, model.naive.remove(id).map(expected));
                }
                Operation::Reschedule(id, when) => {
                    let old = match when {
                        When::At(due) => queue.reschedule(&JobId::new(id), due),
                        When::After(delay) => queue.reschedule_after(&JobId::new(id), delay),
                    };
                    prop_assert_eq!(old, model.naive.reschedule(id, when.due(now)));
                    if let Some(job) = model.naive.find(id) {
                        job.job = Task::new(job.job.payload);
                    }
                }
                Operation::Requeue(id, delay) => {
                    let delay = Duration::from_nanos(delay);
                    let requeued = queue.requeue(&JobId::new(id), delay);
                    let index = model.dead.iter().rposition(|dead| dead.0.get() == id);
                    let wanted = match index {
                        _ if is_closed => Err(RequeueError::Closed),
                        None => Ok(false),
                        Some(_) if model.naive.find(id).is_some() => Err(RequeueError::Duplicate),
                        Some(_) if is_full => Err(RequeueError::Full),
                        Some(index) => {
                            let (_, payload, ..) = model.dead.remove(index);
                            model.naive.push(id, now.saturating_add(delay), Task::new(payload));
                            Ok(true)
                        }
                    };
                    prop_assert_eq!(requeued, wanted);
                }
                // The new time may be earlier than the previous one.
                Operation::SetClock(time) => {
                    now = time;
                    clock.set(now);
                }
                Operation::TakeDeadLetters(max) => {
                    let taken = queue.take_dead_letters(max).into_iter().map(dead_parts);
                    let max = max.min(model.dead.len());
                    prop_assert!(taken.eq(model.dead.drain(..max)));
                }
                Operation::PurgeDeadLetters => {
                    prop_assert_eq!(queue.purge_dead_letters(), model.dead.len());
                    model.dead.clear();
                }
                Operation::Clear => {
                    queue.clear();
                    model.naive.jobs.clear();
                }
                Operation::Drain => {
                    let drained = queue.drain().into_iter().map(parts);
                    prop_assert!(drained.eq(model.naive.sorted().into_iter().map(expected)));
                    model.naive.jobs.clear();
                }
                Operation::Close => {
                    queue.close();
                    is_closed = true;
                }
            }
            queue.check_invariants();
            let jobs = &model.naive.jobs;
            prop_assert_eq!((queue.len(), queue.is_empty()), (jobs.len(), jobs.is_empty()));
            let leased = jobs.iter().filter(|job| job.job.lease.is_some()).count();
            prop_assert_eq!(queue.leased_len(), leased);
            prop_assert_eq!(queue.next_due(), model.naive.next_due());
            prop_assert_eq!(queue.dead_letters_len(), model.dead.len());
            let dead = queue.dead_letters(3).into_iter().map(dead_parts);
            prop_assert!(dead.eq(model.dead.iter().copied().take(3)));
            prop_assert_eq!(queue.is_closed(), is_closed);
            for id in 0..12 {
                let found = model.naive.find(id).map(|job| (job.due, job.job.payload));
                let id = JobId::new(id);
                prop_assert_eq!(queue.due(&id).zip(queue.get(&id)), found);
                prop_assert_eq!(queue.contains(&id), found.is_some());
            }
        }
        let dead = queue.take_dead_letters(usize::MAX).into_iter().map(dead_parts);
        prop_assert!(dead.eq(model.dead));
        let rest: Vec<_> = queue.into_queue().into_iter().map(parts).collect();
        let wanted: Vec<_> = model.naive.sorted().into_iter().map(expected).collect();
        prop_assert_eq!(rest, wanted);
    }
}

#[test]
fn a_lease_of_another_queue_is_stale() {
    let queues = [(), ()].map(|()| {
        let queue = SharedDelayQueue::new();
        queue.push("mail", Timestamp::ZERO).unwrap();
        queue
    });
    let leases = queues.each_ref().map(|queue| queue.lease(Duration::MAX).unwrap());
    assert_eq!(leases[0].id, leases[1].id);
    assert_eq!(queues[0].ack(&leases[1]), Err(StaleLease));
    assert_eq!(queues[0].ack(&leases[0]), Ok(()));
}

#[test]
fn bounds_set_later_apply_to_existing_jobs() {
    let mut queue = SharedDelayQueue::new().with_clock(FakeClock::new());
    let dead = |queue: SharedDelayQueue<u32, JobId, FakeClock>, payload| {
        let queue = queue.with_max_deliveries(NonZeroU32::MIN);
        queue.push(payload, Timestamp::ZERO).unwrap();
        let lease = queue.lease(Duration::MAX).unwrap();
        assert_eq!(queue.nack(&lease, Duration::ZERO), Ok(Nacked::Dead));
        queue
    };
    for payload in 0..4 {
        queue = dead(queue, payload);
    }
    let queue = queue.with_max_dead_letters(2);
    queue.check_invariants();
    assert_eq!(queue.dead_letters_len(), 2);
    let queue = dead(queue, 4);
    let payloads = queue.take_dead_letters(9).into_iter().map(|letter| letter.payload);
    assert!(payloads.eq([3, 4]));
}
