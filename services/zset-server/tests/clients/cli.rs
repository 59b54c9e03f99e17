//! Tests the server through redis-cli, in each of its output formats and in several modes. The
//! shell's tests cover how redis-cli displays each type of reply.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::running::{Client, run};

const PROGRAM: &str = "redis-cli";

#[test]
fn all_output_formats_work() {
    let Some(cli) = Client::start(PROGRAM) else { return };
    cli.run(&["ZADD", "z", "1", "a", "2.5", "b"], b"");
    for (format, shown) in [
        ("--raw", "a\n1\nb\n2.5\n"),
        ("--csv", "\"a\",\"1\",\"b\",\"2.5\"\n"),
        ("--json", "[[\"a\",1],[\"b\",2.5]]\n"),
    ] {
        let output = cli.run(&[format, "ZRANGE", "z", "0", "-1", "WITHSCORES"], b"");
        assert_eq!(output, shown);
    }
}

#[test]
fn pipe_mode_runs_many_commands() {
    const COMMANDS: usize = 20_000;
    let Some(cli) = Client::start(PROGRAM) else { return };
    let mut input = String::new();
    for number in 0..COMMANDS {
        let words = ["ZADD".to_owned(), "z".into(), number.to_string(), format!("member:{number}")];
        let words = words.map(|word| format!("${}\r\n{word}\r\n", word.len()));
        input.extend(["*4\r\n", &words.concat()]);
    }
    let output = cli.run(&["--pipe"], input.as_bytes());
    assert!(output.contains(&format!("errors: 0, replies: {COMMANDS}")), "{output}");
    assert_eq!(cli.run(&["ZCARD", "z"], b""), "20000\n");
}

#[test]
fn scan_and_bigkeys_find_all_sorted_sets() {
    let Some(cli) = Client::start(PROGRAM) else { return };
    let lines: Vec<_> = (0..1000).map(|number| format!("ZADD z:{number} 1 a\n")).collect();
    assert_eq!(cli.run(&[], lines.concat().as_bytes()), "1\n".repeat(1000));
    cli.run(&[], b"ZADD biggest 1 a 2 b 3 c\n");

    let scanned = cli.run(&["--scan", "--pattern", "z:*"], b"");
    assert_eq!(scanned.lines().collect::<BTreeSet<_>>().len(), 1000);

    let output = cli.run(&["--bigkeys"], b"");
    for line in
        ["Sampled 1001 keys in the keyspace!", "Biggest   zset found '\"biggest\"' has 3 members"]
    {
        assert!(output.contains(line), "{line}\n{output}");
    }
}

#[test]
fn dump_and_restore_work_through_files() {
    let Some(cli) = Client::start(PROGRAM) else { return };
    cli.run(&[], b"ZADD z 1 a 2.5 \"\\x00\\xff\\n\" -inf c\n");
    let payload = run(&mut cli.command(&["-D", "", "--raw", "DUMP", "z"]), b"");
    let arguments = ["-X", "payload", "RESTORE", "copy", "0", "payload"];
    assert_eq!(cli.run(&arguments, &payload), "OK\n");
    let [original, copy] = ["z", "copy"]
        .map(|key| cli.run(&["--no-raw", "ZRANGE", key, "0", "-1", "WITHSCORES"], b""));
    assert_eq!(original, copy);
    assert!(original.contains(r#""\x00\xff\n""#), "{original}");
}

#[test]
fn repeated_commands_and_latency_mode_work() {
    let Some(cli) = Client::start(PROGRAM) else { return };
    assert_eq!(cli.run(&["-i", "0.01", "-r", "3", "PING"], b""), "PONG\n".repeat(3));
    let output = cli.run(&["--raw", "-i", "0.05", "--latency"], b"");
    assert_eq!(output.split_whitespace().count(), 4, "{output}");
    let output = cli.run(&["HELP", "ZADD"], b"");
    assert!(output.contains("sorted-set"), "{output}");
}

#[test]
fn stat_mode_prints_lines() {
    let Some(cli) = Client::start(PROGRAM) else { return };
    let mut command = cli.command(&["--stat", "-i", "0.002"]);
    command.stdout(Stdio::piped()).stdin(Stdio::null());
    let mut child = command.spawn().expect("redis-cli is installed");
    let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let lines: Vec<_> = output.lines().take(30).map_while(Result::ok).collect();
    child.kill().expect("redis-cli runs");
    child.wait().expect("redis-cli is a child");
    assert_eq!(lines.len(), 30, "{lines:?}");
    assert!(lines[1].starts_with("keys"), "{lines:?}");
    // The first column of `--stat` is the number of keys.
    let first = lines[2].split_whitespace().next();
    assert_eq!(first, Some("0"), "{lines:?}");
}

#[test]
fn another_database_is_an_error() {
    let Some(cli) = Client::start(PROGRAM) else { return };
    let output = cli.command(&["-n", "1", "PING"]).output().expect("redis-cli is installed");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("SELECT 1 failed: ERR DB index is out of range"), "{text}");
}
