//! Tests of a limiter with a penalty: what it writes to the server, calls that share a script, and
//! a quota for each call. The target `equality` compares its decisions with those of zset-std.

use std::num::NonZeroU32;
use std::time::Duration;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use redis::Connection;
use zset_redis::Keyed;
use zset_redis::blocking::Pool;
use zset_std::limit::Block;
use zset_std::{Funnel, Keyed as KeyedInProcess, Limits, Penalty, Quota, SlidingWindow};

use crate::servers::{HOUR, Kind, Server, at_micros, keyed, numbers, per_hour};

fn after(denials: u32, time: Duration) -> Block {
    Block::after(NonZeroU32::new(denials).unwrap(), time)
}

fn window(server: &Server, block: Block) -> Keyed<Pool, Penalty<SlidingWindow>> {
    server.keyed("a", Penalty::new(SlidingWindow::new(per_hour(1)), block))
}

/// Returns the penalty of the key `ann`, and the milliseconds until it expires.
fn penalty(connection: &mut Connection, kind: &str) -> Option<(Vec<u64>, u64)> {
    let key = format!("a:{{ann}}:{kind}:penalty");
    let state: Option<Vec<u8>> = redis::cmd("GET").arg(&key).query(connection).unwrap();
    Some((numbers(&state?), redis::cmd("PTTL").arg(key).query(connection).unwrap()))
}

#[test]
fn denials_are_written_until_the_key_is_blocked() {
    for server in Server::of_each_kind() {
        let window = window(&server, after(2, HOUR).doubling_up_to(4 * HOUR));
        let mut connection = server.connection();
        let hours = |n: u64| n * HOUR.as_micros() as u64;

        assert!(window.check("ann").unwrap().is_allowed());
        assert!(!window.peek("ann").unwrap().is_allowed());
        assert_eq!(penalty(&mut connection, "sliding_window"), None, "nothing was denied");

        assert!(window.check("ann").unwrap().retry_after().unwrap() <= HOUR);
        let (state, expires) = penalty(&mut connection, "sliding_window").unwrap();
        assert_eq!(state[..2], [1, 0], "one denial");
        // The expiry time is rounded up to milliseconds.
        assert!(expires <= hours(1) / 1000 + 1);

        // An allowed check ends the series of denials, so the penalty is no longer stored.
        assert_eq!(window.refund("ann", 1).unwrap(), 1);
        assert!(window.check("ann").unwrap().is_allowed());
        assert_eq!(penalty(&mut connection, "sliding_window"), None);

        assert!(
            !window.check("ann").unwrap().is_allowed()
                && !window.check("ann").unwrap().is_allowed()
        );
        let (state, expires) = penalty(&mut connection, "sliding_window").unwrap();
        assert_eq!(state[..2], [0, hours(1)], "a block");
        assert_eq!(state[3], state[2] + hours(1), "it is forgotten as long after it ends");
        assert!(expires <= hours(2) / 1000 + 1 && expires > hours(1) / 1000);

        // During the block, other calls do not change the stored penalty.
        assert_eq!(window.refund("ann", 1).unwrap(), 1);
        let denied = window.check("ann").unwrap();
        assert!(!denied.is_allowed() && denied.remaining == 0 && denied.reset_after > HOUR / 2);
        assert!(
            window.over_limit("ann").unwrap() && window.check_n("ann", 0).unwrap().is_allowed()
        );
        assert_eq!(penalty(&mut connection, "sliding_window").unwrap().0, state);

        assert!(window.reset("ann").unwrap());
        assert_eq!(penalty(&mut connection, "sliding_window"), None);
        assert!(window.check("ann").unwrap().is_allowed(), "a reset ends the block");
    }
}

#[test]
fn penalties_of_one_name_with_different_algorithms_share_no_blocks() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let block = after(1, HOUR);
    let window = window(&server, block);
    let funnel = |limiter| server.keyed("a", Penalty::new(limiter, block));
    let quotas = [per_hour(1), per_hour(2)];
    let one = funnel(Limits::new([Funnel::new(quotas[0])]));
    let two = funnel(Limits::new(quotas.map(Funnel::new)));
    assert!(window.check("ann").unwrap().is_allowed());
    assert!(!window.check("ann").unwrap().is_allowed());
    assert_eq!(penalty(&mut server.connection(), "sliding_window").unwrap().0[0], 0, "a block");
    // Only the window is blocked, since the penalties of funnels have different keys.
    assert!(two.check("ann").unwrap().is_allowed());
    assert!(!one.check("ann").unwrap().is_allowed(), "the first funnel is the same");
    assert!(penalty(&mut server.connection(), "funnel").is_some());
    assert!(penalty(&mut server.connection(), "funnel+funnel").is_none());
    assert!(one.reset("ann").unwrap());
    assert!(penalty(&mut server.connection(), "funnel").is_none());
    assert!(!window.check("ann").unwrap().is_allowed(), "still blocked");
}

/// Both limiters make each call at the same given time.
#[test]
fn a_quota_for_each_call_and_a_penalty_decide_as_in_process() {
    for server in Server::of_each_kind() {
        let mut random = SmallRng::seed_from_u64(1);
        let quota = Quota::new(4, Duration::from_millis(4)).unwrap();
        let block = after(3, Duration::from_millis(5)).doubling_up_to(Duration::from_millis(30));
        let inside = Penalty::new(SlidingWindow::new(quota), block);
        let ours = server.keyed("a", inside);
        let theirs: KeyedInProcess<String, _> = KeyedInProcess::new(inside);
        let (mut micros, mut blocked) = (0, 0);
        for step in 0..2000 {
            micros +=
                if random.random_ratio(1, 50) { 20_000 } else { random.random_range(0..1000) };
            let now = at_micros(micros);
            let other = Quota::new(random.random_range(1..8), Duration::from_millis(2)).unwrap();
            let (n, key) = (random.random_range(0..4), "ann");
            let (ours, theirs) = (ours.at(now), theirs.at(now));
            let (ours, theirs) = match random.random_range(0..4) {
                0 => (ours.peek_with(key, other, n), theirs.peek_with(key, other, n)),
                1 => (ours.check_n(key, n), theirs.check_n(key, n)),
                _ => (ours.check_with(key, other, n), theirs.check_with(key, other, n)),
            };
            assert_eq!(ours.unwrap(), theirs, "step {step}");
            let wait = theirs.retry_after().unwrap_or_default();
            blocked += u32::from(wait > quota.period());
        }
        assert!(blocked > 50, "{blocked}");
    }
}

/// The calls of a script are decided one after the other: once the block has begun, further denials
/// do not count.
#[test]
fn calls_that_share_a_script_begin_one_block() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    // With one thread, all calls are made before the second one is sent, so all but the first share
    // a script.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let decisions = runtime.block_on(async {
        let block = after(4, 2 * HOUR).doubling_up_to(100 * HOUR);
        let funnel = Penalty::new(Funnel::new(per_hour(3)), block);
        let funnel = keyed(server.multiplexed().await, "a", funnel);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..50 {
            let funnel = funnel.clone();
            tasks.spawn(async move { funnel.check("ann").await.unwrap() });
        }
        tasks.join_all().await
    });
    assert_eq!(decisions.iter().filter(|decision| decision.is_allowed()).count(), 3);
    let (state, _) = penalty(&mut server.connection(), "funnel").unwrap();
    assert_eq!(state[..2], [0, 2 * HOUR.as_micros() as u64], "one block of two hours");
    for decision in decisions.iter().filter(|decision| !decision.is_allowed()) {
        assert!(decision.retry_after().unwrap() > HOUR, "{decision:?}");
    }
}
