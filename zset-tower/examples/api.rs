//! Serves two routes with axum: one limited by the client's address, the other by its token.
//!
//! Demonstrates a sliding window and a funnel as layers of routes. It prints how to try it with curl:
//!
//! ```text
//! cargo run -p zset-tower --example api -- [--listen ADDRESS]
//! ```

use std::error::Error;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::extract::ConnectInfo;
use axum::routing::get;
use http::StatusCode;
use http::header::AUTHORIZATION;
use lexopt::{Arg, ValueExt};
use tokio::net::TcpListener;
use zset_std::Quota;
use zset_tower::key::{Header, PeerIp};
use zset_tower::{MissingKey, Policy, RateLimitLayer};

/// Ten requests in any minute for each address.
fn per_ip() -> Result<Policy, Box<dyn Error>> {
    let quota = Quota::new(10, Duration::from_secs(60))?;
    let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
    // It is missing only if the server is started in another way.
    let missing_key = MissingKey::Deny(StatusCode::INTERNAL_SERVER_ERROR);
    Ok(Policy::window("per-ip", quota, key, missing_key)?)
}

/// One request a second for each token, and up to three at once.
fn per_token() -> Result<Policy, Box<dyn Error>> {
    let quota = Quota::new(1, Duration::from_secs(1))?.with_capacity(3)?;
    let missing_key = MissingKey::Deny(StatusCode::UNAUTHORIZED);
    Ok(Policy::funnel("per-token", quota, Header::new(AUTHORIZATION), missing_key)?)
}

async fn time() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("{} s since 1970\n", now.as_secs())
}

async fn search() -> &'static str {
    "nothing found\n"
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut address = "127.0.0.1:3000".to_owned();
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("listen") => address = arguments.value()?.string()?,
            other => return Err(other.unexpected().into()),
        }
    }

    let router = Router::new()
        .route("/time", get(time).layer(RateLimitLayer::new(per_ip()?)))
        .route("/search", get(search).layer(RateLimitLayer::new(per_token()?)));
    let listener = TcpListener::bind(address).await?;
    let url = format!("http://{}", listener.local_addr()?);
    println!("Listening on {url}");
    println!("/time: 10 requests a minute for each address. The eleventh is denied:");
    println!("    curl -i '{url}/time?[1-11]'");
    println!("/search: 1 request a second for each token, and up to 3 at once:");
    println!("    curl -i -H 'Authorization: Bearer ann' '{url}/search?[1-4]'");
    println!("Without a token, 401:");
    println!("    curl -i {url}/search");
    println!("Ctrl-C ends it.");
    let service = router.into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, service).await?)
}
