//! `ExpiringSet` against a list of members, sorted by deadline on each question.

use super::*;

#[derive(Clone, Debug)]
enum Operation {
    Insert(String, Timestamp),
    Extend(Vec<(String, Timestamp)>),
    Touch(String, Timestamp),
    Remove(String),
    /// With a budget, and how many are taken.
    ExpireDue(usize, usize),
    Clear,
    SetMaxLen(usize),
    Copy,
}

fn operations() -> impl Strategy<Value = Operation> {
    prop_oneof![
        16 => (ids(), times()).prop_map(|(id, deadline)| Operation::Insert(id, deadline)),
        2 => prop::collection::vec((ids(), times()), 0..6).prop_map(Operation::Extend),
        6 => (ids(), times()).prop_map(|(id, deadline)| Operation::Touch(id, deadline)),
        3 => ids().prop_map(Operation::Remove),
        4 => (counts(), counts()).prop_map(|(budget, n)| Operation::ExpireDue(budget, n)),
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

    /// Returns the member if it is refused.
    fn insert(
        &mut self,
        member: String,
        deadline: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, String> {
        let old = self.live_deadline(&member, now);
        if self.deadline(&member).is_none() {
            let room = self.max_len.unwrap_or(usize::MAX);
            self.members.sort();
            while self.members.len() >= room {
                if self.members.first().is_none_or(|&(deadline, _)| now < deadline) {
                    return Err(member);
                }
                self.members.remove(0);
            }
        }
        self.remove(&member);
        self.members.push((deadline, member));
        Ok(old)
    }

    /// Stops at the first that is refused.
    fn extend(&mut self, members: Vec<(String, Timestamp)>, now: Timestamp) -> Result<(), String> {
        members
            .into_iter()
            .try_for_each(|(member, deadline)| self.insert(member, deadline, now).map(drop))
    }

    fn expect(&mut self, set: &ExpiringSet<String>, member: &str, now: Timestamp) {
        set.check_invariants();
        self.members.sort();
        let all = &self.members;
        let live: Vec<_> =
            all.iter().filter(|(at, _)| now < *at).map(|(at, member)| (member, *at)).collect();
        same(set.iter(now), &live);
        assert_eq!(set.live_len(now), live.len());
        assert_eq!((set.len(), set.is_empty()), (all.len(), all.is_empty()));
        assert_eq!(set.next_deadline(), all.first().map(|&(deadline, _)| deadline));
        assert_eq!(set.deadline(member), self.deadline(member));
        assert_eq!(set.contains(member, now), self.live_deadline(member, now).is_some());
    }
}

/// Writes it and reads it back, where that is possible, and copies it.
fn copy(set: &ExpiringSet<String>) -> ExpiringSet<String> {
    #[cfg(feature = "serde")]
    let set: &ExpiringSet<String> =
        &serde_json::from_str(&serde_json::to_string(set).unwrap()).unwrap();
    set.clone()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_answer_is_that_of_a_sorted_list(
        first in prop::collection::vec((ids(), times()), 0..6),
        operations in prop::collection::vec((operations(), times(), ids()), 0..60),
    ) {
        let mut set = ExpiringSet::from_iter(first.clone());
        let mut naive = Naive::default();
        naive.extend(first, Timestamp::ZERO).unwrap();
        // The time goes on and steps back as it likes.
        for (operation, now, member) in operations {
            match operation {
                Operation::Insert(member, deadline) => {
                    let inserted = set.insert(member.clone(), deadline, now);
                    let expected = naive.insert(member, deadline, now);
                    prop_assert_eq!(inserted.map_err(|full| full.member), expected);
                }
                Operation::Extend(members) => {
                    let extended = set.extend(members.clone(), now).map_err(|full| full.member);
                    prop_assert_eq!(extended, naive.extend(members, now));
                }
                Operation::Touch(member, deadline) => {
                    let old = naive.live_deadline(&member, now);
                    if old.is_some() {
                        naive.remove(&member);
                        naive.members.push((deadline, member.clone()));
                    }
                    prop_assert_eq!(set.touch(member.as_str(), deadline, now), old);
                }
                Operation::Remove(member) => {
                    prop_assert_eq!(set.remove(member.as_str()), naive.remove(&member));
                }
                Operation::ExpireDue(budget, n) => {
                    naive.members.sort();
                    let due = naive.members.iter().take_while(|(at, _)| *at <= now).count();
                    let due = due.min(budget);
                    let mut expired = set.expire_due(now, budget);
                    prop_assert_eq!(expired.len(), due);
                    let taken: Vec<_> = expired.by_ref().take(n).collect();
                    prop_assert_eq!(expired.len(), due - taken.len());
                    let expected = naive.members.drain(..due.min(n));
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
