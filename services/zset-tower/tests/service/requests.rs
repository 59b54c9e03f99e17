//! Sends random requests through stacks of random policies, which combine all features: limiters in
//! this process and on a server, algorithms, tiers, costs, charges that depend on the response,
//! shadow mode, penalties, and bounds on keys. Each request succeeds, fails, panics or is dropped
//! at a random time.
//!
//! A model, written from the documentation alone, predicts the status and the headers of each
//! response, the units on record, and what observers count.
//!
//! The environment variable `ZSET_STEPS` sets the maximum number of steps, rounded up to whole
//! cases.

mod naive;
mod policies;

use std::cmp::Reverse;
use std::task::Poll;
use std::time::Duration;

use http::{HeaderMap, Request, StatusCode};
use proptest::prelude::*;
use tower::{Layer, service_fn};
use zset_std::{Clock, Decision, FakeClock, Funnel, Quota, Verdict, WhenFull};
use zset_tower::RateLimitLayer;

use crate::common::{parameters, problem};
use crate::flight::{Answer, Flight, answer};
use crate::read;
use naive::{Algorithm, Block, Decided, Naive, Nanos, Place, nanos};
use policies::{Built, Config, Cost, Holder, KeyIs, Tier, Tiers, User};

/// A unit of time. It is long compared with the test, because a limiter on a server refunds only
/// within a tenth of the time after which units become available again.
const TICK: Nanos = 1_000_000_000_000;

const USERS: u8 = 4;

/// A case has fewer steps than this.
const LEN: usize = 60;

/// The default of `ZSET_STEPS`.
const STEPS: usize = 15_000;

fn config() -> ProptestConfig {
    let steps = std::env::var("ZSET_STEPS").map_or(STEPS, |steps| steps.parse().unwrap());
    let cases = u32::try_from(steps.div_ceil(LEN)).unwrap();
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// Sends a request. Without a user, it has no key.
    Request { user: Option<u8>, tier: usize, cost: u32 },
    /// Answers one of the requests in flight.
    End(usize, Answer),
    /// Drops one of the requests in flight.
    Drop(usize),
    /// Some ticks pass.
    Pass(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let cost = prop_oneof![8 => Just(1_u32), 2 => 0..4_u32, 1 => Just(9_u32)];
    let user = prop::option::weighted(0.95, 0..USERS);
    let answers = vec![
        Answer::Success,
        Answer::Success,
        Answer::Success,
        Answer::Failure,
        Answer::Failure,
        Answer::Error,
        Answer::Panic,
    ];
    let step = prop_oneof![
        12 => (user, 0..2_usize, cost)
            .prop_map(|(user, tier, cost)| Step::Request { user, tier, cost }),
        7 => (0..9_usize, prop::sample::select(answers)).prop_map(|(at, answer)| Step::End(at, answer)),
        1 => (0..9_usize).prop_map(Step::Drop),
        4 => prop_oneof![3 => 1..4_u64, 1 => 1..30_u64].prop_map(Step::Pass),
    ];
    prop::collection::vec(step, 0..LEN)
}

/// Quotas in which a unit becomes available again after a whole number of ticks. They are funnels,
/// because some algorithms need a capacity; windows ignore it.
fn quotas() -> impl Strategy<Value = Funnel> {
    let rates =
        vec![(1, 1), (1, 2), (2, 2), (3, 3), (1, 4), (2, 4), (4, 4), (2, 6), (3, 6), (3, 12)];
    (prop::sample::select(rates), 1..5_u32).prop_map(|((count, ticks), capacity)| {
        let quota = Quota::new(count, Duration::from_nanos(ticks * TICK)).unwrap();
        Funnel::new(quota).with_capacity(capacity).unwrap()
    })
}

fn configs() -> impl Strategy<Value = Config> {
    let algorithms = vec![
        Algorithm::SlidingWindow,
        Algorithm::WindowCounter,
        Algorithm::FixedWindow,
        Algorithm::Funnel,
    ];
    let tiers = prop_oneof![
        3 => Just(None),
        1 => (0..2_usize).prop_map(|tier| Some(Tiers::When(tier))),
        2 => quotas().prop_map(|quota| Some(Tiers::QuotaByKey(quota))),
    ];
    let block = (1..4_u32, 0..9_u64, 1..4_u64).prop_map(|(denials, ticks, growth)| Block {
        denials,
        shortest: ticks * TICK,
        longest: growth * ticks * TICK,
    });
    let when_full = prop::sample::select(vec![WhenFull::RefuseNew, WhenFull::SharedBucket]);
    (
        (prop::sample::select(algorithms), quotas(), tiers),
        prop::option::weighted(0.4, block),
        prop::option::weighted(0.5, (1..4_usize, when_full)),
        prop::sample::select(vec![Holder::Here, Holder::Server]),
        prop_oneof![4 => Just(KeyIs::Ready), 1 => Just(KeyIs::Awaited)],
        (any::<bool>(), prop::bool::weighted(0.2), any::<bool>()),
    )
        .prop_map(|((algorithm, quota, tiers), block, bound, holder, key, flags)| {
            let (by_response, is_shadow, denies_missing_key) = flags;
            let tiers = match tiers {
                // Except in a funnel, a change of the period is not always exact, so only the count
                // changes.
                Some(Tiers::QuotaByKey(other)) if algorithm != Algorithm::Funnel => {
                    let period = quota.quota().period();
                    let other = Quota::new(other.quota().count(), period).unwrap();
                    Tiers::QuotaByKey(other.into())
                }
                tiers => tiers.unwrap_or(Tiers::One),
            };
            Config {
                algorithm,
                quota,
                tiers,
                block,
                bound,
                holder,
                key,
                by_response,
                is_shadow,
                denies_missing_key,
            }
        })
}

/// A policy, and its model.
struct Pair {
    config: Config,
    built: Built,
    naive: Naive,
    /// What an observer must have received.
    counts: [u32; 3],
}

impl Pair {
    /// Takes the units of a request, or holds them if they depend on the response.
    fn take(&mut self, user: u8, tier: Tier, cost: u32, now: Nanos) -> Decided {
        let decided = self.config.decide(&mut self.naive, user, tier, cost, now);
        // Decisions on 0 units are not reported to observers.
        if cost > 0 {
            self.counts[usize::from(!decided.decision.is_allowed())] += 1;
            self.counts[2] += u32::from(decided.place != Place::Key);
        }
        decided
    }
}

/// A decision that the headers show.
#[derive(Clone, Copy, Debug)]
struct Shown {
    /// The index of the policy.
    pair: usize,
    /// The quota of the user.
    quota: Funnel,
    decided: Decided,
    /// Whether the remaining units are known.
    is_known: bool,
}

/// A request in flight, and what its response depends on.
struct Pending {
    flight: Flight,
    user: Option<u8>,
    tier: Tier,
    cost: u32,
    shown: Vec<Shown>,
    /// The indices of the policies in shadow mode that applied.
    shadows: Vec<usize>,
}

/// What the documentation says should happen to a request.
enum Expected {
    Rejected { status: StatusCode, shown: Vec<Shown> },
    Passed { shown: Vec<Shown>, shadows: Vec<usize> },
}

struct Model {
    pairs: Vec<Pair>,
    clock: FakeClock,
}

impl Model {
    fn now(&self) -> Nanos {
        nanos(self.clock.now())
    }

    /// Decides on a request as the documentation says.
    fn request(&mut self, user: Option<u8>, tier: Tier, cost: u32) -> Expected {
        let now = self.now();
        let applying = |is_shadow: bool| {
            let pairs = self.pairs.iter().enumerate();
            let pairs = pairs.filter(move |(_, pair)| {
                pair.config.is_shadow == is_shadow && pair.config.applies(tier)
            });
            pairs.map(|(index, _)| index).collect::<Vec<_>>()
        };
        let (policies, shadows) = (applying(false), applying(true));
        let Some(user) = user else {
            // For a request without a key, only the policies' choices for missing keys matter.
            let denies = policies.iter().any(|&pair| self.pairs[pair].config.denies_missing_key);
            if denies {
                return Expected::Rejected { status: StatusCode::FORBIDDEN, shown: Vec::new() };
            }
            return Expected::Passed { shown: Vec::new(), shadows };
        };
        // Finds out what each policy would decide alone.
        let mut shown: Vec<_> = policies
            .iter()
            .map(|&index| {
                let pair = &self.pairs[index];
                let quota = pair.config.quota(tier);
                let decided = pair.config.decide(&mut pair.naive.clone(), user, tier, cost, now);
                Shown { pair: index, quota, decided, is_known: true }
            })
            .collect();
        let is_rejected = shown.iter().any(|shown| !shown.decided.decision.is_allowed());
        for shown in &mut shown {
            let decision = &mut shown.decided.decision;
            if is_rejected && decision.is_allowed() {
                // A rejected request takes no units from policies that allow it.
                decision.remaining = (decision.remaining + cost).min(decision.limit);
                continue;
            }
            let taken = self.pairs[shown.pair].take(user, tier, cost, now);
            assert_eq!(taken.decision, *decision);
        }
        if is_rejected {
            let is_never = |shown: &Shown| shown.decided.decision.verdict == Verdict::Never;
            let status = if shown.iter().any(is_never) {
                StatusCode::PAYLOAD_TOO_LARGE
            } else {
                StatusCode::TOO_MANY_REQUESTS
            };
            return Expected::Rejected { status, shown };
        }
        for &shadow in &shadows {
            if !self.pairs[shadow].config.by_response {
                self.pairs[shadow].take(user, tier, cost, now);
            }
        }
        Expected::Passed { shown, shadows }
    }

    /// Charges or refunds the units of a request. `is_success` is `None` if there is no response.
    fn end(&mut self, pending: &mut Pending, is_success: Option<bool>) {
        let now = self.now();
        let &mut Pending { user, tier, cost, .. } = pending;
        let Some(user) = user else { return };
        let is_charged = is_success != Some(true);
        for shown in &mut pending.shown {
            let pair = &mut self.pairs[shown.pair];
            let (config, place) = (pair.config, shown.decided.place);
            if !config.by_response {
                continue;
            }
            let mut refunded = 0;
            if !config.holds() {
                if !is_charged {
                    // An idle key may have been swept, in which case nothing is refunded.
                    shown.is_known &= !pair.naive.is_idle(user, now);
                    refunded = pair.naive.refund(user, config.quota(tier), cost);
                }
            } else if cost > 0 {
                let quota = config.quota(tier);
                pair.naive.settle(user, place, quota, cost, is_charged, now);
                if !is_charged {
                    refunded = cost;
                }
            }
            let decision = &mut shown.decided.decision;
            decision.remaining = (decision.remaining + refunded).min(decision.limit);
        }
        for &shadow in &pending.shadows {
            let config = self.pairs[shadow].config;
            let is_counted = is_success.is_some() || !config.is_awaited();
            if config.by_response && is_charged && is_counted {
                self.pairs[shadow].take(user, tier, cost, now);
            }
        }
    }
}

fn seconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos().div_ceil(1_000_000_000).min(999_999_999_999_999)).unwrap()
}

/// Checks the headers of a response, and `Retry-After` if it is a rejection.
fn expect_headers(headers: &HeaderMap, shown: &[Shown], is_rejected: bool) {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap());
    let retry_after = text("retry-after").map(|it| it.parse::<i64>().unwrap());
    // A limiter without room for a key only estimates the wait.
    let is_estimate = |shown: &Shown| shown.decided.place == Place::Refused;
    let wait =
        shown.iter().try_fold(Duration::ZERO, |wait, shown| match shown.decided.decision.verdict {
            Verdict::Allowed => Some(wait),
            Verdict::Denied { retry_after } => Some(wait.max(retry_after)),
            Verdict::Never => None,
        });
    let wait = wait.filter(|_| is_rejected && !shown.is_empty());
    assert_eq!(retry_after.is_some(), wait.is_some());
    if !shown.iter().any(is_estimate) {
        assert_eq!(retry_after, wait.map(|wait| seconds(wait).max(1)));
    }
    if shown.is_empty() {
        return assert!(!headers.keys().any(|name| name.as_str().contains("ratelimit")));
    }
    let window = |reset: Duration| seconds(reset).min(retry_after.unwrap_or(i64::MAX));
    let limits = parameters(text("ratelimit").unwrap(), ["r", "t"]);
    let policies = parameters(text("ratelimit-policy").unwrap(), ["q", "w"]);
    assert_eq!((limits.len(), policies.len()), (shown.len(), shown.len()));
    for ((shown, limit), policy) in shown.iter().zip(limits).zip(policies) {
        let (name, decision) = (shown.pair.to_string(), shown.decided.decision);
        // The time in which all units of the limit become available again.
        let quota = shown.quota.quota();
        let regained = quota.period() * decision.limit / quota.count();
        let expected = [decision.limit.into(), seconds(regained)];
        assert_eq!((limit.0, policy), (name.clone(), (name, expected)));
        if shown.is_known {
            assert_eq!(limit.1[0], i64::from(decision.remaining), "{shown:?}");
        }
        if !is_estimate(shown) {
            assert_eq!(limit.1[1], window(decision.reset_after), "{shown:?}");
        }
    }
    if shown.iter().all(|shown| shown.is_known && !is_estimate(shown)) {
        let strictness = |decision: &Decision| {
            let wait = decision.retry_after().unwrap_or(Duration::MAX);
            let reset = Reverse(decision.reset_after);
            (decision.is_allowed(), Reverse(wait), decision.remaining, reset)
        };
        let decisions = || shown.iter().map(|shown| shown.decided.decision);
        let strictest = decisions().min_by_key(strictness).unwrap();
        let mut strictest = decisions().filter(|it| strictness(it) == strictness(&strictest));
        let legacy = ["limit", "remaining", "reset"]
            .map(|name| text(&format!("x-ratelimit-{name}")).unwrap().parse::<i64>().unwrap());
        let is_legacy = |Decision { limit, remaining, reset_after, .. }| {
            [i64::from(limit), i64::from(remaining), window(reset_after)] == legacy
        };
        assert!(strictest.any(is_legacy), "{legacy:?} {shown:?}");
    }
}

fn run(configs: &[Config], steps: &[Step]) {
    let clock = FakeClock::new();
    let mut layer: Option<RateLimitLayer> = None;
    let mut pairs = Vec::new();
    for (index, config) in configs.iter().enumerate() {
        let mut built = config.build(&index.to_string(), &clock);
        let policy = built.policy.take().unwrap();
        layer = Some(match layer {
            Some(layer) => layer.with_policy(policy),
            None => RateLimitLayer::new(policy),
        });
        let naive = Naive::new(config.algorithm, config.quota, config.block, config.bound);
        pairs.push(Pair { config: *config, built, naive, counts: [0; 3] });
    }
    let service = layer.unwrap().with_legacy_headers().layer(service_fn(answer));
    let mut model = Model { pairs, clock };
    let mut pending = Vec::new();
    for step in steps {
        match *step {
            Step::Request { user, tier, cost } => {
                let tier = Tier(tier);
                let flight = Flight::start(&service, request(user, tier, cost));
                pending.extend(decide(&mut model, flight, user, tier, cost));
            }
            Step::End(..) | Step::Drop(_) if pending.is_empty() => {}
            Step::End(at, answer) => {
                let at = at % pending.len();
                let mut ended = pending.swap_remove(at);
                let status = match answer {
                    Answer::Success => Some(StatusCode::OK),
                    Answer::Failure => Some(StatusCode::NOT_FOUND),
                    Answer::Error | Answer::Panic => None,
                };
                model.end(&mut ended, status.map(|status| status == StatusCode::OK));
                let response = ended.flight.end(answer);
                assert_eq!(response.as_ref().map(http::Response::status), status);
                if let Some(response) = response {
                    expect_headers(response.headers(), &ended.shown, false);
                }
            }
            Step::Drop(at) => {
                let at = at % pending.len();
                let mut dropped = pending.swap_remove(at);
                model.end(&mut dropped, None);
            }
            Step::Pass(ticks) => model.clock.advance(Duration::from_nanos(ticks * TICK)),
        }
        expect_records(&model, step);
    }
}

fn request(user: Option<u8>, tier: Tier, cost: u32) -> Request<String> {
    let mut request = Request::builder().extension(tier).extension(Cost(cost));
    if let Some(user) = user {
        request = request.extension(User(user));
    }
    request.body(String::new()).unwrap()
}

/// Checks the decision on a request; returns the request if it passes.
fn decide(
    model: &mut Model,
    mut flight: Flight,
    user: Option<u8>,
    tier: Tier,
    cost: u32,
) -> Option<Pending> {
    match (model.request(user, tier, cost), flight.poll()) {
        (Expected::Rejected { status, shown }, Poll::Ready(Ok(response))) => {
            assert_eq!(response.status(), status, "{shown:?}");
            expect_headers(response.headers(), &shown, true);
            let denying = shown.iter().filter(|shown| !shown.decided.decision.is_allowed());
            let denying = denying.map(|shown| shown.pair.to_string()).collect();
            assert_eq!(problem(read(response).body()), (status.as_u16().into(), denying));
            None
        }
        (Expected::Passed { shown, shadows }, Poll::Pending) => {
            Some(Pending { flight, user, tier, cost, shown, shadows })
        }
        (Expected::Rejected { shown, .. }, _) => panic!("must be rejected: {shown:?}"),
        (Expected::Passed { shown, .. }, _) => panic!("must pass: {shown:?}"),
    }
}

/// Checks the units on record, and what observers have received.
fn expect_records(model: &Model, step: &Step) {
    let now = model.now();
    for (index, pair) in model.pairs.iter().enumerate() {
        for (user, tier) in (0..USERS).flat_map(|user| [(user, Tier(0)), (user, Tier(1))]) {
            let expected = pair.naive.peek(user, pair.config.quota(tier), 0, now).decision;
            let found = (pair.built.peek)(User(user), tier);
            assert_eq!(
                (found.limit, found.remaining),
                (expected.limit, expected.remaining),
                "policy {index}, user {user} in {tier:?} after {step:?}"
            );
        }
        let counts = pair.built.counts.get();
        assert_eq!(counts, pair.counts, "policy {index} after {step:?}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn requests_match_a_model_of_the_documentation(
        configs in prop::collection::vec(configs(), 1..5),
        steps in steps(),
    ) {
        run(&configs, &steps);
    }
}
