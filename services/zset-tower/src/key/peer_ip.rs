//! [`PeerIp`]: the address at the other end of the connection.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use super::address::{IPV6_PREFIX, network};
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
