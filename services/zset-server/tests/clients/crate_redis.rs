//! The crate `redis` with every group of commands, in both protocols.

use redis::{Cmd, Commands, Connection, ErrorKind, RedisResult, Value, cmd, pipe};

use super::running::Running;

/// Runs a test once for each protocol.
fn for_each_protocol(test: impl Fn(&mut Connection, &Running)) {
    for protocol in ["resp2", "resp3"] {
        let server = Running::start();
        test(&mut connect(&server, protocol), &server);
    }
}

fn connect(server: &Running, protocol: &str) -> Connection {
    let url = format!("redis://{}/?protocol={protocol}", server.address);
    redis::Client::open(url).and_then(|client| client.get_connection()).expect("the server listens")
}

/// Returns a command from a line of words.
fn words(line: &str) -> Cmd {
    let mut words = line.split(' ');
    let mut command = cmd(words.next().expect("a name"));
    command.arg(words.collect::<Vec<_>>());
    command
}

fn pairs(elements: &[(&str, f64)]) -> Vec<(String, f64)> {
    elements.iter().map(|(member, score)| ((*member).to_owned(), *score)).collect()
}

#[test]
fn elements_are_added_and_read() {
    for_each_protocol(|con, _| {
        let added: usize = con.zadd_multiple("z", &[(1.0, "a"), (2.5, "b"), (-3.0, "c")]).unwrap();
        assert_eq!(added, 3);
        assert_eq!(con.zadd("z", "a", 7), Ok(0));
        assert_eq!(con.zincr("z", "a", 0.5), Ok(7.5));
        assert_eq!(con.zscore("z", "a"), Ok(Some(7.5)));
        assert_eq!(con.zscore("z", "nobody"), Ok(None::<f64>));
        let scores: Vec<Option<f64>> = con.zscore_multiple("z", &["b", "x"]).unwrap();
        assert_eq!(scores, [Some(2.5), None]);
        assert_eq!(con.zrank("z", "a"), Ok(Some(2)));
        assert_eq!(con.zrevrank("z", "a"), Ok(Some(0)));
        assert_eq!(con.zcard("z"), Ok(3));
        assert_eq!(con.zcount("z", "(-3", 3), Ok(1));
        let ranked: (usize, f64) = words("ZRANK z b WITHSCORE").query(con).unwrap();
        assert_eq!(ranked, (1, 2.5));
        let score: Option<f64> = words("ZADD z NX INCR 1 a").query(con).unwrap();
        assert_eq!(score, None);
        let error = words("ZADD z NX XX 1 a").query::<()>(con).unwrap_err();
        assert_eq!(error.code(), Some("ERR"));
        assert_eq!(con.zrem("z", &["a", "nobody"]), Ok(1));
    });
}

#[test]
fn ranges_are_read_in_both_directions() {
    for_each_protocol(|con, _| {
        con.zadd_multiple::<_, _, _, ()>("z", &[(1, "a"), (2, "b"), (3, "c"), (4, "d")]).unwrap();
        let all: Vec<String> = con.zrange("z", 0, -1).unwrap();
        assert_eq!(all, ["a", "b", "c", "d"]);
        let with_scores: Vec<(String, f64)> = con.zrange_withscores("z", 1, 2).unwrap();
        assert_eq!(with_scores, pairs(&[("b", 2.0), ("c", 3.0)]));
        let reverse: Vec<(String, f64)> = con.zrevrange_withscores("z", 0, 0).unwrap();
        assert_eq!(reverse, pairs(&[("d", 4.0)]));
        let page: Vec<String> = con.zrangebyscore_limit("z", "(1", "+inf", 1, 5).unwrap();
        assert_eq!(page, ["c", "d"]);
        let page: Vec<(String, f64)> =
            con.zrevrangebyscore_limit_withscores("z", 3, 0, 0, 2).unwrap();
        assert_eq!(page, pairs(&[("c", 3.0), ("b", 2.0)]));
        assert_eq!(words("ZRANGESTORE t z 0 1 REV").query(con), Ok(2));

        con.zadd_multiple::<_, _, _, ()>("lex", &[(0, "a"), (0, "b"), (0, "bb"), (0, "c")])
            .unwrap();
        let lex: Vec<String> = con.zrangebylex("lex", "[b", "(c").unwrap();
        assert_eq!(lex, ["b", "bb"]);
        let lex: Vec<String> = con.zrevrangebylex_limit("lex", "+", "-", 1, 1).unwrap();
        assert_eq!(lex, ["bb"]);
        assert_eq!(con.zlexcount("lex", "-", "(b"), Ok(1));
        assert_eq!(con.zrembylex("lex", "[b", "[bb"), Ok(2));
        assert_eq!(con.zremrangebyrank("z", 0, 0), Ok(1));
        assert_eq!(con.zrembyscore("z", "(3", "inf"), Ok(1));
        assert_eq!(con.zrange("z", 0, -1), Ok(vec!["b".to_owned(), "c".to_owned()]));
    });
}

#[test]
fn elements_are_popped_sampled_and_scanned() {
    for_each_protocol(|con, _| {
        let many: Vec<(f64, String)> =
            (0..500_i32).map(|number| (number.into(), format!("member:{number}"))).collect();
        con.zadd_multiple::<_, _, _, ()>("z", &many).unwrap();
        let scanned: RedisResult<Vec<(String, f64)>> = con.zscan("z").unwrap().collect();
        let mut scanned: Vec<_> = scanned.unwrap().into_iter().map(|(m, s)| (s, m)).collect();
        scanned.sort_by(|a, b| a.0.total_cmp(&b.0));
        assert_eq!(scanned, many);

        let lowest: Vec<(String, f64)> = con.zpopmin("z", 2).unwrap();
        assert_eq!(lowest, pairs(&[("member:0", 0.0), ("member:1", 1.0)]));
        let highest: Vec<(String, f64)> = con.zpopmax("z", 1).unwrap();
        assert_eq!(highest, pairs(&[("member:499", 499.0)]));
        let popped: Option<(String, Vec<(String, f64)>)> =
            con.zmpop_min(&["nokey", "z"], 1).unwrap();
        assert_eq!(popped, Some(("z".to_owned(), pairs(&[("member:2", 2.0)]))));
        let none: Option<(String, Vec<(String, f64)>)> = con.zmpop_max("nokey", 1).unwrap();
        assert_eq!(none, None);
        let drawn: Vec<String> = con.zrandmember("z", Some(10)).unwrap();
        assert_eq!(drawn.len(), 10);
        let drawn: Vec<(String, f64)> = con.zrandmember_withscores("z", 600).unwrap();
        assert_eq!(drawn.len(), 496);
    });
}

#[test]
fn sets_are_combined() {
    for_each_protocol(|con, _| {
        con.zadd_multiple::<_, _, _, ()>("x", &[(1, "a"), (2, "b")]).unwrap();
        con.zadd_multiple::<_, _, _, ()>("y", &[(10, "b"), (20, "c")]).unwrap();
        assert_eq!(con.sadd("s", &["b", "d"]), Ok(2));
        assert_eq!(con.zunionstore("u", &["x", "y", "s"]), Ok(4));
        assert_eq!(con.zinterstore_max("i", &["x", "y"]), Ok(1));
        assert_eq!(con.zscore("i", "b"), Ok(10.0));
        assert_eq!(con.zunionstore_weights("w", &[("x", 2), ("y", 3)]), Ok(3));
        assert_eq!(con.zscore("w", "b"), Ok(34.0));
        let only: Vec<String> = words("ZDIFF 2 x y").query(con).unwrap();
        assert_eq!(only, ["a"]);
        let both: Vec<(String, f64)> = words("ZINTER 2 x y WITHSCORES").query(con).unwrap();
        assert_eq!(both, pairs(&[("b", 12.0)]));
        assert_eq!(words("ZINTERCARD 2 x y LIMIT 5").query(con), Ok(1));
        assert_eq!(words("ZDIFFSTORE d 2 y x").query(con), Ok(1));
        assert_eq!(words("ZUNION 1 d").query(con), Ok(vec!["c".to_owned()]));
    });
}

#[test]
fn keys_and_plain_sets_work() {
    for_each_protocol(|con, _| {
        con.set::<_, _, ()>("k", "v").unwrap();
        assert_eq!(con.get("k"), Ok("v".to_owned()));
        assert_eq!(con.get("nokey"), Ok(None::<String>));
        assert_eq!(con.exists(&["k", "nokey"]), Ok(true));
        assert_eq!(con.key_type("k"), Ok(redis::ValueType::String));
        assert_eq!(con.expire("k", 1000), Ok(true));
        assert!((1..=1000).contains(&con.ttl::<_, i64>("k").unwrap()));
        assert_eq!(con.persist("k"), Ok(true));
        assert_eq!(con.ttl("k"), Ok(-1));
        con.rename::<_, _, ()>("k", "k2").unwrap();
        assert_eq!(con.copy("k2", "k3", redis::CopyOptions::default()), Ok(true));
        assert_eq!(con.keys("k?").map(|keys: Vec<String>| keys.len()), Ok(2));
        assert_eq!(con.scan::<String>().unwrap().count(), 2);
        assert_eq!(con.object_encoding("k2"), Ok("embstr".to_owned()));
        assert_eq!(con.del(&["k2", "nokey"]), Ok(1));
        assert_eq!(con.del("k3"), Ok(1));

        con.zadd::<_, _, _, ()>("z", "a", 1.5).unwrap();
        let payload: Vec<u8> = cmd("DUMP").arg("z").query(con).unwrap();
        cmd("RESTORE").arg("back").arg(0).arg(payload).exec(con).unwrap();
        assert_eq!(con.zscore("back", "a"), Ok(1.5));
        let error = con.get::<_, String>("z").unwrap_err();
        assert_eq!(error.code(), Some("WRONGTYPE"));
        assert_eq!(words("FLUSHALL").query(con), Ok("OK".to_owned()));
        assert_eq!(words("DBSIZE").query(con), Ok(0));

        assert_eq!(con.sadd("s", &["a", "b"]), Ok(2));
        assert_eq!(con.smembers("s"), Ok(vec!["a".to_owned(), "b".to_owned()]));
    });
}

#[test]
fn pipelines_and_transactions_reply_in_order() {
    for_each_protocol(|con, _| {
        let (first, second): (usize, f64) = pipe()
            .zadd("z", "a", 1)
            .zincr("z", "a", 2.5)
            .zadd("z", "b", 9)
            .ignore()
            .query(con)
            .unwrap();
        assert_eq!((first, second), (1, 3.5));
        let answers: (Vec<String>, usize) =
            pipe().atomic().zrange("z", 0, -1).zcard("z").query(con).unwrap();
        assert_eq!(answers, (vec!["a".to_owned(), "b".to_owned()], 2));
    });
}

#[test]
fn a_large_pipeline_gets_all_replies() {
    for_each_protocol(|con, _| {
        let mut pipe = pipe();
        for number in 0..20_000 {
            pipe.zadd("z", number, number).ignore();
        }
        pipe.zcard("z");
        assert_eq!(pipe.query(con), Ok((20_000,)));
    });
}

#[test]
fn commands_about_the_server_work() {
    for_each_protocol(|con, _| {
        assert_eq!(words("PING").query(con), Ok("PONG".to_owned()));
        assert_eq!(words("ECHO hello").query(con), Ok("hello".to_owned()));
        let info: redis::InfoDict = words("INFO").query(con).unwrap();
        assert_eq!(info.get("redis_mode"), Some("standalone".to_owned()));
        let config: std::collections::HashMap<String, String> =
            words("CONFIG GET zset-max-listpack-entries").query(con).unwrap();
        assert_eq!(config["zset-max-listpack-entries"], "128");
        assert_eq!(words("CLIENT SETNAME me").query(con), Ok("OK".to_owned()));
        assert_eq!(words("CLIENT GETNAME").query(con), Ok("me".to_owned()));
        let count: usize = words("COMMAND COUNT").query(con).unwrap();
        assert!(count > 70, "{count}");
        assert!(matches!(words("COMMAND INFO zadd").query(con), Ok(Value::Array(_))));
        let throttled: Vec<i64> = words("CL.THROTTLE user 15 30 60").query(con).unwrap();
        assert_eq!(throttled, [0, 16, 15, -1, 2]);
        let error = words("NOSUCH").query::<()>(con).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server(redis::ServerErrorKind::ResponseError));
    });
}

#[test]
fn a_blocking_pop_returns_what_another_client_adds() {
    for_each_protocol(|con, server| {
        con.zadd::<_, _, _, ()>("z", "at once", 1).unwrap();
        let popped: Option<(String, String, f64)> = con.bzpopmin("z", 1.0).unwrap();
        assert_eq!(popped, Some(("z".to_owned(), "at once".to_owned(), 1.0)));
        let none: Option<(String, String, f64)> = con.bzpopmax("z", 0.01).unwrap();
        assert_eq!(none, None);
        let mut other = connect(server, "resp2");
        let adder = std::thread::spawn(move || {
            other.zadd_multiple::<_, _, _, ()>("z", &[(1, "a"), (2, "b")]).unwrap();
        });
        let popped: Option<(String, String, f64)> = con.bzpopmax(&["nokey", "z"], 20.0).unwrap();
        assert_eq!(popped, Some(("z".to_owned(), "b".to_owned(), 2.0)));
        let popped: Option<(String, Vec<(String, f64)>)> = con.bzmpop_min(1.0, "z", 5).unwrap();
        assert_eq!(popped, Some(("z".to_owned(), pairs(&[("a", 1.0)]))));
        adder.join().unwrap();
    });
}
