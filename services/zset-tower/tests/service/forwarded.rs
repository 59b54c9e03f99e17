//! Tests that `ForwardedFor` reads the entries that proxies append, whatever the client sends.

use http::header::FORWARDED;
use http::{HeaderName, HeaderValue, Request};
use zset_tower::RequestHead;
use zset_tower::key::{ForwardedFor, Found, Key};

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

fn key<T: AsRef<[u8]>>(key: ForwardedFor, name: &HeaderName, lines: &[T]) -> Option<String> {
    let mut request = Request::new(());
    // Adds the other of the two headers, which must not be read.
    for (other, line) in [(FORWARDED, "for=203.0.113.1"), (X_FORWARDED_FOR, "203.0.113.1")] {
        if other != name {
            request.headers_mut().insert(other, HeaderValue::from_static(line));
        }
    }
    for line in lines {
        let line = HeaderValue::from_bytes(line.as_ref()).unwrap();
        request.headers_mut().append(name, line);
    }
    match key.key(&RequestHead::from(&request)) {
        Found::Ready(key) => key.map(|key| key.to_string()),
        Found::Later(_) => panic!(),
    }
}

fn x_forwarded_for<T: AsRef<[u8]>>(proxies: usize, lines: &[T]) -> Option<String> {
    key(ForwardedFor::x_forwarded_for(proxies), &X_FORWARDED_FOR, lines)
}

fn forwarded<T: AsRef<[u8]>>(proxies: usize, lines: &[T]) -> Option<String> {
    key(ForwardedFor::forwarded(proxies), &FORWARDED, lines)
}

#[test]
fn entries_are_counted_from_the_right_across_lines() {
    let lines = &["192.0.2.1, 192.0.2.2", "192.0.2.3", "192.0.2.4,192.0.2.5"];
    for (proxies, expected) in [
        (0, None),
        (1, Some("192.0.2.5")),
        (2, Some("192.0.2.4")),
        (3, Some("192.0.2.3")),
        (4, Some("192.0.2.2")),
        (5, Some("192.0.2.1")),
        (6, None),
        (usize::MAX, None),
    ] {
        assert_eq!(x_forwarded_for(proxies, lines).as_deref(), expected, "{proxies}");
    }
    assert_eq!(x_forwarded_for::<&str>(1, &[]), None);
}

#[test]
fn only_the_entry_that_counts_has_to_be_valid() {
    let lines: &[&[u8]] = &[b"192.0.2.1, \xff", b"192.0.2.2\xff", b"192.0.2.3,\t, ,", b"\"x\xff"];
    for (proxies, expected) in
        [(1, None), (2, Some("192.0.2.3")), (3, None), (4, None), (5, Some("192.0.2.1")), (6, None)]
    {
        assert_eq!(x_forwarded_for(proxies, lines).as_deref(), expected, "{proxies}");
    }
    let lines: &[&[u8]] = &[b"for=192.0.2.1, for=", b";, for=192.0.2.2;host=\"\xff\"", b",, x"];
    for (proxies, expected) in
        [(1, None), (2, Some("192.0.2.2")), (3, None), (4, None), (5, Some("192.0.2.1")), (6, None)]
    {
        assert_eq!(forwarded(proxies, lines).as_deref(), expected, "{proxies}");
    }
}

#[test]
fn addresses_may_have_ports_and_brackets() {
    for (text, expected) in [
        ("192.0.2.1", Some("192.0.2.1")),
        ("192.0.2.1:80", Some("192.0.2.1")),
        ("::ffff:192.0.2.1", Some("192.0.2.1")),
        ("2001:db8::1", Some("2001:db8::")),
        ("[2001:db8::1]", Some("2001:db8::")),
        ("[2001:db8::1]:4711", Some("2001:db8::")),
        (" \t192.0.2.1 ", Some("192.0.2.1")),
        ("192.0.2.7,,", Some("192.0.2.7")),
        ("", None),
        ("unknown", None),
        ("192.0.2", None),
        ("192.0.2.1:", None),
        ("192.0.2.1:x", None),
        ("192.0.2.1:123456", None),
        ("[192.0.2.1]", None),
        ("[2001:db8::1", None),
        ("[2001:db8::1]x", None),
        ("192.0.2.1 192.0.2.2", None),
        ("192.0.2.1, localhost", None),
    ] {
        assert_eq!(x_forwarded_for(1, &[text]).as_deref(), expected, "{text}");
    }
}

#[test]
fn nodes_of_forwarded_are_addresses_or_no_keys() {
    for (text, expected) in [
        ("for=192.0.2.1", Some("192.0.2.1")),
        ("For=192.0.2.1;proto=https;by=203.0.113.43", Some("192.0.2.1")),
        ("proto=https; for=192.0.2.1", Some("192.0.2.1")),
        (r#"for="192.0.2.1:8080""#, Some("192.0.2.1")),
        (r#"for="192.0.2.1:_port""#, Some("192.0.2.1")),
        (r#"for="\192.0.2.1""#, Some("192.0.2.1")),
        (r#"for="[2001:db8:cafe::17]:4711""#, Some("2001:db8:cafe::")),
        (r#"host="a,b;c";for=192.0.2.1"#, Some("192.0.2.1")),
        ("for=192.0.2.1,", Some("192.0.2.1")),
        (r#"for=192.0.2.1;host="a\\";by="\"""#, Some("192.0.2.1")),
        // Pairs may be empty.
        ("for=192.0.2.1;", Some("192.0.2.1")),
        (";for=192.0.2.1", Some("192.0.2.1")),
        (";; for=192.0.2.1 ; ;proto=http;;", Some("192.0.2.1")),
        ("for=192.0.2.2, for=192.0.2.1;, ,", Some("192.0.2.1")),
        (";", None),
        ("for=192.0.2.1, ;;", None),
        // A node with a colon or a bracket is malformed without quotes.
        ("for=[2001:db8::1]", None),
        ("for=192.0.2.1:80", None),
        (r#"for="2001:db8::1""#, None),
        ("for=unknown", None),
        ("for=_hidden", None),
        (r#"for="_hidden:80""#, None),
        (r#"for="192.0.2.1:_a b""#, None),
        ("proto=https", None),
        ("for=192.0.2.1;for=192.0.2.2", None),
        ("for", None),
        ("for=", None),
        ("=192.0.2.1", None),
        ("192.0.2.1", None),
        (r#"for="192.0.2.1"#, None),
        (r#"for="192.0.2.1"x"#, None),
        (r#"for="192.0.2.1\""#, None),
        (r"for=192.0.2.1\", None),
        ("for=192.0.2.1 proto=http", None),
        ("for=192.0.2.1;proto", None),
        ("for =192.0.2.1", None),
        (r#"for=192.0.2.1;host="é"#, None),
    ] {
        assert_eq!(forwarded(1, &[text]).as_deref(), expected, "{text}");
    }
    let lines = &["for=192.0.2.1, for=192.0.2.2", "for=192.0.2.3"];
    assert_eq!(forwarded(2, lines).as_deref(), Some("192.0.2.2"));
    assert_eq!(forwarded(4, lines), None);
    // The header is read from the right, so an unbalanced quote in a proxy's entry hides the comma
    // before that entry.
    assert_eq!(forwarded(2, &[r#"for=192.0.2.1, for="10.0.0.2"#]), None);
}

#[test]
fn well_formed_elements_are_the_same_from_the_right_as_from_the_left() {
    let values = [
        "a",
        r#""""#,
        r#"",""#,
        r#""\"""#,
        r#""\\""#,
        r#"", for=203.0.113.9""#,
        r#""a\\\",for=203.0.113.9;by=\"""#,
    ];
    for first in values {
        for second in values {
            for third in values {
                let left = format!("for=192.0.2.3;host={first}, host={second};;for=192.0.2.2");
                let line = format!("{left} ,by={third};for=192.0.2.1;");
                for proxies in 1..=3 {
                    let expected = Some(format!("192.0.2.{proxies}"));
                    assert_eq!(forwarded(proxies, &[&line]), expected, "{line}");
                }
                assert_eq!(forwarded(4, &[&line]), None, "{line}");
            }
        }
    }
}

/// Returns lines that a client may send: all short combinations of bytes with a meaning, single
/// bytes, and random lines.
fn sent() -> Vec<Vec<u8>> {
    const PIECES: [&[u8]; 8] = [b"\"", b"\\", b",", b";", b" ", b"for=", b"203.0.113.9", b"\xff"];
    let mut sent = vec![Vec::new()];
    let mut longest = 0;
    for _ in 0..4 {
        let shorter = longest..sent.len();
        longest = sent.len();
        for place in shorter {
            let more = PIECES.map(|piece| [&sent[place], piece].concat());
            sent.extend(more);
        }
    }
    sent.extend((0..=u8::MAX).map(|byte| vec![byte]));
    let mut random = 1_u64;
    for _ in 0..500 {
        let line = (0..20).flat_map(|_| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            PIECES[(random >> 33) as usize % PIECES.len()]
        });
        sent.push(line.copied().collect());
    }
    sent.retain(|line| HeaderValue::from_bytes(line).is_ok());
    sent
}

/// Returns the lines that a proxy may send instead of those it has received: it appends to the
/// last line, or adds one.
fn appended(lines: &[Vec<u8>], entry: &str) -> [Vec<Vec<u8>>; 2] {
    let mut joined = lines.to_vec();
    joined.last_mut().unwrap().extend_from_slice(format!(", {entry}").as_bytes());
    [joined, [lines, &[entry.into()]].concat()]
}

#[test]
fn a_client_cannot_hide_or_replace_what_proxies_append() {
    let x_forwarded_for = (
        ForwardedFor::x_forwarded_for as fn(usize) -> ForwardedFor,
        X_FORWARDED_FOR,
        [["192.0.2.1", "10.0.0.1:80"], ["[2001:db8::1]:80", "unknown"]].as_slice(),
    );
    let forwarded = (
        ForwardedFor::forwarded as fn(usize) -> ForwardedFor,
        FORWARDED,
        [
            ["for=192.0.2.1", "for=10.0.0.1:80"],
            [r#"for="[2001:db8::1]:80""#, r#"host="\",";for=unknown"#],
            [r#";;By="\\";FOR=192.0.2.1;host="a, for=203.0.113.9";"#, ";"],
        ]
        .as_slice(),
    );
    for (new, name, entries) in [x_forwarded_for, forwarded] {
        let expect = |proxies: usize, lines: &[Vec<u8>], entry: &str| {
            let expected = if entry.contains(':') { "2001:db8::" } else { "192.0.2.1" };
            let found = key(new(proxies), &name, lines);
            let lines = || lines.iter().map(|line| line.escape_ascii().to_string());
            assert_eq!(found.as_deref(), Some(expected), "{:?}", lines().collect::<Vec<_>>());
        };
        for sent in sent() {
            for received in [vec![sent.clone()], vec![sent.clone(), sent.clone()]] {
                for [outer, inner] in entries {
                    for lines in appended(&received, outer) {
                        expect(1, &lines, outer);
                        for lines in appended(&lines, inner) {
                            expect(2, &lines, outer);
                        }
                    }
                }
            }
        }
    }
}
