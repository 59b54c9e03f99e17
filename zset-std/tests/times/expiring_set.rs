//! Compares `ExpiringSet` with a list of members that is sorted by deadline for each query.

use zset_std::expiring_set::{DeadlinePassed, InsertError};

use super::*;

#[derive(Clone, Debug)]
enum Operation {
    Insert(String, Duration),
    Extend(Vec<(String, Timestamp)>),
    Touch(String, Duration),
    Remove(String),
    /// The budget, and the number taken from the iterator.
    Expire(usize, usize),
    Clear,
    SetMaxLen(usize),
    Copy,
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        16 => (ids(), durations(6)).prop_map(|(id, ttl)| Operation::Insert(id, ttl)),
        6 => prop::collection::vec((ids(), times()), 0..6).prop_map(Operation::Extend),
        8 => (ids(), durations(6)).prop_map(|(id, ttl)| Operation::Touch(id, ttl)),
        3 => ids().prop_map(Operation::Remove),
        4 => (counts(), counts()).prop_map(|(budget, n)| Operation::Expire(budget, n)),
        1 => Just(Operation::Clear),
        1 => (0..9usize).prop_map(Operation::SetMaxLen),
        1 => Just(Operation::Copy),
    ]
}

#[derive(Default)]
struct Naive {
    members: Vec<(Timestamp, String)>,
    max_len: Option<usize>,
}

impl Naive {
    fn deadline(&self, member: &str) -> Option<Timestamp> {
        self.members.iter().find(|(_, other)| other == member).map(|&(deadline, _)| deadline)
    }

    fn live_deadline(&self, member: &str, now: Timestamp) -> Option<Timestamp> {
        self.deadline(member).filter(|&deadline| now < deadline)
    }

    fn remove(&mut self, member: &str) -> Option<Timestamp> {
        let old = self.deadline(member);
        self.members.retain(|(_, other)| other != member);
        old
    }

    fn insert(
        &mut self,
        member: String,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, InsertError<String>> {
        if deadline <= now {
            return Err(InsertError::DeadlinePassed(member));
        }
        let old = self.live_deadline(&member, now);
        if self.deadline(&member).is_none() {
            let room = self.max_len.unwrap_or(usize::MAX);
            self.members.sort();
            while self.members.len() >= room {
                if self.members.first().is_none_or(|&(deadline, _)| now < deadline) {
                    return Err(InsertError::Full(member));
                }
                self.members.remove(0);
            }
        }
        self.remove(&member);
        self.members.push((deadline, member));
        Ok(old)
    }

    /// Inserts members until one is rejected.
    fn extend(
        &mut self,
        members: Vec<(String, Timestamp)>,
        now: Timestamp,
    ) -> Result<(), InsertError<String>> {
        members
            .into_iter()
            .try_for_each(|(member, deadline)| self.insert(member, deadline, now).map(drop))
    }

    /// Changes the deadline of a live member, and returns the old one.
    fn touch(&mut self, member: &str, deadline: Timestamp, now: Timestamp) -> Option<Timestamp> {
        let old = self.live_deadline(member, now)?;
        self.remove(member);
        self.members.push((deadline, member.to_string()));
        Some(old)
    }

    fn expect(&mut self, set: &ExpiringSet<String>, member: &str, now: Timestamp) {
        set.check_invariants();
        self.members.sort();
        let all = &self.members;
        let live: Vec<_> =
            all.iter().filter(|(at, _)| now < *at).map(|(at, member)| (member, at)).collect();
        assert_same(set.iter(now), &live);
        assert_eq!((set.len(now), set.is_empty(now)), (live.len(), live.is_empty()));
        assert_eq!(set.len_with_expired(), all.len());
        assert_eq!(set.next_deadline(), all.first().map(|&(deadline, _)| deadline));
        assert_eq!(set.deadline(member), self.deadline(member));
        assert_eq!(set.contains(member, now), self.live_deadline(member, now).is_some());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn all_operations_match_a_sorted_list(
        first in prop::collection::vec((ids(), times()), 0..6),
        operations in prop::collection::vec((operations(), times(), ids()), 0..60),
    ) {
        let mut set = ExpiringSet::from_iter(first.clone());
        let mut naive = Naive::default();
        // `from_iter` takes no time, so it accepts members even if they expire before the first
        // operation.
        for (member, deadline) in first {
            naive.remove(&member);
            naive.members.push((deadline, member));
        }
        // Time moves forward and back at random.
        for (operation, now, member) in operations {
            match operation {
                Operation::Insert(member, ttl) => {
                    let inserted = set.insert(member.clone(), ttl, now);
                    let deadline = now.saturating_add(ttl);
                    prop_assert_eq!(inserted, naive.insert(member, deadline, now));
                }
                Operation::Extend(members) => {
                    let extended = set.extend(members.clone(), now);
                    prop_assert_eq!(extended, naive.extend(members, now));
                }
                Operation::Touch(member, ttl) => {
                    let deadline = now.saturating_add(ttl);
                    let touched = set.touch(member.as_str(), ttl, now);
                    if deadline <= now {
                        prop_assert_eq!(touched, Err(DeadlinePassed));
                    } else {
                        prop_assert_eq!(touched, Ok(naive.touch(&member, deadline, now)));
                    }
                }
                Operation::Remove(member) => {
                    prop_assert_eq!(set.remove(member.as_str()), naive.remove(&member));
                }
                Operation::Expire(budget, n) => {
                    naive.members.sort();
                    let due = naive.members.iter().take_while(|(at, _)| *at <= now).count();
                    let due = due.min(budget);
                    let expired = set.expire(budget, now);
                    prop_assert_eq!(expired.len(), due);
                    // Expired members are removed even if they are not taken from the iterator.
                    let taken: Vec<_> = expired.take(n).collect();
                    let expected = naive.members.drain(..due).take(n);
                    prop_assert!(taken.into_iter().eq(expected.map(|(at, member)| (member, at))));
                }
                Operation::Clear => {
                    set.clear();
                    naive.members.clear();
                }
                Operation::SetMaxLen(max_len) => {
                    set = set.with_max_len(max_len);
                    naive.max_len = Some(max_len);
                }
                Operation::Copy => {
                    let copied = copy(&set);
                    prop_assert_eq!(&copied, &set);
                    set = copied;
                }
            }
            naive.expect(&set, &member, now);
        }
        naive.members.sort();
        let all = naive.members.into_iter().map(|(deadline, member)| (member, deadline));
        prop_assert!(set.into_iter().eq(all));
    }
}
