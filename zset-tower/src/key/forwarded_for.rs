//! [`ForwardedFor`]: the client's address, as trusted proxies report it.

use std::net::IpAddr;

use http::header::{FORWARDED, GetAll};
use http::{HeaderName, HeaderValue};

use super::address::{IPV6_PREFIX, network};
use super::forwarded::elements;
use super::{Found, Key};
use crate::request_head::RequestHead;

/// The address of the client, as the proxies in front of the server report it in `X-Forwarded-For` or
/// `Forwarded`; IPv6 by /64, see [`network`].
///
/// Each proxy appends the address from which it received the request, so entries are counted from the
/// right. With n trusted proxies in front of the server, the n-th entry from the right was written by the
/// outermost of them. What is to the left of it was sent by the client, who can make up any addresses:
///
/// ```text
/// X-Forwarded-For: 203.0.113.9, 198.51.100.7, 10.0.0.2
///                  made up      the client    the outermost of 2 trusted proxies, as the inner one saw it
/// ```
///
/// A request has no key if there are fewer entries than proxies, since it did not pass all of them, or if
/// the entry is not an address. With 0 proxies no entry can be trusted, and no request has a key.
///
/// The number has to be exact, and clients must not be able to reach the server without passing all
/// proxies. Some proxies replace the header rather than append to it; count those as the outermost one.
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
    /// Makes a key from `X-Forwarded-For`. **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_tower::key::ForwardedFor;
    ///
    /// // One load balancer in front of the server.
    /// let key = ForwardedFor::x_forwarded_for(1);
    /// ```
    pub fn x_forwarded_for(trusted_proxies: usize) -> Self {
        ForwardedFor { syntax: Syntax::XForwardedFor, trusted_proxies, ipv6_prefix: IPV6_PREFIX }
    }

    /// Makes a key from the `for` parameters of `Forwarded`, RFC 7239. **O(1)**.
    ///
    /// An entry that is `unknown` or obfuscated (`_hidden`) is not an address.
    ///
    /// # Examples
    ///
    /// ```
    /// use http::Request;
    /// use zset_tower::RequestHead;
    /// use zset_tower::key::{ForwardedFor, Found, Key};
    ///
    /// let request = Request::builder()
    ///     .header("forwarded", r#"for=192.0.2.1, for="[2001:db8::1]:4711";proto=https"#)
    ///     .body(())?;
    /// let head = RequestHead::from(&request);
    /// let Found::Ready(Some(key)) = ForwardedFor::forwarded(1).key(&head) else { panic!() };
    /// assert_eq!(key.to_string(), "2001:db8::");
    /// # Ok::<(), http::Error>(())
    /// ```
    pub fn forwarded(trusted_proxies: usize) -> Self {
        ForwardedFor { syntax: Syntax::Forwarded, trusted_proxies, ipv6_prefix: IPV6_PREFIX }
    }

    /// Returns the key with another prefix length for IPv6 networks; 128 or more keeps whole addresses.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_tower::key::ForwardedFor;
    ///
    /// let key = ForwardedFor::x_forwarded_for(1).with_ipv6_prefix(56);
    /// ```
    pub fn with_ipv6_prefix(self, bits: u8) -> Self {
        ForwardedFor { ipv6_prefix: bits, ..self }
    }

    fn address(&self, head: &RequestHead<'_>) -> Option<IpAddr> {
        let place = self.trusted_proxies.checked_sub(1)?;
        match self.syntax {
            Syntax::XForwardedFor => {
                let lines = head.headers.get_all(X_FORWARDED_FOR);
                parse_address(nth_from_right(&lines, place, split)?)
            }
            Syntax::Forwarded => {
                let lines = head.headers.get_all(FORWARDED);
                parse_node(&nth_from_right(&lines, place, elements)??)
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

/// Returns an entry of the list that all lines of a header form, counted from the right; `None` if there
/// is no such entry, or if a line from there on is malformed.
///
/// A line is read only if the lines after it are too short: what the client has sent in lines of its own
/// cannot make the entries of the proxies unreadable.
fn nth_from_right<'a, T, I: DoubleEndedIterator<Item = T>>(
    lines: &GetAll<'a, HeaderValue>,
    mut place: usize,
    split: impl Fn(&'a str) -> Option<I>,
) -> Option<T> {
    for line in lines.iter().rev() {
        for entry in split(line.to_str().ok()?)?.rev() {
            if place == 0 {
                return Some(entry);
            }
            place -= 1;
        }
    }
    None
}

/// Splits a list of addresses; empty entries do not count, as in any list of HTTP.
#[allow(clippy::unnecessary_wraps, reason = "as the other syntax, which can be malformed")]
fn split(line: &str) -> Option<impl DoubleEndedIterator<Item = &str>> {
    Some(line.split(',').map(|entry| entry.trim_matches([' ', '\t'])).filter(|it| !it.is_empty()))
}

/// Parses an address of `X-Forwarded-For`, which some proxies write with a port or in brackets.
fn parse_address(text: &str) -> Option<IpAddr> {
    text.parse().ok().or_else(|| parse_node(text))
}

/// Parses a node of `Forwarded`: an IPv6 address has to be in brackets, and there may be a port.
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

/// Returns whether a text is empty, or a colon and a port, which may be obfuscated.
fn is_port(text: &str) -> bool {
    let Some(port) = text.strip_prefix(':') else { return text.is_empty() };
    match port.strip_prefix('_') {
        Some(name) => !name.is_empty(),
        None => !port.is_empty() && port.len() <= 5 && port.bytes().all(|it| it.is_ascii_digit()),
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use http::Request;

    use super::*;

    fn key(key: ForwardedFor, name: &str, lines: &[&str]) -> Option<String> {
        let mut request = Request::new(());
        for line in lines {
            request
                .headers_mut()
                .append(name.parse::<HeaderName>().unwrap(), line.parse().unwrap());
        }
        match key.key(&RequestHead::from(&request)) {
            Found::Ready(key) => key.map(|key| key.to_string()),
            Found::Later(_) => panic!(),
        }
    }

    fn x_forwarded_for(proxies: usize, lines: &[&str]) -> Option<String> {
        key(ForwardedFor::x_forwarded_for(proxies), "x-forwarded-for", lines)
    }

    fn forwarded(proxies: usize, lines: &[&str]) -> Option<String> {
        key(ForwardedFor::forwarded(proxies), "forwarded", lines)
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
        assert_eq!(x_forwarded_for(1, &[]), None);
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
            // Without quotes, a colon or a bracket is malformed.
            ("for=[2001:db8::1]", None),
            ("for=192.0.2.1:80", None),
            (r#"for="2001:db8::1""#, None),
            ("for=unknown", None),
            ("for=_hidden", None),
            (r#"for="_hidden:80""#, None),
            ("proto=https", None),
            ("for=192.0.2.1;for=192.0.2.2", None),
            ("for", None),
            ("for=", None),
            ("=192.0.2.1", None),
            ("192.0.2.1", None),
            (r#"for="192.0.2.1"#, None),
            (r#"for="192.0.2.1"x"#, None),
            ("for=192.0.2.1;", None),
        ] {
            assert_eq!(forwarded(1, &[text]).as_deref(), expected, "{text}");
        }
        let lines = &["for=192.0.2.1, for=192.0.2.2", "for=192.0.2.3"];
        assert_eq!(forwarded(2, lines).as_deref(), Some("192.0.2.2"));
        assert_eq!(forwarded(4, lines), None);
    }

    #[test]
    fn a_client_cannot_hide_the_entry_of_a_proxy_behind_a_quote() {
        // What the client has sent, followed by what the proxy appends.
        for sent in [
            r#"for=203.0.113.9;by=""#,
            r#"for="203.0.113.9"#,
            r#"for=203.0.113.9, for=203.0.113.9;by="\"#,
            r#"for=203.0.113.9;by="\""#,
        ] {
            for appended in
                ["for=192.0.2.1", r#"for="[2001:db8::1]:80""#, r#"for=192.0.2.1;host="""#]
            {
                let line = format!("{sent}, {appended}");
                assert_ne!(forwarded(1, &[&line]).as_deref(), Some("203.0.113.9"), "{line}");
                // In a line of its own, it is not read.
                assert!(forwarded(1, &[sent, appended]).is_some(), "{sent}");
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
