//! Keyed limiters: each key has its own list, as long as there is room for it.

mod calls;

use std::collections::BTreeMap;

use zset_std::limit::KeysFull;
use zset_std::{FixedWindow, Keyed, SlidingWindow, WhenFull, WindowCounter};

use super::naive::Kind;
use super::*;
use calls::{Call, common, more, sequences, with_quotas, with_records};

type Key = u8;

/// Generates the bound on keys, if any, and what happens to new keys beyond it.
fn bounds() -> impl Strategy<Value = Option<(usize, WhenFull)>> {
    let when_full = prop_oneof![Just(WhenFull::RefuseNew), Just(WhenFull::SharedBucket)];
    prop::option::of((1..4_usize, when_full))
}

/// The methods of every keyed limiter.
trait Limiter {
    const KIND: Kind;

    fn new(quota: Funnel) -> Self;
    fn with_max_keys(self, max_keys: usize, when_full: WhenFull) -> Self;
    fn check(&self, key: Key, n: u32, now: u64) -> Decision;
    fn peek(&self, key: Key, n: u32, now: u64) -> Decision;
    fn refund(&self, key: Key, n: u32) -> u32;
    fn reset(&self, key: Key) -> bool;
    fn sweep(&self, budget: usize, now: u64) -> usize;
    fn set_quota(&self, quota: Funnel);
    fn quota(&self) -> Quota;
    fn check_with(&self, key: Key, quota: Funnel, n: u32, now: u64) -> Decision;
    fn peek_with(&self, key: Key, quota: Funnel, n: u32, now: u64) -> Decision;
    fn len(&self) -> usize;
    fn check_invariants(&self);
}

macro_rules! limiter {
    ($limiter:ty, $kind:expr, $terms:ty, $algorithm:expr) => {
        impl Limiter for $limiter {
            const KIND: Kind = $kind;

            fn new(quota: Funnel) -> Self {
                Keyed::new($algorithm(<$terms>::of(quota)))
            }

            fn with_max_keys(self, max_keys: usize, when_full: WhenFull) -> Self {
                self.with_max_keys(max_keys, when_full)
            }

            fn check(&self, key: Key, n: u32, now: u64) -> Decision {
                self.at(timestamp(now)).check_n(&key, n)
            }

            fn peek(&self, key: Key, n: u32, now: u64) -> Decision {
                self.at(timestamp(now)).peek_n(&key, n)
            }

            fn refund(&self, key: Key, n: u32) -> u32 {
                self.refund(&key, n)
            }

            fn reset(&self, key: Key) -> bool {
                self.reset(&key)
            }

            fn sweep(&self, budget: usize, now: u64) -> usize {
                self.at(timestamp(now)).sweep(budget)
            }

            fn set_quota(&self, quota: Funnel) {
                self.set_quota(<$terms>::of(quota));
            }

            fn quota(&self) -> Quota {
                self.quota()
            }

            fn check_with(&self, key: Key, quota: Funnel, n: u32, now: u64) -> Decision {
                self.at(timestamp(now)).check_with(&key, <$terms>::of(quota), n)
            }

            fn peek_with(&self, key: Key, quota: Funnel, n: u32, now: u64) -> Decision {
                self.at(timestamp(now)).peek_with(&key, <$terms>::of(quota), n)
            }

            fn len(&self) -> usize {
                self.len()
            }

            fn check_invariants(&self) {
                self.check_invariants();
            }
        }
    };
}

limiter!(Keyed<Key, SlidingWindow>, Kind::Log, Quota, SlidingWindow::new);
limiter!(Keyed<Key, WindowCounter>, Kind::Counter, Quota, WindowCounter::new);
limiter!(Keyed<Key, FixedWindow>, Kind::Fixed, Quota, FixedWindow::new);
limiter!(Keyed<Key, Funnel>, Kind::Funnel, Funnel, |funnel| funnel);

/// The place where the units of a key are counted.
enum Place {
    Own,
    Shared,
    Refused,
}

struct Subject<L> {
    limiter: L,
    /// The keys in use, and possibly some idle ones.
    lists: BTreeMap<Key, Naive>,
    /// The initial list of a new key.
    new: Naive,
    shared: Option<Naive>,
    max_keys: usize,
    /// Whether idle keys are swept before each call; if not, they may or may not be present.
    sweeps: bool,
    quota: Funnel,
    now: u64,
    newest: u64,
}

impl<L: Limiter> Subject<L> {
    fn new(quota: Funnel, bounds: Option<(usize, WhenFull)>, sweeps: bool) -> Self {
        let (mut limiter, new) = (L::new(quota), Naive::new(L::KIND, quota));
        let (mut shared, mut max_keys) = (None, usize::MAX);
        if let Some((max, when_full)) = bounds {
            limiter = limiter.with_max_keys(max, when_full);
            max_keys = max;
            shared = (when_full == WhenFull::SharedBucket).then(|| new.clone());
        }
        let lists = BTreeMap::new();
        Subject { limiter, lists, new, shared, max_keys, sweeps, quota, now: 0, newest: 0 }
    }

    /// Sets the time on all shards; otherwise a shard sees it only when one of its keys is used.
    fn step(&mut self, step: Step) {
        // A key that becomes idle at the last timestamp would never be swept.
        self.now = step.from(self.now, self.quota).min(u64::MAX - 1);
        self.limiter.sweep(0, self.now);
        self.newest = self.newest.max(self.now);
        if self.sweeps {
            self.sweep_idle();
        }
    }

    fn sweep_idle(&mut self) {
        self.limiter.sweep(usize::MAX, self.now);
        let in_use = self.lists.keys().copied().filter(|key| self.is_in_use(*key));
        let in_use: Vec<Key> = in_use.collect();
        self.lists.retain(|key, _| in_use.contains(key));
        assert_eq!(self.limiter.len(), self.lists.len(), "the keys in use");
    }

    fn is_in_use(&self, key: Key) -> bool {
        let idle_at = self.lists.get(&key).map(|list| list.idle_at(self.quota));
        idle_at.is_some_and(|idle_at| idle_at > self.newest.into())
    }

    /// Returns where a key is counted: it has room while fewer than the maximum of other keys are
    /// in use.
    fn place(&self, key: Key) -> Place {
        let others = self.lists.keys().filter(|other| **other != key && self.is_in_use(**other));
        if others.count() < self.max_keys {
            Place::Own
        } else if self.shared.is_some() {
            Place::Shared
        } else {
            Place::Refused
        }
    }

    /// Returns the list that decides on a key, unless the key is refused.
    fn list(&mut self, key: Key) -> Option<&mut Naive> {
        match self.place(key) {
            Place::Own => Some(self.lists.entry(key).or_insert_with(|| self.new.clone())),
            Place::Shared => self.shared.as_mut(),
            Place::Refused => None,
        }
    }

    fn expect(&mut self, decision: &Decision, key: Key, quota: Funnel, n: u32) {
        let (now, newest) = (self.now, self.newest);
        if let Some(list) = self.list(key) {
            let list = list.clone();
            return expect(decision, &[list], &[quota], n, now, newest);
        }
        let limit = self.new.limit(quota);
        assert_eq!((decision.limit, decision.remaining), (limit, 0));
        match decision.verdict {
            Verdict::Never => assert!(n > limit),
            Verdict::Allowed => assert_eq!(n, 0, "a refused key passes no unit"),
            Verdict::Denied { retry_after } => assert!(n <= limit && !retry_after.is_zero()),
        }
    }

    /// Records a check, and its `n` units if they passed.
    fn checked(&mut self, decision: &Decision, key: Key, quota: Funnel, n: u32) {
        let newest = self.newest;
        let is_there = self.lists.contains_key(&key);
        let Some(list) = self.list(key) else { return };
        // A check of 0 units leaves no trace: no key is inserted, and the shared state is
        // unchanged.
        if n > 0 || is_there {
            list.widen(quota);
            list.round(quota);
            list.advance(newest);
        }
        if decision.is_allowed() {
            list.push(quota, n, newest);
        }
    }

    fn call(&mut self, step: Step, call: &Call) {
        self.step(step);
        match *call {
            Call::Check(key, n) => {
                let peeked = self.limiter.peek(key, n, self.now);
                let decision = self.limiter.check(key, n, self.now);
                assert_eq!(peeked, decision, "peek equals check");
                self.expect(&decision, key, self.quota, n);
                self.checked(&decision, key, self.quota, n);
            }
            Call::Peek(key, n) => {
                let decision = self.limiter.peek(key, n, self.now);
                self.expect(&decision, key, self.quota, n);
            }
            Call::Refund(key, n) => {
                let refunded = self.limiter.refund(key, n);
                let is_in_use = self.is_in_use(key);
                let Some(list) = self.lists.get_mut(&key) else { return };
                // An idle key may be present, or may have been swept.
                if is_in_use || self.sweeps {
                    assert_eq!(refunded, list.refundable(self.quota, n));
                }
                list.refund(self.quota, n);
            }
            Call::Sweep(budget) => {
                self.limiter.sweep(budget, self.now);
            }
            Call::SetQuota(quota) => {
                let quota = self.possible(quota);
                self.limiter.set_quota(quota);
                assert_eq!(self.limiter.quota(), quota.quota());
                let lists = self.lists.values_mut().chain(&mut self.shared).chain([&mut self.new]);
                lists.for_each(|list| list.set_quota(self.quota, quota));
                self.quota = quota;
            }
            Call::Reset(key) => {
                assert_eq!(self.limiter.reset(key), self.lists.remove(&key).is_some());
            }
            Call::CheckWith(key, quota, n) => {
                let quota = self.possible(quota);
                let decision = self.limiter.check_with(key, quota, n, self.now);
                if n > 0 || self.lists.contains_key(&key) {
                    self.list(key).into_iter().for_each(|list| list.widen(quota));
                }
                self.expect(&decision, key, quota, n);
                self.checked(&decision, key, quota, n);
            }
            Call::PeekWith(key, quota, n) => {
                let quota = self.possible(quota);
                let decision = self.limiter.peek_with(key, quota, n, self.now);
                self.expect(&decision, key, quota, n);
            }
            _ => unreachable!("not a call of every limiter"),
        }
        self.limiter.check_invariants();
        assert!(self.limiter.len() <= self.max_keys);
    }

    /// Returns the quota. For counters, which stay exact only if the period is unchanged, returns
    /// one with their period.
    fn possible(&self, quota: Funnel) -> Funnel {
        match L::KIND {
            Kind::Counter | Kind::Fixed => {
                Funnel::new(Quota::new(quota.count(), self.quota.period()).unwrap())
            }
            _ => quota,
        }
    }
}

fn run_windows(
    quota: Funnel,
    bounds: Option<(usize, WhenFull)>,
    calls: &[(Step, Call)],
    sweeps: bool,
) {
    let mut subject = Subject::<Keyed<Key, SlidingWindow>>::new(quota, bounds, sweeps);
    for (step, call) in calls {
        match *call {
            Call::Record(key, n) => {
                subject.step(*step);
                let recorded = subject.limiter.at(timestamp(subject.now)).record(&key, n);
                if n == 0 {
                    assert_eq!(recorded, Ok(()), "there is nothing to record");
                    continue;
                }
                let (quota, newest) = (subject.quota, subject.newest);
                let list = subject.list(key);
                assert_eq!(recorded, list.is_some().then_some(()).ok_or(KeysFull));
                if let Some(list) = list {
                    list.advance(newest);
                    list.push(quota, n, newest);
                }
            }
            Call::OverLimit(key) => {
                subject.step(*step);
                let is_over = subject.limiter.at(timestamp(subject.now)).over_limit(&key);
                let (quota, newest) = (subject.quota, subject.newest);
                let passes =
                    subject.list(key).is_some_and(|list| list.passes(quota, 1, newest.into()));
                assert_eq!(is_over, !passes);
            }
            _ => subject.call(*step, call),
        }
        subject.limiter.check_invariants();
    }
}

fn run<L: Limiter>(
    quota: Funnel,
    bounds: Option<(usize, WhenFull)>,
    calls: &[(Step, Call)],
    sweeps: bool,
) {
    let mut subject = Subject::<L>::new(quota, bounds, sweeps);
    for (step, call) in calls {
        subject.call(*step, call);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sliding_windows_match_the_model(
        (quota, bounds) in (quotas(), bounds()),
        calls in sequences(with_records(with_quotas(more()))),
        lazy in sequences(with_records(common())),
    ) {
        run_windows(quota, bounds, &calls, true);
        run_windows(quota, bounds, &lazy, false);
    }

    #[test]
    fn keyed_window_counters_match_the_model(
        (quota, bounds) in (quotas(), bounds()),
        calls in sequences(with_quotas(more())),
        lazy in sequences(common()),
    ) {
        run::<Keyed<Key, WindowCounter>>(quota, bounds, &calls, true);
        run::<Keyed<Key, WindowCounter>>(quota, bounds, &lazy, false);
    }

    #[test]
    fn keyed_funnels_match_the_model(
        (quota, bounds) in (quotas(), bounds()),
        calls in sequences(with_quotas(more())),
        lazy in sequences(common()),
    ) {
        run::<Keyed<Key, Funnel>>(quota, bounds, &calls, true);
        run::<Keyed<Key, Funnel>>(quota, bounds, &lazy, false);
    }

    #[test]
    fn keyed_fixed_windows_match_the_model(
        (quota, bounds) in (quotas(), bounds()),
        calls in sequences(with_quotas(more())),
        lazy in sequences(common()),
    ) {
        run::<Keyed<Key, FixedWindow>>(quota, bounds, &calls, true);
        run::<Keyed<Key, FixedWindow>>(quota, bounds, &lazy, false);
    }
}
