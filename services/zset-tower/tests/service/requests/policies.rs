//! Builds the policies of a stack from their descriptions.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use pollster::block_on;
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, Decision, FakeClock, FixedWindow, Funnel, Keyed, KeyedLimiter, Limiter, Penalty,
    SlidingWindow, WhenFull, WindowCounter,
};
use zset_tower::key::{Key, from_fn};
use zset_tower::{FailedLimiter, MissingKey, Policy, RequestHead};

use super::naive::{self, Algorithm, Decided, Naive, Nanos};
use crate::limiters_on_a_server::OnServer;
use crate::{Account, Counts, awaited, is_failure};

/// The tier of a request, in its extensions.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tier(pub(crate) usize);

/// The user of a request, in its extensions if it has one.
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
    QuotaByKey(Funnel),
}

/// Where the state of a limiter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Here,
    Server,
}

/// When the key of a request is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyIs {
    Ready,
    Awaited,
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
    pub(crate) key: KeyIs,
    pub(crate) by_response: bool,
    pub(crate) is_shadow: bool,
    pub(crate) denies_missing_key: bool,
}

/// A policy, and access to the state of its limiter.
pub(crate) struct Built {
    /// `None` once the layer has taken it.
    pub(crate) policy: Option<Policy>,
    pub(crate) peek: Box<dyn Fn(User, Tier) -> Decision>,
    pub(crate) counts: Arc<Counts>,
}

impl Config {
    /// Returns the quota of a request of this tier.
    pub(crate) fn quota(&self, Tier(tier): Tier) -> Funnel {
        match self.tiers {
            Tiers::QuotaByKey(quota) if tier == 1 => quota,
            _ => self.quota,
        }
    }

    /// Returns whether units that depend on the response are held instead of taken.
    pub(crate) fn holds(&self) -> bool {
        self.by_response && self.holder == Holder::Here && !self.is_shadow
    }

    /// Decides on a request as the policy alone would.
    pub(crate) fn decide(
        &self,
        naive: &mut Naive,
        user: u8,
        tier: Tier,
        cost: u32,
        now: Nanos,
    ) -> Decided {
        let quota = self.quota(tier);
        if self.holds() {
            naive.hold(user, quota, cost, now)
        } else {
            naive.check(user, quota, cost, now)
        }
    }

    /// Returns whether a decision is awaited.
    pub(crate) fn is_awaited(&self) -> bool {
        self.key == KeyIs::Awaited || self.holder == Holder::Server
    }

    pub(crate) fn applies(&self, Tier(tier): Tier) -> bool {
        !matches!(self.tiers, Tiers::When(only) if only != tier)
    }

    /// Builds the policy.
    pub(crate) fn build(&self, name: &str, clock: &FakeClock) -> Built {
        let block = self.block.map(|block| {
            let denials = NonZeroU32::new(block.denials).unwrap();
            let [shortest, longest] = [block.shortest, block.longest].map(Duration::from_nanos);
            Block::after(denials, shortest).doubling_up_to(longest)
        });
        let (funnel, quota) = (self.quota, self.quota.quota());
        let any: AnyLimiter = match self.algorithm {
            Algorithm::SlidingWindow => SlidingWindow::new(quota).into(),
            Algorithm::WindowCounter => WindowCounter::new(quota).into(),
            Algorithm::FixedWindow => FixedWindow::new(quota).into(),
            Algorithm::Funnel => funnel.into(),
        };
        match (block, self.algorithm) {
            (None, Algorithm::SlidingWindow) => self.over(name, clock, SlidingWindow::new(quota)),
            (None, Algorithm::WindowCounter) => self.over(name, clock, WindowCounter::new(quota)),
            (None, Algorithm::FixedWindow) => self.over(name, clock, FixedWindow::new(quota)),
            (None, Algorithm::Funnel) => self.over(name, clock, funnel),
            (Some(block), Algorithm::Funnel) => self.over(name, clock, Penalty::new(funnel, block)),
            (Some(block), _) => self.over(name, clock, Penalty::new(any, block)),
        }
    }

    fn over<L>(&self, name: &str, clock: &FakeClock, limiter: L) -> Built
    where
        L: Limiter,
        Keyed<Account<usize>, L, FakeClock>: KeyedLimiter<Account<usize>> + Send + Sync + 'static,
    {
        let counts = Arc::<Counts>::default();
        let mut keyed = Keyed::new(limiter).with_clock(clock.clone()).with_observer(counts.clone());
        if let Some((max_keys, when_full)) = self.bound {
            keyed = keyed.with_max_keys(max_keys, when_full);
        }
        let limiter: Shared = Arc::new(keyed);
        let policy = self.policy(name, Arc::clone(&limiter));
        let config = *self;
        let peek = move |User(user), Tier(tier)| {
            let account = Account { id: user.into(), plan: tier };
            match config.tiers {
                Tiers::QuotaByKey(_) => {
                    limiter.under(config.quota(Tier(tier))).unwrap().peek_n(&account, 0)
                }
                _ => limiter.peek_n(&account, 0),
            }
        };
        Built { policy: Some(policy), peek: Box::new(peek), counts }
    }

    fn policy(&self, name: &str, limiter: Shared) -> Policy {
        let account = |head: &RequestHead<'_>| {
            let (User(user), Tier(tier)) = (head.extensions.get()?, head.extensions.get()?);
            Some(Account { id: (*user).into(), plan: *tier })
        };
        let policy = if self.key == KeyIs::Awaited {
            self.policy_by(awaited(account), name, limiter)
        } else {
            self.policy_by(from_fn(account), name, limiter)
        };
        let cost = |head: &RequestHead<'_>| head.extensions.get::<Cost>().map_or(1, |it| it.0);
        let mut policy = policy.with_cost(cost);
        if let Tiers::When(only) = self.tiers {
            let is_it =
                move |head: &RequestHead<'_>| head.extensions.get::<Tier>().unwrap().0 == only;
            policy = policy.when(is_it);
        }
        if let Tiers::QuotaByKey(_) = self.tiers {
            let config = *self;
            let quota = move |account: &Account<usize>| config.quota(Tier(account.plan));
            policy = policy.with_quota_by(quota).unwrap();
        }
        if self.by_response {
            policy = policy.charge_if(is_failure);
        }
        if self.is_shadow {
            // In shadow mode, a policy calls its function only with decisions that must be awaited.
            policy = if self.is_awaited() { policy.shadow(block_on) } else { policy.shadow(drop) };
        }
        policy
    }

    fn policy_by(
        &self,
        key: impl Key<Key = Account<usize>>,
        name: &str,
        limiter: Shared,
    ) -> Policy {
        let missing = if self.denies_missing_key { MissingKey::deny() } else { MissingKey::Allow };
        let policy = if self.holder == Holder::Server {
            Policy::new_async(name, OnServer::of(limiter), key, missing, FailedLimiter::Deny)
        } else {
            Policy::new(name, limiter, key, missing)
        };
        policy.unwrap()
    }
}

type Shared = Arc<dyn KeyedLimiter<Account<usize>> + Send + Sync>;
