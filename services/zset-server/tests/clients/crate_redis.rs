//! Tests the crate `redis` with commands of every group, in both protocols.

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

fn strings(words: &str) -> Vec<String> {
    words.split(' ').map(str::to_owned).collect()
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
        assert_eq!(con.zscore_multiple("z", &["b", "x"]), Ok(vec![Some(2.5), None]));
        assert_eq!(con.zrank("z", "a"), Ok(Some(2)));
        assert_eq!(con.zrevrank("z", "a"), Ok(Some(0)));
        assert_eq!(con.zcard("z"), Ok(3));
        assert_eq!(con.zcount("z", "(-3", 3), Ok(1));
        assert_eq!(words("ZRANK z b WITHSCORE").query(con), Ok((1, 2.5)));
        assert_eq!(words("ZADD z NX INCR 1 a").query(con), Ok(None::<f64>));
        let error = words("ZADD z NX XX 1 a").query::<()>(con).unwrap_err();
        assert_eq!(error.code(), Some("ERR"));
        assert_eq!(con.zrem("z", &["a", "nobody"]), Ok(1));
    });
}

#[test]
fn ranges_are_read_in_both_directions() {
    for_each_protocol(|con, _| {
        words("ZADD z 1 a 2 b 3 c 4 d").exec(con).unwrap();
        assert_eq!(con.zrange("z", 0, -1), Ok(strings("a b c d")));
        assert_eq!(con.zrange_withscores("z", 1, 2), Ok(pairs(&[("b", 2.0), ("c", 3.0)])));
        assert_eq!(con.zrevrange_withscores("z", 0, 0), Ok(pairs(&[("d", 4.0)])));
        assert_eq!(con.zrangebyscore_limit("z", "(1", "+inf", 1, 5), Ok(strings("c d")));
        let page = con.zrevrangebyscore_limit_withscores("z", 3, 0, 0, 2);
        assert_eq!(page, Ok(pairs(&[("c", 3.0), ("b", 2.0)])));
        assert_eq!(words("ZRANGESTORE t z 0 1 REV").query(con), Ok(2));

        words("ZADD lex 0 a 0 b 0 bb 0 c").exec(con).unwrap();
        assert_eq!(con.zrangebylex("lex", "[b", "(c"), Ok(strings("b bb")));
        assert_eq!(con.zrevrangebylex_limit("lex", "+", "-", 1, 1), Ok(strings("bb")));
        assert_eq!(con.zlexcount("lex", "-", "(b"), Ok(1));
        assert_eq!(con.zrembylex("lex", "[b", "[bb"), Ok(2));
        assert_eq!(con.zremrangebyrank("z", 0, 0), Ok(1));
        assert_eq!(con.zrembyscore("z", "(3", "inf"), Ok(1));
        assert_eq!(con.zrange("z", 0, -1), Ok(strings("b c")));
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

        assert_eq!(con.zpopmin("z", 2), Ok(pairs(&[("member:0", 0.0), ("member:1", 1.0)])));
        assert_eq!(con.zpopmax("z", 1), Ok(pairs(&[("member:499", 499.0)])));
        let popped = Some(("z".to_owned(), pairs(&[("member:2", 2.0)])));
        assert_eq!(con.zmpop_min(&["nokey", "z"], 1), Ok(popped));
        assert_eq!(con.zmpop_max("nokey", 1), Ok(None::<(String, Vec<(String, f64)>)>));
        let drawn: Vec<String> = con.zrandmember("z", Some(10)).unwrap();
        assert_eq!(drawn.len(), 10);
        let drawn: Vec<(String, f64)> = con.zrandmember_withscores("z", 600).unwrap();
        assert_eq!(drawn.len(), 496);
    });
}

#[test]
fn sets_are_combined() {
    for_each_protocol(|con, _| {
        words("ZADD x 1 a 2 b").exec(con).unwrap();
        words("ZADD y 10 b 20 c").exec(con).unwrap();
        assert_eq!(con.sadd("s", &["b", "d"]), Ok(2));
        assert_eq!(con.zunionstore("u", &["x", "y", "s"]), Ok(4));
        assert_eq!(con.zinterstore_max("i", &["x", "y"]), Ok(1));
        assert_eq!(con.zscore("i", "b"), Ok(10.0));
        assert_eq!(con.zunionstore_weights("w", &[("x", 2), ("y", 3)]), Ok(3));
        assert_eq!(con.zscore("w", "b"), Ok(34.0));
        assert_eq!(words("ZDIFF 2 x y").query(con), Ok(strings("a")));
        assert_eq!(words("ZINTER 2 x y WITHSCORES").query(con), Ok(pairs(&[("b", 12.0)])));
        assert_eq!(words("ZINTERCARD 2 x y LIMIT 5").query(con), Ok(1));
        assert_eq!(words("ZDIFFSTORE d 2 y x").query(con), Ok(1));
        assert_eq!(words("ZUNION 1 d").query(con), Ok(strings("c")));
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
        assert_eq!(con.smembers("s"), Ok(strings("a b")));
    });
}

#[test]
fn pipelines_and_transactions_reply_in_order() {
    for_each_protocol(|con, _| {
        let mut pipeline = pipe();
        pipeline.zadd("z", "a", 1).zincr("z", "a", 2.5).zadd("z", "b", 9).ignore();
        assert_eq!(pipeline.query(con), Ok((1, 3.5)));
        let transaction = pipe().atomic().zrange("z", 0, -1).zcard("z").query(con);
        assert_eq!(transaction, Ok((strings("a b"), 2)));
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
        assert!(words("COMMAND COUNT").query(con).is_ok_and(|count: usize| count > 70));
        assert!(matches!(words("COMMAND INFO zadd").query(con), Ok(Value::Array(_))));
        let throttled = words("CL.THROTTLE user 15 30 60").query(con);
        assert_eq!(throttled, Ok(vec![0, 16, 15, -1, 2]));
        let error = words("NOSUCH").query::<()>(con).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Server(redis::ServerErrorKind::ResponseError));
    });
}

#[test]
fn a_blocking_pop_returns_what_another_client_adds() {
    for_each_protocol(|con, server| {
        let popped = |member: &str, score| Some(("z".to_owned(), member.to_owned(), score));
        con.zadd::<_, _, _, ()>("z", "at once", 1).unwrap();
        assert_eq!(con.bzpopmin("z", 1.0), Ok(popped("at once", 1.0)));
        assert_eq!(con.bzpopmax("z", 0.01), Ok(None::<(String, String, f64)>));
        let mut other = connect(server, "resp2");
        let adder = std::thread::spawn(move || words("ZADD z 1 a 2 b").exec(&mut other).unwrap());
        assert_eq!(con.bzpopmax(&["nokey", "z"], 20.0), Ok(popped("b", 2.0)));
        let rest = Some(("z".to_owned(), pairs(&[("a", 1.0)])));
        assert_eq!(con.bzmpop_min(1.0, "z", 5), Ok(rest));
        adder.join().unwrap();
    });
}
