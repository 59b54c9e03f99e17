//! Blocking commands: scenes of several clients, played with Valkey and with our server.
//!
//! Each line of a scene is a client's name and its command. Commands separated by ` ; ` are sent at
//! once. A `!` after the name means that the client blocks, and the command `x` that it
//! disconnects.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

use zset_server::Options;

use super::patient::{Patient, retry};
use super::process::{Folder, Kind, Reply, Server};
use super::serving::{Running, options};

struct Peer {
    stream: Patient<UnixStream>,
    /// Bytes received after the last reply.
    ahead: Vec<u8>,
    log: String,
    is_connected: bool,
}

impl Peer {
    fn connect(socket: &Path, hello: &str) -> Peer {
        let stream = Patient(retry(|| UnixStream::connect(socket)).expect("the server listens"));
        let mut peer = Peer { stream, ahead: Vec::new(), log: String::new(), is_connected: true };
        peer.ask(hello);
        peer
    }

    fn send(&mut self, line: &str) {
        write!(self.stream, "{}\r\n", line.replace(" ; ", "\r\n")).expect("the server listens");
    }

    /// Returns the next reply.
    fn reply(&mut self) -> String {
        let mut buffer = [0; 4096];
        loop {
            if let Some((_, rest)) = Reply::parse(&self.ahead) {
                let len = self.ahead.len() - rest.len();
                let reply: Vec<u8> = self.ahead.drain(..len).collect();
                return String::from_utf8_lossy(&reply).into_owned();
            }
            let len = self.stream.read(&mut buffer).expect("the server replies");
            assert!(len > 0, "the server closed the connection");
            self.ahead.extend_from_slice(&buffer[..len]);
        }
    }

    /// Waits until INFO has this number of clients.
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
    // Clients of the last scene may still be connected.
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
            peer.stream.shutdown(Shutdown::Both).expect("the client is connected");
            let left = peers.values().filter(|peer| peer.is_connected).count();
            observer.until("connected_clients", others + 1 + left);
            continue;
        }
        peer.send(command);
        if name.ends_with('!') {
            // In a scene, all clients that block do so before any of them is served.
            blocked += 1;
            observer.until("blocked_clients", blocked);
        } else {
            let reply = peer.reply();
            peer.log.extend([command, ": ", &reply]);
        }
    }
    let mut all = String::new();
    for (name, peer) in peers.iter_mut().filter(|(_, peer)| peer.is_connected) {
        // The server sends the remaining replies, and closes the connection.
        peer.stream.shutdown(Shutdown::Write).expect("the client is connected");
        peer.stream.read_to_end(&mut peer.ahead).expect("the server replies");
        peer.log += &String::from_utf8_lossy(&peer.ahead);
        all.extend([name, ": ", &peer.log, "\n"]);
    }
    all
}

/// Returns the scenes of a script.
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
    // Redis 7.0 serves a client from the key that became ready first, whatever the order in the
    // client's command.
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
