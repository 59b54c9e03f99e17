//! Keeps a limit across a failover: a Sentinel names the primary, and the limiter connects to it.
//!
//! Support for Sentinel is a feature of the crate `redis`. A `Pool` accepts any type that opens
//! connections. Here, it is [`Sentinels`], which asks the Sentinels for the primary before it opens
//! each connection. The pool replaces a connection that breaks or whose server has become a
//! replica, so the limiter needs no restart.
//!
//! `REDIS_SENTINELS` holds the comma-separated addresses of the Sentinels, and `REDIS_MASTER` the
//! name of the primary. If either is not set, the program starts a primary, a replica and a
//! Sentinel, and kills the primary. To use running Sentinels:
//!
//! ```sh
//! REDIS_SENTINELS=redis://10.0.0.1:26379,redis://10.0.0.2:26379 REDIS_MASTER=mymaster \
//!     cargo run -p zset-redis --example sentinel
//! ```

mod server;

use std::env;
use std::error::Error;
use std::fs;
use std::process;
use std::sync::{Mutex, PoisonError};
use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::sentinel::{SentinelClient, SentinelServerType};
use redis::{Client, Cmd, Connection, Value};
use server::{Folder, Server, free_port};
use zset_redis::blocking::{Connect, Pool};
use zset_redis::{Failure, Keyed, OnFailure};
use zset_std::{Quota, SlidingWindow};

/// Opens connections to the primary that the Sentinels currently name.
struct Sentinels(Mutex<SentinelClient>);

impl Sentinels {
    fn new(urls: &str, name: &str) -> redis::RedisResult<Sentinels> {
        let urls = urls.split(',').collect();
        let name = name.to_owned();
        let client = SentinelClient::build(urls, name, None, SentinelServerType::Master)?;
        Ok(Sentinels(Mutex::new(client)))
    }

    fn primary(&self) -> redis::RedisResult<Client> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_client()
    }
}

impl Connect for Sentinels {
    type Connection = Connection;

    fn connect(&self, timeout: Duration) -> Result<Connection, Failure> {
        self.primary()?.connect(timeout)
    }

    fn query(
        connection: &mut Connection,
        command: &Cmd,
        timeout: Duration,
    ) -> Result<Value, Failure> {
        Client::query(connection, command, timeout)
    }

    fn is_open(connection: &mut Connection, timeout: Duration) -> bool {
        Client::is_open(connection, timeout)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut servers = None;
    let sentinels = match (env::var("REDIS_SENTINELS"), env::var("REDIS_MASTER")) {
        (Ok(urls), Ok(name)) => Sentinels::new(&urls, &name)?,
        _ => Sentinels::new(&servers.insert(Servers::start()?).sentinel_url, "mymaster")?,
    };
    println!("the primary is {}", sentinels.primary()?.get_connection_info().addr());

    let quota = Quota::new(10, Duration::from_secs(3600))?;
    let pool = Pool::new(sentinels);
    let logins = Keyed::new(pool, "sentinel example", SlidingWindow::new(quota), OnFailure::Error)?;
    let user = format!("user of process {}", process::id());
    for _ in 0..3 {
        assert!(logins.check(&user)?.is_allowed());
    }
    println!("{} of 10 left", logins.peek_n(&user, 0)?.remaining);

    if let Some(servers) = &mut servers {
        servers.kill_the_primary()?;
        let start = Instant::now();
        // Calls fail until the Sentinel has promoted the replica.
        let decision = loop {
            match logins.check(&user) {
                Ok(decision) => break decision,
                Err(error) if start.elapsed() > Duration::from_secs(120) => {
                    return Err(error.into());
                }
                Err(_) => sleep(Duration::from_millis(100)),
            }
        };
        println!("the replica allows the next and has {} left", decision.remaining);
        assert!(decision.is_allowed() && decision.remaining <= 6, "{decision:?}");
    }
    logins.reset(&user)?;
    Ok(())
}

/// A primary, its replica, and a Sentinel that watches both.
struct Servers {
    sentinel_url: String,
    primary_url: String,
    primary: Server,
    /// Keeps the processes running as long as the program.
    _others: [Server; 2],
}

impl Servers {
    fn start() -> Result<Servers, Box<dyn Error>> {
        let [primary_port, replica_port, port] = [free_port()?, free_port()?, free_port()?];
        let url = |port: &str| format!("redis://127.0.0.1:{port}/");
        let settings = ["--bind", "127.0.0.1", "--save", "", "--repl-diskless-sync-delay", "0"];
        let start = |name: &str, port: &str, more: &[&str]| -> Result<Server, Box<dyn Error>> {
            let arguments = [&["--port", port], &settings[..], more].concat();
            let mut server = Server::start(Folder::new(name)?, &arguments)?;
            server.reply(&Client::open(url(port))?)?;
            Ok(server)
        };
        let primary = start("primary", &primary_port, &[])?;
        let of = ["--replicaof", "127.0.0.1", &primary_port];
        let replica = start("replica", &replica_port, &of)?;
        until(&url(&replica_port), "INFO replication", "master_link_status:up")?;

        let folder = Folder::new("sentinel")?;
        let monitor = format!("sentinel monitor mymaster 127.0.0.1 {primary_port} 1\n");
        let times = "sentinel down-after-milliseconds mymaster 500\n\
                     sentinel failover-timeout mymaster 2000\n";
        fs::write(folder.path().join("sentinel.conf"), monitor + times)?;
        let arguments = ["sentinel.conf", "--sentinel", "--bind", "127.0.0.1", "--port", &port];
        let mut sentinel = Server::start(folder, &arguments)?;
        let sentinel_url = url(&port);
        sentinel.reply(&Client::open(&*sentinel_url)?)?;
        until(&sentinel_url, "INFO sentinel", "slaves=1")?;
        let primary_url = url(&primary_port);
        Ok(Servers { sentinel_url, primary_url, primary, _others: [replica, sentinel] })
    }

    fn kill_the_primary(&mut self) -> Result<(), Box<dyn Error>> {
        // Replication is asynchronous, so wait until the replica has this write and all earlier
        // ones.
        let mut connection = Client::open(&*self.primary_url)?.get_connection()?;
        redis::cmd("SET").arg("last").arg("write").exec(&mut connection)?;
        let replicas: u32 = redis::cmd("WAIT").arg(1).arg(0).query(&mut connection)?;
        assert_eq!(replicas, 1);
        self.primary.process.kill()?;
        println!("the primary is killed");
        Ok(())
    }
}

/// Waits until the reply to a command contains a string.
fn until(url: &str, command: &str, expected: &str) -> Result<(), Box<dyn Error>> {
    let mut connection = Client::open(url)?.get_connection()?;
    let mut words = command.split(' ');
    let mut command = redis::cmd(words.next().unwrap_or_default());
    command.arg(words.collect::<Vec<_>>());
    while !command.query::<String>(&mut connection)?.contains(expected) {
        sleep(Duration::from_millis(10));
    }
    Ok(())
}
