//! A server and a shell over the sorted sets of [`zset_core`].

#![forbid(unsafe_code)]

mod resp;

pub use resp::{Protocol, Replies, RequestError, RequestLimits, Requests};
