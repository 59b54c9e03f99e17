//! Other clients: the crate `redis`, redis-cli and redis-benchmark.

use std::process::Command;

use redis::{ConnectionLike as _, RedisResult, Value};

use crate::process::skip;
use crate::running::Running;

fn connect(server: &Running, protocol: &str) -> redis::Connection {
    let client = redis::Client::open(format!("redis://{}/?protocol={protocol}", server.address));
    client.expect("the address is valid").get_connection().expect("the server listens")
}

#[test]
fn the_redis_crate_gets_replies() -> RedisResult<()> {
    let server = Running::start();
    for protocol in ["resp2", "resp3"] {
        let mut connection = connect(&server, protocol);
        assert!(connection.check_connection());
        let cmd = redis::cmd;
        assert_eq!(cmd("PING").query::<String>(&mut connection)?, "PONG");
        assert_eq!(cmd("SET").arg("s").arg("text").query::<String>(&mut connection)?, "OK");
        assert_eq!(cmd("GET").arg("s").query::<String>(&mut connection)?, "text");
        assert_eq!(cmd("GET").arg("none").query::<Option<String>>(&mut connection)?, None);
        let board = format!("board-{protocol}");
        let added: usize =
            cmd("ZADD").arg(&board).arg(&[("1", "a"), ("2.5", "b")]).query(&mut connection)?;
        assert_eq!(added, 2);
        let score: Value = cmd("ZSCORE").arg(&board).arg("b").query(&mut connection)?;
        let expected = match protocol {
            "resp2" => Value::BulkString(b"2.5".to_vec()),
            _ => Value::Double(2.5),
        };
        assert_eq!(score, expected);
        let error = cmd("GET").arg(&board).query::<Value>(&mut connection).unwrap_err();
        assert_eq!(error.code(), Some("WRONGTYPE"));
    }
    Ok(())
}

#[test]
fn a_pipeline_larger_than_all_buffers_gets_all_replies() -> RedisResult<()> {
    let server = Running::start();
    let mut connection = connect(&server, "resp2");
    let mut pipeline = redis::pipe();
    for number in 0..50_000 {
        pipeline.cmd("ZADD").arg("z").arg(number).arg(format!("member-{number}")).ignore();
        pipeline.cmd("ZSCORE").arg("z").arg(format!("member-{number}"));
    }
    let scores: Vec<usize> = pipeline.query(&mut connection)?;
    assert!(scores.into_iter().eq(0..50_000));
    Ok(())
}

/// Returns the output of a program, or `None` if it is not installed.
fn run(program: &str, server: &Running, arguments: &[&str]) -> Option<String> {
    let port = server.address.port().to_string();
    let output = Command::new(program).args(["-p", &port]).args(arguments).output();
    let Ok(output) = output else {
        skip(&format!("{program} is not installed"));
        return None;
    };
    assert!(output.status.success(), "{output:?}");
    Some(String::from_utf8(output.stdout).expect("the output is UTF-8"))
}

#[test]
fn redis_cli_shows_replies() {
    let server = Running::start();
    for protocol in ["-2", "-3"] {
        for (arguments, expected) in [
            (&["PING"][..], "PONG\n"),
            (&["SET", "s", "text"], "OK\n"),
            (&["GET", "s"], "text\n"),
            (&["ZADD", protocol, "1.5", "a"], "1\n"),
            (&["ZSCORE", protocol, "a"], "1.5\n"),
            (&["GET"], "ERR wrong number of arguments for 'get' command\n\n"),
        ] {
            let arguments = [&[protocol][..], arguments].concat();
            let Some(printed) = run("redis-cli", &server, &arguments) else { return };
            assert_eq!(printed, expected, "{arguments:?}");
        }
    }
}

#[test]
fn redis_benchmark_completes() {
    let server = Running::start();
    let arguments = ["-q", "-c", "50", "-n", "20000", "-P", "16", "-t", "ping,set,get,zadd"];
    let Some(printed) = run("redis-benchmark", &server, &arguments) else { return };
    assert!(printed.contains("ZADD") && printed.contains("requests per second"), "{printed}");
}
