//! A slot moves to another node and back, key by key: `ASK`, `TRYAGAIN` and `MOVED`.

use std::time::Duration;

use crate::limiters::KEY;
use crate::servers::Kind;
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
