//! The policies of a stack, from their descriptions: one small adapter for each limiter.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::{Response, StatusCode};
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, AsyncKeyedLimiter, Clock, Decision, FakeClock, FixedWindow, Funnel, Keyed,
    KeyedLimiter, Limiter, Observer, Penalty, SingleQuota, SlidingWindow, Timestamp, WhenFull,
    WindowCounter,
};
use zset_tower::key::from_fn;
use zset_tower::{FailedLimiter, MissingKey, Policy, RequestHead};

use super::naive::{self, Algorithm};

/// The tier of a request, in its extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier(pub(crate) usize);

/// The user of a request, in its extensions unless it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User(pub(crate) u8);

/// The cost of a request, in its extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost(pub(crate) u32);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Tiers {
    /// All requests have one quota.
    One,
    /// The policy applies only to requests of this tier.
    When(usize),
    /// Requests of the second tier have another quota.
    QuotaPerCall(Funnel),
}

/// Where the state of a limiter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Here,
    Server,
}

/// A description of a policy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Config {
    pub(crate) algorithm: Algorithm,
    pub(crate) quota: Funnel,
    pub(crate) tiers: Tiers,
    pub(crate) block: Option<naive::Block>,
    pub(crate) bound: Option<(usize, WhenFull)>,
    pub(crate) holder: Holder,
    pub(crate) by_response: bool,
    pub(crate) is_shadow: bool,
    pub(crate) denies_missing_key: bool,
}

/// What an observer of a limiter has received.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) allowed: AtomicU32,
    pub(crate) denied: AtomicU32,
}

impl Observer for Counts {
    fn allowed(&self) {
        self.allowed.fetch_add(1, Ordering::Relaxed);
    }

    fn denied(&self) {
        self.denied.fetch_add(1, Ordering::Relaxed);
    }
}

/// A policy, and a look at its limiter.
pub(crate) struct Built {
    /// Taken by the layer.
    pub(crate) policy: Option<Policy>,
    pub(crate) peek: Box<dyn Fn(User, Tier) -> Decision>,
    pub(crate) counts: Arc<Counts>,
}

impl Config {
    /// Returns the quota of a request.
    pub(crate) fn quota(&self, Tier(tier): Tier) -> Funnel {
        match self.tiers {
            Tiers::QuotaPerCall(quota) if tier == 1 => quota,
            _ => self.quota,
        }
    }

    /// Returns whether units that depend on the response are held, and not taken.
    pub(crate) fn holds(&self) -> bool {
        // The limiter with a quota for each tier cannot hold units.
        self.by_response
            && self.holder == Holder::Here
            && !matches!(self.tiers, Tiers::QuotaPerCall(_))
    }

    pub(crate) fn applies(&self, Tier(tier): Tier) -> bool {
        !matches!(self.tiers, Tiers::When(only) if only != tier)
    }

    /// Returns the policy.
    pub(crate) fn build(&self, name: &str, clock: &FakeClock) -> Built {
        let block = self.block.map(|block| {
            let denials = NonZeroU32::new(block.denials).unwrap();
            let [shortest, longest] = [block.shortest, block.longest].map(Duration::from_nanos);
            Block::after(denials, shortest).doubling_up_to(longest)
        });
        let quota = self.quota;
        let any: AnyLimiter = match self.algorithm {
            Algorithm::SlidingWindow => SlidingWindow::new(quota.quota()).into(),
            Algorithm::WindowCounter => WindowCounter::new(quota.quota()).into(),
            Algorithm::FixedWindow => FixedWindow::new(quota.quota()).into(),
            Algorithm::Funnel => quota.into(),
        };
        match (self.tiers, block, self.algorithm) {
            (Tiers::QuotaPerCall(second), None, _) => self.tiered(name, clock, any, second),
            (Tiers::QuotaPerCall(second), Some(block), _) => {
                self.tiered(name, clock, Penalty::new(any, block), second)
            }
            (_, None, Algorithm::SlidingWindow) => {
                self.plain(name, clock, SlidingWindow::new(quota.quota()))
            }
            (_, None, Algorithm::WindowCounter) => {
                self.plain(name, clock, WindowCounter::new(quota.quota()))
            }
            (_, None, Algorithm::FixedWindow) => {
                self.plain(name, clock, FixedWindow::new(quota.quota()))
            }
            (_, None, Algorithm::Funnel) => self.plain(name, clock, quota),
            (_, Some(block), Algorithm::Funnel) => {
                self.plain(name, clock, Penalty::new(quota, block))
            }
            (_, Some(block), _) => self.plain(name, clock, Penalty::new(any, block)),
        }
    }

    fn plain<L>(&self, name: &str, clock: &FakeClock, limiter: L) -> Built
    where
        L: Limiter,
        Keyed<u8, L, FakeClock>: KeyedLimiter<u8> + Send + Sync + 'static,
    {
        let counts = Arc::<Counts>::default();
        let limiter: Shared<u8> = Arc::new(self.keyed(clock, limiter, counts.clone()));
        let key = |head: &RequestHead<'_>| Some(head.extensions.get::<User>()?.0);
        let policy = self.over(name, Arc::clone(&limiter), key);
        Built {
            policy: Some(policy),
            peek: Box::new(move |User(user), _| limiter.peek_n(&user, 0)),
            counts,
        }
    }

    fn tiered<L: Limiter>(&self, name: &str, clock: &FakeClock, limiter: L, second: Funnel) -> Built
    where
        Tiered<L>: KeyedLimiter<(u8, usize)> + Send + Sync + 'static,
    {
        let counts = Arc::<Counts>::default();
        let keyed = self.keyed(clock, limiter, counts.clone());
        let limiter = Tiered { keyed, quotas: [self.quota, second] };
        let limiter: Shared<(u8, usize)> = Arc::new(limiter);
        let key = |head: &RequestHead<'_>| {
            Some((head.extensions.get::<User>()?.0, head.extensions.get::<Tier>()?.0))
        };
        let policy = self.over(name, Arc::clone(&limiter), key);
        let peek = move |User(user), Tier(tier)| limiter.peek_n(&(user, tier), 0);
        Built { policy: Some(policy), peek: Box::new(peek), counts }
    }

    fn keyed<L: Limiter>(
        &self,
        clock: &FakeClock,
        limiter: L,
        counts: Arc<Counts>,
    ) -> Keyed<u8, L, FakeClock> {
        let keyed = Keyed::new(limiter).with_clock(clock.clone()).with_observer(counts);
        match self.bound {
            Some((max_keys, when_full)) => keyed.with_max_keys(max_keys, when_full),
            None => keyed,
        }
    }

    fn over<K: Clone + Eq + std::hash::Hash + Send + Sync + 'static>(
        &self,
        name: &str,
        limiter: Shared<K>,
        key: impl Fn(&RequestHead<'_>) -> Option<K> + Send + Sync + 'static,
    ) -> Policy {
        let key = from_fn(key);
        let missing = if self.denies_missing_key { MissingKey::deny() } else { MissingKey::Allow };
        let policy = if self.holder == Holder::Server {
            Policy::new_async(name, OnServer(limiter), key, missing, FailedLimiter::Deny)
        } else {
            Policy::new(name, limiter, key, missing)
        };
        let cost = |head: &RequestHead<'_>| head.extensions.get::<Cost>().map_or(1, |it| it.0);
        let mut policy = policy.unwrap().with_cost(cost);
        if let Tiers::When(only) = self.tiers {
            let is_it =
                move |head: &RequestHead<'_>| head.extensions.get::<Tier>().unwrap().0 == only;
            policy = policy.when(is_it);
        }
        if self.by_response {
            policy = policy
                .charge_if(|response: &Response<()>| response.status() == StatusCode::NOT_FOUND);
        }
        if self.is_shadow {
            policy = policy.shadow(pollster::block_on);
        }
        policy
    }
}

type Shared<K> = Arc<dyn KeyedLimiter<K> + Send + Sync>;

/// A limiter whose calls are awaited.
struct OnServer<K>(Shared<K>);

/// Is ready at the second poll.
async fn reply() {
    let mut is_polled = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut is_polled, true) {
            return std::task::Poll::Ready(());
        }
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}

impl<K: Sync> AsyncKeyedLimiter<K> for OnServer<K> {
    type Error = std::convert::Infallible;

    async fn check_n(&self, key: &K, n: u32) -> Result<Decision, Self::Error> {
        reply().await;
        Ok(self.0.check_n(key, n))
    }

    async fn peek_n(&self, key: &K, n: u32) -> Result<Decision, Self::Error> {
        reply().await;
        Ok(self.0.peek_n(key, n))
    }

    async fn refund(&self, key: &K, n: u32) -> Result<u32, Self::Error> {
        reply().await;
        Ok(self.0.refund(key, n))
    }
}

/// A limiter with a quota for each tier; its keys are users with their tiers.
struct Tiered<L: Limiter> {
    keyed: Keyed<u8, L, FakeClock>,
    quotas: [Funnel; 2],
}

macro_rules! tiered {
    ($($limiter:ty),*) => {$(
        impl KeyedLimiter<(u8, usize)> for Tiered<$limiter> {
            fn now(&self) -> Timestamp {
                Clock::now(self.keyed.clock())
            }

            fn decide(&self, (user, tier): &(u8, usize), n: u32, now: Timestamp) -> Decision {
                self.keyed.at(now).check_with(user, self.quotas[*tier], n)
            }

            fn preview(&self, (user, tier): &(u8, usize), n: u32, now: Timestamp) -> Decision {
                self.keyed.at(now).peek_with(user, self.quotas[*tier], n)
            }

            fn refund(&self, (user, _): &(u8, usize), n: u32) -> u32 {
                self.keyed.refund(user, n)
            }

            fn reset(&self, (user, _): &(u8, usize)) -> bool {
                self.keyed.reset(user)
            }
        }
    )*};
}

tiered!(AnyLimiter, Penalty<AnyLimiter>);
