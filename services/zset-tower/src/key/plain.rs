//! [`Path`] and [`Global`].

use super::{Found, Key};
use crate::request_head::RequestHead;

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
pub struct Path;

impl Key for Path {
    type Key = String;

    fn key(&self, head: &RequestHead<'_>) -> Found<String> {
        Found::Ready(Some(head.uri.path().to_owned()))
    }
}

/// One key for all requests: a limit for the whole service.
#[derive(Clone, Copy, Debug, Default)]
pub struct Global;

impl Key for Global {
    type Key = ();

    fn key(&self, _: &RequestHead<'_>) -> Found<()> {
        Found::Ready(Some(()))
    }
}
