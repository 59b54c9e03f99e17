//! A server in this process.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use zset_server::{Options, ServeError, Server, Stopper};

use crate::patient::{Patient, retry};

/// How long an answer may take. Only a test that fails waits for so long.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: SocketAddr,
    stream: Patient<TcpStream>,
    stopper: Stopper,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

/// Returns options to listen on any ports that are free.
pub(crate) fn options() -> Options {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    Options {
        addresses: vec![any],
        metrics: Some(any),
        allocated: Some(|| crate::ALLOCATOR.allocated()),
        ..Options::default()
    }
}

pub(crate) fn connect(address: SocketAddr) -> Patient<TcpStream> {
    let stream = retry(|| TcpStream::connect(address)).expect("it listens");
    // What is sent is there then, and not in a queue of the sender.
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    Patient(stream)
}

impl Peer {
    pub(crate) fn start(options: Options) -> Peer {
        let server = Server::bind(options).expect("ports are free");
        let metrics = server.metrics_address().expect("it was asked for");
        let (address, stopper) = (server.addresses()[0], server.stopper());
        let thread = Some(thread::spawn(|| server.run()));
        Peer { address, metrics, stream: connect(address), stopper, thread }
    }

    /// Returns the reply to a request, which is one line, or begins with its length.
    pub(crate) fn ask(&mut self, request: &str) -> String {
        self.stream.write_all(format!("{request}\r\n").as_bytes()).unwrap();
        let mut reply = self.line();
        if let Some(len) = reply.strip_prefix('$')
            && let Ok(len) = len.trim_end().parse::<usize>()
        {
            let mut text = vec![0; len + 2];
            self.stream.read_exact(&mut text).unwrap();
            reply = String::from_utf8(text).unwrap();
        }
        reply
    }

    fn line(&mut self) -> String {
        let (mut line, mut byte) = (Vec::new(), [0]);
        while !line.ends_with(b"\r\n") {
            self.stream.read_exact(&mut byte).unwrap();
            line.push(byte[0]);
        }
        String::from_utf8(line).unwrap()
    }

    /// Returns what an HTTP request gets.
    pub(crate) fn http(&self, request: &str) -> String {
        const ATTEMPTS: usize = 100;
        for _ in 0..ATTEMPTS {
            let mut stream = connect(self.metrics);
            let mut response = String::new();
            let sent = stream.write_all(request.as_bytes());
            let read = sent.and_then(|()| stream.read_to_string(&mut response));
            match read.map_err(|error| error.kind()) {
                // The machine may pause for longer than a request may take.
                Ok(0) | Err(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {}
                read => {
                    read.expect("it answers");
                    return response;
                }
            }
        }
        panic!("it closes without an answer");
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.stopper.stop();
        self.stopper.stop();
        let result = self.thread.take().expect("it runs").join();
        assert!(thread::panicking() || matches!(result, Ok(Ok(()))), "{result:?}");
    }
}
