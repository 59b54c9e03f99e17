//! A slot moves to another node and back, key by key: `ASK`, `TRYAGAIN` and `MOVED`.

use std::thread;
use std::time::Duration;

use zset_redis::blocking::Pool;
use zset_redis::{Failure, Keyed, LimiterError, OnFailure};
use zset_std::{AnyLimiter, Funnel, Limits};

use crate::limiters::{DEADLINE, KEY, cluster_client, lasting_quota};
use crate::servers::{Cluster, Kind};
use crate::under_load::cluster;

fn migrate(kind: Kind) {
    cluster(kind, |cluster| {
        let slot = cluster.slot(KEY);
        let owner = cluster.owner(slot);
        let other = (owner + 1) % cluster.nodes.len();
        cluster.migrate(slot, owner, other, Duration::from_millis(20));
        cluster.migrate(slot, other, owner, Duration::from_millis(100));
    });
}

#[test]
fn redis() {
    migrate(Kind::Redis);
}

#[test]
fn valkey() {
    migrate(Kind::Valkey);
}

/// Many calls to a key that has moved ahead of its slot.
#[test]
fn calls_over_a_pool_follow_redirections() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let pool = Pool::new(cluster_client(&cluster));
    let funnel =
        Keyed::new(pool, "redirected", Funnel::new(lasting_quota()), OnFailure::Error).unwrap();
    let funnel = funnel.with_deadline(Duration::from_secs(10));
    assert!(funnel.check(KEY).unwrap().is_allowed());
    let slot = cluster.slot(KEY);
    let owner = cluster.owner(slot);
    let other = (owner + 1) % cluster.nodes.len();
    cluster.start_migration(slot, owner, other);
    cluster.move_keys(slot, owner, other, Duration::ZERO);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..50).for_each(|_| assert!(funnel.check(KEY).is_ok())));
        }
    });
    cluster.finish_migration(slot, owner, other);
    assert!(funnel.check(KEY).is_ok());
}

fn check_new_keys(kind: Kind) {
    let Some(cluster) = Cluster::start(kind) else { return };
    let pool = Pool::new(cluster_client(&cluster));
    let one = |name| {
        let funnel =
            Keyed::new(pool.clone(), name, Funnel::new(lasting_quota()), OnFailure::Error).unwrap();
        funnel.with_deadline(DEADLINE).check(KEY)
    };
    let rule = AnyLimiter::from(Funnel::new(lasting_quota()));
    let two = Keyed::new(pool.clone(), "two", Limits::new([rule, rule]), OnFailure::Error).unwrap();
    let two = two.with_deadline(DEADLINE);

    assert!(one("before").unwrap().is_allowed());
    let slot = cluster.slot(KEY);
    let owner = cluster.owner(slot);
    let other = (owner + 1) % cluster.nodes.len();
    cluster.start_migration(slot, owner, other);
    assert!(one("before").unwrap().is_allowed());
    assert!(one("during").unwrap().is_allowed());
    let result = two.check(KEY);
    assert!(matches!(result, Err(LimiterError::Failure(Failure::Timeout))), "{result:?}");
    cluster.move_keys(slot, owner, other, Duration::ZERO);
    cluster.finish_migration(slot, owner, other);
    assert!(one("before").unwrap().is_allowed());
    assert!(two.check(KEY).unwrap().is_allowed());
}

#[test]
fn new_keys_of_several_limits_wait_for_the_end_with_redis() {
    check_new_keys(Kind::Redis);
}

#[test]
fn new_keys_of_several_limits_wait_for_the_end_with_valkey() {
    check_new_keys(Kind::Valkey);
}
