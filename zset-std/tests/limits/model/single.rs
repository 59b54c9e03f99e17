//! Compares limiters for one key with lists of the units that they have allowed.

use std::fmt::Debug;

use super::*;

#[derive(Clone, Debug)]
enum Call {
    Check(u32),
    Peek(u32),
    Record(u32),
    Refund(u32),
    SetQuota(Funnel),
    Reset,
    // Only limiters with a single quota have the following calls.
    CheckWith(Funnel, u32),
    PeekWith(Funnel, u32),
}

/// Generates the calls with which all limiters are tested.
fn common() -> BoxedStrategy<Call> {
    prop_oneof![
        12 => (0..14_u32).prop_map(Call::Check),
        3 => (0..14_u32).prop_map(Call::Peek),
        2 => (0..5_u32).prop_map(Call::Record),
        2 => (0..9_u32).prop_map(Call::Refund),
        1 => quotas().prop_map(Call::SetQuota),
        1 => Just(Call::Reset),
    ]
    .boxed()
}

/// Adds calls with another quota.
fn with_quotas() -> impl Strategy<Value = Call> {
    prop_oneof![
        20 => common(),
        3 => (quotas(), 0..14_u32).prop_map(|(quota, n)| Call::CheckWith(quota, n)),
        1 => (quotas(), 0..14_u32).prop_map(|(quota, n)| Call::PeekWith(quota, n)),
    ]
}

fn sequences(calls: impl Strategy<Value = Call>) -> impl Strategy<Value = Vec<(Step, Call)>> {
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

    /// Records the time of a check.
    fn advance(&mut self) {
        self.newest = self.newest.max(self.now);
        for (list, quota) in self.lists.iter_mut().zip(&self.quotas) {
            list.round(*quota);
            list.advance(self.newest);
        }
    }

    fn expect(&self, decision: &Decision, quotas: &[Funnel], n: u32) {
        expect(decision, &self.lists, quotas, n, self.now, self.newest.max(self.now));
    }

    fn push(&mut self, quotas: &[Funnel], n: u32) {
        let lists = self.lists.iter_mut().zip(quotas);
        lists.for_each(|(list, quota)| list.push(*quota, n, self.newest));
    }

    fn step(&mut self, step: Step) {
        self.now = step.from(self.now, self.quotas[0]);
    }

    /// Makes a call that every limiter has.
    fn call(&mut self, call: &Call) {
        let now = timestamp(self.now);
        match *call {
            Call::Check(n) => {
                let peeked = self.limiter.peek_n(n, now);
                let decision = self.limiter.check_n(n, now);
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
                self.expect(&self.limiter.peek_n(n, now), &self.quotas, n);
                let none = self.limiter.peek_n(0, now);
                self.expect(&none, &self.quotas, 0);
                assert_eq!(self.limiter.over_limit(now), none.remaining == 0);
                assert_eq!(before, self.limiter, "a peek changes nothing");
            }
            Call::Record(n) => {
                let mut lists = self.lists.iter().zip(&self.quotas);
                if lists.any(|(list, quota)| !list.can_record(*quota)) {
                    return;
                }
                self.limiter.record(n, now);
                // Recording 0 units leaves no trace: not even the time is recorded.
                if n > 0 {
                    self.advance();
                    let quotas = self.quotas.clone();
                    self.push(&quotas, n);
                }
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

impl<L: SingleQuota<State: Debug + PartialEq> + Debug + PartialEq> Subject<L> {
    /// Makes a call that every limiter with a single quota has.
    fn call_with_quota(&mut self, call: &Call) {
        let (own, now) = (self.quotas[0], timestamp(self.now));
        match *call {
            Call::SetQuota(quota) => {
                self.limiter.set_quota(quota);
                assert_eq!(self.limiter.quota(), quota.quota());
                let is_counter = self.lists[0].is_counter();
                self.lists[0].set_quota(if is_counter { self.counted } else { own }, quota);
                (self.quotas[0], self.counted) = (quota, quota);
            }
            Call::CheckWith(quota, n) => {
                let peeked = self.limiter.peek_with(quota, n, now);
                let decision = self.limiter.check_with(quota, n, now);
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
                let before = self.limiter.clone();
                let decision = self.limiter.peek_with(quota, n, now);
                let list = self.lists[0].clone();
                if list.is_counter() {
                    self.lists[0].set_quota(self.counted, quota);
                }
                self.expect(&decision, &[quota], n);
                self.lists[0] = list;
                assert_eq!(before, self.limiter, "a peek changes nothing");
            }
            Call::Check(_) | Call::Record(1..) => {
                self.count_by(own);
                self.call(call);
            }
            Call::Peek(_) => {
                let list = self.lists[0].clone();
                if list.is_counter() {
                    self.lists[0].set_quota(self.counted, own);
                }
                self.call(call);
                self.lists[0] = list;
            }
            Call::Refund(_) if self.lists[0].is_counter() => {
                // A refund applies to the windows in which the counter last counted, perhaps under
                // another quota.
                self.quotas[0] = self.counted;
                self.call(call);
                self.quotas[0] = own;
            }
            _ => self.call(call),
        }
    }

    /// Records that a check uses this quota.
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

/// Makes the calls, and runs `check` after each.
fn run<L: SingleQuota<State: Debug + PartialEq> + Debug + PartialEq>(
    limiter: L,
    kind: Kind,
    quota: Funnel,
    calls: &[(Step, Call)],
    check: impl Fn(&Direct<L>),
) {
    let mut subject = Subject::new(limiter, &[kind], &[quota]);
    for (step, call) in calls {
        subject.step(*step);
        subject.call_with_quota(call);
        check(&subject.limiter);
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_sliding_window_matches_the_model(quota in quotas(), calls in sequences(with_quotas())) {
        let log = SlidingWindow::new(quota.quota());
        run(log, Kind::Log, quota, &calls, Direct::<SlidingWindow>::check_invariants);
    }

    #[test]
    fn a_window_counter_matches_the_model(quota in quotas(), calls in sequences(with_quotas())) {
        run(WindowCounter::new(quota.quota()), Kind::Counter, quota, &calls, |_| ());
    }

    #[test]
    fn a_fixed_window_matches_the_model(quota in quotas(), calls in sequences(with_quotas())) {
        run(FixedWindow::new(quota.quota()), Kind::Fixed, quota, &calls, |_| ());
    }

    #[test]
    fn a_funnel_matches_the_model(quota in quotas(), calls in sequences(with_quotas())) {
        run(quota, Kind::Funnel, quota, &calls, |_| ());
    }

    #[test]
    fn an_any_limiter_behaves_as_its_variant(
        (kind, quota) in (0..4_usize, quotas()),
        calls in sequences(with_quotas()),
    ) {
        run(any_limiter(kind, quota), KINDS[kind], quota, &calls, |_| ());
    }

    #[test]
    fn limits_allow_what_every_limiter_allows(
        limits in prop::collection::vec((0..4_usize, quotas()), 1..4),
        calls in sequences(common()),
    ) {
        let (kinds, quotas): (Vec<_>, Vec<_>) =
            limits.iter().map(|&(kind, quota)| (KINDS[kind], quota)).unzip();
        let limits = limits.iter().map(|&(kind, quota)| any_limiter(kind, quota));
        let mut subject = Subject::new(Limits::new(limits), &kinds, &quotas);
        for (step, call) in &calls {
            subject.step(*step);
            let Call::SetQuota(quota) = *call else {
                subject.call(call);
                continue;
            };
            // `Limits` has no `set_quota`, so the whole limiter is replaced by one whose last limit
            // has the new quota.
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
