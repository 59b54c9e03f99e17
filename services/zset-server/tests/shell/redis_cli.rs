//! Tests that redis-cli and the shell display replies in the same form.

use std::process::Command;

use test_support::servers::{run, skip};

use crate::running::answer;
use crate::serving::Running;

/// Commands with replies of all types, nested and empty.
const COMMANDS: &str = r#"
PING
SET text "a \"b\"\n\t\r\a\b\\ \x00\xff"
GET text
GET nothing
DEL text
ZADD a 1 x 2.5 y -inf z 1e300 "\xc3\xa9"
ZRANGE a 0 -1
ZRANGE a 0 -1 WITHSCORES
ZRANGE a 5 9
ZSCORE a y
ZSCORE a nobody
ZMSCORE a x nobody z
ZRANK a y WITHSCORE
ZPOPMIN nothing
ZMPOP 2 a b MAX COUNT 2
ZRANDMEMBER nothing
ZRANDMEMBER nothing 5
SADD s one
SMEMBERS s
SMEMBERS nothing
ZUNION 2 a s WITHSCORES
CONFIG GET zset-max-*
CONFIG GET nothing
COMMAND INFO zadd nothing get
COMMAND DOCS zcard
MULTI
ZCARD a
GET a
ZADD a x y
ZRANGE a 0 -1 WITHSCORES
EXEC
TYPE a
NOSUCH a
HELLO 4
ZPOPMIN a
ZMPOP 1 a MAX
ZADD b 1 a 2 b 3 c 4 d 5 e 6 f 7 g 8 h 9 i 10 j 11 k
ZRANGE b 0 -1
ZRANGE b 0 -1 WITHSCORES
ZSCAN b 0
SELECT 7
ECHO "no \"lonely' quote"
"#;

/// Returns the output of redis-cli for a script, or `None` if it is not installed.
fn redis_cli(script: &str, protocol: &str) -> Option<String> {
    let server = Running::start();
    let mut command = Command::new("redis-cli");
    command.args(["--no-raw", protocol, "-p", &server.address.port().to_string()]);
    let Ok(output) = run(&mut command, script.as_bytes()) else {
        skip("redis-cli is not installed");
        return None;
    };
    Some(String::from_utf8(output.stdout).expect("redis-cli escapes other bytes"))
}

fn compare(protocol: u8) {
    let Some(expected) = redis_cli(COMMANDS, &format!("-{protocol}")) else { return };
    let all = answer(&format!("HELLO {protocol}\nECHO here\n{COMMANDS}"));
    let (_, answers) = all.split_once("\"here\"\n").expect("the marker is printed");
    for (ours, theirs) in answers.lines().zip(expected.lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(answers, expected);
}

#[test]
fn resp2_replies_look_like_those_of_redis_cli() {
    compare(2);
}

#[test]
fn resp3_replies_look_like_those_of_redis_cli() {
    compare(3);
}
