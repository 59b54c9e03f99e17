//! Decodes arbitrary bytes, in pieces of any size, as a client's input. Decoding never panics, and
//! keeps memory within the limits. The decoded requests do not depend on how the bytes are split,
//! and each request gets a well-formed reply.

#![no_main]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use libfuzzer_sys::{Corpus, fuzz_target};
use zset_server::{
    Client, Engine, Executed, Protocol, Replies, RequestError, RequestLimits, Requests,
};

/// Counts the bytes allocated and not freed, and their peak.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let taken = TAKEN.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(taken, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

const LIMITS: RequestLimits =
    RequestLimits { max_arguments: 64, max_argument_len: 512, max_request_len: 2048 };

/// The maximum number of bytes allocated per received byte. A single byte may be an argument, which
/// has an entry in a vector with spare capacity, and is copied once more for comparison.
const MOST_PER_BYTE: usize = 200;

/// The base allocation of the parser.
const MOST_AT_LEAST: usize = 16 * 1024;

/// The first byte of this value ends the lengths of the pieces.
const END_OF_CUTS: u8 = 0xff;

/// The arguments of a request, copied.
type Request = Vec<Vec<u8>>;

/// Parses bytes that arrive in pieces of the given lengths, repeated cyclically; returns the
/// requests.
fn requests(bytes: &[u8], lens: &[u8]) -> (Vec<Request>, Option<RequestError>) {
    let mut requests = Requests::default();
    requests.set_limits(LIMITS);
    let (mut found, mut rest) = (Vec::new(), bytes);
    let mut lens = lens.iter().cycle();
    while !rest.is_empty() {
        let len = lens.next().map_or(rest.len(), |len| usize::from(*len).clamp(1, rest.len()));
        let (piece, behind) = rest.split_at(len);
        rest = behind;
        requests.buffer().extend_from_slice(piece);
        loop {
            match requests.next() {
                Ok(Some(arguments)) => {
                    assert!(!arguments.is_empty());
                    found.push(arguments.into_iter().map(<[u8]>::to_vec).collect());
                }
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(requests.next(), Err(error), "the error is permanent");
                    return (found, Some(error));
                }
            }
        }
    }
    (found, None)
}

/// Returns a line without its end, and the bytes after it.
fn line(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().position(|byte| b"\r\n".contains(byte)).expect("a line ends");
    let rest = bytes[end..].strip_prefix(b"\r\n").expect("it ends with two bytes");
    (&bytes[..end], rest)
}

/// Parses an integer in canonical form.
fn integer(text: &[u8]) -> i64 {
    let text = std::str::from_utf8(text).expect("digits");
    let number: i64 = text.parse().expect("an integer");
    assert_eq!(number.to_string(), text);
    number
}

fn len(text: &[u8]) -> usize {
    usize::try_from(integer(text)).expect("a length")
}

/// Parses a reply; returns the bytes after it.
fn read(bytes: &[u8], protocol: Protocol) -> &[u8] {
    let (&kind, bytes) = bytes.split_first().expect("there is a reply");
    let is_newer = protocol == Protocol::Resp3;
    let (head, mut rest) = line(bytes);
    let parts = match kind {
        b'+' | b'-' => 0,
        b':' => {
            integer(head);
            0
        }
        b'$' | b'*' if head == b"-1" => {
            assert!(!is_newer, "RESP3 has its own null");
            0
        }
        b'$' | b'=' => {
            assert!(kind == b'$' || is_newer);
            let text = &rest[..len(head)];
            assert!(kind == b'$' || text[3] == b':');
            rest = rest[text.len()..].strip_prefix(b"\r\n").expect("it ends with two bytes");
            0
        }
        b'*' => len(head),
        b'~' if is_newer => len(head),
        b'%' if is_newer => 2 * len(head),
        b'_' if is_newer => {
            assert!(head.is_empty());
            0
        }
        b',' if is_newer => {
            let number: f64 = std::str::from_utf8(head).expect("a number").parse().expect("one");
            assert!(!number.is_nan());
            0
        }
        kind => panic!("no reply begins with {}", kind.escape_ascii()),
    };
    for _ in 0..parts {
        rest = read(rest, protocol);
    }
    rest
}

/// Returns whether to skip a request: one that could take too much time or memory, or that does not
/// get exactly one reply.
fn is_left_out(request: &[&[u8]]) -> bool {
    let is = |index: usize, word: &str| {
        request.get(index).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
    };
    // With a large negative count, ZRANDMEMBER returns that many members, since they may repeat.
    let is_drawn = is(0, "zrandmember");
    (is(0, "debug") && is(1, "sleep"))
        || is(0, "shutdown")
        || (is_drawn
            && request.get(2).is_some_and(|count| count.starts_with(b"-") && count.len() > 4))
}

/// A client and its replies.
struct Peer {
    client: Client,
    replies: Replies,
    is_waiting: bool,
    /// Whether the other client may have disconnected this one, which then gets no reply.
    may_be_gone: bool,
}

impl Peer {
    fn new(engine: &mut Engine) -> Peer {
        Peer {
            client: engine.client(),
            replies: Replies::default(),
            is_waiting: false,
            may_be_gone: false,
        }
    }

    fn execute(&mut self, engine: &mut Engine, arguments: &[&[u8]]) {
        self.end_waiting(engine);
        let executed = engine.execute(&mut self.client, arguments, &mut self.replies);
        self.is_waiting = executed != Executed::Replied;
        if self.is_waiting {
            assert!(self.replies.bytes().is_empty(), "no reply is due yet");
        } else {
            self.read_reply();
        }
    }

    /// Reads the reply caused by the other client, if any.
    fn take_served(&mut self) {
        if self.client.take_served(&mut self.replies) {
            assert!(self.is_waiting, "an unrequested reply");
            self.is_waiting = false;
            self.read_reply();
        }
    }

    fn end_waiting(&mut self, engine: &mut Engine) {
        engine.end_waiting(&mut self.client, &mut self.replies);
        let is_told = !self.replies.bytes().is_empty();
        assert!(is_told == self.is_waiting || (!is_told && self.may_be_gone));
        self.is_waiting = false;
        if is_told {
            self.read_reply();
        }
    }

    /// Reads the single reply, in the protocol that is current after HELLO and RESET.
    fn read_reply(&mut self) {
        let rest = read(self.replies.bytes(), self.replies.protocol());
        assert!(rest.is_empty(), "after the reply: {}", rest.escape_ascii());
        self.replies.clear();
    }
}

/// Runs requests with two clients. Requests whose name begins with a lowercase letter run on a
/// client that may wait, the others on one that may not.
fn execute(requests: &[Request]) {
    let mut engine = Engine::new();
    let (mut peer, mut waiting) = (Peer::new(&mut engine), Peer::new(&mut engine));
    waiting.client.allow_waiting();
    for request in requests {
        let arguments: Vec<_> = request.iter().map(Vec::as_slice).collect();
        if is_left_out(&arguments) {
            continue;
        }
        if arguments[0].first().is_some_and(u8::is_ascii_lowercase) {
            waiting.execute(&mut engine, &arguments);
        } else {
            waiting.may_be_gone |= arguments[0].eq_ignore_ascii_case(b"client");
            peer.execute(&mut engine, &arguments);
            waiting.take_served();
        }
    }
    waiting.end_waiting(&mut engine);
    engine.leave(&mut peer.client);
    engine.leave(&mut waiting.client);
}

fuzz_target!(|data: &[u8]| -> Corpus {
    let end = data.iter().take(16).position(|byte| *byte == END_OF_CUTS);
    let (lens, bytes) = end.map_or((&[][..], data), |end| (&data[..end], &data[end + 1..]));

    let before = TAKEN.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let found = requests(bytes, lens);
    let peak = PEAK.load(Ordering::Relaxed) - before;
    assert!(peak <= MOST_AT_LEAST + MOST_PER_BYTE * bytes.len(), "{peak} bytes");
    assert_eq!(found, requests(bytes, &[]), "the requests depend on the pieces");
    for request in &found.0 {
        let len: usize = request.iter().map(Vec::len).sum();
        assert!(len <= bytes.len(), "more than was received");
    }

    execute(&found.0);
    Corpus::Keep
});
