//! What limiters send and how they read the replies, whatever the connection.
//!
//! A [`Request`] becomes one call of one script. The script decides whether the units fit, and returns
//! the state of each rule; the durations of the decision are computed here, in integers of 128 bits.

mod packed;
mod policy;
mod request;
mod rule;
mod scripts;
mod state;
mod throttle;

pub(crate) use policy::Policy;
pub(crate) use request::{Request, Step};
pub use rule::Rule;
pub(crate) use throttle::parse as parse_throttle;
