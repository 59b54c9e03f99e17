//! Limits logins through a server that is reached over TLS.
//!
//! TLS is a feature of the crate `redis`, for URLs that start with `rediss`. To use rustls, enable
//! `tls-rustls`, or `tokio-rustls-comp` with tokio. The crate `rustls` then needs a cryptography
//! provider, here `ring`. To use the system's library, enable `tls-native-tls`, or
//! `tokio-native-tls-comp` with tokio. Pass a certificate that the system does not trust to
//! `build_with_tls`.
//!
//! If `REDIS_URL` is not set, the program creates a certificate with `openssl` and starts a
//! `redis-server`. To use a running server:
//!
//! ```sh
//! REDIS_URL=rediss://redis.example/ cargo run -p zset-redis --example tls
//! REDIS_URL=rediss://10.0.0.1/ REDIS_CA=ca.pem cargo run -p zset-redis --example tls
//! ```

mod server;

use std::env;
use std::error::Error;
use std::fs;
use std::process::{self, Command};
use std::time::Duration;

use redis::{Client, TlsCertificates};
use server::{Folder, Server, free_port};
use zset_redis::blocking::Pool;
use zset_redis::{Keyed, OnFailure};
use zset_std::{Quota, SlidingWindow};

fn main() -> Result<(), Box<dyn Error>> {
    let (client, _server) = match (env::var("REDIS_URL"), env::var_os("REDIS_CA")) {
        (Ok(url), None) => (Client::open(url)?, None),
        (Ok(url), Some(file)) => (trusting(&url, fs::read(file)?)?, None),
        (Err(_), _) => start().map(|(client, server)| (client, Some(server)))?,
    };
    println!("connecting to {}", client.get_connection_info().addr());

    // From here on, the code is the same as without TLS.
    let quota = Quota::new(3, Duration::from_secs(3600))?;
    let logins =
        Keyed::new(Pool::new(client), "tls example", SlidingWindow::new(quota), OnFailure::Deny)?;
    let user = format!("user of process {}", process::id());
    for left in (0..3).rev() {
        let decision = logins.check(&user)?;
        assert_eq!((decision.is_allowed(), decision.remaining), (true, left));
        println!("allowed, {left} left");
    }
    assert!(!logins.check(&user)?.is_allowed());
    println!("denied");
    logins.reset(&user)?;
    Ok(())
}

/// Returns a client that trusts the given certificates instead of those of the system.
fn trusting(url: &str, root_cert: Vec<u8>) -> redis::RedisResult<Client> {
    let certificates = TlsCertificates { client_tls: None, root_cert: Some(root_cert) };
    Client::build_with_tls(url, certificates)
}

/// Starts a server that has a new certificate and accepts only TLS.
fn start() -> Result<(Client, Server), Box<dyn Error>> {
    let folder = Folder::new("tls")?;
    let port = free_port()?;
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2"])
        .args(["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        .args(["-addext", "basicConstraints=critical,CA:FALSE"])
        .current_dir(folder.path())
        .output()
        .map_err(|error| format!("no REDIS_URL is set, and openssl does not start: {error}"))?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into());
    }
    let client = trusting(
        &format!("rediss://localhost:{port}/"),
        fs::read(folder.path().join("cert.pem"))?,
    )?;
    let files = ["--tls-cert-file", "cert.pem", "--tls-key-file", "key.pem"];
    let settings = ["--port", "0", "--save", "", "--tls-auth-clients", "no", "--tls-port", &port];
    let mut server = Server::start(folder, &[&settings[..], &files].concat())?;
    server.reply(&client)?;

    // A client that does not trust the certificate cannot connect.
    assert!(Client::open(format!("rediss://localhost:{port}/"))?.get_connection().is_err());
    Ok((client, server))
}
