//! Keys by functions.

use std::fmt;
use std::future::Future;

use super::{Found, Key};
use crate::request_head::RequestHead;

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
pub fn from_fn<F, K>(function: F) -> SyncFn<F>
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
pub fn from_async_fn<F, Fut, K>(function: F) -> AsyncFn<F>
where
    F: Fn(&RequestHead<'_>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Option<K>> + Send + 'static,
    K: Clone + Send + Sync + 'static,
{
    AsyncFn(function)
}

/// A key by a function; see [`from_fn`].
#[derive(Clone, Copy)]
pub struct SyncFn<F>(F);

/// A key by a function that returns a future; see [`from_async_fn`].
#[derive(Clone, Copy)]
pub struct AsyncFn<F>(F);

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

impl<F> fmt::Debug for SyncFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SyncFn")
    }
}

impl<F> fmt::Debug for AsyncFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AsyncFn")
    }
}
