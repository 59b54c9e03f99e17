//! Rate limits for tower services.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod body;
mod decide;
mod future;
mod headers;
pub mod key;
mod layer;
mod policy;
mod rejection;
mod service;
mod step;
mod structured;
mod telemetry;

pub use body::ResponseBody;
pub use future::ResponseFuture;
pub use key::{Key, MissingKey};
pub use layer::RateLimitLayer;
pub use policy::{OnFailure, Policy, PolicyError};
pub use rejection::Rejection;
pub use service::RateLimit;
