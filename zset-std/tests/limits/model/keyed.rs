//! Compares keyed limiters with lists. Each key has its own list, as long as there is room for the
//! key.

use std::collections::BTreeMap;

use super::*;
use zset_std::limit::KeysFull;

type Key = u8;

#[derive(Clone, Debug)]
enum Call {
    Check(Key, u32),
    Peek(Key, u32),
    Record(Key, u32),
    Refund(Key, u32),
    Sweep(usize),
    // The results of the following calls depend on whether an idle key was swept. In sequences that
    // contain such calls, idle keys are therefore swept before each call.
    SetQuota(Funnel),
    Reset(Key),
    CheckWith(Key, Funnel, u32),
    PeekWith(Key, Funnel, u32),
}

fn keys() -> impl Strategy<Value = Key> {
    0..5_u8
}

fn common() -> BoxedStrategy<Call> {
    prop_oneof![
        12 => (keys(), 0..14_u32).prop_map(|(key, n)| Call::Check(key, n)),
        4 => (keys(), 0..14_u32).prop_map(|(key, n)| Call::Peek(key, n)),
        2 => (keys(), 0..5_u32).prop_map(|(key, n)| Call::Record(key, n)),
        2 => (keys(), 0..9_u32).prop_map(|(key, n)| Call::Refund(key, n)),
        2 => (0..20_usize).prop_map(Call::Sweep),
    ]
    .boxed()
}

/// Adds the calls that require idle keys to be swept before each call.
fn more() -> BoxedStrategy<Call> {
    let with = || (keys(), quotas(), 0..14_u32);
    prop_oneof![
        16 => common(),
        1 => quotas().prop_map(Call::SetQuota),
        1 => keys().prop_map(Call::Reset),
        2 => with().prop_map(|(key, quota, n)| Call::CheckWith(key, quota, n)),
        1 => with().prop_map(|(key, quota, n)| Call::PeekWith(key, quota, n)),
    ]
    .boxed()
}

/// A quota, the bound on keys, and two sequences of calls. In the first, idle keys are swept before
/// each call; in the second, idle keys may remain.
type Case = (Funnel, Option<(usize, WhenFull)>, [Vec<(Step, Call)>; 2]);

fn cases() -> impl Strategy<Value = Case> {
    let sequences = [more(), common()].map(|call| prop::collection::vec((steps(), call), 0..100));
    (quotas(), bounds(), sequences)
}

/// The place where the units of a key are counted.
enum Place {
    Own,
    Shared,
    Refused,
}

struct Subject<L: Limiter> {
    limiter: Keyed<Key, L>,
    kind: Kind,
    /// The lists of the keys in use, and possibly of some idle keys.
    lists: BTreeMap<Key, Naive>,
    /// The initial list of a new key.
    new: Naive,
    shared: Option<Naive>,
    max_keys: usize,
    /// Whether idle keys are swept before each call. If not, they may remain.
    sweeps: bool,
    quota: Funnel,
    now: u64,
    newest: u64,
}

impl<L: SingleQuota> Subject<L> {
    fn new(
        limiter: L,
        kind: Kind,
        quota: Funnel,
        bounds: Option<(usize, WhenFull)>,
        sweeps: bool,
    ) -> Self {
        let (mut limiter, new) = (Keyed::new(limiter), Naive::new(kind, quota));
        let (mut shared, mut max_keys) = (None, usize::MAX);
        if let Some((max, when_full)) = bounds {
            limiter = limiter.with_max_keys(max, when_full);
            max_keys = max;
            shared = (when_full == WhenFull::SharedBucket).then(|| new.clone());
        }
        let lists = BTreeMap::new();
        Subject { limiter, kind, lists, new, shared, max_keys, sweeps, quota, now: 0, newest: 0 }
    }

    /// Sets the time on all shards, by a sweep. Otherwise, a shard would see the new time only when
    /// one of its keys is used.
    fn step(&mut self, step: Step) {
        // Keeps the time below the last timestamp, because a key that becomes idle only at that
        // timestamp is never swept.
        self.now = step.from(self.now, self.quota).min(u64::MAX - 1);
        self.limiter.at(timestamp(self.now)).sweep(0);
        self.newest = self.newest.max(self.now);
        if self.sweeps {
            self.sweep_idle();
        }
    }

    fn sweep_idle(&mut self) {
        self.limiter.at(timestamp(self.now)).sweep(usize::MAX);
        let in_use = self.lists.keys().copied().filter(|key| self.is_in_use(*key));
        let in_use: Vec<Key> = in_use.collect();
        self.lists.retain(|key, _| in_use.contains(key));
        assert_eq!(self.limiter.len(), self.lists.len(), "the keys in use");
    }

    fn is_in_use(&self, key: Key) -> bool {
        let idle_at = self.lists.get(&key).map(|list| list.idle_at(self.quota));
        idle_at.is_some_and(|idle_at| idle_at > self.newest.into())
    }

    /// Returns where a key is counted. It has room if the number of other keys in use is below the
    /// maximum.
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

    /// Records a check, and its `n` units if they were allowed.
    fn checked(&mut self, is_allowed: bool, key: Key, quota: Funnel, n: u32) {
        let newest = self.newest;
        let is_there = self.lists.contains_key(&key);
        let Some(list) = self.list(key) else { return };
        // A check of 0 units for an absent key leaves no trace: it inserts no key and does not
        // change the shared state.
        if n > 0 || is_there {
            list.widen(quota);
            list.round(quota);
            list.advance(newest);
        }
        if is_allowed {
            list.push(quota, n, newest);
        }
    }

    fn call(&mut self, step: Step, call: &Call) {
        self.step(step);
        let now = self.limiter.at(timestamp(self.now));
        match *call {
            Call::Check(key, n) => {
                let (peeked, decision) = (now.peek_n(&key, n), now.check_n(&key, n));
                assert_eq!(peeked, decision, "peek equals check");
                self.expect(&decision, key, self.quota, n);
                self.checked(decision.is_allowed(), key, self.quota, n);
            }
            Call::Peek(key, n) => {
                let (decision, none) = (now.peek_n(&key, n), now.peek_n(&key, 0));
                assert_eq!(now.over_limit(&key), none.remaining == 0);
                self.expect(&decision, key, self.quota, n);
                self.expect(&none, key, self.quota, 0);
            }
            Call::Record(key, n) if self.new.can_record(self.quota) => {
                let recorded = now.record(&key, n);
                let has_room = n == 0 || self.list(key).is_some();
                assert_eq!(recorded, if has_room { Ok(()) } else { Err(KeysFull) });
                if n > 0 {
                    self.checked(true, key, self.quota, n);
                }
            }
            Call::Record(..) => {}
            Call::Refund(key, n) => {
                let refunded = self.limiter.refund(&key, n);
                let is_in_use = self.is_in_use(key);
                let Some(list) = self.lists.get_mut(&key) else { return };
                // For an idle key, the result is known only if idle keys are always swept.
                if is_in_use || self.sweeps {
                    assert_eq!(refunded, list.refundable(self.quota, n));
                }
                list.refund(self.quota, n);
            }
            Call::Sweep(budget) => drop(now.sweep(budget)),
            Call::SetQuota(quota) => {
                let quota = self.possible(quota);
                self.limiter.set_quota(quota);
                assert_eq!(self.limiter.quota(), quota.quota());
                let lists = self.lists.values_mut().chain(&mut self.shared).chain([&mut self.new]);
                lists.for_each(|list| list.set_quota(self.quota, quota));
                self.quota = quota;
            }
            Call::Reset(key) => {
                assert_eq!(self.limiter.reset(&key), self.lists.remove(&key).is_some());
            }
            Call::CheckWith(key, quota, n) => {
                let quota = self.possible(quota);
                let decision = now.check_with(&key, quota, n);
                if n > 0 || self.lists.contains_key(&key) {
                    self.list(key).into_iter().for_each(|list| list.widen(quota));
                }
                self.expect(&decision, key, quota, n);
                self.checked(decision.is_allowed(), key, quota, n);
            }
            Call::PeekWith(key, quota, n) => {
                let quota = self.possible(quota);
                let decision = now.peek_with(&key, quota, n);
                self.expect(&decision, key, quota, n);
            }
        }
        self.limiter.check_invariants();
        assert!(self.limiter.len() <= self.max_keys);
    }

    /// Returns the quota. For counters, which stay exact only if the period is unchanged, returns a
    /// quota with the current period.
    fn possible(&self, quota: Funnel) -> Funnel {
        match self.kind {
            Kind::Counter | Kind::Fixed => {
                Funnel::new(Quota::new(quota.count(), self.quota.period()).unwrap())
            }
            _ => quota,
        }
    }
}

fn run<L: SingleQuota>(limiter: &L, kind: Kind, (quota, bounds, sequences): &Case) {
    for (calls, sweeps) in sequences.iter().zip([true, false]) {
        let mut subject = Subject::new(limiter.clone(), kind, *quota, *bounds, sweeps);
        for (step, call) in calls {
            subject.call(*step, call);
        }
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn sliding_windows_match_the_model(case in cases()) {
        run(&SlidingWindow::new(case.0.quota()), Kind::Log, &case);
    }

    #[test]
    fn keyed_window_counters_match_the_model(case in cases()) {
        run(&WindowCounter::new(case.0.quota()), Kind::Counter, &case);
    }

    #[test]
    fn keyed_fixed_windows_match_the_model(case in cases()) {
        run(&FixedWindow::new(case.0.quota()), Kind::Fixed, &case);
    }

    #[test]
    fn keyed_funnels_match_the_model(case in cases()) {
        run(&case.0, Kind::Funnel, &case);
    }
}
