//! Delivers webhooks from two worker processes, with retries, through a delay queue on a server.
//!
//! The program queues deliveries and starts two copies of itself as workers. A worker leases a
//! delivery and posts it. If the post fails, the worker nacks the delivery, which is retried after
//! a growing delay. After eight attempts, it becomes a dead letter. One worker is killed while it
//! posts: its lease expires, and the other worker repeats the delivery. So a delivery may be posted
//! more than once. The receiver, which is also part of the program, recognizes repetitions by their
//! ids.
//!
//! If `REDIS_URL` is not set, the program starts a `redis-server`. To use a running Redis or Valkey
//! server:
//!
//! ```sh
//! REDIS_URL=redis://127.0.0.1/ cargo run -p zset-redis --example webhooks
//! ```

mod server;

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::NonZeroU32;
use std::process::{self, Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use server::{Folder, Server};
use zset_redis::DelayQueueError;
use zset_redis::blocking::{DelayQueue, Pool};
use zset_redis::delay_queue::Nacked;

/// How long a worker leases a delivery.
const VISIBILITY: Duration = Duration::from_secs(2);
/// How long a worker waits for the receiver's response.
const TIMEOUT: Duration = Duration::from_secs(1);

const MINUTE: Duration = Duration::from_secs(60);

/// The pause after a failed call to the queue.
const PAUSE: Duration = Duration::from_millis(100);

const MAX_ATTEMPTS: NonZeroU32 = NonZeroU32::new(8).unwrap();

/// The ids of the deliveries, and the paths to which they are posted.
const DELIVERIES: [(&str, &str); 5] = [
    ("order 1 paid", "/healthy"),
    ("order 2 paid", "/kills"),
    ("order 3 paid", "/flaky"),
    ("order 4 paid", "/gone"),
    ("order 5 paid", "/healthy"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [receiver] = &arguments[..] {
        work(&queue(&env::var("REDIS_URL")?)?, receiver);
    }
    let server = if env::var_os("REDIS_URL").is_none() { Some(start()?) } else { None };
    let url = server.as_ref().map_or_else(|| env::var("REDIS_URL"), |server| Ok(url(server)))?;
    let queue = queue(&url)?;
    // Remove the jobs and dead letters of an earlier run.
    persist(|| queue.clear())?;
    persist(|| queue.purge_dead_letters())?;
    deliver(&queue, &url)
}

fn queue(url: &str) -> Result<DelayQueue, Box<dyn Error>> {
    let queue = DelayQueue::new(Pool::new(redis::Client::open(url)?), "webhooks example");
    Ok(queue.with_max_deliveries(MAX_ATTEMPTS).with_deadline(Duration::from_secs(30)))
}

/// Repeats an idempotent call while it fails, for at most a minute.
fn persist<T>(call: impl Fn() -> Result<T, DelayQueueError>) -> Result<T, DelayQueueError> {
    let start = Instant::now();
    loop {
        match call() {
            Err(DelayQueueError::Failure(_)) if start.elapsed() < MINUTE => {
                sleep(PAUSE);
            }
            result => return result,
        }
    }
}

// A worker process leases deliveries and posts them.

fn work(queue: &DelayQueue, receiver: &str) -> ! {
    // Standard input closes when the parent process ends, and the worker then exits.
    thread::spawn(|| {
        let _ = io::stdin().read(&mut [0]);
        process::exit(0);
    });
    loop {
        let lease = match queue.wait_lease(VISIBILITY).block() {
            Ok(lease) => lease,
            // If a call fails, e.g. because the server restarts, the worker tries again.
            Err(error) => {
                eprintln!("worker: {error}");
                sleep(PAUSE);
                continue;
            }
        };
        let id = String::from_utf8_lossy(&lease.id);
        let outcome = match post(receiver, &id, &String::from_utf8_lossy(&lease.payload)) {
            Ok(200) => queue.ack(&lease).map(|()| "delivered".to_owned()),
            failed => {
                // The delay is 20 ms, then 40 ms, and 80 ms from the third attempt on. In
                // production, use seconds to hours.
                let delay = Duration::from_millis(10 << lease.deliveries.min(3));
                let reason = failed.map_or_else(|error| error.to_string(), |s| s.to_string());
                queue.nack(&lease, delay).map(|nacked| match nacked {
                    Nacked::Requeued { .. } => format!("{reason}, again in {delay:?}"),
                    Nacked::Dead => format!("{reason} for the last time"),
                })
            }
        };
        match outcome {
            Ok(outcome) => println!("{id}, attempt {}: {outcome}", lease.deliveries),
            // Either the post took longer than the lease and another worker has taken the delivery,
            // or the call to the queue failed. In both cases, the delivery may be repeated.
            Err(error) => println!("{id}, attempt {}: {error}", lease.deliveries),
        }
    }
}

/// Posts a delivery and returns the status of the response.
fn post(receiver: &str, id: &str, path: &str) -> io::Result<u16> {
    let mut stream = TcpStream::connect(receiver)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    let worker = process::id();
    write!(stream, "POST {path} HTTP/1.1\r\nHost: {receiver}\r\nContent-Length: 0\r\n")?;
    write!(stream, "X-Delivery: {id}\r\nX-Worker: {worker}\r\n\r\n")?;
    let mut status = String::new();
    BufReader::new(stream).read_line(&mut status)?;
    let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
    status.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

// The receiver counts the attempts, and makes some of them fail.

#[derive(Default)]
struct Receiver {
    /// The number of attempts for each id.
    attempts: BTreeMap<String, u32>,
    received: BTreeSet<String>,
    workers: Vec<Child>,
    killed: usize,
}

impl Receiver {
    /// Returns the status of the response, or kills the worker and returns `None`.
    fn receive(&mut self, id: &str, path: &str, worker: u32) -> io::Result<Option<u16>> {
        let attempts = self.attempts.entry(id.to_owned()).or_insert(0);
        *attempts += 1;
        match (path, *attempts) {
            ("/kills", 1) => {
                let at = self.workers.iter().position(|child| child.id() == worker);
                let mut child = self.workers.remove(at.ok_or(io::ErrorKind::NotFound)?);
                child.kill().and_then(|()| child.wait())?;
                println!("{id}, attempt 1: the worker is killed");
                self.killed += 1;
                Ok(None)
            }
            ("/flaky", 1 | 2) | ("/gone", _) => Ok(Some(500)),
            _ => {
                // A repetition has no effect: its id is already in the set.
                self.received.insert(id.to_owned());
                Ok(Some(200))
            }
        }
    }
}

fn serve(listener: &TcpListener, receiver: &Mutex<Receiver>) {
    for stream in listener.incoming() {
        // A worker that hangs up must not stop the receiver.
        if let Err(error) = stream.and_then(|stream| answer(stream, receiver)) {
            eprintln!("connection: {error}");
        }
    }
}

fn answer(mut stream: TcpStream, receiver: &Mutex<Receiver>) -> io::Result<()> {
    let mut head = Vec::new();
    for line in BufReader::new(&stream).lines() {
        match line? {
            line if line.is_empty() => break,
            line => head.push(line),
        }
    }
    let path = head.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let header = |name| head.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let worker = header("X-Worker: ").parse().map_err(io::Error::other)?;
    let mut receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(status) = receiver.receive(header("X-Delivery: "), path, worker)? {
        write!(stream, "HTTP/1.1 {status} \r\nContent-Length: 0\r\n\r\n")?;
    }
    Ok(())
}

// The main process starts the workers and queues the deliveries.

fn deliver(queue: &DelayQueue, url: &str) -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?.to_string();
    let receiver = Arc::new(Mutex::new(Receiver::default()));
    let lock = || receiver.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..2 {
        let mut command = Command::new(env::current_exe()?);
        command.arg(&address).env("REDIS_URL", url).stdin(Stdio::piped());
        lock().workers.push(command.spawn()?);
    }
    let shared = Arc::clone(&receiver);
    thread::spawn(move || serve(&listener, &shared));
    for (id, path) in DELIVERIES {
        // A push with an id can be repeated if its reply was lost.
        persist(|| match queue.push_with_id_after(id, path, Duration::ZERO) {
            Err(DelayQueueError::DuplicateJob) => Ok(()),
            result => result,
        })?;
    }

    let start = Instant::now();
    while persist(|| queue.len())? > 0 {
        let ended = lock().workers.iter_mut().find_map(|worker| worker.try_wait().transpose());
        if let Some(status) = ended {
            return Err(format!("a worker has ended: {}", status?).into());
        }
        if start.elapsed() > 2 * MINUTE {
            return Err(format!("not delivered in time: {:?}", queue.stats()?).into());
        }
        sleep(Duration::from_millis(20));
    }

    let workers = std::mem::take(&mut lock().workers);
    assert_eq!((workers.len(), lock().killed), (1, 1));
    for mut worker in workers {
        drop(worker.stdin.take());
        worker.wait()?;
    }
    let dead = persist(|| queue.dead_letters(10))?;
    for letter in &dead {
        let id = String::from_utf8_lossy(&letter.id);
        println!("dead letter: {id}, {} attempts", letter.deliveries);
    }
    let orders = lock().received.clone();
    println!("received: {}", orders.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    assert!(orders.iter().eq(["order 1 paid", "order 2 paid", "order 3 paid", "order 5 paid"]));
    assert!(dead.iter().map(|letter| &letter.id[..]).eq([b"order 4 paid"]));
    assert_eq!(dead.iter().map(|letter| letter.deliveries).sum::<u32>(), MAX_ATTEMPTS.get());
    Ok(())
}

/// Starts a server that listens on a Unix socket in its folder.
fn start() -> Result<Server, Box<dyn Error>> {
    let folder = Folder::new("webhooks")?;
    let arguments = ["--port", "0", "--save", "", "--unixsocket", "socket"];
    let mut server = Server::start(folder, &arguments)?;
    let client = redis::Client::open(url(&server))?;
    server.reply(&client)?;
    Ok(server)
}

fn url(server: &Server) -> String {
    format!("redis+unix://{}", server.folder().join("socket").display())
}
