//! All types of keys except [`ForwardedFor`](super::ForwardedFor).

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use http::HeaderName;

use super::{Found, Key};
use crate::request_head::RequestHead;

/// The address at the other end of the connection, IPv6 by /64; see [`network`].
///
/// The server must put it into the extensions of the request, as a `T`. [`new`](PeerIp::new)
/// expects a [`SocketAddr`], and [`from_extension`](PeerIp::from_extension) reads any other type. A
/// request without the extension has no key.
///
/// Behind a proxy, all requests have the proxy's address: see
/// [`ForwardedFor`](super::ForwardedFor).
///
/// # Examples
///
/// axum's routers add `ConnectInfo`, if the server is started with
/// `router.into_make_service_with_connect_info::<SocketAddr>()`:
///
/// ```
/// use std::net::SocketAddr;
/// use axum::extract::ConnectInfo;
/// use zset_tower::key::PeerIp;
///
/// let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
/// ```
///
/// tonic's server adds `TcpConnectInfo`, whose address is `peer.remote_addr()?.ip()`.
pub struct PeerIp<T = SocketAddr> {
    address: fn(&T) -> Option<IpAddr>,
    ipv6_prefix: u8,
}

impl PeerIp {
    /// Creates a key from the extension [`SocketAddr`]. **O(1)**.
    pub fn new() -> Self {
        PeerIp::from_extension(|peer: &SocketAddr| Some(peer.ip()))
    }
}

impl Default for PeerIp {
    fn default() -> Self {
        PeerIp::new()
    }
}

impl<T> PeerIp<T> {
    /// Creates a key from another extension, such as axum's `ConnectInfo<SocketAddr>`. **O(1)**.
    pub fn from_extension(address: fn(&T) -> Option<IpAddr>) -> Self {
        PeerIp { address, ipv6_prefix: IPV6_PREFIX }
    }

    /// Returns the key with a different prefix length for IPv6 networks, such as 56 for providers
    /// that assign a /56 to each customer; 128 or more keeps whole addresses. **O(1)**.
    pub fn with_ipv6_prefix(self, bits: u8) -> Self {
        PeerIp { ipv6_prefix: bits, ..self }
    }
}

impl<T: Send + Sync + 'static> Key for PeerIp<T> {
    type Key = IpAddr;

    fn key(&self, head: &RequestHead<'_>) -> Found<IpAddr> {
        let address = head.extensions.get::<T>().and_then(self.address);
        Found::Ready(address.map(|address| network(address, self.ipv6_prefix)))
    }
}

impl<T> Clone for PeerIp<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PeerIp<T> {}

impl<T> fmt::Debug for PeerIp<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerIp").field("ipv6_prefix", &self.ipv6_prefix).finish_non_exhaustive()
    }
}

/// The default prefix length: providers usually assign a /64 to each customer.
pub(super) const IPV6_PREFIX: u8 = 64;

/// Returns the network of an address, as the key of a client. An IPv4 address is its own network.
/// Of an IPv6 address, the first `ipv6_prefix` bits are kept, and the others are zero. **O(1)**.
///
/// A customer usually has a whole /64 and can use a different address for each request, so single
/// IPv6 addresses are useless as keys.
///
/// An IPv6 address that embeds an IPv4 address in its last 32 bits counts as that address:
///
/// - `::ffff:0:0/96`, mapped addresses;
/// - `::/96`, IPv4-compatible addresses, but not `::` and `::1`;
/// - `64:ff9b::/96` (RFC 6052) and `64:ff9b:1::/48` (RFC 8215), from NAT64 and other translators.
///   If the last 24 bits in `64:ff9b:1::/48` are zero, the translator embeds addresses further
///   left, and the whole address is kept.
///
/// Other IPv6 addresses count by their prefix, 6to4 and Teredo included. The holder of a 6to4
/// address (`2002::/16`) has a /48, so 65,536 networks of /64. All Teredo clients (`2001::/32`) of
/// one server share a /64.
///
/// # Examples
///
/// ```
/// use std::net::IpAddr;
/// use zset_tower::key::network;
///
/// let network_of = |address: &str| network(address.parse::<IpAddr>().unwrap(), 64).to_string();
/// assert_eq!(network_of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::");
/// assert_eq!(network_of("::ffff:192.0.2.7"), "192.0.2.7");
/// assert_eq!(network_of("64:ff9b::192.0.2.7"), "192.0.2.7");
/// assert_eq!(network_of("192.0.2.7"), "192.0.2.7");
/// ```
#[inline]
pub fn network(address: IpAddr, ipv6_prefix: u8) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => ipv6_network(address, ipv6_prefix),
    }
}

// Not inlined, since most requests come over IPv4.
#[inline(never)]
fn ipv6_network(address: Ipv6Addr, prefix: u8) -> IpAddr {
    let bits = address.to_bits();
    match (bits >> 32, bits as u32) {
        (0, ipv4 @ 2..) | (0xffff | 0x64_ff9b_0000_0000_0000_0000, ipv4) => {
            Ipv4Addr::from_bits(ipv4).into()
        }
        (first, ipv4) if first >> 48 == 0x64_ff9b_0001 => {
            let elsewhere = ipv4.trailing_zeros() >= 24;
            if elsewhere { address.into() } else { Ipv4Addr::from_bits(ipv4).into() }
        }
        _ => {
            let host_bits = 128_u32.saturating_sub(prefix.into());
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            Ipv6Addr::from_bits(bits & mask).into()
        }
    }
}

/// The default maximum length of a header's value, in bytes.
const MAX_LEN: usize = 1024;

/// The value of a header, such as an API key.
///
/// A request has no key if the header is absent or repeated, is longer than 1024 bytes, or contains
/// anything but visible ASCII, spaces and tabs: the client chooses it, and keys are kept in memory.
///
/// A client can send any value. Put the layer after authentication, or limit by address as well, so
/// that a client cannot avoid the limit with a new value for each request.
///
/// # Examples
///
/// ```
/// use http::{HeaderName, Request};
/// use zset_tower::RequestHead;
/// use zset_tower::key::{Found, Header, Key};
///
/// let key = Header::new(HeaderName::from_static("x-api-key"));
/// let request = Request::builder().header("x-api-key", "7f3a").body(())?;
/// let head = RequestHead::from(&request);
/// let Found::Ready(Some(found)) = key.key(&head) else { panic!() };
/// assert_eq!(found, "7f3a");
/// # Ok::<(), http::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Header {
    name: HeaderName,
    max_len: usize,
}

impl Header {
    /// Creates a key from the header of that name. **O(1)**.
    pub fn new(name: HeaderName) -> Self {
        Header { name, max_len: MAX_LEN }
    }

    /// Returns the key with a different maximum length of the value, in bytes, e.g. for signed
    /// tokens, which are long. **O(1)**.
    pub fn with_max_len(self, max_len: usize) -> Self {
        Header { max_len, ..self }
    }
}

impl Key for Header {
    type Key = String;

    fn key(&self, head: &RequestHead<'_>) -> Found<String> {
        let mut values = head.headers.get_all(&self.name).iter();
        let value = match (values.next(), values.next()) {
            (Some(value), None) if value.len() <= self.max_len => value.to_str().ok(),
            _ => None,
        };
        Found::Ready(value.map(String::from))
    }
}

/// An extension of the request, such as the user found by an authentication layer.
///
/// # Examples
///
/// ```
/// use http::Request;
/// use zset_tower::RequestHead;
/// use zset_tower::key::{Extension, Found, Key};
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct User(u64);
///
/// let request = Request::builder().extension(User(7)).body(())?;
/// let head = RequestHead::from(&request);
/// let Found::Ready(key) = Extension::<User>::new().key(&head) else { panic!() };
/// assert_eq!(key, Some(User(7)));
/// # Ok::<(), http::Error>(())
/// ```
pub struct Extension<T>(PhantomData<fn() -> T>);

impl<T> Extension<T> {
    /// Creates a key from the extension of type `T`. **O(1)**.
    pub fn new() -> Self {
        Extension(PhantomData)
    }
}

impl<T: Clone + Send + Sync + 'static> Key for Extension<T> {
    type Key = T;

    fn key(&self, head: &RequestHead<'_>) -> Found<T> {
        Found::Ready(head.extensions.get::<T>().cloned())
    }
}

impl<T> Default for Extension<T> {
    fn default() -> Self {
        Extension::new()
    }
}

impl<T> Clone for Extension<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Extension<T> {}

impl<T> fmt::Debug for Extension<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Extension")
    }
}

/// The path of the request, without the query.
///
/// `/users/7` and `/users/8` are different keys, and a client can make up any number of them. The
/// pattern matched by a router, such as axum's `MatchedPath`, is usually the better key:
///
/// ```
/// use axum::extract::MatchedPath;
/// use zset_tower::key;
///
/// let key = key::from_fn(|head| {
///     let path = head.extensions.get::<MatchedPath>()?;
///     Some(path.as_str().to_owned())
/// });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Path(());

impl Path {
    /// Creates a key from the path. **O(1)**.
    pub fn new() -> Self {
        Path(())
    }
}

impl Key for Path {
    type Key = String;

    fn key(&self, head: &RequestHead<'_>) -> Found<String> {
        Found::Ready(Some(head.uri.path().to_owned()))
    }
}

/// One key for all requests, the empty string: a limit for the whole service.
#[derive(Clone, Copy, Debug, Default)]
pub struct Global(());

impl Global {
    /// Creates a key that all requests share. **O(1)**.
    pub fn new() -> Self {
        Global(())
    }
}

impl Key for Global {
    type Key = String;

    fn key(&self, _: &RequestHead<'_>) -> Found<String> {
        Found::Ready(Some(String::new()))
    }
}

/// Creates a key from a function. **O(1)**.
///
/// # Examples
///
/// ```
/// use zset_tower::key;
///
/// // Requests with the same method share a key.
/// let key = key::from_fn(|head| Some(head.method.clone()));
/// ```
pub fn from_fn<F, K>(function: F) -> impl Key<Key = K>
where
    F: Fn(&RequestHead<'_>) -> Option<K> + Send + Sync + 'static,
    K: Clone + Send + Sync + 'static,
{
    SyncFn(function)
}

/// Creates a key from a function that returns a future, e.g. to look up the account of a token.
/// **O(1)**.
///
/// The future cannot borrow the request: clone what it needs.
///
/// # Examples
///
/// ```
/// use zset_tower::key;
///
/// async fn account_of(token: &str) -> Option<u64> {
/// #   Some(7)
///     // ...
/// }
///
/// let key = key::from_async_fn(|head| {
///     let token = head.headers.get("authorization").cloned();
///     async move { account_of(token?.to_str().ok()?).await }
/// });
/// ```
pub fn from_async_fn<F, Fut, K>(function: F) -> impl Key<Key = K>
where
    F: Fn(&RequestHead<'_>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<K>> + Send + 'static,
    K: Clone + Send + Sync + 'static,
{
    AsyncFn(function)
}

struct SyncFn<F>(F);

struct AsyncFn<F>(F);

impl<F, K> Key for SyncFn<F>
where
    F: Fn(&RequestHead<'_>) -> Option<K> + Send + Sync + 'static,
    K: Clone + Send + Sync + 'static,
{
    type Key = K;

    fn key(&self, head: &RequestHead<'_>) -> Found<K> {
        Found::Ready((self.0)(head))
    }
}

impl<F, Fut, K> Key for AsyncFn<F>
where
    F: Fn(&RequestHead<'_>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<K>> + Send + 'static,
    K: Clone + Send + Sync + 'static,
{
    type Key = K;

    fn key(&self, head: &RequestHead<'_>) -> Found<K> {
        Found::Later(Box::pin((self.0)(head)))
    }
}

/// A key converted by a function; see [`Key::map`].
#[derive(Clone, Copy)]
pub struct Map<E, F> {
    pub(super) key: E,
    pub(super) convert: F,
}

impl<E, F, K> Key for Map<E, F>
where
    E: Key,
    F: Fn(E::Key) -> K + Clone + Send + Sync + 'static,
    K: Clone + Send + Sync + 'static,
{
    type Key = K;

    fn key(&self, head: &RequestHead<'_>) -> Found<K> {
        match self.key.key(head) {
            Found::Ready(key) => Found::Ready(key.map(&self.convert)),
            Found::Later(future) => {
                let convert = self.convert.clone();
                Found::Later(Box::pin(async move { future.await.map(convert) }))
            }
        }
    }
}

impl<E: fmt::Debug, F> fmt::Debug for Map<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("key", &self.key).finish_non_exhaustive()
    }
}

// A request has the key of a tuple only if it has every key in the tuple.
macro_rules! tuple {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Key),*> Key for ($($name,)*) {
            type Key = ($($name::Key,)*);

            #[allow(non_snake_case, reason = "the fields are named for their types")]
            fn key(&self, head: &RequestHead<'_>) -> Found<Self::Key> {
                match ($(self.$place.key(head),)*) {
                    ($(Found::Ready($name),)*) => {
                        Found::Ready((|| Some(($($name?,)*)))())
                    }
                    ($($name,)*) => Found::Later(Box::pin(async move {
                        Some(($($name.wait().await?,)*))
                    })),
                }
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_embeds_an_ipv4_address_counts_as_that_address() {
        for (address, expected) in [
            ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("::192.0.2.7", "192.0.2.7"),
            ("64:ff9b::192.0.2.7", "192.0.2.7"),
            ("64:ff9b:1::192.0.2.7", "192.0.2.7"),
            ("64:ff9b:1:2:3:4:192.0.2.7", "192.0.2.7"),
            // Translators with prefixes of 48, 56 and 64 bits embed 192.0.2.7 further left, so the
            // whole address is kept.
            ("64:ff9b:1:c000:2:700::", "64:ff9b:1:c000:2:700::"),
            ("64:ff9b:1:5c0:0:207::", "64:ff9b:1:5c0:0:207::"),
            ("64:ff9b:1:5:c0:2:700:0", "64:ff9b:1:5:c0:2:700:0"),
            ("::", "::"),
            ("::1", "::"),
            ("64:ff9b:0:0:0:1:192.0.2.7", "64:ff9b::"),
            ("64:ff9b:2::192.0.2.7", "64:ff9b:2::"),
            ("::fffe:192.0.2.7", "::"),
            ("2002:c000:207:1::5", "2002:c000:207:1::"),
            ("2001:0:c000:207:1::5", "2001:0:c000:207::"),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(network(address, 64).to_string(), expected, "{address}");
        }
    }

    #[test]
    fn prefixes_of_any_length_are_masks() {
        let address: IpAddr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        for (prefix, expected) in [
            (0, "::"),
            (56, "2001:db8:1::"),
            (64, "2001:db8:1:2::"),
            (127, "2001:db8:1:2:3:4:5:6"),
            (128, "2001:db8:1:2:3:4:5:6"),
            (255, "2001:db8:1:2:3:4:5:6"),
        ] {
            assert_eq!(network(address, prefix).to_string(), expected, "{prefix}");
        }
    }
}
