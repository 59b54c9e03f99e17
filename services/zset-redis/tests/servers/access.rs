//! What a server discloses and permits: hashed keys, the rights that a user needs, renamed
//! commands.

use std::num::NonZeroU32;
use std::time::Duration;

use crate::servers::{Cluster, Kind, PATIENCE, Server};
use redis::Client;
use redis::aio::MultiplexedConnection;
use zset_redis::blocking::{self, Connect, Pool};
use zset_redis::{DelayQueueError, Keyed, LeasedWindow, OnFailure, ServerLimiter};
use zset_std::limit::Block;
use zset_std::{
    AnyLimiter, FixedWindow, Funnel, Limits, Penalty, Quota, SlidingWindow, Sum, Ties, Timestamp,
    WindowCounter,
};

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

/// Takes a unit of the key `ann` with each limiter, and uses a board and a queue with the name
/// `ann`.
fn use_each_blocking<M: Connect>(pool: &Pool<M>, secret: Option<&[u8]>) {
    fn take<M: Connect, L: ServerLimiter>(
        limiter: zset_redis::Keyed<Pool<M>, L>,
        secret: Option<&[u8]>,
    ) {
        let limiter = match secret {
            Some(secret) => limiter.with_hashed_keys(secret),
            None => limiter,
        };
        let limiter = limiter.with_deadline(PATIENCE);
        assert_eq!(limiter.check("ann").unwrap().remaining, 2);
        assert_eq!(limiter.peek_n("bob", 0).unwrap().remaining, 3);
    }
    let new = || (pool.clone(), "a", quota(), OnFailure::Error);
    let (p, name, quota, deny) = new();
    take(Keyed::new(p, name, SlidingWindow::new(quota), deny).unwrap(), secret);
    let (p, name, quota, deny) = new();
    take(Keyed::new(p, name, Funnel::new(quota), deny).unwrap(), secret);
    let (p, name, quota, deny) = new();
    take(Keyed::new(p, name, FixedWindow::new(quota), deny).unwrap(), secret);
    let (p, name, quota, deny) = new();
    take(Keyed::new(p, name, WindowCounter::new(quota), deny).unwrap(), secret);
    let rules = [AnyLimiter::from(SlidingWindow::new(quota)), AnyLimiter::from(Funnel::new(quota))];
    let limits = Keyed::new(pool.clone(), "limits", Limits::new(rules), OnFailure::Error);
    take(limits.unwrap(), secret);

    let mut board = blocking::Leaderboard::new(pool.clone(), "ann").with_dense_standings();
    let mut queue = blocking::DelayQueue::new(pool.clone(), "ann");
    if let Some(secret) = secret {
        (board, queue) = (board.with_hashed_keys(secret), queue.with_hashed_keys(secret));
    }
    let (board, queue) = (board.with_deadline(PATIENCE), queue.with_deadline(PATIENCE));
    assert_eq!(board.submit("member", 1).unwrap().old, None);
    queue.push_with_id_after("job", "payload", Duration::ZERO).unwrap();
    assert_eq!(queue.wait_lease(PATIENCE).block().unwrap().payload, b"payload");
}

/// Uses the state left by [`use_each_blocking`] over asynchronous connections, and a leased window.
async fn use_each_awaited<C>(connection: C, secret: &[u8])
where
    C: zset_redis::AsyncConnection,
{
    async fn take<C, L: ServerLimiter>(limiter: zset_redis::Keyed<C, L>, secret: &[u8])
    where
        C: zset_redis::AsyncConnection,
    {
        let limiter = limiter.with_hashed_keys(secret).with_deadline(PATIENCE);
        assert_eq!(limiter.check("ann").await.unwrap().remaining, 1);
        assert_eq!(limiter.refund("ann", 1).await.unwrap(), 1);
        assert_eq!(limiter.peek_n("bob", 0).await.unwrap().remaining, 3);
    }
    let new = || (connection.clone(), "a", quota(), OnFailure::Error);
    let (c, name, quota, deny) = new();
    take(zset_redis::Keyed::new(c, name, SlidingWindow::new(quota), deny).unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    take(zset_redis::Keyed::new(c, name, Funnel::new(quota), deny).unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    take(zset_redis::Keyed::new(c, name, FixedWindow::new(quota), deny).unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    take(zset_redis::Keyed::new(c, name, WindowCounter::new(quota), deny).unwrap(), secret).await;
    let rules = [AnyLimiter::from(SlidingWindow::new(quota)), AnyLimiter::from(Funnel::new(quota))];
    let limits =
        zset_redis::Keyed::new(connection.clone(), "limits", Limits::new(rules), OnFailure::Error);
    take(limits.unwrap(), secret).await;
    let (c, name, quota, deny) = new();
    let leased = LeasedWindow::new(c, name, quota, deny).unwrap().with_hashed_keys(secret);
    assert!(leased.with_deadline(PATIENCE).check("ann").await.unwrap().is_allowed());

    let board = zset_redis::Leaderboard::new(connection.clone(), "ann").with_hashed_keys(secret);
    let board = board.with_deadline(PATIENCE);
    assert_eq!(board.standing("member", Ties::Dense).await.unwrap(), Some(1));
    let queue = zset_redis::DelayQueue::new(connection, "ann").with_hashed_keys(secret);
    assert_eq!(queue.with_deadline(PATIENCE).len().await.unwrap(), 1);
}

/// Fails if a key contains any part of the caller's key, or unprintable bytes.
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
        // Four keys of limiters, two of `Limits`, one of the leased window, two of the board, and
        // six of the queue: it has no dead letters.
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
    // Each expects to be the first user of its state.
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
        Keyed::new(pool.clone(), "a", Funnel::new(quota()), OnFailure::Error).unwrap()
    };
    let pool = Pool::new(client);
    let secret = "a-secret-of-letters";
    let outputs = [
        format!("{:#?}", limiter(&pool).with_hashed_keys(secret)),
        format!("{:#?}", blocking::Leaderboard::new(pool.clone(), "a").with_hashed_keys(secret)),
        format!("{:#?}", blocking::DelayQueue::new(pool, "a").with_hashed_keys(secret)),
    ];
    for output in outputs {
        assert!(!output.contains(secret), "{output}");
    }
}

/// Returns the errors of a limiter with a binary key, one with an alphabetic key, a board and a
/// queue.
fn blocking_errors(server: &Server) -> Vec<String> {
    let pool = Pool::new(server.client());
    let funnel = || {
        Keyed::new(pool.clone(), "a", Funnel::new(quota()), OnFailure::Error)
            .unwrap()
            .with_deadline(PATIENCE)
    };
    let long = "ä".repeat(100);
    let board = blocking::Leaderboard::new(pool.clone(), "b").with_deadline(PATIENCE);
    let queue = blocking::DelayQueue::new(pool.clone(), "q").with_deadline(PATIENCE);
    vec![
        funnel().check("ann").unwrap_err().to_string(),
        funnel().check(&[0xFF, 0, b'\r', b'\n']).unwrap_err().to_string(),
        funnel().refund(&long, 1).unwrap_err().to_string(),
        funnel().reset("ann").unwrap_err().to_string(),
        board.submit(&[0xFF], 1).unwrap_err().to_string(),
        board.standing("ann", Ties::Dense).unwrap_err().to_string(),
        queue.push_after(&[0xFF], Duration::ZERO).unwrap_err().to_string(),
        queue.wait_lease(PATIENCE).block().unwrap_err().to_string(),
    ]
}

async fn awaited_errors(server: &Server) -> Vec<String> {
    let client = server.client();
    let funnel = async || {
        let connection = server.multiplexed().await;
        let funnel =
            zset_redis::Keyed::new(connection, "a", Funnel::new(quota()), OnFailure::Error);
        funnel.unwrap().with_deadline(PATIENCE)
    };
    let manager = client.get_connection_manager().await.unwrap();
    let reconnecting =
        zset_redis::Keyed::new(manager.clone(), "a", Funnel::new(quota()), OnFailure::Error);
    let reconnecting = reconnecting.unwrap().with_deadline(PATIENCE);
    let queue = zset_redis::DelayQueue::new(manager, "q").with_deadline(PATIENCE);
    let leased = LeasedWindow::new(server.multiplexed().await, "l", quota(), OnFailure::Error);
    // Its connection is broken by an unreadable reply.
    let broken = funnel().await;
    vec![
        broken.check("ann").await.unwrap_err().to_string(),
        broken.check("ann").await.unwrap_err().to_string(),
        broken.clone().peek("ann").await.unwrap_err().to_string(),
        funnel().await.check("ann").await.unwrap_err().to_string(),
        funnel().await.check(&[0xFF, 0, b'\r', b'\n']).await.unwrap_err().to_string(),
        funnel().await.peek("ann").await.unwrap_err().to_string(),
        reconnecting.check("ann").await.unwrap_err().to_string(),
        reconnecting.check("ann").await.unwrap_err().to_string(),
        reconnecting.check("ann").await.unwrap_err().to_string(),
        queue.lease(PATIENCE).await.unwrap_err().to_string(),
        queue.waiter(client).wait_lease(PATIENCE).await.unwrap_err().to_string(),
        leased.unwrap().with_deadline(PATIENCE).check("ann").await.unwrap_err().to_string(),
    ]
}

#[test]
fn an_error_names_the_command_that_the_server_does_not_know() {
    for kind in [Kind::Redis, Kind::Valkey] {
        for (command, to) in [("EVALSHA", ""), ("EVALSHA", "X"), ("EVAL", ""), ("EVAL", "X")] {
            let renamed = ["--rename-command", command, to];
            let Some(server) = Server::start_with(kind, &renamed) else { continue };
            let awaited = runtime().block_on(awaited_errors(&server));
            for error in blocking_errors(&server).iter().chain(&awaited) {
                let cause = format!("unknown command '{command}'");
                assert!(error.contains(&cause), "{kind:?}, {command}: {error}");
                assert!(!error.contains("ann"), "{error}");
            }
        }
    }
}

/// Returns the rows of a table in the guide, each as its cells.
fn table(section: &str) -> Vec<Vec<&'static str>> {
    let guide = include_str!("../../src/lib.rs");
    let (_, rest) = guide.split_once(&format!("//! # {section}\n")).unwrap();
    let (section, _) = rest.split_once("//! # ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
    rows.skip(1).map(|row| row.split(" | ").map(|cell| cell.trim_matches('`')).collect()).collect()
}

/// The errors of calls.
#[derive(Default)]
struct Errors(Vec<String>);

impl Errors {
    fn of<T>(&mut self, result: Result<T, impl std::error::Error>) {
        self.0.extend(result.err().map(|error| error.to_string()));
    }
}

/// Calls each method of a limiter in such a way that its scripts run all their commands.
fn use_limiter<M: Connect, L: ServerLimiter>(
    limiter: zset_redis::Keyed<Pool<M>, L>,
    errors: &mut Errors,
) {
    let limiter = limiter.with_deadline(PATIENCE);
    let at = |seconds: u64| Timestamp::from_nanos(seconds * 1_000_000_000);
    for second in 1..=10 {
        errors.of(limiter.at(at(second)).check("ann"));
    }
    // By now the first units have left the window.
    errors.of(limiter.at(at(3602)).peek_n("ann", 5));
    errors.of(limiter.at(at(3602)).check_n("ann", 1));
    errors.of(limiter.at(at(3603)).record("ann", 2));
    errors.of(limiter.at(at(3603)).refund("ann", 1));
    errors.of(limiter.at(at(3603)).refund("ann", 20));
    errors.of(limiter.reset("ann"));
}

async fn use_leases(connection: MultiplexedConnection, errors: &mut Errors) {
    let period = Duration::from_millis(20);
    let quota = Quota::new(3, period).unwrap();
    let leases = LeasedWindow::new(connection, "a", quota, OnFailure::Error).unwrap();
    let leases = leases.with_deadline(PATIENCE);
    errors.of(leases.peek("ann").await);
    // By now a lease has left the window, and a later one has not.
    for _ in 0..20 {
        errors.of(leases.check("ann").await);
        if !errors.0.is_empty() {
            break;
        }
        tokio::time::sleep(period / 2).await;
    }
}

fn use_board(pool: Pool<Client>, errors: &mut Errors) {
    let board =
        blocking::Leaderboard::with_policy(pool, "a", Sum).with_max_len(3).with_deadline(PATIENCE);
    for member in ["ann", "bob", "cat", "ann"] {
        errors.of(board.submit(member, 1));
    }
    errors.of(board.clone().with_dense_standings().submit("dan", 2));
    errors.of(board.score("ann"));
    for ties in [Ties::Dense, Ties::Competition, Ties::Ordinal] {
        errors.of(board.standing("ann", ties));
        errors.of(board.top(2, ties));
        errors.of(board.around("ann", 1, ties));
    }
    errors.of(board.count_at_least(1));
    errors.of(board.len());
    errors.of(board.remove("ann"));
    errors.of(board.trim_to(1));
    errors.of(board.clear());
}

fn use_queue(pool: Pool<Client>, errors: &mut Errors) {
    let queue = blocking::DelayQueue::new(pool, "a").with_max_len(9).with_deadline(PATIENCE);
    let queue = queue.with_max_deliveries(NonZeroU32::MIN).with_max_dead_letters(1);
    errors.of(queue.push_after("payload", Duration::ZERO));
    for id in ["a", "b"] {
        errors.of(queue.push_with_id_after(id, id, Duration::ZERO));
        if let Ok(Some(lease)) = queue.lease(PATIENCE) {
            errors.of(queue.renew(&lease, PATIENCE));
            errors.of(queue.nack(&lease, PATIENCE));
        }
    }
    errors.of(queue
        .lease(PATIENCE)
        .and_then(|lease| lease.map_or(Ok(()), |lease| queue.ack(&lease))));
    errors.of(queue.dead_letters(2));
    errors.of(queue.requeue("a", PATIENCE));
    errors.of(queue.take_dead_letters(2));
    errors.of(queue.purge_dead_letters());
    errors.of(queue.get("a"));
    errors.of(queue.contains("a"));
    errors.of(queue.due("a"));
    errors.of(queue.reschedule_after("a", Duration::ZERO));
    errors.of(queue.cancel("a"));
    errors.of(queue.pop());
    errors.of(queue.stats());
    errors.of(queue.clear());
    match queue.wait_lease(PATIENCE).timeout(Duration::from_millis(1)).block() {
        Err(DelayQueueError::TimedOut) => {}
        lease => errors.of(lease),
    }
}

/// Uses the types in a row of the table, over connections of a user.
fn use_row(types: &str, client: &Client) -> Errors {
    let mut errors = Errors::default();
    let pool = Pool::new(client.clone());
    let quota = Quota::new(10, Duration::from_secs(3600)).unwrap();
    let new = || (pool.clone(), "a", quota, OnFailure::Error);
    let (p, name, quota, deny) = new();
    match types {
        "SlidingWindow" => {
            use_limiter(Keyed::new(p, name, SlidingWindow::new(quota), deny).unwrap(), &mut errors);
        }
        "Funnel`, `FixedWindow`, `WindowCounter" => {
            use_limiter(Keyed::new(p, name, Funnel::new(quota), deny).unwrap(), &mut errors);
            let (p, name, quota, deny) = new();
            use_limiter(Keyed::new(p, name, FixedWindow::new(quota), deny).unwrap(), &mut errors);
            let (p, name, quota, deny) = new();
            use_limiter(Keyed::new(p, name, WindowCounter::new(quota), deny).unwrap(), &mut errors);
        }
        "LeasedWindow" => runtime().block_on(async {
            let connection = client.get_multiplexed_async_connection().await.unwrap();
            use_leases(connection, &mut errors).await;
        }),
        "boards" => use_board(pool, &mut errors),
        "queues" => use_queue(pool, &mut errors),
        other => panic!("{other} is not tested"),
    }
    errors
}

/// Creates a user with only these rights, on a server without data and scripts.
fn user(server: &Server, rules: &[&str]) -> Client {
    for command in ["FLUSHALL", "SCRIPT FLUSH"] {
        server.ask(command);
    }
    server.ask(&format!("ACL SETUSER ann reset on >secret {}", rules.join(" ")));
    Client::open(server.url().replace("redis://", "redis://ann:secret@")).unwrap()
}

#[test]
fn a_user_needs_the_rights_in_the_guide_and_no_others() {
    for kind in [Kind::Redis, Kind::Valkey] {
        let Some(server) = Server::start(kind) else { continue };
        let rows = table("Rights");
        assert_eq!(rows.len(), 5);
        for row in rows {
            let [types, keys, commands] = row[..] else { panic!("{row:?}") };
            let keys = keys.replace("NAME", "a");
            let commands: Vec<_> =
                ["+eval", "+evalsha"].into_iter().chain(commands.split(' ')).collect();
            let allowed = |commands: &[&str]| user(&server, &[&[&keys[..]], commands].concat());

            let errors = use_row(types, &allowed(&commands)).0;
            assert!(errors.is_empty(), "{kind:?}, {types}: {errors:?}");
            for missing in &commands {
                let rest: Vec<_> = commands.iter().copied().filter(|it| it != missing).collect();
                let errors = use_row(types, &allowed(&rest)).0;
                let name = &missing[1..];
                let is_named = errors.iter().any(|error| {
                    let mut words = error.split(|byte: char| !byte.is_ascii_alphanumeric());
                    words.any(|word| word.eq_ignore_ascii_case(name))
                });
                assert!(is_named, "{kind:?}, {types} without {missing}: {errors:#?}");
            }
            let errors = use_row(types, &user(&server, &[&["~other:*"], &commands[..]].concat())).0;
            assert!(errors.iter().all(|error| error.contains("key")), "{errors:?}");
            assert!(!errors.is_empty());
        }
    }
}

#[test]
fn a_penalty_needs_the_rights_of_a_fixed_window_too() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let rows = table("Rights");
    let rights = |name| rows.iter().find(|row| row[0].contains(name)).unwrap()[2];
    let use_it = |rights: &[&str]| {
        let client = user(&server, &[&["~a:*", "+eval", "+evalsha"], rights].concat());
        let block = Block::after(NonZeroU32::new(9).unwrap(), Duration::from_secs(9));
        let window = Penalty::new(SlidingWindow::new(quota()), block);
        let window = Keyed::new(Pool::new(client), "a", window, OnFailure::Error);
        let window = window.unwrap().with_deadline(PATIENCE);
        for n in [3, 1, 1] {
            let _ = window.check_n("ann", n)?;
        }
        window.refund("ann", 1)?;
        let _ = window.check("ann")?;
        window.reset("ann")
    };
    use_it(&[rights("SlidingWindow"), rights("FixedWindow")]).unwrap();
    assert!(use_it(&[rights("SlidingWindow")]).unwrap_err().to_string().contains("GET"));
}

#[test]
fn connections_to_a_cluster_need_the_rights_in_the_guide() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    let rows = table("Rights");
    let row = rows.iter().find(|row| row[0].starts_with("Funnel")).unwrap();
    for node in &cluster.nodes {
        user(node, &["~a:*", "+eval", "+evalsha", row[2], "+cluster|slots"]);
    }
    let nodes =
        cluster.nodes.iter().map(|node| node.url().replace("redis://", "redis://ann:secret@"));
    let client = redis::cluster::ClusterClient::builder(nodes);
    let client = client.response_timeout(PATIENCE).connection_timeout(PATIENCE).build().unwrap();
    let funnel = Keyed::new(Pool::new(client.clone()), "a", Funnel::new(quota()), OnFailure::Error);
    let funnel = funnel.unwrap().with_deadline(PATIENCE);
    runtime().block_on(async {
        let connection = client.get_async_connection().await.unwrap();
        let awaited =
            zset_redis::Keyed::new(connection, "a", Funnel::new(quota()), OnFailure::Error);
        let awaited = awaited.unwrap().with_deadline(PATIENCE);
        // The keys of all nodes.
        for key in 0..30 {
            assert!(awaited.check(&key.to_string()).await.unwrap().is_allowed());
        }
    });
    for key in 0..30 {
        assert_eq!(funnel.check(&key.to_string()).unwrap().remaining, 1);
    }
}

#[test]
fn an_error_names_the_command_of_a_script_that_was_renamed() {
    for kind in [Kind::Redis, Kind::Valkey] {
        for (command, types) in [
            ("ZADD", &["SlidingWindow", "LeasedWindow", "boards", "queues"][..]),
            ("ZRANGEBYSCORE", &["SlidingWindow", "LeasedWindow", "boards"]),
            ("GET", &["Funnel`, `FixedWindow`, `WindowCounter"]),
            ("XADD", &["queues"]),
            ("XREAD", &["queues"]),
        ] {
            let renamed = ["--rename-command", command, "X"];
            let Some(server) = Server::start_with(kind, &renamed) else { continue };
            for types in types {
                let errors = use_row(types, &server.client()).0;
                let is_named = errors.iter().any(|error| error.contains(command));
                assert!(is_named, "{kind:?}, {types} without {command}: {errors:#?}");
                let has_trace = errors.iter().any(|error| error.contains("user_script"));
                assert!(!has_trace, "{kind:?}, {types} without {command}: {errors:#?}");
            }
        }
    }
}
