//! redis-benchmark with few requests: each command gets a reply, which is not an error.

use super::running::{Running, skip};

const PROGRAM: &str = "redis-benchmark";
const LOAD: [&str; 8] = ["-q", "-n", "2000", "-P", "16", "-c", "20", "-r"];

fn benchmark(server: &Running, arguments: &[&str]) -> Option<String> {
    let mut all = LOAD.to_vec();
    all.push("1000");
    all.extend(arguments);
    server.run(PROGRAM, &all, b"").map(|output| String::from_utf8_lossy(&output).into_owned())
}

#[test]
fn custom_benchmarks_run_without_errors() {
    let server = Running::start();
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
        let Some(output) = benchmark(&server, &words) else { return };
        // redis-benchmark prints an error instead of a result.
        assert!(output.contains("requests per second"), "{command}: {output}");
        assert!(!output.contains("rror"), "{command}: {output}");
    }
}

#[test]
fn standard_benchmarks_run_with_one_or_many_connections_and_with_resp3() {
    let server = Running::start();
    let tests = ["ping_inline", "ping_mbulk", "set", "get", "sadd", "zadd", "zpopmin"];
    for options in [&["-c", "1", "-P", "1"][..], &[], &["-3"], &["--threads", "2"]] {
        let names = tests.join(",");
        let mut all = vec!["-t", &names];
        all.extend(options);
        let Some(output) = benchmark(&server, &all) else { return };
        let results = output.matches("requests per second").count();
        assert_eq!(results, tests.len(), "{options:?}: {output}");
        assert!(!output.contains("rror"), "{options:?}: {output}");
    }
}

#[test]
fn redis_benchmark_prints_errors() {
    // The tests above rely on this error.
    let server = Running::start();
    let mut command = server.command(PROGRAM, &["-q", "-n", "10", "ZADD", "board", "x", "member"]);
    let Ok(output) = command.output() else { return skip(PROGRAM) };
    let printed = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&printed);
    assert!(text.contains("ERR value is not a valid float"), "{text}");
}
