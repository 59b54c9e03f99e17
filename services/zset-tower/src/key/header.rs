//! [`Header`]: the value of a header.

use http::HeaderName;

use super::{Found, Key};
use crate::request_head::RequestHead;

/// The maximum length of a value by default.
const MAX_LEN: usize = 1024;

/// The value of a header, such as an API key.
///
/// A request has no key if the header is absent or repeated, is longer than 1024 bytes, or contains
/// anything but visible ASCII and spaces: the client chooses it, and keys are kept in memory.
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
