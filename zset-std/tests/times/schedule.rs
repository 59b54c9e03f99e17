//! `Schedule`, compared with a list of ids in scheduling order that is sorted by time for each
//! query.

use super::*;
use zset_std::schedule::Scheduled;

#[derive(Clone, Debug)]
enum Operation {
    Schedule(String, Timestamp),
    Extend(Vec<(String, Timestamp)>),
    Reschedule(String, Timestamp),
    Cancel(String),
    /// The time, and the number of ids taken from the iterator.
    ActivateDue(Timestamp, usize),
    Clear,
    Copy,
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        16 => (ids(), times()).prop_map(|(id, at)| Operation::Schedule(id, at)),
        2 => prop::collection::vec((ids(), times()), 0..6).prop_map(Operation::Extend),
        5 => (ids(), times()).prop_map(|(id, at)| Operation::Reschedule(id, at)),
        3 => ids().prop_map(Operation::Cancel),
        6 => (times(), counts()).prop_map(|(now, n)| Operation::ActivateDue(now, n)),
        1 => Just(Operation::Clear),
        1 => Just(Operation::Copy),
    ]
}

#[derive(Default)]
struct Naive {
    ids: Vec<(String, Timestamp)>,
}

impl Naive {
    fn at(&self, id: &str) -> Option<Timestamp> {
        self.ids.iter().find(|(other, _)| other == id).map(|&(_, at)| at)
    }

    fn cancel(&mut self, id: &str) -> Option<Timestamp> {
        let old = self.at(id);
        self.ids.retain(|(other, _)| other != id);
        old
    }

    fn reschedule(&mut self, id: &str, at: Timestamp) -> Option<Timestamp> {
        let old = self.at(id)?;
        if old != at {
            self.cancel(id);
            self.ids.push((id.to_string(), at));
        }
        Some(old)
    }

    fn schedule(&mut self, id: String, at: Timestamp) -> Scheduled {
        if let Some(from) = self.reschedule(&id, at) {
            return Scheduled::Moved { from };
        }
        self.ids.push((id, at));
        Scheduled::New
    }

    fn in_order(&self) -> Vec<(String, Timestamp)> {
        let mut ids = self.ids.clone();
        // The sort is stable, so equal times stay in scheduling order.
        ids.sort_by_key(|&(_, at)| at);
        ids
    }

    fn expect(&self, schedule: &Schedule<String>, id: &str, n: usize) {
        schedule.check_invariants();
        let all = self.in_order();
        let all: Vec<_> = all.iter().map(|(id, at)| (id, *at)).collect();
        assert_same(schedule.iter(), &all);
        assert_same(schedule.into_iter(), &all);
        assert_same(schedule.upcoming(n), &all[..n.min(all.len())]);
        assert_eq!((schedule.len(), schedule.is_empty()), (all.len(), all.is_empty()));
        assert_eq!(schedule.next_at(), all.first().map(|&(_, at)| at));
        assert_eq!(schedule.at(id), self.at(id));
        assert_eq!(schedule.contains(id), self.at(id).is_some());
    }
}

/// Round-trips the schedule if it can be serialized, and clones it.
fn copy(schedule: &Schedule<String>) -> Schedule<String> {
    #[cfg(feature = "serde")]
    let schedule: &Schedule<String> =
        &serde_json::from_str(&serde_json::to_string(schedule).unwrap()).unwrap();
    schedule.clone()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_operations_match_a_sorted_list(
        operations in prop::collection::vec((operations(), ids(), counts()), 0..60),
    ) {
        let mut schedule = Schedule::new();
        let mut naive = Naive::default();
        for (operation, id, n) in operations {
            match operation {
                Operation::Schedule(id, at) => {
                    prop_assert_eq!(schedule.schedule(id.clone(), at), naive.schedule(id, at));
                }
                Operation::Extend(ids) => {
                    schedule.extend(ids.clone());
                    for (id, at) in ids {
                        naive.schedule(id, at);
                    }
                }
                Operation::Reschedule(id, at) => {
                    prop_assert_eq!(
                        schedule.reschedule(id.as_str(), at),
                        naive.reschedule(&id, at)
                    );
                }
                Operation::Cancel(id) => {
                    prop_assert_eq!(schedule.cancel(id.as_str()), naive.cancel(&id));
                }
                Operation::ActivateDue(now, n) => {
                    let mut due = naive.in_order();
                    due.retain(|&(_, at)| at <= now);
                    let mut activated = schedule.activate_due(now);
                    prop_assert_eq!(activated.len(), due.len());
                    let taken: Vec<_> = activated.by_ref().take(n).collect();
                    prop_assert_eq!(activated.len(), due.len() - taken.len());
                    due.truncate(n);
                    for (id, _) in &due {
                        naive.cancel(id);
                    }
                    prop_assert_eq!(taken, due);
                }
                Operation::Clear => {
                    schedule.clear();
                    naive.ids.clear();
                }
                Operation::Copy => {
                    let copied = copy(&schedule);
                    prop_assert_eq!(&copied, &schedule);
                    schedule = copied;
                }
            }
            naive.expect(&schedule, &id, n);
        }
        prop_assert!(schedule.clone().into_iter().eq(naive.in_order()));
        let backwards = naive.in_order().into_iter().rev();
        prop_assert!(schedule.into_iter().rev().eq(backwards));
    }

    /// Ticks are early or late at random, and the clock steps back: each id is activated once and
    /// not before its time, and those of one tick are in order.
    #[test]
    fn each_id_is_activated_once_even_if_the_clock_steps_back(
        times in prop::collection::vec(times(), 0..40),
        ticks in prop::collection::vec((times(), counts()), 0..20),
    ) {
        let mut schedule: Schedule<usize> = times.iter().copied().enumerate().collect();
        let mut opened = vec![false; times.len()];
        let last = (Timestamp::MAX, usize::MAX);
        for (now, n) in ticks.into_iter().chain([last, last]) {
            let tick: Vec<_> = schedule.activate_due(now).take(n).collect();
            prop_assert!(tick.is_sorted_by_key(|&(id, at)| (at, id)));
            for (id, at) in tick {
                prop_assert_eq!(at, times[id]);
                prop_assert!(at <= now, "activated before its time");
                prop_assert!(!std::mem::replace(&mut opened[id], true), "activated twice");
            }
            schedule.check_invariants();
        }
        prop_assert!(opened.into_iter().all(|is_open| is_open));
    }
}
