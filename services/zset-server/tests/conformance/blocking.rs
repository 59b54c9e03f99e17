//! Tests blocking commands with scenes of several clients, played with Valkey and with our server.
//!
//! Each line of a scene is the name of a client and its command. Commands separated by ` ; ` are
//! sent together. A `!` after the name means that the client blocks. The command `x` means that the
//! client disconnects.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::path::Path;

use zset_server::Options;

use super::process::{Connection, Folder, Kind, Server};
use super::serving::{Running, options};

struct Peer {
    connection: Connection,
    log: String,
    is_connected: bool,
}

impl Peer {
    fn connect(socket: &Path, hello: &str) -> Peer {
        let connection = Connection::open(socket).expect("the server listens");
        let mut peer = Peer { connection, log: String::new(), is_connected: true };
        peer.ask(hello);
        peer
    }

    fn send(&mut self, line: &str) {
        let lines = line.replace(" ; ", "\r\n");
        write!(self.connection.stream, "{lines}\r\n").expect("the server listens");
    }

    /// Returns the next reply.
    fn reply(&mut self) -> String {
        let reply = self.connection.reply().expect("the server replies");
        String::from_utf8_lossy(&reply).into_owned()
    }

    fn shutdown(&self, how: Shutdown) {
        self.connection.stream.shutdown(how).expect("the client is connected");
    }

    /// Waits until INFO reports this number of clients in a field.
    fn until(&mut self, field: &str, clients: usize) {
        let line = format!("{field}:{clients}\r\n");
        while !self.ask("INFO clients").contains(&line) {}
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.reply()
    }
}

/// Plays a scene with a server that has `others` additional clients; returns all replies.
fn play(socket: &Path, others: usize, hello: &str, scene: &[&str]) -> String {
    let mut observer = Peer::connect(socket, "HELLO 2");
    // Wait until the clients of the previous scene are no longer connected.
    observer.until("connected_clients", others + 1);
    observer.ask("FLUSHALL");
    let mut blocked = 0;
    let mut peers: BTreeMap<&str, Peer> = BTreeMap::new();
    for line in scene {
        let (name, command) = line.split_once(' ').expect("a name and a command");
        let client = name.trim_end_matches('!');
        let peer = peers.entry(client).or_insert_with(|| Peer::connect(socket, hello));
        if command == "x" {
            peer.is_connected = false;
            peer.shutdown(Shutdown::Both);
            let left = peers.values().filter(|peer| peer.is_connected).count();
            observer.until("connected_clients", others + 1 + left);
            continue;
        }
        peer.send(command);
        if name.ends_with('!') {
            // `blocked` only grows: in each scene, all clients that block do so before any of them
            // is served.
            blocked += 1;
            observer.until("blocked_clients", blocked);
        } else {
            let reply = peer.reply();
            peer.log.extend([command, ": ", &reply]);
        }
    }
    let mut all = String::new();
    for (name, peer) in peers.iter_mut().filter(|(_, peer)| peer.is_connected) {
        // Once the client has ended its requests, the server sends the remaining replies and closes
        // the connection.
        peer.shutdown(Shutdown::Write);
        let Connection { stream, ahead } = &mut peer.connection;
        stream.read_to_end(ahead).expect("the server replies");
        peer.log += &String::from_utf8_lossy(ahead);
        all.extend([name, ": ", &peer.log, "\n"]);
    }
    all
}

/// Returns the scenes of a script, which are separated by empty lines.
fn scenes(script: &str) -> Vec<Vec<&str>> {
    let scenes = script.split("\n\n");
    let scenes = scenes.map(|scene| scene.lines().filter(|line| !line.starts_with('#')).collect());
    scenes.collect()
}

#[test]
fn blocking_commands_reply_like_those_of_valkey() {
    let folder = Folder::new();
    let socket = folder.socket();
    let _ours = Running::with(Options { unix_socket: Some(socket.clone()), ..options() });
    // Redis 7.0 is not compared: it serves a client from the key that became ready first,
    // regardless of the order of keys in the client's command.
    if let Some(theirs) = Server::start(Kind::Valkey) {
        let mut failures = Vec::new();
        for hello in ["HELLO 2", "HELLO 3"] {
            for scene in scenes(include_str!("scenes/blocking.txt")) {
                let our = play(&socket, 0, hello, &scene);
                let their = play(&theirs.socket(), 1, hello, &scene);
                if our != their {
                    failures.push(format!("{hello}, {scene:#?}\nzset: {our}\nValkey: {their}\n"));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.concat());
    }
}
