//! redis-cli and the shell show the same replies in the same form.

use std::env;
use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::patient::retry;
use crate::running::{Folder, answer, program};

/// How long the server may take until it listens. Only a test that fails waits for so long.
const START: Duration = Duration::from_secs(20);

/// Commands whose replies are of all kinds, nested and empty.
const COMMANDS: &str = r#"
PING
SET text "a \"b\"\n\t\r\a\b\\ \x00\xff"
GET text
GET nothing
INCR text
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
ZRANGE a 0 -1 WITHSCORES
EXEC
ZADD b 1 a 2 b 3 c 4 d 5 e 6 f 7 g 8 h 9 i 10 j 11 k
ZRANGE b 0 -1
ZRANGE b 0 -1 WITHSCORES
ZSCAN b 0
SELECT 7
ECHO "no \"lonely' quote"
"#;

struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns what redis-cli prints for a script; none where it is not installed, unless the tests are told
/// to require it.
fn redis_cli(script: &str, protocol: &str) -> Option<String> {
    let folder = Folder::new();
    let socket = folder.file("socket");
    let server = program()
        .args(["serve", "--port", "0", "--unixsocket", &socket])
        .stderr(Stdio::null())
        .spawn()
        .expect("the program is there");
    let _server = Server(server);
    let start = Instant::now();
    while retry(|| UnixStream::connect(&socket)).is_err() {
        assert!(start.elapsed() < START, "the server does not start");
        sleep(Duration::from_millis(5));
    }
    let client = Command::new("redis-cli")
        .args(["--no-raw", protocol, "-s", &socket])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut client) = client else {
        assert!(env::var_os("ZSET_REQUIRE_SERVERS").is_none(), "there is no redis-cli");
        eprintln!("SKIPPED: there is no redis-cli");
        return None;
    };
    client.stdin.take()?.write_all(script.as_bytes()).expect("it reads");
    let output = client.wait_with_output().expect("it ends");
    Some(String::from_utf8(output.stdout).expect("it escapes what is no text"))
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
fn replies_look_as_redis_cli_shows_them() {
    compare(2);
}

#[test]
fn replies_in_resp3_look_as_redis_cli_shows_them() {
    compare(3);
}
