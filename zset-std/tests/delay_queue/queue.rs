//! Compares `DelayQueue` with a naive queue.

use super::*;
use zset_std::DelayQueue;

/// Ids are drawn from a small range, so they are often in use.
#[derive(Clone, Debug)]
enum Operation {
    Push(When),
    PushWithId(u64, When),
    Pop(Timestamp),
    /// The time, the maximum number of jobs to pop, and the number taken from the iterator.
    PopDue(Timestamp, usize, usize),
    Cancel(u64),
    Reschedule(u64, When),
    Count(Timestamp),
    Clone,
    Clear,
    Drain(usize),
}

fn operations() -> impl Strategy<Value = Operation> {
    let ids = || 0..12u64;
    prop_oneof![
        10 => whens().prop_map(Operation::Push),
        5 => (ids(), whens()).prop_map(|(id, when)| Operation::PushWithId(id, when)),
        5 => times().prop_map(Operation::Pop),
        4 => (times(), 0..6usize, 0..6usize)
            .prop_map(|(now, max, taken)| Operation::PopDue(now, max, taken)),
        4 => ids().prop_map(Operation::Cancel),
        6 => (ids(), whens()).prop_map(|(id, when)| Operation::Reschedule(id, when)),
        1 => times().prop_map(Operation::Count),
        1 => Just(Operation::Clone),
        1 => Just(Operation::Clear),
        1 => (0..6usize).prop_map(Operation::Drain),
    ]
}

fn expected(job: Arrived<usize>) -> (JobId, Timestamp, usize) {
    (JobId::new(job.id), job.due, job.job)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_operations_match_a_list_sorted_by_due_time_and_arrival(
        operations in prop::collection::vec((operations(), times()), 0..120),
    ) {
        let mut queue = DelayQueue::new();
        let mut naive = Naive::new();
        let mut given = Vec::new();
        for (payload, (operation, now)) in operations.into_iter().enumerate() {
            match operation {
                Operation::Push(when) => {
                    let id = match when {
                        When::At(due) => queue.push(payload, due),
                        When::After(delay) => queue.push_after(payload, delay, now),
                    };
                    prop_assert!(!given.contains(&id), "{id} was generated twice");
                    prop_assert!(naive.find(id.get()).is_none(), "{id} is in use");
                    given.push(id);
                    naive.push(id.get(), when.due(now), payload);
                }
                Operation::PushWithId(id, when) => {
                    let (job, due) = (JobId::new(id), when.due(now));
                    let pushed = match when {
                        When::At(due) => queue.push_with_id(job, payload, due),
                        When::After(delay) => queue.push_with_id_after(job, payload, delay, now),
                    };
                    if naive.find(id).is_some() {
                        let refused = parts(pushed.unwrap_err().job);
                        prop_assert_eq!(refused, (JobId::new(id), due, payload));
                    } else {
                        prop_assert!(pushed.is_ok());
                        naive.push(id, due, payload);
                    }
                }
                Operation::Pop(now) => {
                    prop_assert_eq!(queue.pop(now).map(parts), naive.pop(now).map(expected));
                }
                Operation::PopDue(now, max, taken) => {
                    let mut due = queue.pop_due(max, now);
                    let expected_len = naive.jobs.iter().filter(|job| job.due <= now).count().min(max);
                    prop_assert_eq!(due.len(), expected_len);
                    for left in (0..expected_len).rev().take(taken) {
                        prop_assert_eq!(due.next().map(parts), naive.pop(now).map(expected));
                        prop_assert_eq!(due.len(), left);
                    }
                    if taken >= expected_len {
                        prop_assert!(due.next().is_none());
                    }
                }
                Operation::Cancel(id) => {
                    let cancelled = queue.cancel(&JobId::new(id)).map(parts);
                    prop_assert_eq!(cancelled, naive.remove(id).map(expected));
                }
                Operation::Reschedule(id, when) => {
                    let old = match when {
                        When::At(due) => queue.reschedule(&JobId::new(id), due),
                        When::After(delay) => queue.reschedule_after(&JobId::new(id), delay, now),
                    };
                    prop_assert_eq!(old, naive.reschedule(id, when.due(now)));
                }
                Operation::Count(now) => {
                    let due = naive.jobs.iter().filter(|job| job.due <= now).count();
                    prop_assert_eq!(queue.count_due(now), due);
                }
                Operation::Clone => {
                    let copy = queue.clone();
                    prop_assert_eq!(&copy, &queue);
                    queue = copy;
                }
                Operation::Clear => {
                    queue.clear();
                    naive.jobs.clear();
                }
                Operation::Drain(taken) => {
                    let drained = queue.drain().take(taken).map(parts);
                    let naive_drained = naive.sorted().into_iter().take(taken).map(expected);
                    prop_assert!(drained.eq(naive_drained));
                    naive.jobs.clear();
                }
            }
            queue.check_invariants();
            let sorted: Vec<_> = naive.sorted().into_iter().map(expected).collect();
            let by_value = |(id, due, payload): (&JobId, Timestamp, &usize)| (*id, due, *payload);
            prop_assert!(queue.iter().map(parts).map(by_value).eq(sorted.iter().copied()));
            prop_assert!(queue.iter().rev().map(parts).map(by_value).eq(sorted.iter().rev().copied()));
            prop_assert_eq!(queue.iter().len(), sorted.len());
            prop_assert_eq!((queue.len(), queue.is_empty()), (sorted.len(), sorted.is_empty()));
            prop_assert_eq!(queue.first().map(parts).map(by_value), sorted.first().copied());
            prop_assert_eq!(queue.next_due(), naive.next_due());
            for id in 0..12 {
                let (found, id) = (naive.find(id).map(|job| (job.due, job.job)), JobId::new(id));
                prop_assert_eq!(queue.contains(&id), found.is_some());
                prop_assert_eq!(queue.due(&id).zip(queue.get(&id).copied()), found);
            }
        }
    }
}

#[test]
fn ids_need_no_order_and_a_rescheduled_job_comes_last_at_its_time() {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Id(u32);

    let mut queue = DelayQueue::new();
    for id in (0..200).rev() {
        queue.push_with_id(Id(id), (), at(5)).unwrap();
    }
    assert_eq!(queue.reschedule(&Id(150), at(5)), Some(at(5)));
    assert_eq!(queue.reschedule(&Id(140), at(4)), Some(at(5)));
    assert_eq!(queue.reschedule(&Id(140), at(5)), Some(at(4)));
    queue.check_invariants();
    let expected = (0..200).rev().filter(|id| ![150, 140].contains(id)).chain([150, 140]);
    assert!(queue.pop_due(usize::MAX, at(5)).map(|job| job.id.0).eq(expected));
}
