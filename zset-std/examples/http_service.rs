//! Serves HTTP, and answers excessive requests with status 429 and `Retry-After`.
//!
//! Demonstrates a `SlidingWindow` shared by the threads of a service. Its keys are the clients' API
//! keys, and a decision has everything that the response headers need. The service works with any
//! `KeyedLimiter`. Server and clients run in one program with a fake clock, so it ends on its own,
//! at once:
//!
//! ```text
//! cargo run --example http_service
//! ```

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use zset_std::{Decision, FakeClock, KeyedLimiter, Quota, SlidingWindow, Verdict, WhenFull};

/// The maximum size of a request in bytes.
const MAX_REQUEST: u64 = 8192;

/// Answers each connection on a thread of its own until the program ends.
fn serve<L>(listener: &TcpListener, limiter: &Arc<L>)
where
    L: KeyedLimiter<str> + Send + Sync + 'static,
{
    for connection in listener.incoming() {
        let limiter = Arc::clone(limiter);
        thread::spawn(move || {
            // A client that hangs up must not end the service.
            if let Err(error) = connection.and_then(|stream| answer(stream, &*limiter)) {
                eprintln!("connection: {error}");
            }
        });
    }
}

fn answer(mut stream: TcpStream, limiter: &impl KeyedLimiter<str>) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let response = match read_api_key((&stream).take(MAX_REQUEST))? {
        Some(key) => limited(&limiter.check(&key)),
        None => response("403 Forbidden", "", "no API key\n"),
    };
    stream.write_all(response.as_bytes())
}

/// Reads the head of a request and returns the value of `X-Api-Key`.
fn read_api_key(stream: impl Read) -> io::Result<Option<String>> {
    let mut key = None;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':') {
            if name.eq_ignore_ascii_case("x-api-key") {
                key = Some(value.trim().to_string());
            }
        }
    }
    Ok(key)
}

/// Returns the response for a decision of the limiter.
fn limited(decision: &Decision) -> String {
    let quota = format!(
        "RateLimit-Limit: {}\r\nRateLimit-Remaining: {}\r\nRateLimit-Reset: {}\r\n",
        decision.limit,
        decision.remaining,
        whole_seconds(decision.reset_after)
    );
    match decision.verdict {
        Verdict::Allowed => response("200 OK", &quota, "hello\n"),
        Verdict::Denied { retry_after } => {
            let headers = format!("{quota}Retry-After: {}\r\n", whole_seconds(retry_after));
            response("429 Too Many Requests", &headers, "slow down\n")
        }
        Verdict::Never => response("403 Forbidden", &quota, "never\n"),
    }
}

fn response(status: &str, headers: &str, body: &str) -> String {
    let len = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}Content-Length: {len}\r\nConnection: close\r\n\r\n{body}"
    )
}

/// Rounds up, since a client that retries too early would be denied again.
fn whole_seconds(duration: Duration) -> u64 {
    duration.as_secs() + u64::from(duration.subsec_nanos() > 0)
}

/// Sends a request as a client and returns the status and `Retry-After` of the response.
fn get(address: SocketAddr, key: &str) -> io::Result<(String, Option<u64>)> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET / HTTP/1.1\r\nHost: {address}\r\nX-Api-Key: {key}\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let status = response.lines().next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    let retry_after = response.lines().find_map(|line| line.strip_prefix("Retry-After: "));
    Ok((
        status.unwrap_or_default().to_string(),
        retry_after.and_then(|seconds| seconds.parse().ok()),
    ))
}

fn main() -> Result<(), Box<dyn Error>> {
    let clock = FakeClock::new();
    let three_a_minute = Quota::new(3, Duration::from_secs(60))?;
    // A key that a client makes up must not take memory for ever.
    let limiter = SlidingWindow::<String>::new(three_a_minute)
        .with_clock(clock.clone())
        .with_max_keys(100_000, WhenFull::RefuseNew);
    let limiter = Arc::new(limiter);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || serve(&listener, &limiter));

    // Seconds since the previous request, and the client.
    let requests =
        [(0, "ann"), (10, "ann"), (10, "ann"), (10, "ann"), (0, "bob"), (30, "ann"), (0, "ann")];
    let mut retries = Vec::new();
    let mut second = 0;
    for (pause, key) in requests {
        clock.advance(Duration::from_secs(pause));
        second += pause;
        let (status, retry_after) = get(address, key)?;
        let advice = retry_after.map_or(String::new(), |wait| format!(", retry after {wait} s"));
        println!("{second:02} s  {key}  {status}{advice}");
        retries.push(retry_after);
    }
    // Ann's fourth request came 30 s before her first one was a minute old. Her last one came right
    // after the one that was then allowed, 10 s before her second one was a minute old.
    assert_eq!(retries, [None, None, None, Some(30), None, None, Some(10)]);
    Ok(())
}
