//! [`ForwardedFor`], and the syntax of the `Forwarded` header (RFC 7239).
//!
//! ```text
//! Forwarded: for=192.0.2.43;proto=http, for="[2001:db8:cafe::17]:4711"
//!            element                    element
//! ```
//!
//! A line is split into elements from the right, since elements on the left may come from the
//! client. A quoted string can also be read backwards: its opening quote follows `=`, whereas an
//! odd number of backslashes precedes each quote inside it. So a well-formed line has the same
//! elements in both directions, and the elements at its end do not depend on what precedes them.

use std::borrow::Cow;
use std::net::IpAddr;
use std::str;

use http::header::{FORWARDED, GetAll};
use http::{HeaderName, HeaderValue};

use super::request::{IPV6_PREFIX, network};
use super::{Found, Key};
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
/// a separate line. Some proxies replace the header instead; count such a proxy as the outermost
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
                let comma = |line: &[u8]| line.iter().rposition(|byte| *byte == b',');
                parse_address(str::from_utf8(nth_from_right(&lines, place, comma)?).ok()?)
            }
            Syntax::Forwarded => {
                let lines = head.headers.get_all(FORWARDED);
                let value = node(nth_from_right(&lines, place, last_comma)?)?;
                parse_node(str::from_utf8(&value).ok()?)
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
/// The lines are split from the right, only up to that entry: the bytes before it, which the client
/// has sent, are not read. Empty entries do not count, as in any list in HTTP.
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

/// Returns whether a string is empty, or a colon followed by a port, which may be obfuscated.
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

/// Returns the offset of the last comma outside of quoted strings, read from the right.
fn last_comma(line: &[u8]) -> Option<usize> {
    let mut is_quoted = false;
    (0..line.len()).rev().find(|&place| {
        if line[place] == b'"' {
            let before = line[..place].iter().rev();
            let is_escaped = before.take_while(|it| **it == b'\\').count() % 2 == 1;
            is_quoted = !is_quoted || is_escaped;
        }
        line[place] == b',' && !is_quoted
    })
}

/// Returns the value of an element's `for`; `None` if there is none, or if the element is
/// malformed.
fn node(element: &[u8]) -> Option<Cow<'_, [u8]>> {
    let mut node = None;
    let mut rest = element;
    loop {
        rest = rest.trim_ascii_start();
        // Pairs may be empty, as in `for=192.0.2.43;;proto=http`.
        if !matches!(rest, [] | [b';', ..]) {
            let (name, after) = token(rest)?;
            let (value, after) = value(after.strip_prefix(b"=")?)?;
            if name.eq_ignore_ascii_case(b"for") && node.replace(value).is_some() {
                return None;
            }
            rest = after.trim_ascii_start();
        }
        match rest {
            [] => return node,
            [b';', after @ ..] => rest = after,
            _ => return None,
        }
    }
}

/// Splits off a token, which must not be empty.
pub(crate) fn token(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_token = |it: &u8| it.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(it);
    let end = text.iter().position(|it| !is_token(it)).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

/// Splits off a token or a quoted string.
fn value(text: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        let (value, rest) = token(text)?;
        return Some((value.into(), rest));
    };
    let mut value = Vec::new();
    let mut rest = quoted;
    loop {
        match rest {
            [b'"', after @ ..] => return Some((value.into(), after)),
            [b'\\', byte, after @ ..] | [byte, after @ ..] => {
                value.push(*byte);
                rest = after;
            }
            [] => return None,
        }
    }
}
