//! Limiters for one key.

use std::fmt::Debug;

use zset_std::{
    AnyLimiter, Direct, FixedWindow, Funnel, Limiter, Limits, SingleQuota, SlidingWindow,
    WindowCounter,
};

use super::naive::Kind;
use super::*;

#[derive(Clone, Debug)]
enum Call {
    Check(u32),
    Peek(u32),
    Refund(u32),
    SetQuota(Funnel),
    Reset,
    // Limiters with one quota only.
    CheckWith(Funnel, u32),
    PeekWith(Funnel, u32),
    // Logs only.
    Record(u32),
    OverLimit,
}

/// Generates the calls of every limiter.
fn common() -> BoxedStrategy<Call> {
    prop_oneof![
        12 => (0..14_u32).prop_map(Call::Check),
        3 => (0..14_u32).prop_map(Call::Peek),
        2 => (0..9_u32).prop_map(Call::Refund),
        1 => quotas().prop_map(Call::SetQuota),
        1 => Just(Call::Reset),
    ]
    .boxed()
}

/// Adds calls with another quota.
fn with_quotas() -> BoxedStrategy<Call> {
    prop_oneof![
        20 => common(),
        3 => (quotas(), 0..14_u32).prop_map(|(quota, n)| Call::CheckWith(quota, n)),
        1 => (quotas(), 0..14_u32).prop_map(|(quota, n)| Call::PeekWith(quota, n)),
    ]
    .boxed()
}

/// Generates the calls of a log.
fn of_a_log() -> impl Strategy<Value = Call> {
    prop_oneof![
        20 => with_quotas(),
        3 => (0..5_u32).prop_map(Call::Record),
        1 => Just(Call::OverLimit),
    ]
}

fn sequences<C: Debug>(calls: impl Strategy<Value = C>) -> impl Strategy<Value = Vec<(Step, C)>> {
    prop::collection::vec((steps(), calls), 0..100)
}

/// A limiter, and one list for each of its limits.
struct Subject<L: Limiter> {
    limiter: Direct<L>,
    lists: Vec<Naive>,
    quotas: Vec<Funnel>,
    /// The quota in whose windows a counter last counted.
    counted: Funnel,
    now: u64,
    newest: u64,
}

impl<L: Limiter<State: Debug + PartialEq> + Debug + PartialEq> Subject<L> {
    fn new(limiter: L, kinds: &[Kind], quotas: &[Funnel]) -> Self {
        let lists = kinds.iter().zip(quotas).map(|(kind, quota)| Naive::new(*kind, *quota));
        let (lists, quotas, counted) = (lists.collect(), quotas.to_vec(), quotas[0]);
        let limiter = Direct::new(limiter);
        Subject { limiter, lists, quotas, counted, now: 0, newest: 0 }
    }

    /// Records the time of a check; returns the effective time.
    fn advance(&mut self) -> u64 {
        self.newest = self.newest.max(self.now);
        for (list, quota) in self.lists.iter_mut().zip(&self.quotas) {
            list.round(*quota);
            list.advance(self.newest);
        }
        self.newest
    }

    fn expect(&self, decision: &Decision, quotas: &[Funnel], n: u32) {
        expect(decision, &self.lists, quotas, n, self.now, self.newest.max(self.now));
    }

    fn push(&mut self, quotas: &[Funnel], n: u32) {
        let lists = self.lists.iter_mut().zip(quotas);
        lists.for_each(|(list, quota)| list.push(*quota, n, self.newest));
    }

    /// Moves the time, and makes a call that every limiter has.
    fn call(&mut self, step: Step, call: &Call) {
        self.now = step.from(self.now, self.quotas[0]);
        match *call {
            Call::Check(n) => {
                let peeked = self.limiter.peek_n(n, timestamp(self.now));
                let decision = self.limiter.check_n(n, timestamp(self.now));
                self.advance();
                assert_eq!(peeked, decision, "peek equals check");
                let quotas = self.quotas.clone();
                self.expect(&decision, &quotas, n);
                if decision.is_allowed() {
                    self.push(&quotas, n);
                }
            }
            Call::Peek(n) => {
                let before = self.limiter.clone();
                let decision = self.limiter.peek_n(n, timestamp(self.now));
                self.expect(&decision, &self.quotas, n);
                assert_eq!(before, self.limiter, "a peek changes nothing");
            }
            Call::Refund(n) => {
                let refunded = self.limiter.refund(n);
                let lists = || self.lists.iter().zip(&self.quotas);
                let most = lists().map(|(list, quota)| list.refundable(*quota, n)).max();
                if lists().all(|(list, quota)| list.is_exact(*quota, self.newest)) {
                    assert_eq!(Some(refunded), most);
                }
                for (list, quota) in self.lists.iter_mut().zip(&self.quotas) {
                    list.refund(*quota, n);
                }
            }
            Call::Reset => {
                self.limiter.reset();
                let lists = self.lists.iter_mut().zip(&self.quotas);
                lists.for_each(|(list, quota)| list.reset(*quota));
            }
            _ => unreachable!("not a call of every limiter"),
        }
    }
}

impl<L: SingleQuota<State: Debug + PartialEq, Terms: Terms> + Debug + PartialEq> Subject<L> {
    /// Moves the time, and makes a call that every limiter with a single quota has.
    fn call_with_quota(&mut self, step: Step, call: &Call) {
        let own = self.quotas[0];
        match *call {
            Call::SetQuota(quota) => {
                self.now = step.from(self.now, own);
                self.limiter.set_quota(L::Terms::of(quota));
                assert_eq!(self.limiter.quota(), quota.quota());
                let is_counter = self.lists[0].is_counter();
                self.lists[0].set_quota(if is_counter { self.counted } else { own }, quota);
                (self.quotas[0], self.counted) = (quota, quota);
            }
            Call::CheckWith(quota, n) => {
                self.now = step.from(self.now, own);
                let now = timestamp(self.now);
                let peeked = self.limiter.peek_with(L::Terms::of(quota), n, now);
                let decision = self.limiter.check_with(L::Terms::of(quota), n, now);
                assert_eq!(peeked, decision, "peek_with equals check_with");
                self.count_by(quota);
                self.quotas[0] = quota;
                self.advance();
                self.quotas[0] = own;
                self.expect(&decision, &[quota], n);
                if decision.is_allowed() {
                    self.push(&[quota], n);
                }
            }
            Call::PeekWith(quota, n) => {
                self.now = step.from(self.now, own);
                let before = self.limiter.clone();
                let decision = self.limiter.peek_with(L::Terms::of(quota), n, timestamp(self.now));
                let list = self.lists[0].clone();
                if list.is_counter() {
                    self.lists[0].set_quota(self.counted, quota);
                }
                self.expect(&decision, &[quota], n);
                self.lists[0] = list;
                assert_eq!(before, self.limiter, "a peek changes nothing");
            }
            Call::Check(_) => {
                self.count_by(own);
                self.call(step, call);
            }
            Call::Peek(_) => {
                let list = self.lists[0].clone();
                if list.is_counter() {
                    self.lists[0].set_quota(self.counted, own);
                }
                self.call(step, call);
                self.lists[0] = list;
            }
            Call::Refund(_) if self.lists[0].is_counter() => {
                // A refund applies to the windows in which the counter last counted.
                self.quotas[0] = self.counted;
                self.call(step, call);
                self.quotas[0] = own;
            }
            _ => self.call(step, call),
        }
    }

    /// Records that a check counts by a quota.
    fn count_by(&mut self, quota: Funnel) {
        let list = &mut self.lists[0];
        if list.is_counter() {
            list.set_quota(self.counted, quota);
        } else {
            list.widen(quota);
        }
        self.counted = quota;
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_sliding_window_matches_the_model(quota in quotas(), calls in sequences(of_a_log())) {
        let mut subject = Subject::new(SlidingWindow::new(quota.quota()), &[Kind::Log], &[quota]);
        for (step, call) in calls {
            let now = step.from(subject.now, subject.quotas[0]);
            match call {
                Call::Record(n) => {
                    subject.now = now;
                    subject.limiter.record(n, timestamp(now));
                    // No units leave no trace, not even the time.
                    if n > 0 {
                        subject.advance();
                        let quotas = subject.quotas.clone();
                        subject.push(&quotas, n);
                    }
                }
                Call::OverLimit => {
                    subject.now = now;
                    let (at, log) = (timestamp(now), &subject.limiter);
                    let counted = u128::from(subject.newest.max(now));
                    let passes = subject.lists[0].passes(subject.quotas[0], 1, counted);
                    prop_assert_eq!(log.over_limit(at), !passes);
                }
                _ => subject.call_with_quota(step, &call),
            }
            subject.limiter.check_invariants();
        }
    }

    #[test]
    fn a_window_counter_matches_the_model(
        quota in quotas(),
        calls in sequences(with_quotas()),
    ) {
        let mut subject = Subject::new(WindowCounter::new(quota.quota()), &[Kind::Counter], &[quota]);
        for (step, call) in &calls {
            subject.call_with_quota(*step, call);
        }
    }

    #[test]
    fn a_fixed_window_matches_the_model(quota in quotas(), calls in sequences(with_quotas())) {
        let mut subject = Subject::new(FixedWindow::new(quota.quota()), &[Kind::Fixed], &[quota]);
        for (step, call) in &calls {
            subject.call_with_quota(*step, call);
        }
    }

    #[test]
    fn a_funnel_matches_the_model(quota in quotas(), calls in sequences(with_quotas())) {
        let mut subject = Subject::new(quota, &[Kind::Funnel], &[quota]);
        for (step, call) in &calls {
            subject.call_with_quota(*step, call);
        }
    }

    #[test]
    fn an_any_limiter_behaves_as_its_variant(
        quota in quotas(),
        kind in 0..4_usize,
        calls in sequences(with_quotas()),
    ) {
        let (limiter, kind) = any_limiter(kind, quota);
        let mut subject = Subject::new(limiter, &[kind], &[quota]);
        for (step, call) in &calls {
            subject.call_with_quota(*step, call);
        }
    }

    #[test]
    fn limits_allow_what_every_limiter_allows(
        kinds in prop::collection::vec((0..4_usize, quotas()), 1..4),
        calls in sequences(common()),
    ) {
        let quotas: Vec<_> = kinds.iter().map(|(_, quota)| *quota).collect();
        let all = kinds.iter().map(|(kind, quota)| any_limiter(*kind, *quota));
        let (limiters, kinds): (Vec<_>, Vec<_>) = all.unzip();
        let mut subject = Subject::new(Limits::new(limiters), &kinds, &quotas);
        for (step, call) in &calls {
            let Call::SetQuota(quota) = *call else {
                subject.call(*step, call);
                continue;
            };
            // Changes one of the quotas.
            let last = kinds.len() - 1;
            let mut limits = subject.limiter.limiter().clone();
            limits.as_mut_slice()[last].set_quota(quota);
            subject.limiter.set_limiter(limits);
            subject.lists[last].set_quota(subject.quotas[last], quota);
            subject.quotas[last] = quota;
            prop_assert_eq!(subject.limiter.limiter().as_slice()[last].quota(), quota.quota());
        }
    }
}

fn any_limiter(kind: usize, quota: Funnel) -> (AnyLimiter, Kind) {
    match kind {
        0 => (SlidingWindow::new(quota.quota()).into(), Kind::Log),
        1 => (WindowCounter::new(quota.quota()).into(), Kind::Counter),
        2 => (FixedWindow::new(quota.quota()).into(), Kind::Fixed),
        _ => (quota.into(), Kind::Funnel),
    }
}
