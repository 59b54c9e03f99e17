//! Compares keyed limiters with limiters of one key, for every algorithm and with all features
//! together: quotas per call, changed quotas, sweeps, refunds, resets, clocks that step back,
//! penalties, bounds on keys, and held units.
//!
//! A key that is present must be limited like its reference, and an absent key like a new one. The
//! limiter stores a copy of each key that is present, so the test counts the copies to know which
//! keys these are.
//!
//! A sweep may remove a key once its units have left the windows of all periods that were used with
//! the key. The test computes this from the times of all units. Once the windows of the longest of
//! these periods are over, a sweep must remove the key.
//!
//! The environment variable `ZSET_STEPS` sets the number of calls for each limiter.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::reference::{OneKey, Reference};
use super::*;
use zset_std::Clock;

const KEYS: usize = 5;

/// The maximum number of calls in a test case.
const LEN: usize = 100;

/// The default of `ZSET_STEPS`.
const STEPS: usize = 10_000;

fn cases() -> ProptestConfig {
    let steps = std::env::var("ZSET_STEPS").map_or(STEPS, |steps| steps.parse().unwrap());
    ProptestConfig { cases: u32::try_from(steps.div_ceil(LEN)).unwrap(), ..config() }
}

/// A key whose copies are counted.
#[derive(Debug)]
struct Tracked {
    id: usize,
    copies: Arc<[AtomicUsize; KEYS]>,
    is_copy: bool,
}

impl Clone for Tracked {
    fn clone(&self) -> Self {
        self.copies[self.id].fetch_add(1, Ordering::Relaxed);
        Tracked { copies: Arc::clone(&self.copies), is_copy: true, ..*self }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        if self.is_copy {
            self.copies[self.id].fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl PartialEq for Tracked {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Tracked {}

impl Hash for Tracked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

/// A clock that may step back.
#[derive(Clone, Default)]
struct Stepping(Arc<AtomicU64>);

impl Clock for Stepping {
    fn now(&self) -> Timestamp {
        Timestamp::from_nanos(self.0.load(Ordering::Relaxed))
    }
}

/// A keyed limiter whose hashes are the same in each run.
type Subjects<L> = Keyed<Tracked, L, Stepping, BuildHasherDefault<DefaultHasher>>;

/// The calls of a keyed limiter that take a quota.
struct WithQuota<L: Limiter> {
    check: fn(&Subjects<L>, &Tracked, Call) -> Decision,
    peek: fn(&Subjects<L>, &Tracked, Call) -> Decision,
    set: fn(&Subjects<L>, Funnel),
}

/// The quota, the units and the time of a call.
type Call = (Funnel, u32, Timestamp);

impl<L: SingleQuota> WithQuota<L> {
    const NEW: Self = WithQuota {
        check: |keyed, key, (quota, n, now)| keyed.at(now).check_with(key, quota, n),
        peek: |keyed, key, (quota, n, now)| keyed.at(now).peek_with(key, quota, n),
        set: |keyed, quota| {
            keyed.set_quota(quota);
            assert_eq!(keyed.quota(), quota.quota());
        },
    };
}

/// The expected state of a key that is present.
#[derive(Clone)]
struct Present<L: Limiter> {
    reference: Reference<L>,
    /// The true times and the numbers of all units, in ascending order.
    units: Vec<(u64, u32)>,
    /// The periods of calls that differ from the limiter's own.
    periods: BTreeSet<u64>,
    /// The longest of all periods, including those of earlier quotas.
    longest: u64,
    /// The time of the latest call.
    latest: u64,
}

fn period(quota: Quota) -> u64 {
    u64::try_from(quota.period().as_nanos()).unwrap()
}

fn windows(limiter: &AnyLimiter) -> u64 {
    if matches!(limiter, AnyLimiter::WindowCounter(_)) { 2 } else { 1 }
}

impl<L: OneKey> Present<L> {
    fn new(reference: &Reference<L>) -> Self {
        let (units, periods) = (Vec::new(), BTreeSet::new());
        let reference = reference.clone();
        Present { reference, units, periods, longest: 0, latest: 0 }
    }

    fn used(&mut self, quota: Option<Funnel>, now: Timestamp) {
        let own = L::parts(&self.reference.inside)
            .into_iter()
            .map(|(limiter, _)| period(limiter.quota()));
        // A call with the limiter's own period is like a call without a quota.
        let other = quota
            .map(|funnel| period(funnel.quota()))
            .filter(|&other| own.clone().all(|own| own != other));
        self.longest = own.chain(other).chain([self.longest]).max().unwrap();
        self.periods.extend(other);
        self.latest = now.as_nanos();
    }

    fn set_quota(&mut self, quota: Funnel) {
        self.used(None, Timestamp::from_nanos(self.latest));
        L::set_quota_of(&mut self.reference.inside, quota);
        let is_log =
            matches!(L::parts(&self.reference.inside)[..], [(AnyLimiter::SlidingWindow(_), _)]);
        if is_log && self.units.is_empty() {
            // An empty log forgets the earlier periods.
            self.periods.clear();
            self.longest = 0;
        }
    }

    fn push(&mut self, n: u32, now: Timestamp) {
        if n > 0 {
            self.units.push((now.as_nanos(), n));
        }
    }

    fn refund(&mut self, mut n: u32) {
        for (_, units) in self.units.iter_mut().rev() {
            let refunded = n.min(*units);
            *units -= refunded;
            n -= refunded;
        }
        self.units.retain(|&(_, units)| units > 0);
    }

    /// Returns whether no window counts a unit, for any period that was used.
    fn is_over(&self, now: Timestamp) -> bool {
        let now_nanos = now.as_nanos();
        L::parts(&self.reference.inside).iter().all(|(limiter, state)| {
            let mut periods = self.periods.iter().copied().chain([period(limiter.quota())]);
            let windows = windows(limiter);
            match limiter {
                AnyLimiter::Funnel(_) => limiter.peek_n(state, 0, now).reset_after.is_zero(),
                AnyLimiter::SlidingWindow(_) => {
                    periods.all(|period| self.units.iter().all(|&(at, _)| at + period <= now_nanos))
                }
                _ => periods.all(|period| {
                    self.units.iter().all(|&(at, _)| (at / period + windows) * period <= now_nanos)
                }),
            }
        })
    }

    /// Returns whether a sweep must remove the key.
    fn is_surely_over(&self, now: Timestamp) -> bool {
        let all_over = L::parts(&self.reference.inside).iter().all(|(limiter, state)| {
            if let AnyLimiter::Funnel(_) = limiter {
                return limiter.peek_n(state, 0, now).reset_after.is_zero();
            }
            let longest = self.longest.max(period(limiter.quota()));
            self.latest + windows(limiter) * longest <= now.as_nanos()
        });
        all_over && self.reference.has_no_denials_at(now)
    }
}

/// A step of a test case.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Checks units of a key, with one of the quotas or the limiter's own.
    Check(usize, Option<usize>, u32),
    Peek(usize, Option<usize>, u32),
    Refund(usize, u32),
    Reset(usize),
    Sweep(usize),
    SetQuota(usize),
    Hold(usize, u32),
    /// Charges some units of a hold. The next two actions drop or release a hold.
    Charge(usize, u32),
    Drop(usize),
    Release(usize),
}

/// Quotas with short periods, so that windows of different lengths overlap.
fn short_quotas() -> impl Strategy<Value = Funnel> {
    let period = prop_oneof![6 => 1..20_u64, 1 => 1..100_u64];
    (1..7_u32, period, 1..8_u32)
        .prop_map(|(count, period, capacity)| funnel(count, nanos(period), capacity))
}

/// Generates three quotas for calls, and the steps of a test case. With so few quotas, the periods
/// used with a key repeat.
fn actions() -> impl Strategy<Value = Actions> {
    let n = || prop_oneof![6 => Just(1_u32), 3 => 0..9_u32];
    let of_call = || prop::option::weighted(0.4, 0..3_usize);
    let action = prop_oneof![
        20 => (0..KEYS, of_call(), n()).prop_map(|(key, quota, n)| Action::Check(key, quota, n)),
        5 => (0..KEYS, of_call(), n()).prop_map(|(key, quota, n)| Action::Peek(key, quota, n)),
        2 => (0..KEYS, 0..5_u32).prop_map(|(key, n)| Action::Refund(key, n)),
        1 => (0..KEYS).prop_map(Action::Reset),
        3 => prop_oneof![Just(usize::MAX), 0..40_usize].prop_map(Action::Sweep),
        1 => (0..3_usize).prop_map(Action::SetQuota),
        5 => (0..KEYS, n()).prop_map(|(key, n)| Action::Hold(key, n)),
        2 => (0..9_usize, 0..5_u32).prop_map(|(hold, n)| Action::Charge(hold, n)),
        1 => (0..9_usize).prop_map(Action::Drop),
        2 => (0..9_usize).prop_map(Action::Release),
    ];
    let step = prop_oneof![6 => Just(0_i64), 6 => 0..6_i64, 1 => -5..0_i64, 1 => 0..50_i64];
    let quotas = [(); 3].map(|()| short_quotas());
    (quotas, prop::collection::vec((step, action), 0..LEN))
}

fn blocks() -> impl Strategy<Value = Block> {
    (1..4_u32, 0..20_u64, 1..4_u64).prop_map(|(denials, time, growth)| {
        Block::after(denials.try_into().unwrap(), nanos(time)).doubling_up_to(nanos(time * growth))
    })
}

/// Where units are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Key,
    Shared,
}

/// Units of a key that are held.
struct Held<L: Limiter> {
    key: usize,
    place: Place,
    n: u32,
    hold: Hold<Arc<Subjects<L>>, Tracked>,
}

/// A keyed limiter and its references.
struct Subject<L: Limiter, R: OneKey> {
    limiter: Arc<Subjects<L>>,
    /// `None` if there are several quotas.
    with_quota: Option<WithQuota<L>>,
    clock: Stepping,
    keys: [Tracked; KEYS],
    present: BTreeMap<usize, Present<R>>,
    new: Reference<R>,
    shared: Option<Reference<R>>,
    max_keys: usize,
    holds: Vec<Held<L>>,
    now: Timestamp,
    newest: Timestamp,
    observed: Arc<Counts>,
    /// The counts that the observer must have received: allowed, denied, swept, refused.
    expected: [usize; 4],
}

impl<L: Limiter, R: OneKey> Subject<L, R> {
    fn new(
        limiter: L,
        with_quota: Option<WithQuota<L>>,
        new: Reference<R>,
        bounds: Option<(usize, WhenFull)>,
    ) -> Self {
        let observed = Arc::<Counts>::default();
        let (hasher, clock) = (BuildHasherDefault::default(), Stepping::default());
        let limiter = Keyed::new(limiter).with_hasher(hasher).with_clock(clock.clone());
        let mut limiter = limiter.with_observer(observed.clone());
        let (mut max_keys, mut shared) = (usize::MAX, None);
        if let Some((max, when_full)) = bounds {
            limiter = limiter.with_max_keys(max, when_full);
            max_keys = max;
            shared = (when_full == WhenFull::SharedBucket).then(|| new.clone());
        }
        let copies = Arc::<[AtomicUsize; KEYS]>::default();
        let key = |id| Tracked { id, copies: Arc::clone(&copies), is_copy: false };
        let (keys, present, holds) = (std::array::from_fn(key), BTreeMap::new(), Vec::new());
        let (now, newest, expected) = (Timestamp::ZERO, Timestamp::ZERO, [0; 4]);
        Subject {
            limiter: Arc::new(limiter),
            with_quota,
            clock,
            keys,
            present,
            new,
            shared,
            max_keys,
            holds,
            now,
            newest,
            observed,
            expected,
        }
    }

    fn is_present(&self, key: usize) -> bool {
        // Each hold has its own copy of the key, which is not counted here.
        let holds = self.holds.iter().filter(|held| held.key == key).count();
        match self.keys[key].copies[key].load(Ordering::Relaxed) - holds {
            0 => false,
            1 => true,
            more => panic!("{more} copies of a key"),
        }
    }

    /// Returns the number of units that are held at a key, or in the shared bucket.
    fn in_flight(&self, key: usize, place: Place) -> u32 {
        let is_it =
            |held: &&Held<L>| held.place == place && (held.key == key || place == Place::Shared);
        self.holds.iter().filter(is_it).map(|held| held.n).sum()
    }

    /// Removes the references of keys that were swept, which must have been idle.
    fn expect_sweeps(&mut self) {
        for key in 0..KEYS {
            if self.is_present(key) || !self.present.contains_key(&key) {
                continue;
            }
            let swept = self.present.remove(&key).unwrap();
            assert!(swept.is_over(self.newest), "a window holds a unit of {key}");
            let has_no_denials = swept.reference.has_no_denials_at(self.newest);
            assert!(has_no_denials, "a denial or a block of {key} counts");
            assert_eq!(self.in_flight(key, Place::Key), 0, "units of {key} are held");
            self.expected[2] += 1;
        }
    }

    fn sweep(&mut self, budget: usize) -> usize {
        let swept = self.limiter.at(self.now).sweep(budget);
        let before = self.present.len();
        self.expect_sweeps();
        assert_eq!(before - self.present.len(), swept);
        if budget == usize::MAX {
            for (key, present) in &self.present {
                let is_held = self.in_flight(*key, Place::Key) > 0;
                assert!(is_held || !present.is_surely_over(self.newest), "{key} is idle");
            }
        }
        swept
    }

    fn is_full(&self) -> bool {
        self.present.len() >= self.max_keys
    }

    fn report(&mut self, decision: &Decision) {
        self.expected[usize::from(!decision.is_allowed())] += 1;
    }

    /// Returns the reference that decides on a key after a call that may have inserted the key, and
    /// where its units are counted. The reference is `None` if the key is refused.
    fn place(&mut self, key: usize) -> (Option<&mut Reference<R>>, Place) {
        self.expect_sweeps();
        if self.is_present(key) {
            let new = &self.new;
            let present = self.present.entry(key).or_insert_with(|| Present::new(new));
            return (Some(&mut present.reference), Place::Key);
        }
        assert!(self.is_full(), "there is room for {key}");
        self.expected[3] += 1;
        assert_eq!(self.sweep(usize::MAX), 0, "an idle key makes room for {key}");
        (self.shared.as_mut(), Place::Shared)
    }

    /// Checks the decision on a key that is refused.
    fn expect_refused(&self, decision: Decision, quota: Option<Funnel>, n: u32) {
        let new = self.new.peek(quota, n, self.newest);
        assert_eq!((decision.limit, decision.remaining), (new.limit, 0));
        match decision.verdict {
            Verdict::Allowed => assert_eq!(n, 0),
            Verdict::Never => assert_eq!(new.verdict, Verdict::Never),
            Verdict::Denied { retry_after } => assert!(n > 0 && !retry_after.is_zero()),
        }
    }

    fn expect_peek(&mut self, key: usize, quota: Option<Funnel>, n: u32, decision: Decision) {
        let is_present = self.present.contains_key(&key);
        let has_room = is_present || !self.is_full() || self.sweep(usize::MAX) > 0;
        let (reference, held) = match self.present.get(&key) {
            Some(present) => (&present.reference, self.in_flight(key, Place::Key)),
            None if has_room => (&self.new, 0),
            None => match &self.shared {
                Some(shared) => (shared, self.in_flight(key, Place::Shared)),
                None => return self.expect_refused(decision, quota, n),
            },
        };
        let mut reference = reference.clone();
        reference.newest = self.newest;
        let expected = reference.check_with_held(quota, n, held, self.now);
        assert_eq!(decision, expected, "{key}, present: {is_present}, with room: {has_room}");
    }

    fn check(&mut self, key: usize, quota: Option<Funnel>, n: u32) {
        let (now, newest) = (self.now, self.newest);
        let decision = match (quota, &self.with_quota) {
            (Some(quota), Some(with)) => {
                (with.check)(&self.limiter, &self.keys[key], (quota, n, now))
            }
            _ => self.limiter.at(now).check_n(&self.keys[key], n),
        };
        if n > 0 {
            self.report(&decision);
        }
        if n == 0 && !self.present.contains_key(&key) {
            assert!(!self.is_present(key), "nothing to record for {key}");
            return self.expect_peek(key, quota, n, decision);
        }
        let others = [Place::Key, Place::Shared].map(|place| self.in_flight(key, place));
        let (reference, place) = self.place(key);
        let Some(reference) = reference else { return self.expect_refused(decision, quota, n) };
        reference.newest = newest;
        let expected = reference.check_with_held(quota, n, others[place as usize], now);
        assert_eq!(decision, expected, "{key} at {place:?}");
        if place == Place::Key {
            let present = self.present.get_mut(&key).unwrap();
            present.used(quota, newest);
            if decision.is_allowed() {
                present.push(n, newest);
            }
        }
    }

    fn hold(&mut self, key: usize, n: u32) {
        let (now, newest) = (self.now, self.newest);
        let peeked = self.limiter.peek_n(&self.keys[key], n);
        let (decision, hold) = Hold::new(Arc::clone(&self.limiter), &self.keys[key], n);
        assert_eq!(peeked, decision);
        assert_eq!(hold.is_some(), decision.is_allowed() && n > 0);
        if n == 0 {
            assert!(decision.is_allowed());
            return self.expect_sweeps();
        }
        self.report(&decision);
        let others = [Place::Key, Place::Shared].map(|place| self.in_flight(key, place));
        // The hold is added only now, because `others` must not include it. Its place is set below.
        let place = Place::Shared;
        self.holds.extend(hold.map(|hold| Held { key, place, n, hold }));
        let (reference, place) = self.place(key);
        let Some(reference) = reference else { return self.expect_refused(decision, None, n) };
        reference.newest = newest;
        let expected = reference.hold(n, others[place as usize], now);
        assert_eq!(decision, expected, "{key} at {place:?}");
        if place == Place::Key {
            self.present.get_mut(&key).unwrap().used(None, newest);
        }
        if let (true, Some(held)) = (decision.is_allowed(), self.holds.last_mut()) {
            held.place = place;
        }
    }

    /// Ends one of the holds with `settle`, which returns how many of its units are charged.
    fn settle(
        &mut self,
        hold: usize,
        settle: impl FnOnce(Hold<Arc<Subjects<L>>, Tracked>, u32) -> u32,
    ) {
        if self.holds.is_empty() {
            return;
        }
        let Held { key, place, n, hold } = self.holds.swap_remove(hold % self.holds.len());
        let charged = settle(hold, n);
        if charged == 0 {
            return;
        }
        let newest = self.newest;
        if place == Place::Shared {
            return self.shared.as_mut().unwrap().charge(charged, newest);
        }
        let present = self.present.get_mut(&key).expect("it is held");
        present.reference.charge(charged, newest);
        present.used(None, newest);
        present.push(charged, newest);
    }

    fn set_quota(&mut self, quota: Funnel) {
        let Some(with) = &self.with_quota else { return };
        (with.set)(&self.limiter, quota);
        self.present.values_mut().for_each(|present| present.set_quota(quota));
        let others = self.shared.as_mut().into_iter().chain([&mut self.new]);
        others.for_each(|reference| R::set_quota_of(&mut reference.inside, quota));
    }

    fn step(&mut self, quotas: &[Funnel; 3], by: i64, action: Action) {
        let now = self.now.as_nanos().saturating_add_signed(by);
        self.now = Timestamp::from_nanos(now);
        self.clock.0.store(now, Ordering::Relaxed);
        // Sets the time on all shards. Otherwise, a shard would see the new time only when one of
        // its keys is used.
        self.limiter.at(self.now).sweep(0);
        self.newest = self.newest.max(self.now);
        let has_quotas = self.with_quota.is_some();
        let of_call =
            |quota: Option<usize>| quota.filter(|_| has_quotas).map(|quota| quotas[quota]);
        match action {
            Action::Check(key, quota, n) => self.check(key, of_call(quota), n),
            Action::Peek(key, quota, n) => {
                let (now, quota) = (self.now, of_call(quota));
                let decision = match (quota, &self.with_quota) {
                    (Some(quota), Some(with)) => {
                        (with.peek)(&self.limiter, &self.keys[key], (quota, n, now))
                    }
                    _ => self.limiter.at(now).peek_n(&self.keys[key], n),
                };
                self.expect_peek(key, quota, n, decision);
            }
            Action::Refund(key, n) => {
                let refunded = self.limiter.refund(&self.keys[key], n);
                let present = self.present.get_mut(&key);
                let expected = present.map_or(0, |present| {
                    let refunded = present.reference.inside.refund(n);
                    present.refund(refunded);
                    refunded
                });
                assert_eq!(refunded, expected, "{key}");
            }
            Action::Reset(key) => {
                let is_present = self.present.remove(&key).is_some();
                assert_eq!(self.limiter.reset(&self.keys[key]), is_present);
                if self.in_flight(key, Place::Key) > 0 {
                    self.present.insert(key, Present::new(&self.new));
                }
            }
            Action::Sweep(budget) => drop(self.sweep(budget)),
            Action::SetQuota(quota) => self.set_quota(quotas[quota]),
            Action::Hold(key, n) => self.hold(key, n),
            Action::Charge(hold, charged) => self.settle(hold, |hold, n| {
                hold.charge(charged);
                charged.min(n)
            }),
            Action::Drop(hold) => self.settle(hold, |hold, n| {
                drop(hold);
                n
            }),
            Action::Release(hold) => self.settle(hold, |hold, n| {
                assert_eq!(hold.release(), n);
                0
            }),
        }
        self.limiter.check_invariants();
        assert_eq!(self.limiter.len(), self.present.len());
        assert_eq!(self.observed.all(), self.expected, "allowed, denied, swept, refused");
    }
}

/// The quotas of calls, and the steps of a test case.
type Actions = ([Funnel; 3], Vec<(i64, Action)>);

/// The penalty, if there is one, and the bound on keys.
type Terms = (Option<Block>, Option<(usize, WhenFull)>);

fn run<L: Limiter, R: OneKey>(
    limiter: L,
    with_quota: Option<WithQuota<L>>,
    new: Reference<R>,
    bounds: Option<(usize, WhenFull)>,
    (quotas, actions): &Actions,
) {
    let mut subject = Subject::new(limiter, with_quota, new, bounds);
    for &(by, action) in actions {
        subject.step(quotas, by, action);
    }
}

fn run_one<L: SingleQuota>(limiter: L, any: AnyLimiter, (block, bounds): Terms, actions: &Actions) {
    let new = Reference::new(any, block);
    match block {
        None => run(limiter, Some(WithQuota::NEW), new, bounds, actions),
        Some(block) => {
            run(Penalty::new(limiter, block), Some(WithQuota::NEW), new, bounds, actions);
        }
    }
}

/// Runs an algorithm on its own and as an `AnyLimiter`.
fn run_kind(kind: usize, quota: Funnel, terms: Terms, actions: &Actions) {
    let any = any_limiter(kind, quota);
    match any {
        AnyLimiter::SlidingWindow(limiter) => run_one(limiter, any, terms, actions),
        AnyLimiter::WindowCounter(limiter) => run_one(limiter, any, terms, actions),
        AnyLimiter::FixedWindow(limiter) => run_one(limiter, any, terms, actions),
        AnyLimiter::Funnel(limiter) => run_one(limiter, any, terms, actions),
        _ => unreachable!("these are all"),
    }
    run_one(any, any, terms, actions);
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn keyed_limiters_decide_as_limiters_of_one_key(
        (kind, quota, bounds) in (0..4_usize, short_quotas(), bounds()),
        actions in actions(),
    ) {
        run_kind(kind, quota, (None, bounds), &actions);
    }

    #[test]
    fn keyed_penalties_decide_as_limiters_of_one_key_with_a_list_of_denials(
        (kind, quota, bounds, block) in (0..4_usize, short_quotas(), bounds(), blocks()),
        actions in actions(),
    ) {
        run_kind(kind, quota, (Some(block), bounds), &actions);
    }

    #[test]
    fn keyed_limits_decide_as_limits_of_one_key(
        (limits, bounds, block) in (
            prop::collection::vec((0..4_usize, short_quotas()), 1..4),
            bounds(),
            prop::option::of(blocks()),
        ),
        actions in actions(),
    ) {
        let limits = Limits::new(limits.into_iter().map(|(kind, quota)| any_limiter(kind, quota)));
        let new = Reference::new(limits.clone(), block);
        match block {
            None => run(limits, None, new, bounds, &actions),
            Some(block) => run(Penalty::new(limits, block), None, new, bounds, &actions),
        }
    }
}
