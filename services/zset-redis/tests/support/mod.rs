//! Servers that the tests start: a Redis, a Valkey, and a cluster of three primaries.
//!
//! [`test_support::servers`] defines which programs are started, and what happens if one is
//! missing.

// Each test target uses only a part of this module.
#![allow(dead_code, unused_imports)]

mod calls;
mod faults;
mod forwarder;
#[cfg(feature = "cluster")]
mod replicas;
#[cfg(feature = "cluster")]
mod slots;

use std::fs;
use std::net::TcpListener;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::{Duration, Instant};

use redis::ConnectionLike;
use test_support::servers::{Folder, Program};
use zset_redis::blocking::Pool;
use zset_std::{AnyLimiter, Direct};

pub(crate) use calls::*;
pub(crate) use forwarder::{Forwarder, fake};

/// The timeout of a start, and of calls whose timeouts are not tested. Only a failing test waits
/// that long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Redis,
    Valkey,
}

impl Kind {
    /// Returns each kind, and prints it: the output of a failing test shows the kind.
    pub(crate) fn each() -> impl Iterator<Item = Kind> {
        [Kind::Redis, Kind::Valkey].into_iter().inspect(|kind| println!("with {kind:?}"))
    }

    pub(crate) fn program(self) -> Program {
        match self {
            Kind::Redis => Program::redis(),
            Kind::Valkey => Program::valkey(),
        }
    }
}

/// A server process on its own port. It is killed on drop.
pub(crate) struct Server {
    pub(crate) kind: Kind,
    pub(crate) port: u16,
    process: Child,
    // The folder is dropped after the process has ended.
    folder: Folder,
    arguments: Vec<String>,
}

impl Server {
    /// Starts a server; returns `None` if it is not installed.
    pub(crate) fn start(kind: Kind) -> Option<Server> {
        Server::start_with(kind, &[])
    }

    /// Starts a server of each installed kind, one after the other.
    pub(crate) fn of_each_kind() -> impl Iterator<Item = Server> {
        Kind::each().filter_map(Server::start)
    }

    /// Like [`start`](Server::start), with more arguments.
    pub(crate) fn start_with(kind: Kind, arguments: &[&str]) -> Option<Server> {
        Server::start_on(kind, free_port(), arguments)
    }

    /// Ends the process and starts another one on the same port, without its data.
    pub(crate) fn restart(self) -> Server {
        let (kind, port) = (self.kind, self.port);
        drop(self);
        Server::start_on(kind, port, &[]).expect("it is installed")
    }

    fn start_on(kind: Kind, port: u16, arguments: &[&str]) -> Option<Server> {
        let folder = Folder::new();
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let process = spawn(kind, port, &folder, &arguments)?;
        let mut server = Server { kind, port, process, folder, arguments };
        server.wait_until_it_replies();
        Some(server)
    }

    fn wait_until_it_replies(&mut self) {
        let start = Instant::now();
        loop {
            if let Ok(mut connection) = self.client().get_connection()
                && redis::cmd("PING").query::<String>(&mut connection).is_ok()
            {
                return;
            }
            let status = self.process.try_wait().expect("the process is a child");
            if status.is_some() || start.elapsed() > PATIENCE {
                let log = fs::read_to_string(self.folder.log()).unwrap_or_default();
                panic!("{:?} does not start ({status:?}):\n{log}", self.kind);
            }
            sleep(Duration::from_millis(5));
        }
    }

    /// Stops the process with SIGSTOP, until it may [proceed](Server::proceed).
    pub(crate) fn stop(&self) {
        self.signal("STOP");
    }

    /// Lets a stopped process proceed, with SIGCONT.
    pub(crate) fn proceed(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }

    pub(crate) fn client(&self) -> redis::Client {
        redis::Client::open(self.url()).expect("the address is valid")
    }

    /// Waits until a replica has the data of its primary.
    pub(crate) fn wait_until_replicated(&self) {
        let info = || self.ask("INFO replication");
        wait_until("the replica has no data", || info().contains("master_link_status:up"));
    }

    /// Returns a connection without timeouts, so only the deadlines of calls apply.
    #[cfg(feature = "tokio")]
    pub(crate) async fn multiplexed(&self) -> redis::aio::MultiplexedConnection {
        let config = redis::AsyncConnectionConfig::new().set_response_timeout(None);
        let config = config.set_connection_timeout(None);
        let client = self.client();
        client.get_multiplexed_async_connection_with_config(&config).await.expect("it listens")
    }

    pub(crate) fn connection(&self) -> redis::Connection {
        self.client().get_connection().expect("the server listens")
    }

    /// Returns a number from `INFO`.
    pub(crate) fn info(&self, name: &str) -> u64 {
        let info = self.ask("INFO");
        let number = info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        number.and_then(|number| number.trim().parse().ok()).expect("INFO has this number")
    }

    /// Returns the reply to a command as a string.
    pub(crate) fn ask(&self, command: &str) -> String {
        let mut words = command.split(' ');
        let mut command = redis::cmd(words.next().expect("a command has a name"));
        command.arg(words.collect::<Vec<_>>());
        let reply: redis::Value = command.query(&mut self.connection()).expect("a reply");
        match reply {
            redis::Value::BulkString(text) => String::from_utf8_lossy(&text).into_owned(),
            redis::Value::SimpleString(text) | redis::Value::VerbatimString { text, .. } => text,
            other => format!("{other:?}"),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A panic here would hide the panic of the test.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A cluster of three primaries.
#[cfg(feature = "cluster")]
pub(crate) struct Cluster {
    pub(crate) nodes: Vec<Server>,
}

#[cfg(feature = "cluster")]
impl Cluster {
    /// Starts a cluster; returns `None` if the server is not installed.
    pub(crate) fn start(kind: Kind) -> Option<Cluster> {
        Cluster::start_with(kind, &[])
    }

    /// Like [`start`](Cluster::start), with more arguments for each server.
    pub(crate) fn start_with(kind: Kind, arguments: &[&str]) -> Option<Cluster> {
        const SLOTS: [&str; 3] = ["0 5460", "5461 10922", "10923 16383"];
        let mut nodes = Vec::new();
        let mut bus_ports = Vec::new();
        for slots in SLOTS {
            let (node, bus_port) = Cluster::start_node(kind, arguments)?;
            node.ask(&format!("CLUSTER ADDSLOTSRANGE {slots}"));
            nodes.push(node);
            bus_ports.push(bus_port);
        }
        for (node, bus_port) in nodes.iter().zip(&bus_ports).skip(1) {
            nodes[0].ask(&format!("CLUSTER MEET 127.0.0.1 {} {bus_port}", node.port));
        }
        let is_ready = |node: &Server| {
            let info = node.ask("CLUSTER INFO");
            info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
        };
        wait_until("the cluster does not form", || nodes.iter().all(is_ready));
        Some(Cluster { nodes })
    }

    /// Starts a node without slots; returns it and the port of its bus.
    fn start_node(kind: Kind, arguments: &[&str]) -> Option<(Server, u16)> {
        let bus_port = free_port();
        let settings = ["--cluster-enabled", "yes", "--cluster-port", &bus_port.to_string()];
        Some((Server::start_with(kind, &[&settings, arguments].concat())?, bus_port))
    }

    pub(crate) fn pool(&self) -> Pool<redis::cluster::ClusterClient> {
        Pool::new(self.client())
    }

    /// Opens an asynchronous connection.
    pub(crate) async fn connect(&self) -> redis::cluster_async::ClusterConnection {
        self.client().get_async_connection().await.expect("the nodes listen")
    }

    /// Returns a client with settings like those recommended in the docs.
    pub(crate) fn advised_client(
        &self,
        connection_timeout: Duration,
        response_timeout: Duration,
    ) -> redis::cluster::ClusterClient {
        redis::cluster::ClusterClient::builder(self.nodes.iter().map(Server::url))
            .connection_timeout(connection_timeout)
            .response_timeout(response_timeout)
            .overall_response_timeout(None)
            .min_retry_wait(10)
            .max_retry_wait(100)
            .build()
            .expect("the addresses are valid")
    }

    pub(crate) fn client(&self) -> redis::cluster::ClusterClient {
        let nodes = self.nodes.iter().map(Server::url);
        let builder = redis::cluster::ClusterClient::builder(nodes);
        let builder = builder.response_timeout(PATIENCE).connection_timeout(PATIENCE);
        builder.build().expect("the addresses are valid")
    }
}

/// Waits until a condition holds. Panics with the message `otherwise` after [`PATIENCE`].
pub(crate) fn wait_until(otherwise: &str, mut is_true: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < PATIENCE, "{otherwise}");
        sleep(Duration::from_millis(20));
    }
}

fn spawn(kind: Kind, port: u16, folder: &Folder, arguments: &[String]) -> Option<Child> {
    let program = kind.program();
    let mut command = Command::new(program.path());
    command.args(["--bind", "127.0.0.1", "--port", &port.to_string()]);
    command.args(["--save", "", "--appendonly", "no", "--dir"]).arg(folder.path());
    command.args(arguments);
    program.start(&mut command, folder)
}

/// Returns a port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

/// Returns the numbers of a limiter's state.
pub(crate) fn numbers(state: &[u8]) -> Vec<u64> {
    let numbers = state.chunks_exact(8).map(|bytes| f64::from_be_bytes(bytes.try_into().unwrap()));
    numbers.map(|number| number.to_string().parse().expect("a whole number")).collect()
}

/// Returns the entries of a sliding window, oldest first, each with its time and its units.
pub(crate) fn log(connection: &mut impl ConnectionLike, key: &str) -> Vec<(u64, u32)> {
    let mut entries = redis::cmd("ZRANGE");
    let entries: Vec<(Vec<u8>, u64)> =
        entries.arg(key).arg(&[0, -1]).arg("WITHSCORES").query(connection).unwrap();
    let entry = |(member, score): (Vec<u8>, u64)| {
        let (time, units) = match numbers(&member)[..] {
            [time, _] => (time, 1),
            [time, _, units] => (time, u32::try_from(units).unwrap()),
            _ => panic!("an entry has {} bytes", member.len()),
        };
        assert_eq!(time, score);
        (time, units)
    };
    entries.into_iter().map(entry).collect()
}

/// Replays the entries of a log in a limiter in this process, which must allow all of them. Returns
/// the total of their units, and how often the limiter was full.
pub(crate) fn replay(entries: Vec<(u64, u32)>, rule: AnyLimiter) -> (u64, u32) {
    let mut limiter = Direct::new(rule);
    let (mut units, mut full) = (0, 0);
    for (time, n) in entries {
        units += u64::from(n);
        let decision = limiter.check_n(n, at_micros(time));
        assert!(decision.is_allowed(), "{rule:?} allowed {n} units at {time}: {decision:?}");
        full += u32::from(decision.remaining == 0);
    }
    (units, full)
}
