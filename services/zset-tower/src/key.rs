//! [`Key`]: finds the key whose limit a request counts towards.
//!
//! | key | of |
//! |---|---|
//! | [`PeerIp`] | the address at the other end of the connection |
//! | [`ForwardedFor`] | the client's address, as trusted proxies report it |
//! | [`Header`] | a header such as an API key |
//! | [`Extension`] | a value from an earlier layer, such as a user |
//! | [`Path`] | the path |
//! | [`Global`] | nothing: all requests share one key |
//! | [`from_fn`], [`from_async_fn`] | anything else |
//! | a tuple of keys | all of them together |
//!
//! # Examples
//!
//! ```
//! use std::time::Duration;
//! use http::HeaderName;
//! use zset_std::Quota;
//! use zset_tower::key::{Header, Path};
//! use zset_tower::{MissingKey, Policy};
//!
//! // Ten requests a second for each pair of an API key and a path.
//! let key = (Header::new(HeaderName::from_static("x-api-key")), Path);
//! let quota = Quota::new(10, Duration::from_secs(1))?;
//! let policy = Policy::funnel("per-key", quota, key, MissingKey::deny())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod extension;
mod forwarded;
mod forwarded_for;
mod function;
mod header;
mod map;
mod missing;
mod peer_ip;
mod plain;
mod tuple;

use std::fmt;
use std::future::Future;
use std::pin::Pin;

pub use address::network;
pub use extension::Extension;
pub use forwarded_for::ForwardedFor;
pub use function::{AsyncFn, SyncFn, from_async_fn, from_fn};
pub use header::Header;
pub use map::Map;
pub use missing::MissingKey;
pub use peer_ip::PeerIp;
pub use plain::{Global, Path};

use crate::request_head::RequestHead;

/// Finds the key of a request.
///
/// The key decides whose limit a request counts towards, so a client must not be able to choose it
/// freely: see [`ForwardedFor`].
pub trait Key: Send + Sync + 'static {
    /// The type of the keys of the limiter.
    type Key: Clone + Send + Sync + 'static;

    /// Returns the key of a request, or `None` if the request has none.
    fn key(&self, head: &RequestHead<'_>) -> Found<Self::Key>;

    /// Returns the key converted by a function: for a limiter with a different type of keys.
    /// **O(1)**.
    ///
    /// # Examples
    ///
    /// ```
    /// use zset_tower::key::{Key, PeerIp};
    ///
    /// // Limiters on a server have strings as keys.
    /// let key = PeerIp::new().map(|address| address.to_string());
    /// ```
    fn map<F, K>(self, convert: F) -> Map<Self, F>
    where
        Self: Sized,
        F: Fn(Self::Key) -> K + Clone + Send + Sync + 'static,
        K: Clone + Send + Sync + 'static,
    {
        Map::new(self, convert)
    }
}

/// The key of a request: ready, or to be awaited.
pub enum Found<K> {
    /// The key, or `None` if the request has none.
    Ready(Option<K>),
    /// Resolves to the key, or to `None` if the request has none.
    Later(Pin<Box<dyn Future<Output = Option<K>> + Send>>),
}

impl<K> Found<K> {
    async fn wait(self) -> Option<K> {
        match self {
            Found::Ready(key) => key,
            Found::Later(future) => future.await,
        }
    }
}

impl<K: fmt::Debug> fmt::Debug for Found<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::Ready(key) => f.debug_tuple("Ready").field(key).finish(),
            Found::Later(_) => f.debug_tuple("Later").finish_non_exhaustive(),
        }
    }
}
