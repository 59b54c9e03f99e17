//! Tests that requests are parsed from pieces of any size, and that lines are split into arguments.

use proptest::prelude::*;

use zset_server::{RequestError, RequestLimits, Requests};

type Found = Vec<Vec<Vec<u8>>>;

/// Parses bytes in pieces that end at `cuts`; returns the requests and the error.
fn parse(bytes: &[u8], cuts: &[usize]) -> (Found, Option<RequestError>) {
    let mut requests = Requests::default();
    let mut found = Vec::new();
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    cuts.push(bytes.len());
    cuts.sort_unstable();
    let mut from = 0;
    for to in cuts {
        requests.buffer().extend_from_slice(&bytes[from..to]);
        from = to;
        loop {
            match requests.next() {
                Ok(Some(arguments)) => {
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

fn encode(arguments: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", arguments.len()).into_bytes();
    for argument in arguments {
        bytes.extend(format!("${}\r\n", argument.len()).bytes());
        bytes.extend(argument);
        bytes.extend(b"\r\n");
    }
    bytes
}

/// Returns a strategy for bytes, biased towards those with a meaning in the protocol.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    const TOKENS: &str = "\x0b|\x0c|*|$|\r\n|\n|\r|-1|0|1|2|10| |\"|'|\\|ping|99999999999|\0";
    let tokens: Vec<_> = TOKENS.split('|').collect();
    let token = prop::sample::select(tokens);
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat().into_bytes())
}

proptest! {
    #[test]
    fn encoded_requests_are_parsed(
        requests in prop::collection::vec(
            prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 1..6), 0..20),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        let bytes: Vec<u8> = requests.iter().flat_map(|request| encode(request)).collect();
        prop_assert_eq!(parse(&bytes, &cuts), (requests, None));
    }

    #[test]
    fn the_result_does_not_depend_on_the_pieces(
        bytes in any_bytes(),
        cuts in prop::collection::vec(any::<usize>(), 0..20),
    ) {
        prop_assert_eq!(parse(&bytes, &cuts), parse(&bytes, &[]));
    }
}

/// Returns the error for bytes received at once, under these limits.
fn error(bytes: &str, limits: RequestLimits) -> String {
    let mut requests = Requests::default();
    requests.set_limits(limits);
    requests.buffer().extend_from_slice(bytes.as_bytes());
    requests.next().expect_err("the bytes are not a request").to_string()
}

#[test]
fn errors_have_the_texts_of_redis() {
    let long = "1".repeat(64 * 1024 + 1);
    for (bytes, message) in [
        // A random test once failed with this request.
        ("*\r\n", "invalid multibulk length"),
        ("*x\r\n", "invalid multibulk length"),
        ("*1048577\r\n", "invalid multibulk length"),
        ("*01\r\n", "invalid multibulk length"),
        ("*1\n$4\r\nPING\r\n", "invalid multibulk length"),
        ("*1\r\n$4\nPING\r\n", "invalid bulk length"),
        ("*1\r\n:1\r\n", "expected '$', got ':'"),
        ("*1\r\n$x\r\n", "invalid bulk length"),
        ("*1\r\n$-1\r\n", "invalid bulk length"),
        ("*1\r\n$536870913\r\n", "invalid bulk length"),
        ("set \"a\r\n", "unbalanced quotes in request"),
        (&long, "too big inline request"),
        (&format!("*{long}"), "too big mbulk count string"),
        (&format!("*1\r\n${long}"), "too big bulk count string"),
    ] {
        let message = format!("Protocol error: {message}");
        assert_eq!(error(bytes, RequestLimits::default()), message, "{bytes}");
    }
}

#[test]
fn requests_without_arguments_are_skipped() {
    let (found, error) = parse(b"*0\r\n*-1\r\n\r\n \n*1\r\n$0\r\n\r\nping\n", &[]);
    assert_eq!((found, error), (vec![vec![vec![]], vec![b"ping".to_vec()]], None));
}

#[test]
fn limits_apply_before_the_bytes_are_received() {
    let short = RequestLimits { max_request_len: 50, ..RequestLimits::default() };
    for (limits, bytes, message) in [
        (short, "*2\r\n$20\r\n01234567890123456789\r\n$20\r\n", "too big request"),
        (RequestLimits::UNAUTHENTICATED, "*11\r\n", "unauthenticated multibulk length"),
        (RequestLimits::UNAUTHENTICATED, "*10\r\n$16385\r\n", "unauthenticated bulk length"),
        (RequestLimits::UNAUTHENTICATED, "*99999999999\r\n", "invalid multibulk length"),
        (RequestLimits::UNAUTHENTICATED, "*1\r\n$99999999999\r\n", "invalid bulk length"),
        (RequestLimits::UNAUTHENTICATED, "*1\r\n$-1\r\n", "invalid bulk length"),
    ] {
        assert_eq!(error(bytes, limits), format!("Protocol error: {message}"), "{bytes}");
    }
}

/// Returns the arguments of a line; `None` if its quotes are unbalanced.
fn split(line: &str) -> Option<Vec<String>> {
    let (found, error) = parse(format!("{line}\n").as_bytes(), &[]);
    let shown = |argument: &Vec<u8>| argument.escape_ascii().to_string();
    let arguments = found.first().map_or(Vec::new(), |line| line.iter().map(shown).collect());
    error.is_none().then_some(arguments)
}

#[test]
fn spaces_separate_arguments_and_quotes_group_them() {
    for (line, expected) in [
        ("", &[][..]),
        (" \t ", &[]),
        ("\x0b", &[]),
        ("\x0b\x0ca\x0bb\x0c \"c\"\x0bd", &[r"a\x0bb\x0c", "c", "d"]),
        ("  ping  ", &["ping"]),
        ("set  a\tb", &["set", "a", "b"]),
        (r#"set "a b" 'c d'"#, &["set", "a b", "c d"]),
        (r#""" ''"#, &["", ""]),
        (r#""\x41\n\"\\\q\xzz""#, &[r#"A\n\"\\qxzz"#]),
        (r"'it\'s \n'", &[r"it\'s \\n"]),
        (r#"a"b c""#, &["ab c"]),
    ] {
        let expected = expected.iter().map(|argument| (*argument).to_owned()).collect();
        assert_eq!(split(line), Some(expected), "{line}");
    }
}

#[test]
fn a_quote_must_be_closed_and_followed_by_a_space() {
    for line in [r#"""#, "'", r#""abc"#, "'abc", r#""a"b"#, "'a'b", r#""a\"#, r#""a\""#, "'a\\'"] {
        assert_eq!(split(line), None, "{line}");
    }
}

#[test]
fn finished_requests_do_not_accumulate() {
    let mut requests = Requests::default();
    let request = format!("*1\r\n$1000\r\n{}\r\n", "x".repeat(1000));
    for half in request.as_bytes().chunks(600).cycle().take(2 * 1000) {
        requests.buffer().extend_from_slice(half);
        let _ = requests.next();
        assert!(requests.buffer().capacity() <= 256 * 1024);
    }
    assert_eq!(requests.next(), Ok(None));
}
