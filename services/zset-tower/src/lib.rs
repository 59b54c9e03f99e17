//! Rate limits for tower services, such as those of axum, hyper and tonic.
//!
//! A [`RateLimitLayer`] has one or more [policies](Policy). Each has a name, a limiter, and a
//! [`Key`](key::Key), such as the client's address, whose limit the request counts towards. A
//! request passes if all policies allow it. Otherwise it is [rejected](Rejection), usually with
//! status 429, and takes no units.
//!
//! # Examples
//!
//! An axum service that allows a hundred requests a minute for each client:
//!
//! ```
//! use std::net::SocketAddr;
//! use std::time::Duration;
//!
//! use axum::Router;
//! use axum::extract::ConnectInfo;
//! use axum::routing::get;
//! use zset_std::{Keyed, Quota};
//! use zset_tower::key::PeerIp;
//! use zset_tower::{MissingKey, Policy, RateLimitLayer};
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let key = PeerIp::from_extension(|peer: &ConnectInfo<SocketAddr>| Some(peer.0.ip()));
//! let quota = Quota::new(100, Duration::from_secs(60))?;
//! let per_ip = Policy::window("per-ip", quota, key, MissingKey::deny())?;
//! let router: Router = Router::new()
//!     .route("/", get(async || "hello"))
//!     .layer(RateLimitLayer::new(per_ip));
//! let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await?;
//! // Without the connect info, requests have no address, and so no key.
//! axum::serve(listener, router.into_make_service_with_connect_info::<SocketAddr>()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # Keys
//!
//! The [module](key) lists the keys. You must [choose](MissingKey) what happens to a request
//! without a key: reject it with status 403 or another, or 401 and a challenge; let it pass; or
//! count it towards a key shared by all such requests.
//!
//! Behind a proxy, the peer of every request is the proxy. The client's address is in a
//! header, and the client can write all entries of that but the last: see
//! [`ForwardedFor`](key::ForwardedFor).
//!
//! # Policies
//!
//! - [`Policy::window`] and [`Policy::funnel`] create a limiter in this process with at most
//!   100,000 keys.
//! - [`Policy::new`] takes any [`KeyedLimiter`](zset_std::KeyedLimiter).
//! - [`Policy::new_async`] takes any [`AsyncKeyedLimiter`](zset_std::AsyncKeyedLimiter), e.g. one
//!   whose state is on a server. You must [choose](FailedLimiter) what happens if it fails.
//! - [`with_quota_by`](Policy::with_quota_by) gives each key a quota of its own: for tiers, and for
//!   quotas from a database.
//! - [`when`](Policy::when) restricts a policy to some requests, such as those of one method, and
//!   [`with_cost`](Policy::with_cost) makes some count more than others.
//! - [`charge_if`](Policy::charge_if) counts by the response, e.g. only failed logins.
//! - [`shadow`](Policy::shadow) tries a policy on live traffic: it reports, and never rejects.
//!
//! A single policy makes one call of its limiter and, with [`charge_if`](Policy::charge_if), at
//! most one more when the response is available. With several policies, the layer first peeks at
//! all of them. If none denies, it checks them all. If some deny, it checks only these, so that a
//! [`Penalty`](zset_std::Penalty) or an [`Observer`](zset_std::Observer) counts the denial.
//!
//! On servers that is two round trips, each to all limiters concurrently. If another request takes
//! units between the two, a check may be denied, and a third one refunds the units that the others
//! have allowed. They stay taken if the refund fails.
//!
//! # Responses
//!
//! The responses to requests on which a policy has decided, allowed or not, have the headers of
//! [draft-ietf-httpapi-ratelimit-headers-11](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/):
//!
//! ```text
//! RateLimit-Policy: "per-ip";q=100;w=60
//! RateLimit: "per-ip";r=42;t=17
//! ```
//!
//! With a sliding window, a fixed window or a funnel, a client that makes at most `q` requests in
//! any `w` seconds is not denied: for a funnel, `q` is its capacity, which is allowed at once, and
//! `w` the time in which a full one empties. With a [`WindowCounter`](zset_std::WindowCounter) it
//! may be denied: 10 requests at the start of a window of 60 seconds all count 60.001 seconds
//! later. `w` is missing if the limiter has several quotas, or does not
//! [return](zset_std::KeyedLimiter::terms) its quota. `r` more are allowed now, and a client that
//! makes at most that many in the next `t` seconds is not denied.
//! [`with_partition_key`](Policy::with_partition_key) adds `pk`, which shows a client which
//! requests share a quota. A denied response has the same headers and `Retry-After`, the seconds
//! until the same request would be allowed, rounded up (a second, if it depends on requests in
//! flight):
//!
//! ```text
//! HTTP/1.1 429 Too Many Requests
//! Content-Type: application/problem+json
//! Retry-After: 17
//! RateLimit-Policy: "per-ip";q=100;w=60
//! RateLimit: "per-ip";r=0;t=17
//!
//! {"type":"https://iana.org/assignments/http-problem-types#quota-exceeded",
//!  "title":"Request cannot be satisfied as assigned quota has been exceeded",
//!  "status":429,"violated-policies":["per-ip"]}
//! ```
//!
//! A request whose cost exceeds a limit can never be allowed. It is answered with status 413 and
//! without `Retry-After`, so that clients do not retry.
//! [`with_response`](RateLimitLayer::with_response) replaces the response, e.g. [for
//! gRPC](Rejection::to_grpc).
//!
//! # Coming from `tower_governor`
//!
//! The example allows two requests a second for each address, behind one proxy, and five at once.
//! In `tower_governor`, `per_second(n)` means one request every n seconds.
//!
//! ```
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! use axum::Router;
//! use tower_governor::GovernorLayer;
//! use tower_governor::governor::GovernorConfigBuilder;
//! use tower_governor::key_extractor::SmartIpKeyExtractor;
//! use zset_std::{Funnel, Quota};
//! use zset_tower::key::ForwardedFor;
//! use zset_tower::{MissingKey, Policy, RateLimitLayer};
//!
//! // tower_governor, whose `retain_recent` must be called regularly:
//! let config = GovernorConfigBuilder::default()
//!     .per_millisecond(500)
//!     .burst_size(5)
//!     .key_extractor(SmartIpKeyExtractor)
//!     .use_headers()
//!     .finish()
//!     .unwrap();
//! let config = Arc::new(config);
//! let router: Router = Router::new().layer(GovernorLayer::new(Arc::clone(&config)));
//! config.limiter().retain_recent();
//!
//! // zset-tower, which holds 100,000 keys at most and sweeps idle ones by itself:
//! let funnel = Funnel::new(Quota::new(2, Duration::from_secs(1))?).with_capacity(5)?;
//! let key = ForwardedFor::x_forwarded_for(1);
//! let policy = Policy::funnel("per-ip", funnel, key, MissingKey::deny())?;
//! let router: Router = Router::new().layer(RateLimitLayer::new(policy));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | `tower_governor` | here |
//! |---|---|
//! | `PeerIpKeyExtractor` | [`PeerIp::from_extension`](key::PeerIp::from_extension): IPv6 by /64 |
//! | `SmartIpKeyExtractor`: the first entry, which a client can make up | [`ForwardedFor`](key::ForwardedFor): the entry that a trusted proxy wrote |
//! | `GlobalKeyExtractor`, a `KeyExtractor` of yours | [`Global`](key::Global), [`from_fn`](key::from_fn) |
//! | an error if there is no key: status 500 | [`MissingKey`], a choice |
//! | `methods` | [`when`](Policy::when) |
//! | `use_headers`: `x-ratelimit-*` | [`with_legacy_headers`](RateLimitLayer::with_legacy_headers), besides those of the draft |
//! | `error_handler` | [`with_response`](RateLimitLayer::with_response) |
//!
//! # State
//!
//! Clones of a layer and of its services share the state of the limiters: axum clones the service
//! for each connection. To apply one policy in several places, clone the layer.
//!
//! # Features
//!
//! - `tracing`: an event for each policy that does not allow a request, and a warning if a limiter
//!   fails. Events of a policy in [shadow mode](Policy::shadow) have the field `shadow=true`.
//! - `metrics`: the metrics below.
//!
//! # Metrics
//!
//! With the feature `metrics`, policies report through the crate of that name. A recorder must be
//! installed before the first request.
//!
//! | name | type | labels | what |
//! |---|---|---|---|
//! | `zset_tower_requests_total` | counter | `policy`, `outcome` | requests |
//! | `zset_tower_decision_seconds` | histogram | `policy`, `outcome` | time of the limiter |
//! | `zset_tower_keys` | gauge | `policy` | keys that the limiter holds |
//! | `zset_tower_keys_swept_total` | counter | `policy` | idle keys that were swept |
//! | `zset_tower_keys_refused_total` | counter | `policy` | requests of keys without room |
//!
//! The outcome is `allowed`, `denied`, `failed` or `missing_key`, which has no time; in shadow
//! mode, `shadow_allowed` and so on. If one policy rejects a request, the others that would have
//! allowed it do not report it. The time is that of a decision. It includes waiting for a limiter
//! on a server, and the peek if the layer has several policies.
//!
//! The last three exist for [`Policy::window`] and [`Policy::funnel`]. Your own limiters have
//! `len`, and an [`Observer`](zset_std::Observer) receives their sweeps. Read `len`, like the
//! state of a breaker, where metrics are collected, such as in the handler of `/metrics`:
//!
#![cfg_attr(feature = "metrics", doc = "```")]
#![cfg_attr(not(feature = "metrics"), doc = "```ignore")]
//! use metrics::gauge;
//! use zset_redis::{Breaker, BreakerState};
//! use zset_std::{Keyed, SlidingWindow};
//!
//! fn collect(logins: &Keyed<String, SlidingWindow>, breaker: &Breaker) {
//!     gauge!("logins_keys").set(logins.len() as f64);
//!     gauge!("redis_is_down").set(f64::from(breaker.state() != BreakerState::Closed));
//! }
//! ```
//!
//! The crate contains no unsafe code. Its minimum Rust version is its `rust-version`.

#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod admit;
mod after;
mod decide;
mod headers;
pub mod key;
mod layer;
mod outcome;
mod policy;
mod rejection;
mod request_head;
mod service;
mod settings;
mod step;
mod telemetry;
mod timer;

pub use key::MissingKey;
pub use layer::RateLimitLayer;
pub use outcome::FailedLimiter;
pub use policy::{Policy, PolicyError};
pub use rejection::Rejection;
pub use request_head::RequestHead;
pub use service::{RateLimit, ResponseBody, ResponseFuture};

/// Compiles the examples in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

/// Tests the examples in the project's README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct ProjectReadme;
