//! Serves an API with axum. One route is limited by the client's address, the other by the account
//! to which the client's token belongs.
//!
//! The tier of an account determines its quota. The limiters keep their state in this process, or
//! in Redis, where several processes can share it. Without `--listen`, the program tests itself: as
//! a client, it sends requests to each route until one is denied, and then exits. With `--listen`,
//! it prints curl commands to try, and serves until Ctrl-C:
//!
//! ```text
//! cargo run -p zset-tower --example api -- [--listen ADDRESS] [--redis redis://ADDRESS]
//! ```

use std::env;
use std::error::Error;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use http::StatusCode;
use http::header::AUTHORIZATION;
use lexopt::{Arg, ValueExt};
use tokio::net::TcpListener;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use zset_redis::redis::Client;
use zset_redis::redis::aio::ConnectionManager;
use zset_std::{Funnel, Quota, SlidingWindow};
use zset_tower::key::{self, Key, PeerIp};
use zset_tower::{FailedLimiter, MissingKey, Policy, RateLimitLayer, RequestHead};

const HELP: &str = "\
Serves /time, limited by the client's address, and /search, limited by the account of its token.

Usage: api [--listen ADDRESS] [--redis URL]

  --listen ADDRESS  serves there until Ctrl-C, instead of trying itself
  --redis URL       a Redis that has the limits, such as redis://127.0.0.1/
  -h, --help        prints this help

Redis stores hashes of addresses and tokens, keyed with the environment variable API_SECRET. All processes
that share the limits need the same.
";

/// The timeout for connecting to Redis at startup.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the secret with which keys are hashed, so that users who can read Redis see no tokens.
fn secret() -> String {
    env::var("API_SECRET").unwrap_or_else(|_| "known to every reader of this example".to_owned())
}

/// Allows ten requests in any minute for each address.
fn per_ip(redis: Option<&ConnectionManager>) -> Result<Policy, Box<dyn Error>> {
    let name = "per-ip";
    let quota = Quota::new(10, Duration::from_secs(60))?;
    let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
    // A request has no key only if the server is started without connect info, which is a bug.
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let Some(redis) = redis else {
        return Ok(Policy::window(name, quota, key, MissingKey::Deny(status))?);
    };
    let limiter = zset_redis::Keyed::new(
        redis.clone(),
        name,
        SlidingWindow::new(quota),
        zset_redis::OnFailure::Error,
    )?
    .with_hashed_keys(secret());
    let key = key.map(|address| address.to_string());
    let missing_key = MissingKey::Deny(status);
    Ok(Policy::new_async(name, limiter, key, missing_key, FailedLimiter::Deny)?)
}

/// Returns the account of a token. A real program would ask a database.
fn account(head: &RequestHead<'_>) -> Option<String> {
    let account = match head.headers.get(AUTHORIZATION)?.as_bytes() {
        b"Bearer ann" => "ann",
        b"Bearer bob" => "bob",
        b"Bearer cid" => "cid",
        _ => return None,
    };
    Some(account.to_owned())
}

/// Returns whether an account pays. A real program would ask a database.
fn pays(account: &str) -> bool {
    account == "cid"
}

/// Limits each account by its tier. A request without an account has no key and is rejected with
/// status 401, so tokens made up by clients occupy no memory.
fn per_account(redis: Option<&ConnectionManager>) -> Result<Policy, Box<dyn Error>> {
    let name = "per-account";
    let per_second = |count| Quota::new(count, Duration::from_secs(1)).map(Funnel::new);
    let free = per_second(1)?.with_capacity(3)?;
    let paid = per_second(5)?.with_capacity(20)?;
    let key = key::from_fn(account);
    let missing_key = MissingKey::Challenge("Bearer");
    let policy = if let Some(redis) = redis {
        let on_failure = zset_redis::OnFailure::Error;
        let limiter = zset_redis::Keyed::new(redis.clone(), name, free, on_failure)?;
        let limiter = limiter.with_hashed_keys(secret());
        Policy::new_async(name, limiter, key, missing_key, FailedLimiter::Deny)?
    } else {
        Policy::funnel(name, free, key, missing_key)?
    };
    Ok(policy.with_quota_by(move |account: &String| if pays(account) { paid } else { free })?)
}

async fn time() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{} s since 1970\n", now.as_secs())
}

async fn search() -> &'static str {
    "nothing found\n"
}

/// Connects to Redis. Errors contain its address.
async fn connect(url: &str) -> Result<ConnectionManager, Box<dyn Error>> {
    let client = Client::open(url)?;
    let address = client.get_connection_info().addr().to_string();
    let connection = timeout(CONNECT_TIMEOUT, async {
        // A plain connection is tried first, because the manager retries for longer than is
        // acceptable at startup.
        client.get_multiplexed_async_connection().await?;
        client.get_connection_manager().await
    });
    match connection.await {
        Ok(connection) => {
            Ok(connection.map_err(|error| format!("no Redis at {address}: {error}"))?)
        }
        Err(_) => Err(format!("no Redis at {address}: no reply within {CONNECT_TIMEOUT:?}").into()),
    }
}

#[tokio::main]
async fn main() {
    if let Err(error) = run().await {
        eprintln!("api: {error}");
        // Returning would shut down the runtime, which waits for a pending name lookup. That can
        // take longer than the timeout.
        process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut address = None;
    let mut redis = None;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("listen") => address = Some(arguments.value()?.string()?),
            Arg::Long("redis") => redis = Some(arguments.value()?.string()?),
            Arg::Long("help") | Arg::Short('h') => {
                print!("{HELP}");
                return Ok(());
            }
            other => return Err(other.unexpected().into()),
        }
    }
    let redis = match redis {
        Some(url) => Some(connect(&url).await?),
        None => None,
    };
    let redis = redis.as_ref();

    let router = Router::new()
        .route("/time", get(time).layer(RateLimitLayer::new(per_ip(redis)?)))
        .route("/search", get(search).layer(RateLimitLayer::new(per_account(redis)?)));
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    let Some(address) = address else {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        tokio::spawn(async { axum::serve(listener, service).await });
        return Ok(spawn_blocking(move || try_it(address)).await??);
    };
    let listener = TcpListener::bind(address).await?;
    let url = format!("http://{}", listener.local_addr()?);
    println!("Listening on {url}");
    println!("/time: 10 requests a minute for each address. The eleventh is denied:");
    println!("    curl -i '{url}/time?[1-11]'");
    println!("/search: 1 request a second for each free account, and up to 3 at once:");
    println!("    curl -i -H 'Authorization: Bearer ann' '{url}/search?[1-4]'");
    println!("For each that pays, 5 a second, and up to 20 at once:");
    println!("    curl -i -H 'Authorization: Bearer cid' '{url}/search?[1-21]'");
    println!("Without a token, 401, with a challenge:");
    println!("    curl -i {url}/search");
    println!("Ctrl-C ends it.");
    Ok(axum::serve(listener, service).await?)
}

/// Sends requests as a client.
fn try_it(address: SocketAddr) -> io::Result<()> {
    for (path, token, at_once) in
        [("/time", "", 10), ("/search", "ann", 3), ("/search", "bob", 3), ("/search", "cid", 20)]
    {
        let mut allowed = 0;
        let denied = loop {
            let response = send(address, path, token)?;
            if !response.starts_with("HTTP/1.1 200") {
                break response;
            }
            allowed += 1;
        };
        // A slow machine may be allowed more requests, since units become available between
        // requests.
        assert!(allowed >= at_once, "{path} {token}: {allowed}");
        assert!(denied.starts_with("HTTP/1.1 429"), "{denied}");
        let retry_after = header(&denied, "retry-after");
        assert!(retry_after.parse::<u64>().is_ok_and(|seconds| (1..=60).contains(&seconds)));
        let policy = header(&denied, "ratelimit-policy");
        println!("{path:<7} {token:<3}  {allowed:2} allowed by {policy}, again in {retry_after} s");
    }
    for token in ["", "made up"] {
        let response = send(address, "/search", token)?;
        assert!(response.starts_with("HTTP/1.1 401"), "{response}");
        assert_eq!(header(&response, "www-authenticate"), "Bearer");
    }
    println!("/search without an account: 401");
    Ok(())
}

/// Sends a request and returns the response.
fn send(address: SocketAddr, path: &str, token: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n")?;
    write!(stream, "Authorization: Bearer {token}\r\n\r\n")?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    Ok(response)
}

fn header<'a>(response: &'a str, name: &str) -> &'a str {
    let mut lines = response.lines().filter_map(|line| line.split_once(": "));
    lines.find(|line| line.0.eq_ignore_ascii_case(name)).map_or("", |line| line.1)
}
