//! The page, over HTTP and as the reply to a command.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io::Write as _;

use prometheus_parse::{Scrape, Value};
use zset_server::{Options, ServeError, Server};

use crate::peer::{Peer, connect, options};

/// Returns the numbers of a page, each of which is explained and of a type.
fn numbers(page: &str) -> HashMap<String, f64> {
    let scrape = Scrape::parse(page.lines().map(|line| Ok(line.to_owned()))).unwrap();
    let mut numbers = HashMap::new();
    for sample in scrape.samples {
        assert!(scrape.docs.contains_key(&sample.metric), "{}", sample.metric);
        let is_counter = sample.metric.ends_with("_total");
        let number = match sample.value {
            Value::Counter(number) if is_counter => number,
            Value::Gauge(number) if !is_counter => number,
            value => panic!("{}: {value:?}", sample.metric),
        };
        let name = match sample.labels.get("command") {
            Some(command) => format!("{} {command}", sample.metric),
            None => sample.metric,
        };
        assert!(numbers.insert(name, number).is_none(), "twice");
    }
    let lines = page.lines().filter(|line| !line.starts_with('#')).count();
    assert_eq!(lines, numbers.len(), "a line is none that one can read");
    numbers
}

fn body(response: &str) -> &str {
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    let len = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
    assert_eq!(len.unwrap().parse(), Ok(body.len()));
    body
}

#[test]
fn the_page_counts_what_the_server_does() {
    let folder = env::temp_dir().join(format!("zset-metrics-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    let snapshot = Some(folder.join("dump.rdb"));
    let mut peer = Peer::start(Options { snapshot, ..options() });
    let page = numbers(peer.ask("METRICS").trim_end());
    assert_eq!(page.get("zset_snapshots_total"), Some(&0.0));
    assert!(!page.contains_key("zset_snapshot_last_success"), "nobody has tried");
    for (request, reply) in [
        ("SET a 1", "+OK\r\n"),
        ("SET b 1 EX 1000", "+OK\r\n"),
        ("CONFIG SET maxmemory 3gb", "+OK\r\n"),
        ("SAVE", "+OK\r\n"),
        ("GET", "-ERR wrong number of arguments for 'get' command\r\n"),
        // Of five numbers, the others are not read.
        ("CL.THROTTLE t 5 5 60", "*5\r\n"),
    ] {
        assert_eq!(peer.ask(request), reply);
    }
    let response = peer.http("GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.contains("\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\n"));
    let numbers = numbers(body(&response));
    assert!(!numbers.contains_key("zset_command_calls_total get"), "it did not run");
    for (name, number) in [
        ("zset_build_info", 1.0),
        ("zset_commands_total", 7.0),
        ("zset_command_errors_total", 1.0),
        ("zset_command_calls_total set", 2.0),
        ("zset_command_calls_total config|set", 1.0),
        ("zset_command_calls_total save", 1.0),
        ("zset_keys", 2.0),
        ("zset_keys_expiring", 1.0),
        ("zset_keys_expired_total", 0.0),
        ("zset_throttles", 1.0),
        ("zset_memory_max_bytes", 3_221_225_472.0),
        ("zset_snapshots_total", 1.0),
        ("zset_snapshot_last_success", 1.0),
        ("zset_clients_rejected_total", 0.0),
        ("zset_clients_accepted_total", 1.0),
    ] {
        assert_eq!(numbers.get(name), Some(&number), "{name}");
    }
    assert!(numbers["zset_memory_used_bytes"] > 1000.0);
    assert!(numbers["zset_uptime_seconds"] >= 0.0);
    assert!(numbers["zset_snapshot_last_timestamp_seconds"] > 1.7e9);
    drop(peer);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn other_requests_are_answered_as_http_has_it() {
    let mut peer = Peer::start(options());
    let page = peer.ask("METRICS");
    assert!(page.starts_with("# HELP zset_build_info "), "{page}");
    numbers(page.trim_end());
    for (request, status) in [
        ("GET / HTTP/1.1\r\n\r\n", "200 OK"),
        ("GET /metrics?name=x HTTP/1.0\r\n\r\n", "200 OK"),
        ("HEAD /metrics HTTP/1.1\r\n\r\n", "200 OK"),
        ("GET /other HTTP/1.1\r\n\r\n", "404 Not Found"),
        ("POST /metrics HTTP/1.1\r\nContent-Length: 2\r\n\r\nab", "405 Method Not Allowed"),
        ("PING\r\n", "400 Bad Request"),
        ("\0\0\0\0", "400 Bad Request"),
        (&format!("GET /{} HTTP/1.1\r\n", "x".repeat(9000)), "431 Request Header Fields Too Large"),
        (
            &format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(65)),
            "431 Request Header Fields Too Large",
        ),
    ] {
        let response = peer.http(request);
        assert!(response.starts_with(&format!("HTTP/1.1 {status}\r\n")), "{request}: {response}");
        let is_head = request.starts_with("HEAD");
        if is_head {
            assert!(response.ends_with("\r\n\r\n"), "{response}");
        } else {
            assert!(!body(&response).is_empty());
        }
    }
    // One that comes in pieces, while others wait for more.
    let mut idle: Vec<_> = (0..8).map(|_| connect(peer.metrics)).collect();
    idle[0].write_all(b"GET / HT").unwrap();
    assert!(peer.http("GET / HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 OK\r\n"));
}

#[test]
fn a_password_is_asked_for_here_too_and_others_can_reach_nothing_without_one() {
    let with_password = Options { password: "open sesame".to_owned(), ..options() };
    let peer = Peer::start(with_password);
    let ask = |header: &str| peer.http(&format!("GET / HTTP/1.1\r\n{header}\r\n"));
    for header in [
        "",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer open\r\n",
        "Authorization: Bearer open sesame!\r\n",
        "Authorization: Basic open sesame\r\n",
        "Proxy-Authorization: Bearer open sesame\r\n",
    ] {
        assert!(ask(header).starts_with("HTTP/1.1 401 Unauthorized\r\n"), "{header}");
    }
    for header in ["Authorization: Bearer open sesame\r\n", "authorization: bearer open sesame\r\n"]
    {
        assert!(ask(header).starts_with("HTTP/1.1 200 OK\r\n"), "{header}");
    }
    let exposed = Options { metrics: Some("0.0.0.0:0".parse().unwrap()), ..options() };
    assert!(matches!(Server::bind(exposed), Err(ServeError::NoPassword(_))));
}
