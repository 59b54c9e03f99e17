//! Tests what a server discloses and permits: hashed keys, the rights that a user needs, and
//! renamed commands.

use std::error::Error;
use std::num::NonZeroU32;
use std::time::Duration;

use redis::Client;
use zset_redis::blocking::{self, Connect, Pool};
use zset_redis::{AsyncConnection, DelayQueue, Keyed, Leaderboard, ServerLimiter};
use zset_std::limit::Block;
use zset_std::{AnyLimiter, Funnel, Limits, Penalty, Quota, SlidingWindow, Sum, Ties};

use crate::queues::use_queue;
use crate::servers::{
    Cluster, Kind, NAMES, PATIENCE, Server, algorithms, at_seconds, block_on, keyed, leased,
    manager, per_hour,
};

const SECRET: &[u8] = b"0123456789abcdef";

fn funnel() -> Funnel {
    Funnel::new(per_hour(3))
}

/// Returns each algorithm alone, and two of them together, with their names.
fn limiters() -> impl Iterator<Item = (&'static str, Limits<AnyLimiter>)> {
    let all = algorithms(per_hour(3));
    let both = Limits::new([all[0], all[1]]);
    NAMES.into_iter().zip(all.map(|limiter| Limits::new([limiter]))).chain([("limits", both)])
}

/// Returns all keys of a server.
fn keys(server: &Server) -> Vec<String> {
    let keys: Vec<Vec<u8>> = redis::cmd("KEYS").arg("*").query(&mut server.connection()).unwrap();
    keys.iter().map(|key| key.escape_ascii().to_string()).collect()
}

/// Takes a unit of the key `ann` with each limiter, and uses a board and a queue with the name
/// `ann`.
fn use_each_blocking<M: Connect>(pool: &Pool<M>, secret: Option<&[u8]>) {
    for (name, limiter) in limiters() {
        let mut limiter = keyed(pool.clone(), name, limiter);
        if let Some(secret) = secret {
            limiter = limiter.with_hashed_keys(secret);
        }
        assert_eq!(limiter.check("ann").unwrap().remaining, 2, "{name}");
        assert_eq!(limiter.peek_n("bob", 0).unwrap().remaining, 3, "{name}");
    }
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
async fn use_each_awaited<C: AsyncConnection>(connection: C, secret: &[u8]) {
    for (name, limiter) in limiters() {
        let limiter = keyed(connection.clone(), name, limiter).with_hashed_keys(secret);
        assert_eq!(limiter.check("ann").await.unwrap().remaining, 1, "{name}");
        assert_eq!(limiter.refund("ann", 1).await.unwrap(), 1, "{name}");
        assert_eq!(limiter.peek_n("bob", 0).await.unwrap().remaining, 3, "{name}");
    }
    let leased = leased(connection.clone(), "leased", per_hour(3)).with_hashed_keys(secret);
    assert!(leased.check("ann").await.unwrap().is_allowed());

    let board = Leaderboard::new(connection.clone(), "ann").with_hashed_keys(secret);
    let board = board.with_deadline(PATIENCE);
    assert_eq!(board.standing("member", Ties::Dense).await.unwrap(), Some(1));
    let queue = DelayQueue::new(connection, "ann").with_hashed_keys(secret);
    assert_eq!(queue.with_deadline(PATIENCE).len().await.unwrap(), 1);
}

/// Fails if a key contains the caller's key, or unprintable bytes.
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
    for server in Server::of_each_kind() {
        use_each_blocking(&server.pool(), Some(SECRET));
        block_on(async { use_each_awaited(server.multiplexed().await, SECRET).await });
        // There are four keys of limiters, two of `Limits`, one of the leased window, two of the
        // board, and six of the queue, which has no dead letters.
        assert_eq!(keys(&server).len(), 4 + 2 + 1 + 2 + 6, "{:?}", keys(&server));
        are_hashed(&keys(&server));
    }
}

#[test]
fn with_hashed_keys_all_keys_of_a_call_are_in_one_slot() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    use_each_blocking(&cluster.pool(), Some(SECRET));
    block_on(async { use_each_awaited(cluster.connect().await, SECRET).await });
    for node in &cluster.nodes {
        if !keys(node).is_empty() {
            are_hashed(&keys(node));
        }
    }
}

#[test]
fn states_of_different_secrets_are_separate() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let others: [&[u8]; 3] = [b"0123456789abcdeg", b"0123456789abcdef0", b""];
    // Each round expects an empty state.
    for secret in [None, Some(SECRET)].into_iter().chain(others.map(Some)) {
        use_each_blocking(&server.pool(), secret);
    }
}

#[test]
fn the_secret_is_not_in_debug_output() {
    let pool = Pool::new(Client::open("redis://127.0.0.1/").unwrap());
    let secret = "a-secret-of-letters";
    for output in [
        format!("{:#?}", keyed(pool.clone(), "a", funnel()).with_hashed_keys(secret)),
        format!("{:#?}", blocking::Leaderboard::new(pool.clone(), "a").with_hashed_keys(secret)),
        format!("{:#?}", blocking::DelayQueue::new(pool, "a").with_hashed_keys(secret)),
    ] {
        assert!(!output.contains(secret), "{output}");
    }
}

/// Returns the message of a call's error.
#[track_caller]
fn error<T: std::fmt::Debug>(result: Result<T, impl Error>) -> String {
    result.unwrap_err().to_string()
}

/// Returns the errors of a limiter with textual and binary keys, of a board and of a queue.
fn blocking_errors(server: &Server) -> Vec<String> {
    let (funnel, board, queue) =
        (server.keyed("a", funnel()), server.board("b"), server.queue("q"));
    vec![
        error(funnel.check("ann")),
        error(funnel.check(&[0xFF, 0, b'\r', b'\n'])),
        error(funnel.refund(&"ä".repeat(100), 1)),
        error(funnel.reset("ann")),
        error(board.submit(&[0xFF], 1)),
        error(board.standing("ann", Ties::Dense)),
        error(queue.push_after(&[0xFF], Duration::ZERO)),
        error(queue.wait_lease(PATIENCE).block()),
    ]
}

async fn awaited_errors(server: &Server) -> Vec<String> {
    let new = async || keyed(server.multiplexed().await, "a", funnel());
    let manager = manager(&server.client()).await;
    let reconnecting = keyed(manager.clone(), "a", funnel());
    let queue = DelayQueue::new(manager, "q").with_deadline(PATIENCE);
    // An unreadable reply breaks the connection of this limiter.
    let broken = new().await;
    vec![
        error(broken.check("ann").await),
        error(broken.check("ann").await),
        error(broken.clone().peek("ann").await),
        error(new().await.check("ann").await),
        error(new().await.check(&[0xFF, 0, b'\r', b'\n']).await),
        error(new().await.peek("ann").await),
        error(reconnecting.check("ann").await),
        error(reconnecting.check("ann").await),
        error(reconnecting.check("ann").await),
        error(queue.lease(PATIENCE).await),
        error(queue.waiter(server.client()).wait_lease(PATIENCE).await),
        error(leased(server.multiplexed().await, "l", per_hour(3)).check("ann").await),
    ]
}

#[test]
fn an_error_names_the_command_that_the_server_does_not_know() {
    for kind in Kind::each() {
        for (command, to) in [("EVALSHA", ""), ("EVALSHA", "X"), ("EVAL", ""), ("EVAL", "X")] {
            let renamed = ["--rename-command", command, to];
            let Some(server) = Server::start_with(kind, &renamed) else { continue };
            let awaited = block_on(awaited_errors(&server));
            for error in blocking_errors(&server).iter().chain(&awaited) {
                let cause = format!("unknown command '{command}'");
                assert!(error.contains(&cause), "{kind:?}, {command}: {error}");
                assert!(!error.contains("ann"), "{error}");
            }
        }
    }
}

/// Returns the rows of the table in the guide, each as its cells.
fn rights() -> Vec<Vec<&'static str>> {
    let (_, rest) = include_str!("../../src/lib.rs").split_once("//! # Rights\n").unwrap();
    let (section, _) = rest.split_once("//! # ").unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix(" |"));
    rows.skip(1).map(|row| row.split(" | ").map(|cell| cell.trim_matches('`')).collect()).collect()
}

/// Collects the errors of calls.
#[derive(Default)]
struct Errors(Vec<String>);

impl Errors {
    fn of<T>(&mut self, result: Result<T, impl Error>) {
        self.0.extend(result.err().map(|error| error.to_string()));
    }
}

/// Calls a limiter in such a way that its scripts run all their commands.
fn use_limiter(limiter: &Keyed<Pool, impl ServerLimiter + Clone>, errors: &mut Errors) {
    for second in 1..=10 {
        errors.of(limiter.at(at_seconds(second)).check("ann"));
    }
    // By now the first units have left the window.
    errors.of(limiter.at(at_seconds(3602)).peek_n("ann", 5));
    errors.of(limiter.at(at_seconds(3602)).check_n("ann", 1));
    errors.of(limiter.at(at_seconds(3603)).record("ann", 2));
    errors.of(limiter.at(at_seconds(3603)).refund("ann", 1));
    errors.of(limiter.at(at_seconds(3603)).refund("ann", 20));
    errors.of(limiter.reset("ann"));
}

async fn use_leases(client: &Client, errors: &mut Errors) {
    let period = Duration::from_millis(20);
    let connection = client.get_multiplexed_async_connection().await.unwrap();
    let leases = leased(connection, "a", Quota::new(3, period).unwrap());
    errors.of(leases.peek("ann").await);
    // In some of these rounds, an early lease has left the window and a later one has not.
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

/// Uses the types in a row of the table, over connections of a user.
fn use_row(types: &str, client: &Client) -> Errors {
    let mut errors = Errors::default();
    let pool = Pool::new(client.clone());
    let [window, others @ ..] = algorithms(per_hour(10));
    match types {
        "SlidingWindow" => use_limiter(&keyed(pool, "a", window), &mut errors),
        "Funnel`, `FixedWindow`, `WindowCounter" => {
            for limiter in others {
                use_limiter(&keyed(pool.clone(), "a", limiter), &mut errors);
            }
        }
        "LeasedWindow" => block_on(use_leases(client, &mut errors)),
        "boards" => use_board(pool, &mut errors),
        "queues" => {
            let queue = blocking::DelayQueue::new(pool, "a").with_deadline(PATIENCE);
            let queue = queue.with_max_len(9).with_max_deliveries(NonZeroU32::MIN);
            let failed = use_queue(&queue.with_max_dead_letters(1));
            errors.0.extend(failed.iter().map(ToString::to_string));
        }
        other => panic!("{other} is not tested"),
    }
    errors
}

/// Removes all data and scripts from a server, and creates a user with only these rights.
fn user(server: &Server, rules: &[&str]) -> Client {
    for command in ["FLUSHALL", "SCRIPT FLUSH"] {
        server.ask(command);
    }
    server.ask(&format!("ACL SETUSER ann reset on >secret {}", rules.join(" ")));
    Client::open(server.url().replace("redis://", "redis://ann:secret@")).unwrap()
}

#[test]
fn a_user_needs_the_rights_in_the_guide_and_no_others() {
    for server in Server::of_each_kind() {
        let (kind, rows) = (server.kind, rights());
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
    let rows = rights();
    let rights = |name| rows.iter().find(|row| row[0].contains(name)).unwrap()[2];
    let use_it = |rights: &[&str]| {
        let client = user(&server, &[&["~a:*", "+eval", "+evalsha"], rights].concat());
        let block = Block::after(NonZeroU32::new(9).unwrap(), Duration::from_secs(9));
        let window = Penalty::new(SlidingWindow::new(per_hour(3)), block);
        let window = keyed(Pool::new(client), "a", window);
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
    let rows = rights();
    let row = rows.iter().find(|row| row[0].starts_with("Funnel")).unwrap();
    for node in &cluster.nodes {
        user(node, &["~a:*", "+eval", "+evalsha", row[2], "+cluster|slots"]);
    }
    let nodes =
        cluster.nodes.iter().map(|node| node.url().replace("redis://", "redis://ann:secret@"));
    let client = redis::cluster::ClusterClient::builder(nodes);
    let client = client.response_timeout(PATIENCE).connection_timeout(PATIENCE).build().unwrap();
    let blocking = keyed(Pool::new(client.clone()), "a", funnel());
    block_on(async {
        let awaited = keyed(client.get_async_connection().await.unwrap(), "a", funnel());
        // Thirty keys are spread over all nodes.
        for key in (0..30).map(|key| key.to_string()) {
            assert!(awaited.check(&key).await.unwrap().is_allowed());
            assert_eq!(blocking.check(&key).unwrap().remaining, 1);
        }
    });
}

#[test]
fn an_error_names_the_command_of_a_script_that_was_renamed() {
    for kind in Kind::each() {
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
