//! Tests the example `api` with curl commands like those that it prints.

use std::env;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::common::redis::Redis;
use crate::common::{parameters, problem};

/// The arguments of curl for a request with a token.
const ANN: [&str; 2] = ["-H", "Authorization: Bearer ann"];

/// A running example, stopped on drop.
struct Example {
    process: Child,
    /// The URL that it printed.
    url: String,
    /// The curl commands that it printed.
    commands: Vec<String>,
}

impl Example {
    /// Returns a command that runs the example. Cargo builds the examples next to the tests.
    fn command() -> Command {
        // target/debug/deps/http-0123 -> target/debug/examples/api
        let test = env::current_exe().unwrap();
        let profile = test.parent().and_then(Path::parent).unwrap();
        let example = profile.join("examples").join(format!("api{}", env::consts::EXE_SUFFIX));
        assert!(
            example.exists(),
            "no {}; cargo build -p zset-tower --example api",
            example.display()
        );
        Command::new(example)
    }

    /// Starts the example as a server, and reads what it prints.
    fn start(more: &[&str]) -> Self {
        let mut process = Example::command()
            .args(["--listen", "127.0.0.1:0"])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut example = Example { process, url: String::new(), commands: Vec::new() };
        for line in lines {
            let line = line.unwrap();
            if let Some(url) = line.strip_prefix("Listening on ") {
                url.clone_into(&mut example.url);
            } else if line.trim_start().starts_with("curl ") {
                example.commands.push(line.trim().to_owned());
            } else if line.starts_with("Ctrl-C") {
                break;
            }
        }
        example
    }

    /// Runs curl and checks the status. Returns the head and the body of the response.
    #[track_caller]
    fn curl(&self, path: &str, more: &[&str], status: u16) -> (String, String) {
        let url = format!("{}{path}", self.url);
        let output = Command::new("curl").args(["-s", "-i", &url]).args(more).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{head}");
        (head.to_owned(), body.to_owned())
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(it, _)| it.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
}

/// Returns whether curl is installed; without it, the tests are skipped.
fn has_curl() -> bool {
    let output = Command::new("curl").arg("--version").output();
    if let Err(error) = &output {
        assert_eq!(error.kind(), ErrorKind::NotFound);
        println!("SKIPPED: there is no curl");
    }
    output.is_ok()
}

#[test]
fn the_example_limits_curl() {
    if !has_curl() {
        return;
    }
    let example = Example::start(&[]);
    assert_eq!(example.commands.len(), 4, "{:?}", example.commands);

    // Each address may send ten requests a minute, over any number of connections.
    for left in (0..10).rev() {
        let (head, body) = example.curl("/time", &[], 200);
        assert!(body.ends_with('\n'));
        let limits = parameters(header(&head, "ratelimit"), ["r", "t"]);
        assert_eq!(limits[0].1[0], left);
        assert!((1..=60).contains(&limits[0].1[1]));
        let policies = parameters(header(&head, "ratelimit-policy"), ["q", "w"]);
        assert_eq!(policies, [("per-ip".to_owned(), [10, 60])]);
    }
    for more in [&[][..], &["-H", "X-Forwarded-For: 192.0.2.1"]] {
        let (head, body) = example.curl("/time", more, 429);
        assert!((1..=60).contains(&header(&head, "retry-after").parse::<u64>().unwrap()));
        assert_eq!(problem(&body), (429, vec!["per-ip".to_owned()]));
    }

    // A free account may send one request a second, and up to three at once. Each run of curl sends
    // two requests over one connection.
    let (head, _) = example.curl("/search", &[], 401);
    assert_eq!(header(&head, "www-authenticate"), "Bearer");
    let url = format!("{}/search", example.url);
    let mut allowed = 0;
    for _ in 0..3 {
        let output = Command::new("curl").args(["-s", "-i", &url, &url, ANN[0], ANN[1]]).output();
        let text = String::from_utf8(output.unwrap().stdout).unwrap();
        allowed += text.matches("HTTP/1.1 200").count();
    }
    assert!((3..=5).contains(&allowed), "{allowed}");
    for (account, left) in [("bob", 2), ("cid", 19)] {
        let token = format!("Authorization: Bearer {account}");
        let (head, _) = example.curl("/search", &["-H", &token], 200);
        assert_eq!(header(&head, "ratelimit"), format!(r#""per-account";r={left};t=1"#));
    }
}

#[test]
fn two_processes_share_the_limits_in_redis() {
    if !has_curl() {
        return;
    }
    let Some(redis) = Redis::start() else { return };
    let examples = [(); 2].map(|()| Example::start(&["--redis", &redis.url]));
    for left in (0..10).rev() {
        let (head, _) = examples[left % 2].curl("/time", &[], 200);
        let limits = parameters(header(&head, "ratelimit"), ["r", "t"]);
        assert_eq!(limits[0].1[0], i64::try_from(left).unwrap());
    }
    for example in &examples {
        let (_, body) = example.curl("/time", &[], 429);
        assert_eq!(problem(&body), (429, vec!["per-ip".to_owned()]));
        example.curl("/search", &ANN, 200);
    }

    // The keys in Redis contain neither addresses nor tokens.
    let client = zset_redis::redis::Client::open(redis.url.as_str()).unwrap();
    let keys = zset_redis::redis::cmd("KEYS").arg("*").query(&mut client.get_connection().unwrap());
    let keys: Vec<String> = keys.unwrap();
    assert_eq!(keys.len(), 2, "{keys:?}");
    assert!(!keys.iter().any(|key| key.contains("127.0") || key.contains("ann")), "{keys:?}");

    // Without its server, the limiter cannot decide, so requests are rejected.
    drop(redis);
    let (_, body) = examples[0].curl("/time", &[], 503);
    assert_eq!(problem(&body), (503, vec![]));
}

#[test]
fn without_an_address_the_example_tries_itself() {
    let run = |more: &[&str]| {
        let output = Example::command().args(more).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        assert!(text.contains(r#"allowed by "per-account";q=3;w=3, again in 1 s"#), "{text}");
        assert!(text.contains(r#"allowed by "per-account";q=20;w=4, again in 1 s"#), "{text}");
    };
    run(&[]);
    if let Some(redis) = Redis::start() {
        run(&["--redis", &redis.url]);
    }
}

#[test]
fn the_example_prints_its_options() {
    for option in ["--help", "-h"] {
        let output = Example::command().arg(option).output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        for part in ["Usage: api", "--listen ADDRESS", "--redis URL", "--help", "API_SECRET"] {
            assert!(text.contains(part), "{text}");
        }
    }
}

/// Runs the example with a Redis server that it cannot use, and returns the error message.
#[track_caller]
fn report(url: &str) -> String {
    let output = Example::command().args(["--listen", "127.0.0.1:0", "--redis", url]).output();
    let output = output.unwrap();
    assert_eq!((output.status.code(), &output.stdout[..]), (Some(1), &b""[..]));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn without_its_server_the_example_reports_the_address() {
    let listener = || TcpListener::bind("127.0.0.1:0").unwrap();
    let free = listener().local_addr().unwrap();
    // The operating system accepts connections to this address, but no server replies.
    let listening = listener();
    let silent = listening.local_addr().unwrap();
    for (url, address) in [
        (format!("user:password@{free}"), free.to_string()),
        ("redis.invalid".to_owned(), "redis.invalid:6379".to_owned()),
        (silent.to_string(), silent.to_string()),
    ] {
        let reported = report(&format!("redis://{url}/"));
        assert!(reported.starts_with(&format!("api: no Redis at {address}: ")), "{reported}");
        assert!(!reported.contains("password"));
    }
}

#[test]
fn the_example_tries_a_server_that_fails_once() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = server.local_addr().unwrap();
    let attempts = thread::spawn(move || {
        let mut attempts = 0;
        loop {
            let (mut stream, _) = server.accept().unwrap();
            let mut first = [0];
            // The test itself connects last, and sends `.` to end the loop.
            if stream.read(&mut first).is_ok_and(|n| n == 1) && first == *b"." {
                return attempts;
            }
            attempts += 1;
        }
    });
    let reported = report(&format!("redis://{address}/"));
    assert!(reported.contains(&address.to_string()), "{reported}");
    TcpStream::connect(address).unwrap().write_all(b".").unwrap();
    assert_eq!(attempts.join().unwrap(), 1);
}
