//! Asks for a captcha after three wrong passwords in a minute.
//!
//! A login service counts the failures of each user in a `SlidingWindow`, which is queried and
//! updated separately: `over_limit` checks whether the limit is reached without recording anything,
//! and `record` counts a failure even above the limit. An attempt without the required captcha is
//! not counted. With axum, a layer can do the same: see `zset_tower::Policy::charge_if`.
//!
//! Service and client run in one program. A fake clock simulates the time, so the program ends at
//! once:
//!
//! ```text
//! cargo run --example login_captcha
//! ```

use std::error::Error;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use zset_std::{FakeClock, Keyed, Quota, SlidingWindow, Timestamp, WhenFull};

type Failures = Keyed<String, SlidingWindow, FakeClock>;

const MINUTE: u64 = 60;

/// The maximum size of a request in bytes.
const MAX_REQUEST: u64 = 8192;

/// The number of seconds per character of the picture; all attempts are at multiples of it.
const SCALE: u64 = 3;

/// The attempts: the time in seconds, and the form that is sent.
const ATTEMPTS: [(u64, &str); 10] = [
    (12, "user=ann&password=guess"),
    (24, "user=ann&password=guess"),
    (45, "user=ann&password=guess"),
    (48, "user=ann&password=guess"),
    (51, "user=bob&password=right"),
    (57, "user=ann&password=guess&captcha=solved"),
    (72, "user=ann&password=right"),
    (81, "user=ann&password=right"),
    (84, "user=ann&password=guess"),
    (105, "user=ann&password=right"),
];

/// Answers each connection on its own thread until the program ends.
fn serve(listener: &TcpListener, failures: &Arc<Failures>) {
    for connection in listener.incoming() {
        let failures = Arc::clone(failures);
        thread::spawn(move || {
            // An error on one connection, such as a client that hangs up, must not end the service.
            if let Err(error) = connection.and_then(|stream| answer(stream, &failures)) {
                eprintln!("connection: {error}");
            }
        });
    }
}

fn answer(mut stream: TcpStream, failures: &Failures) -> io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let form = read_form((&stream).take(MAX_REQUEST))?;
    let field = |name| {
        let mut fields = form.split('&').filter_map(|field| field.split_once('='));
        fields.find(|field| field.0 == name).map_or("", |field| field.1)
    };
    let status = log_in(failures, field("user"), field("password"), field("captcha"));
    write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
}

/// Returns the HTTP status of a login attempt.
fn log_in(failures: &Failures, user: &str, password: &str, captcha: &str) -> &'static str {
    if failures.over_limit(user) && captcha != "solved" {
        return "403 Captcha Not Solved";
    }
    if password == "right" {
        return "200 Logged In";
    }
    match failures.record(user, 1) {
        Ok(()) => "401 Wrong Password",
        // The table is full, perhaps of users that an attacker made up. `over_limit` is then true
        // for each new user, so even an uncounted guess requires a captcha.
        Err(_) => "503 Try Later",
    }
}

/// Returns the body of a request.
fn read_form(stream: impl Read) -> io::Result<String> {
    let mut stream = BufReader::new(stream);
    let mut len = 0;
    let mut line = String::new();
    while stream.read_line(&mut line)? > 0 && !line.trim().is_empty() {
        if let Some((name, value)) = line.split_once(':') {
            if name.eq_ignore_ascii_case("content-length") {
                len = value.trim().parse().unwrap_or(0);
            }
        }
        line.clear();
    }
    let mut form = String::new();
    stream.take(len).read_to_string(&mut form)?;
    Ok(form)
}

/// Sends a form as a client and returns the status of the response.
fn post(address: SocketAddr, form: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    let len = form.len();
    let head = format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: {len}\r\n\r\n");
    stream.write_all((head + form).as_bytes())?;
    let mut response = String::new();
    stream.read_to_string(&mut response)?;
    let status = response.lines().next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
    status.map(str::to_lowercase).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let clock = FakeClock::new();
    let three_a_minute = Quota::new(3, Duration::from_secs(MINUTE))?;
    // The number of keys is bounded, so that a client cannot exhaust memory with made-up users.
    let failures = Keyed::new(SlidingWindow::new(three_a_minute))
        .with_clock(clock.clone())
        .with_max_keys(100_000, WhenFull::RefuseNew);
    let failures = Arc::new(failures);
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    thread::spawn(move || serve(&listener, &failures));

    println!("Three wrong passwords within a minute require a captcha.\n");
    println!("time   user  response                x: a wrong password, [ ]: the last minute");
    let mut wrong = Vec::new();
    let mut statuses = Vec::new();
    for (second, form) in ATTEMPTS {
        clock.set(Timestamp::ZERO.saturating_add(Duration::from_secs(second)));
        let status = post(address, form)?;
        let user = form.get(5..8).unwrap_or_default();
        if status.starts_with("401") {
            wrong.push((user, second));
        }
        let (minutes, seconds) = (second / MINUTE, second % MINUTE);
        let picture = picture(second, |at| wrong.contains(&(user, at)));
        println!("{minutes:02}:{seconds:02}  {user}   {status:<22}  {picture}");
        statuses.push(status.get(..3).unwrap_or_default().to_string());
    }
    assert_eq!(statuses.join(" "), "401 401 401 403 200 401 403 403 401 200");
    Ok(())
}

/// Draws the failures so far, and the sliding window over them.
fn picture(now: u64, failed: impl Fn(u64) -> bool) -> String {
    // The window is half-open: a failure exactly a minute old no longer counts.
    let first = (now + SCALE).saturating_sub(MINUTE);
    let mut line = String::new();
    for at in (0..=now).step_by(SCALE as usize) {
        if at == first {
            line.push('[');
        }
        line.push(if failed(at) { 'x' } else { '-' });
    }
    line + "]"
}
