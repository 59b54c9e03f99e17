//! Requests of other protocols, which any web page can make a browser send.
//!
//! A page chooses the body of such a request, so anything that a browser sends before the body must end
//! the connection. Redis does so for the commands `POST` and `Host:`. This server also does so for a line
//! with a method and a version of HTTP: a page that shares a host name with the server can choose the
//! method too. It can also choose parts of a TLS handshake.

/// The first bytes of a TLS handshake: the record type and the major version.
const TLS: &[u8] = b"\x16\x03";

/// Returns whether a line, which may be incomplete, starts a TLS handshake.
pub(super) fn is_tls(line: &[u8]) -> bool {
    line.starts_with(TLS)
}

/// Returns whether a command name is the start of an HTTP request or of a header field.
pub(super) fn is_http_command(name: &[u8]) -> bool {
    let host = name.get(..b"host:".len());
    name.eq_ignore_ascii_case(b"post") || host.is_some_and(|it| it.eq_ignore_ascii_case(b"host:"))
}

/// Returns whether a line is the request line of an HTTP request, with a path or a URL as its target.
pub(super) fn is_http_line(arguments: &[Vec<u8>]) -> bool {
    let [_method, target, version] = arguments else { return false };
    let is_target = target.starts_with(b"/")
        || target.starts_with(b"*")
        || target.windows(3).any(|window| window == b"://");
    let name = version.get(..b"http/".len());
    is_target && name.is_some_and(|name| name.eq_ignore_ascii_case(b"http/"))
}
