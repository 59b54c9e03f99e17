//! RESP, the protocol of Redis: requests in, replies out.

mod line;
mod reply;
mod request;

pub use reply::{Protocol, Replies};
pub use request::{RequestError, RequestLimits, Requests};
