//! RESP, the protocol of Redis: requests and replies.

mod foreign;
mod integer;
mod line;
mod reply;
mod request;

pub(crate) use integer::parse_integer;
pub(crate) use line::{UnbalancedQuotes, split_line};
pub use reply::{Protocol, Replies};
pub(crate) use request::emptied;
pub use request::{RequestError, RequestLimits, Requests};
