//! redis-cli: its output for replies of all types, and its other modes.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::running::{Running, skip};

const PROGRAM: &str = "redis-cli";

/// Returns the output of redis-cli.
fn cli(server: &Running, arguments: &[&str], input: &[u8]) -> Option<String> {
    let output = server.run(PROGRAM, arguments, input)?;
    Some(String::from_utf8(output).expect("redis-cli escapes other bytes"))
}

/// Runs lines and compares the output.
#[track_caller]
fn session(options: &[&str], lines: &str, shown: &str) {
    let server = Running::start();
    let Some(output) = cli(&server, options, lines.as_bytes()) else { return };
    assert_eq!(output, shown);
}

#[test]
fn resp2_replies_are_shown_with_their_types() {
    session(
        &["--no-raw"],
        r#"ZADD z 1 a 2.5 b inf "c \x00"
ZRANGE z 0 -1 WITHSCORES
ZSCORE z nobody
ZMSCORE z a nobody
ZMPOP 1 nokey MIN
GET z
SET s "a b"
GET s
SMEMBERS nokey
MULTI
ZCARD z
ZADD z x y
EXEC
NOSUCH a
HELLO 4
TYPE z
"#,
        r#"(integer) 3
1) "a"
2) "1"
3) "b"
4) "2.5"
5) "c \x00"
6) "inf"
(nil)
1) "1"
2) (nil)
(nil)
(error) WRONGTYPE Operation against a key holding the wrong kind of value
OK
"a b"
(empty array)
OK
QUEUED
QUEUED
1) (integer) 3
2) (error) ERR value is not a valid float
(error) ERR unknown command 'NOSUCH', with args beginning with: 'a' 
(error) NOPROTO unsupported protocol version
zset
"#,
    );
}

#[test]
fn resp3_replies_are_shown_with_their_types() {
    session(
        &["-3", "--no-raw"],
        "ZADD z 1 a 2.5 b -inf c\n\
         ZRANGE z 0 -1 WITHSCORES\n\
         ZSCORE z b\n\
         ZSCORE z nobody\n\
         ZPOPMIN z\n\
         CONFIG GET maxmemory\n\
         SADD s only\n\
         SMEMBERS s\n\
         ZRANK z b WITHSCORE\n\
         ZMPOP 1 z MAX\n",
        r#"(integer) 3
1) 1) "c"
   2) (double) -inf
2) 1) "a"
   2) (double) 1
3) 1) "b"
   2) (double) 2.5
(double) 2.5
(nil)
1) "c"
2) (double) -inf
1# "maxmemory" => "0"
(integer) 1
1~ "only"
1) (integer) 1
2) (double) 2.5
1) "z"
2) 1) 1) "b"
      2) (double) 2.5
"#,
    );
}

#[test]
fn other_output_formats_work() {
    let server = Running::start();
    if cli(&server, &["ZADD", "z", "1", "a", "2.5", "b"], b"").is_none() {
        return;
    }
    let range = ["ZRANGE", "z", "0", "-1", "WITHSCORES"];
    for (format, shown) in [
        ("--raw", "a\n1\nb\n2.5\n"),
        ("--csv", "\"a\",\"1\",\"b\",\"2.5\"\n"),
        ("--json", "[[\"a\",1],[\"b\",2.5]]\n"),
    ] {
        let output =
            cli(&server, &[&[format], &range[..]].concat(), b"").expect("redis-cli is installed");
        assert_eq!(output, shown);
    }
}

#[test]
fn pipe_mode_runs_many_commands() {
    const COMMANDS: usize = 20_000;
    let server = Running::start();
    let mut input = Vec::new();
    for number in 0..COMMANDS {
        let (score, member) = (number.to_string(), format!("member:{number}"));
        for word in ["*4", "$4", "ZADD", "$1", "z", &format!("${}", score.len()), &score] {
            input.extend(format!("{word}\r\n").bytes());
        }
        input.extend(format!("${}\r\n{member}\r\n", member.len()).bytes());
    }
    let Some(output) = cli(&server, &["--pipe"], &input) else { return };
    assert!(output.contains(&format!("errors: 0, replies: {COMMANDS}")), "{output}");
    assert_eq!(cli(&server, &["ZCARD", "z"], b"").as_deref(), Some("20000\n"));
}

#[test]
fn scan_and_bigkeys_find_all_sorted_sets() {
    let server = Running::start();
    let lines: Vec<_> = (0..1000).map(|number| format!("ZADD z:{number} 1 a\n")).collect();
    let Some(output) = cli(&server, &[], lines.concat().as_bytes()) else { return };
    assert_eq!(output, "1\n".repeat(1000));
    cli(&server, &[], b"ZADD biggest 1 a 2 b 3 c\n");

    let scanned =
        cli(&server, &["--scan", "--pattern", "z:*"], b"").expect("redis-cli is installed");
    let mut found: Vec<_> = scanned.lines().collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 1000);

    let output = cli(&server, &["--bigkeys"], b"").expect("redis-cli is installed");
    for line in
        ["Sampled 1001 keys in the keyspace!", "Biggest   zset found '\"biggest\"' has 3 members"]
    {
        assert!(output.contains(line), "{line}\n{output}");
    }
}

#[test]
fn dump_and_restore_work_through_files() {
    let server = Running::start();
    if cli(&server, &[], b"ZADD z 1 a 2.5 \"\\x00\\xff\\n\" -inf c\n").is_none() {
        return;
    }
    let payload = server
        .run(PROGRAM, &["-D", "", "--raw", "DUMP", "z"], b"")
        .expect("redis-cli is installed");
    let arguments = ["-X", "payload", "RESTORE", "copy", "0", "payload"];
    assert_eq!(cli(&server, &arguments, &payload).as_deref(), Some("OK\n"));
    let ranges = ["ZRANGE z 0 -1 WITHSCORES\n", "ZRANGE copy 0 -1 WITHSCORES\n"]
        .map(|line| cli(&server, &["--no-raw"], line.as_bytes()).expect("redis-cli is installed"));
    assert_eq!(ranges[0], ranges[1]);
    assert!(ranges[0].contains(r#""\x00\xff\n""#), "{}", ranges[0]);
}

#[test]
fn repeated_commands_and_latency_mode_work() {
    let server = Running::start();
    let Some(output) = cli(&server, &["-i", "0.01", "-r", "3", "PING"], b"") else { return };
    assert_eq!(output, "PONG\n".repeat(3));
    let output =
        cli(&server, &["--raw", "-i", "0.05", "--latency"], b"").expect("redis-cli is installed");
    assert_eq!(output.split_whitespace().count(), 4, "{output}");
    let output = cli(&server, &["HELP", "ZADD"], b"").expect("redis-cli is installed");
    assert!(output.contains("sorted-set"), "{output}");
}

#[test]
fn stat_mode_prints_lines() {
    let server = Running::start();
    let mut command = server.command(PROGRAM, &["--stat", "-i", "0.002"]);
    let child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn();
    let Ok(mut child) = child else { return skip(PROGRAM) };
    let output = BufReader::new(child.stdout.take().expect("stdout is piped"));
    let lines: Vec<_> = output.lines().take(30).map_while(Result::ok).collect();
    child.kill().expect("redis-cli runs");
    child.wait().expect("redis-cli is a child");
    assert_eq!(lines.len(), 30, "{lines:?}");
    assert!(lines[1].starts_with("keys"), "{lines:?}");
    // The columns are keys, memory, clients, blocked clients, requests and connections.
    let first = lines[2].split_whitespace().next();
    assert_eq!(first, Some("0"), "{lines:?}");
}

#[test]
fn another_database_is_an_error() {
    let server = Running::start();
    let output = server.command(PROGRAM, &["-n", "1", "PING"]).output();
    let Ok(output) = output else { return skip(PROGRAM) };
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("SELECT 1 failed: ERR DB index is out of range"), "{text}");
}
