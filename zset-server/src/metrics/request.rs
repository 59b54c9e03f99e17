//! [`Answer`]: the response to an HTTP request.

use std::fmt::Write as _;

use httparse::{EMPTY_HEADER, Header, Request, Status};

/// The maximum number of header fields.
const MAX_HEADERS: usize = 64;

/// The maximum size of a request, in bytes.
const MAX_REQUEST: usize = 8 * 1024;

/// The response to a request.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The request is incomplete.
    Wait,
    /// These bytes, after which the connection is closed.
    Bytes(Vec<u8>),
}

impl Answer {
    /// Answers a request, which may be incomplete. The bearer token must be the password, if one is
    /// required.
    pub(super) fn to<S>(
        request: &[u8],
        state: &mut S,
        is_password: impl Fn(&S, &[u8]) -> bool,
        page: impl FnOnce(&mut S) -> String,
    ) -> Answer {
        let mut headers = [EMPTY_HEADER; MAX_HEADERS];
        let mut parsed = Request::new(&mut headers);
        match parsed.parse(request) {
            Ok(Status::Complete(_)) => {}
            Ok(Status::Partial) if request.len() < MAX_REQUEST => return Answer::Wait,
            Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                return plain("431 Request Header Fields Too Large", "");
            }
            Err(_) => return plain("400 Bad Request", ""),
        }
        let path = parsed.path.unwrap_or_default().split('?').next();
        let method = parsed.method.unwrap_or_default();
        if !matches!(path, Some("/" | "/metrics")) {
            return plain("404 Not Found", "");
        }
        if !matches!(method, "GET" | "HEAD") {
            return plain("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
        }
        if !is_password(state, bearer(parsed.headers).unwrap_or_default()) {
            return plain("401 Unauthorized", "WWW-Authenticate: Bearer\r\n");
        }
        let page = page(state);
        let mut response =
            head("200 OK", "", "text/plain; version=0.0.4; charset=utf-8", page.len());
        if method == "GET" {
            response.push_str(&page);
        }
        Answer::Bytes(response.into_bytes())
    }
}

/// Returns the bearer token of the `Authorization` header.
fn bearer<'a>(headers: &[Header<'a>]) -> Option<&'a [u8]> {
    let header = headers.iter().find(|header| header.name.eq_ignore_ascii_case("authorization"))?;
    let (scheme, password) = header.value.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(password)
}

/// Returns a response with a line of text.
fn plain(status: &str, headers: &str) -> Answer {
    let mut response = head(status, headers, "text/plain; charset=utf-8", status.len() + 1);
    response.push_str(status);
    response.push('\n');
    Answer::Bytes(response.into_bytes())
}

fn head(status: &str, headers: &str, kind: &str, len: usize) -> String {
    let mut head = String::new();
    // Writing to a string cannot fail.
    let _ = write!(
        head,
        "HTTP/1.1 {status}\r\n{headers}Content-Type: {kind}\r\nContent-Length: {len}\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    );
    head
}
