//! [`Forwarder`], an address that can move from one server to another, and [`fake`], a server with
//! scripted replies.

use std::io::{BufRead, BufReader, Read, Write, copy};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};
use std::thread;

use super::Server;

/// Forwards connections to a server. After a move, open connections stay with their server.
pub(crate) struct Forwarder {
    address: SocketAddr,
    port: Arc<AtomicU16>,
}

impl Forwarder {
    pub(crate) fn to(server: &Server) -> Forwarder {
        let port = Arc::new(AtomicU16::new(server.port));
        let to = port.clone();
        let address = listen(move |client, _| {
            let to = TcpStream::connect(("127.0.0.1", to.load(Ordering::SeqCst)));
            let Ok(server) = to else { return };
            for (mut from, mut to) in
                [(client.try_clone().unwrap(), server.try_clone().unwrap()), (server, client)]
            {
                thread::spawn(move || {
                    let _ = copy(&mut from, &mut to);
                    let _ = from.shutdown(Shutdown::Both);
                    let _ = to.shutdown(Shutdown::Both);
                });
            }
        });
        Forwarder { address, port }
    }

    pub(crate) fn move_to(&self, server: &Server) {
        self.port.store(server.port, Ordering::SeqCst);
    }

    pub(crate) fn client(&self) -> redis::Client {
        client(self.address)
    }
}

/// Starts a server that calls `reply` for each script, with the number of the connection and the
/// stream for the reply. Returns the server's client, and the number of its connections.
pub(crate) fn fake(
    reply: impl Fn(u32, &mut TcpStream) + Clone + Send + 'static,
) -> (redis::Client, Arc<AtomicU32>) {
    let connections = Arc::new(AtomicU32::new(0));
    let counter = connections.clone();
    let address = listen(move |client, number| {
        counter.store(number + 1, Ordering::SeqCst);
        let _ = serve(client, |to| reply(number, to));
    });
    (client(address), connections)
}

fn serve(mut client: TcpStream, reply: impl Fn(&mut TcpStream)) -> std::io::Result<()> {
    let mut requests = BufReader::new(client.try_clone()?);
    loop {
        let command = read_command(&mut requests)?;
        match &*command {
            "EVALSHA" => reply(&mut client),
            "PING" => client.write_all(b"+PONG\r\n")?,
            "QUIT" => {
                client.write_all(b"+OK\r\n")?;
                return client.shutdown(Shutdown::Both);
            }
            _ => client.write_all(b"+OK\r\n")?,
        }
    }
}

/// Reads a command, i.e. an array of strings, and returns the first string.
fn read_command(requests: &mut impl BufRead) -> std::io::Result<String> {
    let number = |requests: &mut dyn BufRead| {
        let mut line = String::new();
        requests.read_line(&mut line)?;
        let number = line.trim_end().get(1..).and_then(|number| number.parse::<usize>().ok());
        number.ok_or_else(|| std::io::Error::other("the client has closed the connection"))
    };
    let mut command = None;
    for _ in 0..number(requests)? {
        let mut word = vec![0; number(requests)? + 2];
        requests.read_exact(&mut word)?;
        command.get_or_insert_with(|| String::from_utf8_lossy(&word).trim_end().to_owned());
    }
    Ok(command.unwrap_or_default())
}

/// Calls `accept` for each connection on a new thread, with the number of the connection.
fn listen(accept: impl Fn(TcpStream, u32) + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    thread::spawn(move || {
        for (client, number) in listener.incoming().zip(0..) {
            let accept = accept.clone();
            thread::spawn(move || accept(client.unwrap(), number));
        }
    });
    address
}

fn client(address: SocketAddr) -> redis::Client {
    redis::Client::open(format!("redis://{address}/")).expect("the address is valid")
}
