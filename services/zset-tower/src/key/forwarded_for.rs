//! [`ForwardedFor`]: the client's address, as trusted proxies report it.

use std::net::IpAddr;
use std::str;

use http::header::{FORWARDED, GetAll};
use http::{HeaderName, HeaderValue};

use super::address::{IPV6_PREFIX, network};
use super::{Found, Key, forwarded};
use crate::request_head::RequestHead;

/// The address of the client, as reported by the proxies in front of the server in
/// `X-Forwarded-For` or `Forwarded`; IPv6 by /64, see [`network`].
///
/// Each proxy appends the address from which it received the request, so entries are counted from
/// the right. With n trusted proxies in front of the server, the n-th entry from the right was
/// written by the outermost of them. Entries to the left of it were sent by the client, who can
/// make up any addresses:
///
/// ```text
/// X-Forwarded-For: 203.0.113.9, 198.51.100.7, 10.0.0.2
///                  made up      the client    the outermost of 2 trusted proxies,
///                                             as the inner one saw it
/// ```
///
/// All lines of the header are one list, which is read from the right, only up to that entry. No
/// byte sent by a client can change which entry that is, or make it invalid.
///
/// A request has no key if there are fewer entries than proxies, since it has not passed all of
/// them, or if the entry is not an address. The other entries need not be valid. With 0 proxies, no
/// entry can be trusted, so no request has a key.
///
/// The number must be exact, and clients must not be able to reach the server without passing all
/// proxies. Each proxy must append its entry after all that it has received, in the last line or in
/// a line of its own. Some proxies replace the header instead; count such a proxy as the outermost
/// one.
///
/// # Examples
///
/// ```
/// use http::Request;
/// use zset_tower::RequestHead;
/// use zset_tower::key::{ForwardedFor, Found, Key};
///
/// let request = Request::builder()
///     .header("x-forwarded-for", "203.0.113.9, 198.51.100.7, 10.0.0.2")
///     .body(())?;
/// let head = RequestHead::from(&request);
/// let Found::Ready(Some(key)) = ForwardedFor::x_forwarded_for(2).key(&head) else { panic!() };
/// assert_eq!(key.to_string(), "198.51.100.7");
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ForwardedFor {
    syntax: Syntax,
    trusted_proxies: usize,
    ipv6_prefix: u8,
}

#[derive(Clone, Copy, Debug)]
enum Syntax {
    /// A list of addresses.
    XForwardedFor,
    /// A list of elements with parameters, RFC 7239.
    Forwarded,
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

impl ForwardedFor {
    /// Creates a key from `X-Forwarded-For`. **O(1)**.
    pub fn x_forwarded_for(trusted_proxies: usize) -> Self {
        ForwardedFor { syntax: Syntax::XForwardedFor, trusted_proxies, ipv6_prefix: IPV6_PREFIX }
    }

    /// Creates a key from the `for` parameters of `Forwarded`, RFC 7239. **O(1)**.
    ///
    /// An entry that is `unknown` or obfuscated (`_hidden`) is not an address.
    ///
    /// Quoted strings are read from the right too. So an unbalanced quote sent by the client does
    /// not affect the entries that proxies append, which may be strings with commas and escaped
    /// quotes. The quotes of proxies must be balanced. If a proxy copies client input, such as
    /// `Host`, without quoting it and escaping `"` and `\`, the client can write entries after the
    /// proxy's own: no reader can distinguish them from the proxy's.
    pub fn forwarded(trusted_proxies: usize) -> Self {
        ForwardedFor { syntax: Syntax::Forwarded, trusted_proxies, ipv6_prefix: IPV6_PREFIX }
    }

    /// Returns the key with a different prefix length for IPv6 networks. **O(1)**. See
    /// [`PeerIp::with_ipv6_prefix`](super::PeerIp::with_ipv6_prefix).
    pub fn with_ipv6_prefix(self, bits: u8) -> Self {
        ForwardedFor { ipv6_prefix: bits, ..self }
    }

    fn address(&self, head: &RequestHead<'_>) -> Option<IpAddr> {
        let place = self.trusted_proxies.checked_sub(1)?;
        match self.syntax {
            Syntax::XForwardedFor => {
                let lines = head.headers.get_all(X_FORWARDED_FOR);
                let last_comma = |line: &[u8]| line.iter().rposition(|byte| *byte == b',');
                parse_address(str::from_utf8(nth_from_right(&lines, place, last_comma)?).ok()?)
            }
            Syntax::Forwarded => {
                let lines = head.headers.get_all(FORWARDED);
                let node = forwarded::node(nth_from_right(&lines, place, forwarded::last_comma)?)?;
                parse_node(str::from_utf8(&node).ok()?)
            }
        }
    }
}

impl Key for ForwardedFor {
    type Key = IpAddr;

    fn key(&self, head: &RequestHead<'_>) -> Found<IpAddr> {
        let address = self.address(head);
        Found::Ready(address.map(|address| network(address, self.ipv6_prefix)))
    }
}

/// Returns an entry of the list formed by all lines of a header, counted from the right; `None` if
/// there is no such entry.
///
/// The lines are split from the right, only up to that entry: bytes that the client has sent before
/// it are not read. Empty entries do not count, as in any list in HTTP.
fn nth_from_right<'a>(
    lines: &GetAll<'a, HeaderValue>,
    mut place: usize,
    last_comma: impl Fn(&[u8]) -> Option<usize>,
) -> Option<&'a [u8]> {
    for line in lines.iter().rev() {
        let mut rest = Some(line.as_bytes());
        while let Some(list) = rest {
            let comma = last_comma(list);
            let entry = list[comma.map_or(0, |comma| comma + 1)..].trim_ascii();
            if !entry.is_empty() {
                if place == 0 {
                    return Some(entry);
                }
                place -= 1;
            }
            rest = comma.map(|comma| &list[..comma]);
        }
    }
    None
}

/// Parses an address of `X-Forwarded-For`, which some proxies write with a port or in brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| parse_node(text))
}

/// Parses a node of `Forwarded`: an IPv6 address must be in brackets, and a port may follow.
fn parse_node(text: &str) -> Option<IpAddr> {
    let (name, port) = if let Some(rest) = text.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        (IpAddr::V6(address.parse().ok()?), port)
    } else {
        let end = text.find(':').unwrap_or(text.len());
        (IpAddr::V4(text[..end].parse().ok()?), &text[end..])
    };
    is_port(port).then_some(name)
}

/// Returns whether a string is empty, or a colon and a port, which may be obfuscated.
fn is_port(text: &str) -> bool {
    let Some(port) = text.strip_prefix(':') else { return text.is_empty() };
    match port.strip_prefix('_') {
        Some(name) => {
            let is_valid = |it: u8| it.is_ascii_alphanumeric() || b"._-".contains(&it);
            !name.is_empty() && name.bytes().all(is_valid)
        }
        None => !port.is_empty() && port.len() <= 5 && port.bytes().all(|it| it.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use http::Request;

    use super::*;

    fn key<T: AsRef<[u8]>>(key: ForwardedFor, lines: &[T]) -> Option<String> {
        let name = match key.syntax {
            Syntax::XForwardedFor => X_FORWARDED_FOR,
            Syntax::Forwarded => FORWARDED,
        };
        let mut request = Request::new(());
        for line in lines {
            let line = HeaderValue::from_bytes(line.as_ref()).unwrap();
            request.headers_mut().append(&name, line);
        }
        match key.key(&RequestHead::from(&request)) {
            Found::Ready(key) => key.map(|key| key.to_string()),
            Found::Later(_) => panic!(),
        }
    }

    fn x_forwarded_for<T: AsRef<[u8]>>(proxies: usize, lines: &[T]) -> Option<String> {
        key(ForwardedFor::x_forwarded_for(proxies), lines)
    }

    fn forwarded<T: AsRef<[u8]>>(proxies: usize, lines: &[T]) -> Option<String> {
        key(ForwardedFor::forwarded(proxies), lines)
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
        let lines: &[&[u8]] =
            &[b"192.0.2.1, \xff", b"192.0.2.2\xff", b"192.0.2.3,\t, ,", b"\"x\xff"];
        for (proxies, expected) in [
            (1, None),
            (2, Some("192.0.2.3")),
            (3, None),
            (4, None),
            (5, Some("192.0.2.1")),
            (6, None),
        ] {
            assert_eq!(x_forwarded_for(proxies, lines).as_deref(), expected, "{proxies}");
        }
        let lines: &[&[u8]] = &[b"for=192.0.2.1, for=", b";, for=192.0.2.2;host=\"\xff\"", b",, x"];
        for (proxies, expected) in [
            (1, None),
            (2, Some("192.0.2.2")),
            (3, None),
            (4, None),
            (5, Some("192.0.2.1")),
            (6, None),
        ] {
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
            // Without quotes, a colon or a bracket is malformed.
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
        const PIECES: [&[u8]; 8] =
            [b"\"", b"\\", b",", b";", b" ", b"for=", b"203.0.113.9", b"\xff"];
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
            [["192.0.2.1", "10.0.0.1:80"], ["[2001:db8::1]:80", "unknown"]].as_slice(),
        );
        let forwarded = (
            ForwardedFor::forwarded as fn(usize) -> ForwardedFor,
            [
                ["for=192.0.2.1", "for=10.0.0.1:80"],
                [r#"for="[2001:db8::1]:80""#, r#"host="\",";for=unknown"#],
                [r#";;By="\\";FOR=192.0.2.1;host="a, for=203.0.113.9";"#, ";"],
            ]
            .as_slice(),
        );
        for (new, entries) in [x_forwarded_for, forwarded] {
            let expect = |proxies: usize, lines: &[Vec<u8>], entry: &str| {
                let expected = if entry.contains(':') { "2001:db8::" } else { "192.0.2.1" };
                let found = key(new(proxies), lines);
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

    #[test]
    fn socket_addresses_as_std_writes_them_are_addresses() {
        for text in ["192.0.2.1:80", "[2001:db8::]:80"] {
            let address: SocketAddr = text.parse().unwrap();
            let expected = Some(address.ip().to_string());
            assert_eq!(x_forwarded_for(1, &[&address.to_string()]), expected);
        }
    }
}
