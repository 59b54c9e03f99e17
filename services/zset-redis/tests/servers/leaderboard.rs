//! Tests that random steps have the same outcomes on a board of zset-redis and on a board of
//! zset-std.

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use zset_redis::blocking::{self, Connect, Pool};
use zset_redis::leaderboard::{ServerPolicy, Standing, Submission};
use zset_redis::{AsyncConnection, Leaderboard, LeaderboardError};
use zset_std::zset_core::Score;
use zset_std::{Best, Latest, PackedScore, Policy, Sum, Ties};

use crate::servers::{Cluster, Kind, PATIENCE, Server};

const ALL_TIES: [Ties; 3] = [Ties::Dense, Ties::Competition, Ties::Ordinal];

/// The members include bytes that are not valid UTF-8, and prefixes of others.
const MEMBERS: [&[u8]; 9] = [b"", b"\0", b"a", b"a\xFF", b"aa", b"b", b"10", b"9", b"}{"];

/// There are few scores, so ties are frequent.
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

type Submitted = (Option<Score>, Option<Score>, Option<(Vec<u8>, Score)>);

fn parts(submission: zset_std::leaderboard::Submission<Vec<u8>, Score>) -> Submitted {
    (submission.old, submission.new, submission.dropped)
}

/// Returns the parts of a submission, or `None` if the sum is not a number.
fn server_parts(submission: Result<Submission, LeaderboardError>) -> Option<Submitted> {
    if matches!(submission, Err(LeaderboardError::NanScore)) {
        return None;
    }
    let submission = submission.unwrap();
    Some((submission.old, submission.new, submission.dropped))
}

fn lines<'a>(
    standings: impl Iterator<Item = zset_std::Standing<'a, Vec<u8>, Score>>,
) -> Vec<(u64, Vec<u8>, Score)> {
    standings.map(|line| (line.number as u64, line.member.clone(), *line.score)).collect()
}

fn server_lines(standings: Vec<Standing>) -> Vec<(u64, Vec<u8>, Score)> {
    standings.into_iter().map(|line| (line.number, line.member, line.score)).collect()
}

/// Applies one random step to the board and the model.
fn step<M: Connect, K: Policy<Score>>(
    random: &mut SmallRng,
    board: &blocking::Leaderboard<M>,
    model: &mut Model<K>,
) {
    let member = *MEMBERS.choose(random).unwrap();
    let score = Score::new(*SCORES.choose(random).unwrap()).unwrap();
    match random.random_range(0..100) {
        0..60 => {
            let expected = model.try_submit(member.to_vec(), score).ok().map(parts);
            assert_eq!(server_parts(board.submit(member, score)), expected);
        }
        60..75 => {
            let expected = model.increment(member.to_vec(), score.get()).ok().map(parts);
            assert_eq!(server_parts(board.increment(member, score)), expected);
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

/// Compares the results of all methods that read the board and the model.
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

fn random_steps<M: Connect, K: ServerPolicy + Policy<Score> + Copy>(
    pool: &Pool<M>,
    name: &str,
    policy: K,
) {
    for episode in 0..8u64 {
        let mut random = SmallRng::seed_from_u64(episode);
        let name = format!("{name} {episode}");
        let mut board = blocking::Leaderboard::with_policy(pool.clone(), &name, policy);
        board = board.with_deadline(PATIENCE);
        let mut model = Model::with_policy(policy);
        if episode % 2 == 1 {
            let bound = random.random_range(0..8);
            board = board.with_max_len(bound);
            model = model.with_max_len(bound as usize);
        }
        for at in 0..150 {
            // From now on, the board has an index. The next submission builds it from the existing
            // members.
            if at == 30 && episode % 4 >= 2 {
                board = board.with_dense_standings();
            }
            step(&mut random, &board, &mut model);
            compare(&mut random, &board, &model);
        }
    }
}

#[test]
fn random_steps_on_each_server() {
    for server in Server::of_each_kind() {
        random_steps(&server.pool(), "best", Best);
        random_steps(&server.pool(), "latest", Latest);
        random_steps(&server.pool(), "sum", Sum);
    }
}

#[test]
fn random_steps_on_a_cluster() {
    let Some(cluster) = Cluster::start(Kind::Redis) else { return };
    random_steps(&cluster.pool(), "best", Best);
}

/// Calls most methods over an asynchronous connection.
pub(crate) async fn awaited<C: AsyncConnection>(connection: C) {
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
    let difference = board.submit("ann", Score::NEG_INFINITY).await;
    assert!(matches!(difference, Err(LeaderboardError::NanScore)), "{difference:?}");
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
fn an_index_survives_clients_without_the_setting() {
    let Some(server) = Server::start(Kind::Redis) else { return };
    let plain = server.board("mixed");
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
    let board = server.board("weekly");
    for (member, score) in [("cid", 7.5), ("bob", 7.5), ("ann", -2.0)] {
        board.submit(member, Score::new(score).unwrap()).unwrap();
    }
    let range: Vec<String> = redis::cmd("ZRANGE")
        .arg(&["board:{weekly}:scores", "0", "-1", "WITHSCORES"])
        .query(&mut server.connection())
        .unwrap();
    assert_eq!(range, ["bob", "-7.5", "cid", "-7.5", "ann", "2"]);
}
