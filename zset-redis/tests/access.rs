//! What a server shows and allows: hashed keys, the rights that a user needs, commands that are renamed.

#![cfg(all(unix, feature = "cluster"))]

mod servers;

use std::time::Duration;

use servers::{Cluster, Kind, PATIENCE, Server};
use zset_redis::blocking::{self, Connect, Pool};
use zset_redis::{LeasedWindow, OnFailure, Rule};
use zset_std::{Quota, Ties};

const SECRET: &[u8] = b"0123456789abcdef";

fn quota() -> Quota {
    Quota::new(3, Duration::from_secs(3600)).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Runtime::new().unwrap()
}

/// Returns all keys of a server.
fn keys(server: &Server) -> Vec<String> {
    let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut server.connection()).unwrap();
    keys.iter().map(|key| key.escape_ascii().to_string()).collect()
}

/// Takes a unit of the key `ann` with each limiter, and uses a board and a queue with the name `ann`.
fn use_each_blocking<M: Connect>(pool: &Pool<M>, secret: Option<&[u8]>) {
    fn take<M: Connect, L>(limiter: blocking::Keyed<M, L>, secret: Option<&[u8]>) {
        let limiter = match secret {
            Some(secret) => limiter.hashed_keys(secret),
            None => limiter,
        };
        let limiter = limiter.with_deadline(PATIENCE);
        assert_eq!(limiter.check("ann").unwrap().remaining, 2);
        assert_eq!(limiter.peek("bob", 0).unwrap().remaining, 3);
    }
    let new = || (pool.clone(), "a", quota(), OnFailure::Deny);
    let (p, name, quota, deny) = new();
    take(blocking::SlidingWindow::new(p, name, quota, deny).unwrap(), secret);
    let (p, name, quota, deny) = new();
    take(blocking::Funnel::new(p, name, quota, deny).unwrap(), secret);
    let (p, name, quota, deny) = new();
    take(blocking::FixedWindow::new(p, name, quota, deny).unwrap(), secret);
    let (p, name, quota, deny) = new();
    take(blocking::WindowCounter::new(p, name, quota, deny).unwrap(), secret);
    let rules = [Rule::sliding_window(quota).unwrap(), Rule::funnel(quota).unwrap()];
    let limits = blocking::Limits::all(pool.clone(), "limits", rules, OnFailure::Deny);
    take(limits.unwrap(), secret);

    let mut board = blocking::Leaderboard::new(pool.clone(), "ann").with_dense_standings();
    let mut queue = blocking::DelayQueue::new(pool.clone(), "ann");
    if let Some(secret) = secret {
        (board, queue) = (board.hashed_keys(secret), queue.hashed_keys(secret));
    }
    let (board, queue) = (board.with_deadline(PATIENCE), queue.with_deadline(PATIENCE));
    assert_eq!(board.submit("member", 1).unwrap().old, None);
    queue.push_with_id_after("job", "payload", Duration::ZERO).unwrap();
    assert_eq!(queue.wait_lease(PATIENCE).unwrap().payload, b"payload");
}

/// Uses what [`use_each_blocking`] left, over connections to be awaited, and a leased window.
async fn use_each_awaited<C>(connection: C, secret: &[u8])
where
    C: redis::aio::ConnectionLike + Clone + Send + Sync + 'static,
{
    async fn take<C, L: 'static>(limiter: zset_redis::Keyed<C, L>, secret: &[u8])
    where
        C: redis::aio::ConnectionLike + Clone + Send + Sync + 'static,
    {
        let limiter = limiter.hashed_keys(secret).with_deadline(PATIENCE);
        assert_eq!(limiter.check("ann").await.unwrap().remaining, 1);
        assert_eq!(limiter.refund("ann", 1).await.unwrap(), 1);
        assert_eq!(limiter.peek("bob", 0).await.unwrap().remaining, 3);
    }
    let new = || (connection.clone(), "a", quota(), OnFailure::Deny);
    let (c, name, quota, deny) = new();
    take(zset_redis::SlidingWindow::new(c, name, quota, deny).unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    take(zset_redis::Funnel::new(c, name, quota, deny).unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    take(zset_redis::FixedWindow::new(c, name, quota, deny).unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    take(zset_redis::WindowCounter::new(c, name, quota, deny).unwrap(), secret).await;
    let rules = [Rule::sliding_window(quota).unwrap(), Rule::funnel(quota).unwrap()];
    let limits = zset_redis::Limits::all(connection.clone(), "limits", rules, OnFailure::Deny);
    take(limits.unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    let leased = LeasedWindow::new(c, name, quota, deny).unwrap().hashed_keys(secret);
    assert!(leased.with_deadline(PATIENCE).check("ann").await.unwrap().is_allowed());

    let board = zset_redis::Leaderboard::new(connection.clone(), "ann").hashed_keys(secret);
    let board = board.with_deadline(PATIENCE);
    assert_eq!(board.standing("member", Ties::Dense).await.unwrap(), Some(1));
    let queue = zset_redis::DelayQueue::new(connection, "ann").hashed_keys(secret);
    assert_eq!(queue.with_deadline(PATIENCE).len().await.unwrap(), 1);
}

/// Fails if a key has anything of the caller's key, or bytes that are not printable.
#[track_caller]
fn are_hashed(keys: &[String]) {
    assert!(!keys.is_empty());
    for key in keys {
        assert!(!key.contains("ann") && !key.contains('\\'), "{key}");
        let (hash, _) = key.split_once('{').unwrap().1.split_once('}').unwrap();
        assert!(hash.len() == 32 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
    }
}

#[test]
fn with_hashed_keys_no_name_on_the_server_contains_the_key() {
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(server) = Server::start(kind) else { continue };
        use_each_blocking(&Pool::new(server.client()), Some(SECRET));
        runtime().block_on(async { use_each_awaited(server.multiplexed().await, SECRET).await });
        // Four limiters, two limits, the leased window, two keys of the board; the queue has no dead letters.
        assert_eq!(keys(&server).len(), 4 + 2 + 1 + 2 + 6, "{:?}", keys(&server));
        are_hashed(&keys(&server));
    }
}

#[test]
fn with_hashed_keys_all_keys_of_a_call_are_in_one_slot() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    use_each_blocking(&Pool::new(cluster.client()), Some(SECRET));
    runtime().block_on(async {
        use_each_awaited(cluster.client().get_async_connection().await.unwrap(), SECRET).await;
    });
    for node in &cluster.nodes {
        if !keys(node).is_empty() {
            are_hashed(&keys(node));
        }
    }
}

#[test]
fn states_of_different_secrets_are_separate() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let pool = Pool::new(server.client());
    // Each expects to be the first.
    for secret in
        [None, Some(SECRET), Some(b"0123456789abcdeg"), Some(b"0123456789abcdef0"), Some(b"")]
    {
        use_each_blocking(&pool, secret);
    }
}

#[test]
fn the_secret_is_not_in_debug_output() {
    let client = redis::Client::open("redis://127.0.0.1/").unwrap();
    let limiter = |pool: &Pool<_>| {
        blocking::Funnel::new(pool.clone(), "a", quota(), OnFailure::Deny).unwrap()
    };
    let pool = Pool::new(client);
    let secret = "a-secret-of-letters";
    let outputs = [
        format!("{:#?}", limiter(&pool).hashed_keys(secret)),
        format!("{:#?}", blocking::Leaderboard::new(pool.clone(), "a").hashed_keys(secret)),
        format!("{:#?}", blocking::DelayQueue::new(pool, "a").hashed_keys(secret)),
    ];
    for output in outputs {
        assert!(!output.contains(secret), "{output}");
    }
}

/// Returns the errors of a limiter with a binary key, one with a key of letters, a board and a queue.
fn blocking_errors(server: &Server) -> Vec<String> {
    let pool = Pool::new(server.client());
    let funnel = || {
        blocking::Funnel::new(pool.clone(), "a", quota(), OnFailure::Deny)
            .unwrap()
            .with_deadline(PATIENCE)
    };
    let long = "ä".repeat(100);
    let board = blocking::Leaderboard::new(pool.clone(), "b").with_deadline(PATIENCE);
    let queue = blocking::DelayQueue::new(pool.clone(), "q").with_deadline(PATIENCE);
    let errors = [
        funnel().check("ann").unwrap_err(),
        funnel().check(&[0xFF, 0, b'\r', b'\n']).unwrap_err(),
        funnel().refund(&long, 1).unwrap_err(),
        funnel().reset("ann").unwrap_err(),
        board.submit(&[0xFF], 1).unwrap_err(),
        board.standing("ann", Ties::Dense).unwrap_err(),
        queue.push_after(&[0xFF], Duration::ZERO).unwrap_err(),
        queue.wait_lease(PATIENCE).unwrap_err(),
    ];
    errors.iter().map(ToString::to_string).collect()
}

async fn awaited_errors(server: &Server) -> Vec<String> {
    let client = server.client();
    let funnel = async || {
        let connection = server.multiplexed().await;
        let funnel = zset_redis::Funnel::new(connection, "a", quota(), OnFailure::Deny);
        funnel.unwrap().with_deadline(PATIENCE)
    };
    let manager = client.get_connection_manager().await.unwrap();
    let managed = zset_redis::Funnel::new(manager.clone(), "a", quota(), OnFailure::Deny);
    let managed = managed.unwrap().with_deadline(PATIENCE);
    let queue = zset_redis::DelayQueue::new(manager, "q").with_deadline(PATIENCE);
    let leased = LeasedWindow::new(server.multiplexed().await, "l", quota(), OnFailure::Deny);
    let errors = [
        funnel().await.check("ann").await.unwrap_err(),
        funnel().await.check(&[0xFF, 0, b'\r', b'\n']).await.unwrap_err(),
        funnel().await.peek("ann", 1).await.unwrap_err(),
        managed.check("ann").await.unwrap_err(),
        managed.check("ann").await.unwrap_err(),
        managed.check("ann").await.unwrap_err(),
        queue.lease(PATIENCE).await.unwrap_err(),
        queue.waiter(client).wait_lease(PATIENCE).await.unwrap_err(),
        leased.unwrap().with_deadline(PATIENCE).check("ann").await.unwrap_err(),
    ];
    errors.iter().map(ToString::to_string).collect()
}

#[test]
fn an_error_names_the_command_that_was_renamed_or_disabled() {
    for kind in [Kind::Redis, Kind::Valkey] {
        for (command, to) in [("EVALSHA", ""), ("EVALSHA", "X"), ("EVAL", ""), ("EVAL", "X")] {
            let renamed = ["--rename-command", command, to];
            let Some(server) = Server::start_with(kind, &renamed) else { continue };
            let awaited = runtime().block_on(awaited_errors(&server));
            for error in blocking_errors(&server).iter().chain(&awaited) {
                assert!(error.contains(command), "{kind:?}, {command}: {error}");
                assert!(!error.contains("ann"), "{error}");
            }
        }
    }
}
