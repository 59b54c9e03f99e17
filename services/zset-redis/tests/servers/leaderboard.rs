//! Boards compared with zset-std's: random steps have the same outcomes.

use crate::servers::{Cluster, Kind, PATIENCE, Server};
use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use redis::aio::ConnectionManagerConfig;
use zset_redis::blocking::{self, Connect, Pool};
use zset_redis::leaderboard::{Standing, Submission};
use zset_redis::{AsyncConnection, Leaderboard, LeaderboardError};
use zset_std::zset_core::{NanScore, Score};
use zset_std::{Best, Latest, PackedScore, Policy, Sum, Ties};

const ALL_TIES: [Ties; 3] = [Ties::Dense, Ties::Competition, Ties::Ordinal];

/// Bytes that are not valid UTF-8, and members that are prefixes of others.
const MEMBERS: [&[u8]; 9] = [b"", b"\0", b"a", b"a\xFF", b"aa", b"b", b"10", b"9", b"}{"];

/// Few enough for frequent ties.
const SCORES: [f64; 10] = [
    0.0,
    1.0,
    2.0,
    -1.0,
    0.1,
    1e300,
    9_007_199_254_740_991.0,
    -9_007_199_254_740_991.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

type Model<K> = zset_std::Leaderboard<Vec<u8>, Score, K>;

/// The error type of a model depends on its policy, so each has its own conversion.
trait Submit {
    fn submit_to(&mut self, member: &[u8], score: Score) -> Result<Submitted, NanScore>;
}

type Submitted = (Option<Score>, Option<Score>, Option<(Vec<u8>, Score)>);

fn parts(submission: zset_std::leaderboard::Submission<Vec<u8>, Score>) -> Submitted {
    (submission.old, submission.new, submission.dropped)
}

fn server_parts(submission: Submission) -> Submitted {
    (submission.old, submission.new, submission.dropped)
}

impl Submit for Model<Best> {
    fn submit_to(&mut self, member: &[u8], score: Score) -> Result<Submitted, NanScore> {
        Ok(parts(self.submit(member.to_vec(), score)))
    }
}

impl Submit for Model<Latest> {
    fn submit_to(&mut self, member: &[u8], score: Score) -> Result<Submitted, NanScore> {
        Ok(parts(self.submit(member.to_vec(), score)))
    }
}

impl Submit for Model<Sum> {
    fn submit_to(&mut self, member: &[u8], score: Score) -> Result<Submitted, NanScore> {
        Ok(parts(self.try_submit(member.to_vec(), score)?))
    }
}

fn lines<'a>(
    standings: impl Iterator<Item = zset_std::Standing<'a, Vec<u8>, Score>>,
) -> Vec<(u64, Vec<u8>, Score)> {
    standings.map(|line| (line.number as u64, line.member.clone(), *line.score)).collect()
}

fn server_lines(standings: Vec<Standing>) -> Vec<(u64, Vec<u8>, Score)> {
    standings.into_iter().map(|line| (line.number, line.member, line.score)).collect()
}

/// Applies one random step to both.
fn step<M: Connect, K: Policy<Score>>(
    random: &mut SmallRng,
    board: &blocking::Leaderboard<M>,
    model: &mut Model<K>,
) where
    Model<K>: Submit,
{
    let member = *MEMBERS.choose(random).unwrap();
    let score = Score::new(*SCORES.choose(random).unwrap()).unwrap();
    match random.random_range(0..100) {
        0..60 => {
            let submission = match board.submit(member, score) {
                Err(LeaderboardError::NanScore) => Err(NanScore),
                submission => Ok(server_parts(submission.unwrap())),
            };
            assert_eq!(submission, model.submit_to(member, score));
        }
        60..75 => {
            let submission = match board.increment(member, score) {
                Err(LeaderboardError::NanScore) => Err(NanScore),
                submission => Ok(server_parts(submission.unwrap())),
            };
            assert_eq!(submission, model.increment(member.to_vec(), score.get()).map(parts));
        }
        75..96 => assert_eq!(board.remove(member).unwrap(), model.remove(member)),
        96..99 => {
            let n = random.random_range(0..8);
            assert_eq!(board.trim_to(n).unwrap(), model.trim_to(n as usize) as u64);
        }
        _ => {
            board.clear().unwrap();
            model.clear();
        }
    }
}

/// Compares all results of the two.
fn compare<M: Connect, K>(
    random: &mut SmallRng,
    board: &blocking::Leaderboard<M>,
    model: &Model<K>,
) {
    let member = *MEMBERS.choose(random).unwrap();
    let score = Score::new(*SCORES.choose(random).unwrap()).unwrap();
    let (offset, n) = (random.random_range(0..10), random.random_range(0..10));
    let ties = *ALL_TIES.choose(random).unwrap();
    let (from, most) = (offset as usize, n as usize);

    assert_eq!(board.len().unwrap(), model.len() as u64);
    assert_eq!(board.score(member).unwrap(), model.score(member).copied());
    assert_eq!(board.count_at_least(score).unwrap(), model.count_at_least(&score) as u64);
    let standing = model.standing(member, ties).map(|number| number as u64);
    assert_eq!(board.standing(member, ties).unwrap(), standing, "{ties:?}");
    let rank = model.rank(member).map(|rank| rank as u64);
    assert_eq!(board.rank(member).unwrap(), rank);
    let page = lines(model.page(from, most).ties(ties));
    assert_eq!(server_lines(board.page(offset, n, ties).unwrap()), page, "{ties:?}");
    let around = model.around(member, most).map(|around| lines(around.ties(ties)));
    assert_eq!(board.around(member, n, ties).unwrap().map(server_lines), around, "{ties:?}");
    let all = lines(model.standings().ties(ties));
    assert_eq!(server_lines(board.top(u64::MAX, ties).unwrap()), all, "{ties:?}");
}

fn random_steps<M: Connect, K: Policy<Score>>(
    name: &str,
    new: impl Fn(&str) -> blocking::Leaderboard<M>,
    model: impl Fn() -> Model<K>,
) where
    Model<K>: Submit,
{
    for episode in 0..8u64 {
        let mut random = SmallRng::seed_from_u64(episode);
        let name = format!("{name} {episode}");
        let (mut board, mut model) = (new(&name).with_deadline(PATIENCE), model());
        if episode % 2 == 1 {
            let bound = random.random_range(0..8);
            board = board.with_max_len(bound);
            model = model.with_max_len(bound as usize);
        }
        for at in 0..150 {
            // Builds the index on a board that already has members.
            if at == 30 && episode % 4 >= 2 {
                board = board.with_dense_standings();
            }
            step(&mut random, &board, &mut model);
            compare(&mut random, &board, &model);
        }
    }
}

fn all_policies<M: Connect>(pool: &Pool<M>) {
    let pool = || pool.clone();
    random_steps("best", |name| blocking::Leaderboard::new(pool(), name), Model::new);
    let latest = |name: &str| blocking::Leaderboard::with_policy(pool(), name, Latest);
    random_steps("latest", latest, || Model::with_policy(Latest));
    let sum = |name: &str| blocking::Leaderboard::with_policy(pool(), name, Sum);
    random_steps("sum", sum, || Model::with_policy(Sum));
}

#[test]
fn random_steps_on_redis() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    all_policies(&Pool::new(server.client()));
}

#[test]
fn random_steps_on_valkey() {
    let Some(server) = Server::start(Kind::Valkey) else { return };
    all_policies(&Pool::new(server.client()));
}

async fn awaited<C: AsyncConnection>(connection: C) {
    let best = Leaderboard::new(connection.clone(), "awaited best");
    let board = best.with_max_len(3).with_deadline(PATIENCE);
    for (member, score) in [("ann", 9), ("bob", 7), ("cid", 7), ("dan", 8), ("bob", 3)] {
        board.submit(member, score).await.unwrap();
    }
    assert_eq!(board.score("bob").await.unwrap(), Some(Score::from(7)));
    assert_eq!(board.score("cid").await.unwrap(), None);
    assert_eq!(board.rank("bob").await.unwrap(), Some(2));
    assert_eq!(board.standing("eve", Ties::Dense).await.unwrap(), None);
    let members = |lines: Vec<Standing>| -> Vec<Vec<u8>> {
        lines.into_iter().map(|line| line.member).collect()
    };
    assert_eq!(members(board.page(1, 1, Ties::Dense).await.unwrap()), [b"dan"]);
    assert_eq!(board.around("eve", 1, Ties::Dense).await.unwrap(), None);
    assert_eq!(board.count_at_least(8).await.unwrap(), 2);
    assert_eq!(board.trim_to(1).await.unwrap(), 2);
    assert_eq!(board.len().await.unwrap(), 1);
    board.clear().await.unwrap();
    assert!(board.top(10, Ties::Dense).await.unwrap().is_empty());

    let board =
        Leaderboard::with_policy(connection.clone(), "awaited sum", Sum).with_deadline(PATIENCE);
    board.submit("ann", Score::INFINITY).await.unwrap();
    assert!(matches!(
        board.submit("ann", Score::NEG_INFINITY).await,
        Err(LeaderboardError::NanScore)
    ));
    assert_eq!(board.remove("ann").await.unwrap(), Some(Score::INFINITY));

    let medals = Leaderboard::with_policy(connection, "awaited latest", Latest);
    let medals = medals.with_dense_standings().with_deadline(PATIENCE);
    let layout = PackedScore::with_digits([3, 3, 3]).unwrap();
    for (team, won) in [("USA", [40, 44, 42]), ("CHN", [40, 27, 24]), ("JPN", [20, 12, 13])] {
        medals.submit(team, layout.pack(won).unwrap()).await.unwrap();
    }
    let top = medals.top(2, Ties::Ordinal).await.unwrap();
    assert_eq!(layout.unpack(top[1].score), Ok([40, 27, 24]));
    assert_eq!(members(top), [b"USA", b"CHN"]);
}

#[test]
fn awaited_over_each_kind_of_connection() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let Some(server) = Server::start(Kind::Redis) {
        runtime.block_on(async {
            let config = ConnectionManagerConfig::new().set_response_timeout(None);
            let client = server.client();
            awaited(client.get_connection_manager_with_config(config).await.unwrap()).await;
            server.ask("FLUSHALL");
            awaited(server.multiplexed().await).await;
        });
    }
    if let Some(cluster) = Cluster::start(Kind::Redis) {
        let pool = Pool::new(cluster.client());
        random_steps(
            "cluster",
            |name| blocking::Leaderboard::new(pool.clone(), name),
            Model::<Best>::new,
        );
        runtime.block_on(async {
            awaited(cluster.client().get_async_connection().await.unwrap()).await;
        });
    }
}

#[test]
fn an_index_survives_clients_without_the_setting() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let pool = Pool::new(server.client());
    let plain = blocking::Leaderboard::new(pool, "mixed").with_deadline(PATIENCE);
    let indexed = plain.clone().with_dense_standings();
    plain.submit("ann", 3).unwrap();
    assert_eq!(server.ask("EXISTS board:{mixed}:distinct"), "int(0)");
    indexed.submit("bob", 2).unwrap();
    plain.submit("cid", 1).unwrap();
    plain.submit("dan", 1).unwrap();
    plain.remove("bob").unwrap();
    assert_eq!(server.ask("ZCARD board:{mixed}:distinct"), "int(2)");
    assert_eq!(plain.standing("dan", Ties::Dense).unwrap(), Some(2));
}

#[test]
fn a_board_keeps_its_order_on_the_server() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let board = blocking::Leaderboard::new(Pool::new(server.client()), "weekly");
    let board = board.with_deadline(PATIENCE);
    for (member, score) in [("cid", 7.5), ("bob", 7.5), ("ann", -2.0)] {
        board.submit(member, Score::new(score).unwrap()).unwrap();
    }
    let range: Vec<String> = redis::cmd("ZRANGE")
        .arg(&["board:{weekly}:scores", "0", "-1", "WITHSCORES"])
        .query(&mut server.connection())
        .unwrap();
    assert_eq!(range, ["bob", "-7.5", "cid", "-7.5", "ann", "2"]);
}
