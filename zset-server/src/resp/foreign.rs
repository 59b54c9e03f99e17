//! Requests of other protocols, which a browser sends for any page that asks for it.
//!
//! A page chooses the body of a request, so what a browser sends before it must end the connection. Redis
//! does so for the commands `POST` and `Host:`. A line with a method and a version of HTTP does it here as
//! well: where a page and the server share a host name, the page chooses the method too. It also chooses
//! parts of a handshake of TLS.

/// How a handshake of TLS begins: its type, and the major version.
const TLS: &[u8] = b"\x16\x03";

/// Returns whether a line that has come in part is of TLS.
pub(super) fn is_tls(line: &[u8]) -> bool {
    line.starts_with(TLS)
}

/// Returns whether a request begins as one of HTTP does, or a line of its header.
pub(super) fn is_http_command(name: &[u8]) -> bool {
    let host = name.get(..b"host:".len());
    name.eq_ignore_ascii_case(b"post") || host.is_some_and(|it| it.eq_ignore_ascii_case(b"host:"))
}

/// Returns whether a line is the first of a request of HTTP, which names what is asked for by a path, or by
/// an address.
pub(super) fn is_http_line(arguments: &[Vec<u8>]) -> bool {
    let [_method, target, version] = arguments else { return false };
    let is_target = target.starts_with(b"/")
        || target.starts_with(b"*")
        || target.windows(3).any(|window| window == b"://");
    let name = version.get(..b"http/".len());
    is_target && name.is_some_and(|name| name.eq_ignore_ascii_case(b"http/"))
}
