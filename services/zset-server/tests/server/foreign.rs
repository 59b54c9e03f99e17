//! Tests clients that speak another protocol, such as a browser that sends bytes chosen by a web
//! page.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::program::Program;
use crate::running::{Peer, Running};

/// The body of an HTTP request, which contains commands.
const BODY: &str = "FLUSHALL\r\n*3\r\n$3\r\nSET\r\n$4\r\nevil\r\n$1\r\n1\r\nSET evil 1\r\n";

fn post(headers: &str) -> String {
    let len = BODY.len();
    format!("POST / HTTP/1.1\r\n{headers}Content-Length: {len}\r\n\r\n{BODY}")
}

/// Sends bytes in pieces, and returns all replies until the server closes the connection.
fn replies_until_closed(peer: &mut Peer<TcpStream>, pieces: &[&[u8]]) -> String {
    for piece in pieces {
        // The connection may already be closed.
        if peer.stream.write_all(piece).is_err() {
            break;
        }
    }
    let mut replies = Vec::new();
    // If the server closes the connection during a write, the read may report a reset.
    let result = peer.stream.read_to_end(&mut replies);
    let kind = result.err().map(|error| error.kind());
    assert!(
        matches!(kind, None | Some(std::io::ErrorKind::ConnectionReset)),
        "the connection is not closed: {kind:?}"
    );
    String::from_utf8_lossy(&replies).into_owned()
}

#[test]
fn commands_in_the_body_of_an_http_request_do_not_run() {
    let server = Running::start();
    let mut other = server.connect();
    other.ask(b"SET kept 1\r\n", b"+OK\r\n");
    let text = post("Host: 127.0.0.1\r\nContent-Type: text/plain\r\n");
    for request in [
        text.clone(),
        text.replace("\r\n", "\n"),
        text.to_lowercase(),
        post("host: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=x\r\n"),
        post("Content-Type: application/x-www-form-urlencoded\r\n"),
        text.replace("POST / ", "POST http://127.0.0.1/ "),
        text.replace("POST / ", &format!("POST /{} ", "x".repeat(60_000))),
        text.replace("POST / ", &format!("POST /{} ", "x".repeat(100_000))),
        text.replace("POST / HTTP/1.1", "POST /"),
        // The next requests have other methods, which a page may also be able to choose.
        text.replace("POST ", "GET "),
        text.replace("POST ", "HEAD "),
        text.replace("POST ", "PUT "),
        text.replace("POST ", "OPTIONS ").replace("OPTIONS / ", "OPTIONS * "),
        text.replace("POST / HTTP/1.1\r\nHost", "GET / \"HTTP/1.1\r\nHost"),
        text.replace("POST / HTTP", "SET /evil HTTP"),
        text.replace("POST / HTTP", "DEL /kept HTTP"),
        // The next requests begin with a valid command, or with the preface of HTTP/2.
        format!("PING\r\n\r\n{text}"),
        format!("PING\r\nHost: x\r\n{BODY}"),
        format!("PING\r\nhOST:\r\n{BODY}"),
        format!("PING\r\nHost:x\r\n{BODY}"),
        format!("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n{BODY}"),
        // The last two requests are arrays, the format that Redis clients send.
        format!("*1\r\n$4\r\nPost\r\n{BODY}"),
        format!("*2\r\n$5\r\nHOST:\r\n$1\r\nx\r\n{BODY}"),
    ] {
        let start = request.get(..60).unwrap_or(&request);
        let half = request.len() - BODY.len() / 2;
        let many: Vec<_> = request.as_bytes().chunks(1 + request.len() / 100).collect();
        let halves = [&request.as_bytes()[..half], &request.as_bytes()[half..]];
        for pieces in [&[request.as_bytes()][..], &many, &halves] {
            let replies = replies_until_closed(&mut server.connect(), pieces);
            // The server may reply to the PING or report a protocol error, but must send nothing
            // else.
            let is_reply = replies == "+PONG\r\n" || replies.starts_with("-ERR Protocol error: ");
            assert!(replies.is_empty() || is_reply, "{start}: {replies}");
        }
        other.ask(b"DBSIZE\r\n", b":1\r\n");
        other.ask(b"EXISTS kept\r\n", b":1\r\n");
    }
}

#[test]
fn commands_in_a_tls_handshake_do_not_run() {
    let server = Running::start();
    let mut other = server.connect();
    other.ask(b"SET kept 1\r\n", b"+OK\r\n");
    // The page's server chooses the session ticket in the handshake. The ticket can contain lines
    // of commands.
    let hello = [b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and\n", BODY.as_bytes()].concat();
    for pieces in [&[&hello[..]][..], &[&hello[..1], &hello[1..3], &hello[3..]], &[&hello[..9]]] {
        assert_eq!(replies_until_closed(&mut server.connect(), pieces), "");
        other.ask(b"DBSIZE\r\n", b":1\r\n");
    }
}

#[test]
fn words_of_http_are_valid_arguments() {
    let server = Running::start();
    let mut peer = server.connect();
    for (request, reply) in [
        ("SET POST Host:\r\n", "+OK\r\n"),
        ("GET POST\r\n", "$5\r\nHost:\r\n"),
        ("SET protocol HTTP/1.1\r\n", "+OK\r\n"),
        ("*3\r\n$3\r\nSET\r\n$1\r\n/\r\n$8\r\nHTTP/1.1\r\n", "+OK\r\n"),
        ("GET /\r\n", "$8\r\nHTTP/1.1\r\n"),
        ("SET \x16\x03 1\r\n", "+OK\r\n"),
    ] {
        peer.ask(request.as_bytes(), reply.as_bytes());
    }
}

#[test]
fn http_requests_are_logged_at_most_once_a_minute() {
    let mut program = Program::start(&[]);
    for _ in 0..20 {
        let mut peer = program.connect();
        peer.send(b"POST / HTTP/1.1\r\n");
        peer.expect_last(b"");
    }
    let log = program.stop();
    // More than one line is logged only if the test pauses for a minute.
    let lines = log.matches("Possible SECURITY ATTACK detected").count();
    assert!((1..5).contains(&lines), "{log}");
}
