//! [`Path`] and [`Global`].

use http::request::Parts;

use super::{Found, Key};

/// The path of the request, without the query.
///
/// `/users/7` and `/users/8` are different keys, and a client can make up any number of them. The
/// pattern that a router has matched, such as axum's `MatchedPath`, is usually the better key:
///
/// ```
/// use axum::extract::MatchedPath;
/// use zset_tower::key;
///
/// let key = key::from_fn(|parts| {
///     let path = parts.extensions.get::<MatchedPath>()?;
///     Some(path.as_str().to_owned())
/// });
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Path;

impl Key for Path {
    type Key = String;

    fn key(&self, parts: &Parts) -> Found<String> {
        Found::Ready(Some(parts.uri.path().to_owned()))
    }
}

/// One key for all requests: a limit for the whole service.
#[derive(Clone, Copy, Debug, Default)]
pub struct Global;

impl Key for Global {
    type Key = ();

    fn key(&self, _: &Parts) -> Found<()> {
        Found::Ready(Some(()))
    }
}
