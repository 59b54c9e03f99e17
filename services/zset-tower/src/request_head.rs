//! [`RequestHead`]: a request without its body.

use http::request::Parts;
use http::{Extensions, HeaderMap, Method, Request, Uri, Version};

/// A borrowed request, without its body, from which keys, conditions and costs are computed.
///
/// It has the fields of [`Parts`], but does not require taking the request apart.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct RequestHead<'a> {
    /// The method.
    pub method: &'a Method,
    /// The URI.
    pub uri: &'a Uri,
    /// The version of HTTP.
    pub version: Version,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The extensions added by earlier layers.
    pub extensions: &'a Extensions,
}

impl<'a, B> From<&'a Request<B>> for RequestHead<'a> {
    #[inline]
    fn from(request: &'a Request<B>) -> Self {
        RequestHead {
            method: request.method(),
            uri: request.uri(),
            version: request.version(),
            headers: request.headers(),
            extensions: request.extensions(),
        }
    }
}

impl<'a> From<&'a Parts> for RequestHead<'a> {
    #[inline]
    fn from(parts: &'a Parts) -> Self {
        let Parts { method, uri, headers, extensions, .. } = parts;
        RequestHead { method, uri, version: parts.version, headers, extensions }
    }
}
