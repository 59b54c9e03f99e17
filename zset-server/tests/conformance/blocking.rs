//! Clients that wait for members: scenes of several clients, played before a server and before ours.
//!
//! Each line of a scene is a client's name and its command; several commands that are parted by ` ; ` are
//! sent at once. `!` behind the name says that the client waits from then on, `x` alone that it goes, and
//! `$name` stands for a client's number.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;

use zset_server::{Options, Server};

use super::patient::{Patient, retry};
use super::reply::Reply;
use super::server::{self, Kind};

struct Peer {
    stream: Patient<UnixStream>,
    id: String,
    /// All that the server has said and that is not read as a reply yet.
    ahead: Vec<u8>,
    log: String,
    is_there: bool,
}

impl Peer {
    fn connect(socket: &Path, hello: &str) -> Peer {
        let stream = Patient(retry(|| UnixStream::connect(socket)).expect("it listens"));
        let (id, log) = (String::new(), String::new());
        let mut peer = Peer { stream, id, ahead: Vec::new(), log, is_there: true };
        peer.ask(hello);
        let id = peer.ask("CLIENT ID");
        Peer { id: id.trim_matches([':', '\r', '\n']).to_owned(), ..peer }
    }

    fn send(&mut self, line: &str) {
        write!(self.stream, "{}\r\n", line.replace(" ; ", "\r\n")).expect("it listens");
    }

    /// Returns the next reply.
    fn reply(&mut self) -> String {
        let mut buffer = [0; 4096];
        loop {
            if let Some((_, behind)) = Reply::parse(&self.ahead) {
                let len = self.ahead.len() - behind.len();
                let reply: Vec<u8> = self.ahead.drain(..len).collect();
                return String::from_utf8_lossy(&reply).into_owned();
            }
            let len = self.stream.read(&mut buffer).expect("it answers");
            assert!(len > 0, "it closes");
            self.ahead.extend_from_slice(&buffer[..len]);
        }
    }

    fn ask(&mut self, line: &str) -> String {
        self.send(line);
        self.reply()
    }
}

/// Returns all that is said in a scene.
fn play(socket: &Path, hello: &str, scene: &[&str]) -> String {
    let mut prompter = Peer::connect(socket, "HELLO 2");
    prompter.ask("FLUSHALL");
    let mut peers: BTreeMap<&str, Peer> = BTreeMap::new();
    for line in scene {
        let (name, command) = line.split_once(' ').expect("a name and a command");
        let who = name.trim_end_matches('!');
        let peer = peers.entry(who).or_insert_with(|| Peer::connect(socket, hello));
        let id = peer.id.clone();
        if command == "x" {
            peer.is_there = false;
            peer.stream.shutdown(std::net::Shutdown::Both).expect("it is there");
            while prompter.ask("CLIENT LIST").contains(&format!("id={id} ")) {}
            continue;
        }
        let ids: Vec<_> = peers.iter().map(|(name, peer)| (*name, peer.id.clone())).collect();
        let mut sent = command.to_owned();
        for (name, id) in ids {
            sent = sent.replace(&format!("${name}"), &id);
        }
        let peer = peers.get_mut(who).expect("it has come");
        peer.send(&sent);
        if name.ends_with('!') {
            let is_waiting = |list: String| {
                let mut lines = list.lines().map(str::to_owned);
                let line = lines.find(|line| line.contains(&format!("id={id} ")));
                line.is_some_and(|line| line.contains(" flags=b"))
            };
            while !is_waiting(prompter.ask("CLIENT LIST")) {}
        } else {
            let reply = peer.reply();
            peer.log.extend([command, ": ", &reply]);
        }
    }
    let mut all = String::new();
    for (name, peer) in peers.iter_mut().filter(|(_, peer)| peer.is_there) {
        while prompter.ask(&format!("CLIENT UNBLOCK {}", peer.id)) == ":1\r\n" {}
        peer.send("ECHO end-of-scene");
        loop {
            let reply = peer.reply();
            if reply.contains("end-of-scene") {
                break;
            }
            peer.log += &reply;
        }
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
fn clients_that_wait_are_served_as_they_are_there() {
    let socket = env::temp_dir().join(format!("zset-scenes-{}.socket", std::process::id()));
    let _ = fs::remove_file(&socket);
    let options =
        Options { addresses: Vec::new(), unix_socket: Some(socket.clone()), ..Options::default() };
    let ours = Server::bind(options).expect("it may listen");
    let stopper = ours.stopper();
    let thread = thread::spawn(|| ours.run());
    // Redis 7.0 gives a client of the key that was ready first, whatever the order of its own keys.
    if let Some(theirs) = server::Server::start(Kind::Valkey) {
        let mut failures = Vec::new();
        for hello in ["HELLO 2", "HELLO 3"] {
            for scene in scenes(include_str!("scenes/blocking.txt")) {
                let our = play(&socket, hello, &scene);
                let their = play(&theirs.socket(), hello, &scene);
                if our != their {
                    failures.push(format!("{hello}, {scene:#?}\nzset: {our}\nValkey: {their}\n"));
                }
            }
        }
        assert!(failures.is_empty(), "{}", failures.concat());
    }
    stopper.stop();
    thread.join().expect("it does not panic").expect("it starts");
}
