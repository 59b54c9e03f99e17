//! [`Extension`]: a value found by an earlier layer.

use std::fmt;
use std::marker::PhantomData;

use super::{Found, Key};
use crate::request_head::RequestHead;

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
