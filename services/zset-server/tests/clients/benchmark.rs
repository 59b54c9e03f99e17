//! Tests that redis-benchmark, run with few requests, gets no error replies.

use super::running::Client;

const PROGRAM: &str = "redis-benchmark";

/// Runs the program, which must print no errors; returns the number of its results.
fn results(client: &Client, arguments: &[&str]) -> usize {
    let load = ["-q", "-n", "2000", "-P", "16", "-c", "20", "-r", "1000"];
    let output = client.run(&[&load, arguments].concat(), b"");
    // If a reply is an error, redis-benchmark prints the error instead of a result.
    assert!(!output.contains("rror"), "{arguments:?}: {output}");
    output.matches("requests per second").count()
}

#[test]
fn custom_benchmarks_run_without_errors() {
    let Some(client) = Client::start(PROGRAM) else { return };
    for command in [
        "ZADD board __rand_int__ member:__rand_int__",
        "ZINCRBY board 1.5 member:__rand_int__",
        "ZRANK board member:__rand_int__",
        "ZRANGE board 0 99 WITHSCORES",
        "ZSCORE board member:__rand_int__",
        "ZCARD board",
        "ZPOPMIN board",
    ] {
        let words: Vec<_> = command.split(' ').collect();
        assert!(results(&client, &words) > 0, "{command}");
    }
}

#[test]
fn standard_benchmarks_run_with_one_or_many_connections_and_with_resp3() {
    let Some(client) = Client::start(PROGRAM) else { return };
    let tests = "ping_inline,ping_mbulk,set,get,sadd,zadd,zpopmin";
    for options in [&["-c", "1", "-P", "1"][..], &[], &["-3"], &["--threads", "2"]] {
        let results = results(&client, &[&["-t", tests], options].concat());
        assert_eq!(results, tests.split(',').count(), "{options:?}");
    }
}

#[test]
fn redis_benchmark_prints_errors() {
    // The tests above rely on redis-benchmark to print errors.
    let Some(client) = Client::start(PROGRAM) else { return };
    let mut command = client.command(&["-q", "-n", "10", "ZADD", "board", "x", "member"]);
    let output = command.output().expect("it is installed");
    let printed = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&printed);
    assert!(text.contains("ERR value is not a valid float"), "{text}");
}
