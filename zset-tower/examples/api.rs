//! Serves two routes with axum: one limited by the client's address, the other by its token.
//!
//! Demonstrates a sliding window and a funnel as layers of routes, in this process or in Redis,
//! where several processes share the limits. It prints how to try it with curl:
//!
//! ```text
//! cargo run -p zset-tower --example api -- [--listen ADDRESS] [--redis redis://ADDRESS]
//! ```

use std::env;
use std::error::Error;
use std::net::SocketAddr;
use std::process;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use http::StatusCode;
use http::header::AUTHORIZATION;
use lexopt::{Arg, ValueExt};
use tokio::net::TcpListener;
use tokio::time::timeout;
use zset_redis::redis::Client;
use zset_redis::redis::aio::ConnectionManager;
use zset_std::Quota;
use zset_tower::key::{Header, Key, PeerIp};
use zset_tower::{MissingKey, OnFailure, Policy, RateLimitLayer};

const HELP: &str = "\
Serves /time, limited by the client's address, and /search, limited by its token.

Usage: api [--listen ADDRESS] [--redis URL]

  --listen ADDRESS  the address to listen on; the default is 127.0.0.1:3000
  --redis URL       a Redis that has the limits, such as redis://127.0.0.1/
  -h, --help        prints this help

Redis stores hashes of addresses and tokens, keyed with the environment variable API_SECRET. All processes
that share the limits need the same.
";

/// How long the start may take to connect to Redis.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the secret with which keys are hashed, so that users who can read Redis see no tokens.
fn secret() -> String {
    env::var("API_SECRET").unwrap_or_else(|_| "known to every reader of this example".to_owned())
}

/// Ten requests in any minute for each address.
fn per_ip(redis: Option<&ConnectionManager>) -> Result<Policy, Box<dyn Error>> {
    let name = "per-ip";
    let quota = Quota::new(10, Duration::from_secs(60))?;
    let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
    // It is missing only if the server is started in another way.
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let Some(redis) = redis else {
        return Ok(Policy::window(name, quota, key, MissingKey::Deny(status))?);
    };
    let limiter =
        zset_redis::SlidingWindow::new(redis.clone(), name, quota, zset_redis::OnFailure::Deny)?
            .hashed_keys(secret());
    let key = key.map(|address| address.to_string());
    let missing_key = MissingKey::Deny(status);
    let policy = Policy::new_async(name, limiter, key, missing_key, OnFailure::ServiceUnavailable)?;
    Ok(policy.with_quota(quota))
}

/// One request a second for each token, and up to three at once.
fn per_token(redis: Option<&ConnectionManager>) -> Result<Policy, Box<dyn Error>> {
    let name = "per-token";
    let quota = Quota::new(1, Duration::from_secs(1))?.with_capacity(3)?;
    let key = Header::new(AUTHORIZATION);
    let missing_key = MissingKey::Challenge("Bearer");
    let Some(redis) = redis else {
        return Ok(Policy::funnel(name, quota, key, missing_key)?);
    };
    let limiter = zset_redis::Funnel::new(redis.clone(), name, quota, zset_redis::OnFailure::Deny)?
        .hashed_keys(secret());
    let policy = Policy::new_async(name, limiter, key, missing_key, OnFailure::ServiceUnavailable)?;
    Ok(policy.with_quota(quota))
}

async fn time() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{} s since 1970\n", now.as_secs())
}

async fn search() -> &'static str {
    "nothing found\n"
}

/// Connects to Redis, or reports its address.
async fn connect(url: &str) -> Result<ConnectionManager, Box<dyn Error>> {
    let client = Client::open(url)?;
    let address = client.get_connection_info().addr().to_string();
    let connection = timeout(CONNECT_TIMEOUT, async {
        // The manager repeats attempts that fail, for longer than one waits at a start.
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
        // A return would wait for the look-up of a name, which ends later than its timeout.
        process::exit(1);
    }
}

async fn run() -> Result<(), Box<dyn Error>> {
    let mut address = "127.0.0.1:3000".to_owned();
    let mut redis = None;
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("listen") => address = arguments.value()?.string()?,
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
        .route("/search", get(search).layer(RateLimitLayer::new(per_token(redis)?)));
    let listener = TcpListener::bind(address).await?;
    let url = format!("http://{}", listener.local_addr()?);
    println!("Listening on {url}");
    println!("/time: 10 requests a minute for each address. The eleventh is denied:");
    println!("    curl -i '{url}/time?[1-11]'");
    println!("/search: 1 request a second for each token, and up to 3 at once:");
    println!("    curl -i -H 'Authorization: Bearer ann' '{url}/search?[1-4]'");
    println!("Without a token, 401, with a challenge:");
    println!("    curl -i {url}/search");
    println!("Ctrl-C ends it.");
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, service).await?)
}
