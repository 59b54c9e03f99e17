//! Moves a slot to another node and back, key by key, so that nodes reply `ASK`, `TRYAGAIN` and
//! `MOVED`.

use std::thread;
use std::time::Duration;

use zset_redis::blocking::Pool;
use zset_redis::{Failure, LimiterError};
use zset_std::Limits;

use crate::limiters::{DEADLINE, KEY, cluster_client, lasting_funnel};
use crate::servers::{Cluster, Kind, keyed};
use crate::under_load::each_cluster;

/// Returns the slot of the key, its owner, and another node.
fn locate(cluster: &Cluster) -> (u16, usize, usize) {
    let slot = cluster.slot(KEY);
    let owner = cluster.owner(slot);
    (slot, owner, (owner + 1) % cluster.nodes.len())
}

#[test]
fn a_slot_moves_to_another_node_and_back() {
    let migrate = |cluster: &mut Cluster| {
        let (slot, owner, other) = locate(cluster);
        cluster.migrate(slot, owner, other, Duration::from_millis(20));
        cluster.migrate(slot, other, owner, Duration::from_millis(100));
    };
    each_cluster(migrate, drop);
}

/// Makes many calls to a key that has moved ahead of its slot.
#[test]
fn calls_over_a_pool_follow_redirections() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let pool = Pool::new(cluster_client(&cluster));
    let funnel = keyed(pool, "redirected", lasting_funnel());
    assert!(funnel.check(KEY).unwrap().is_allowed());
    let (slot, owner, other) = locate(&cluster);
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

#[test]
fn new_keys_of_several_limits_wait_for_the_end() {
    for cluster in Kind::each().filter_map(Cluster::start) {
        let pool = Pool::new(cluster_client(&cluster));
        let one = |name| keyed(pool.clone(), name, lasting_funnel()).check(KEY);
        let two = Limits::new([lasting_funnel(), lasting_funnel()]);
        let two = keyed(pool.clone(), "two", two).with_deadline(DEADLINE);

        assert!(one("before").unwrap().is_allowed());
        let (slot, owner, other) = locate(&cluster);
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
}
