//! RESP, the protocol of Redis: requests and replies.

mod foreign;
mod line;
mod reply;
mod request;

pub(crate) use line::{UnbalancedQuotes, split_line};
pub use reply::{Protocol, Replies};
pub(crate) use request::emptied;
pub use request::{RequestError, RequestLimits, Requests};

/// Parses an integer in canonical form only: no plus sign, no leading zeros.
pub(crate) fn parse_integer(digits: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(digits).ok()?;
    let is_canonical = match digits {
        [b'+', ..] | [b'-', b'0', ..] => false,
        [b'0', rest @ ..] => rest.is_empty(),
        _ => true,
    };
    if is_canonical { text.parse().ok() } else { None }
}
