//! Rate limits for tower services, such as those of axum, hyper and tonic.
//!
//! A [`RateLimitLayer`] has one or more [policies](Policy). Each policy has a name, a limiter, and
//! a [`Key`](key::Key), such as the client's address. The limit applies to each key separately. A
//! request passes if no policy rejects it. Otherwise, it is [rejected](Rejection), usually with
//! status 429 and without taking units.
//!
//! # Examples
//!
//! An axum service that allows a hundred requests a minute for each address, where all IPv6
//! addresses in a /64 count as one:
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
//! The [module `key`](key) lists the keys. You must [choose](MissingKey) what happens to a request
//! without a key: it is rejected with status 403 or a status of your choice, or with 401 and a
//! challenge; it passes; or it counts towards a key shared by all such requests.
//!
//! Behind a proxy, the peer of every request is the proxy, and the client's address is in a header.
//! The client can forge all entries of this header except those of your proxies: see
//! [`ForwardedFor`](key::ForwardedFor).
//!
//! # Policies
//!
//! - [`Policy::window`] and [`Policy::funnel`] create a limiter in this process with at most
//!   100,000 keys.
//! - [`Policy::new`] takes any [`KeyedLimiter`](zset_std::KeyedLimiter).
//! - [`Policy::new_async`] takes any [`AsyncKeyedLimiter`](zset_std::AsyncKeyedLimiter), e.g. one
//!   whose state is on a server. You must [choose](FailedLimiter) what happens if it fails.
//! - [`with_quota_by`](Policy::with_quota_by) gives each key its own quota, e.g. for tiers or from
//!   a database.
//! - [`when`](Policy::when) restricts a policy to some requests, such as those of one method, and
//!   [`with_cost`](Policy::with_cost) makes some requests cost more than others.
//! - [`charge_if`](Policy::charge_if) charges requests depending on their responses, e.g. only
//!   failed logins.
//! - [`shadow`](Policy::shadow) tries a policy on live traffic: it reports its decisions, and never
//!   rejects.
//!
//! A single policy calls its limiter once and, with [`charge_if`](Policy::charge_if), at most once
//! more when the response is available. If several policies apply to a request, the layer first
//! peeks at all of them. If none denies the request, it checks all of them. If some deny it, the
//! layer checks only these, so that a [`Penalty`](zset_std::Penalty) or an
//! [`Observer`](zset_std::Observer) counts the denial.
//!
//! With limiters on servers, the layer peeks at all of them concurrently in one round trip, and
//! checks them in another. If another request takes units after the peek, a check may be denied. A
//! third round trip then refunds the units taken from the other limiters. If the refund fails,
//! these units stay taken.
//!
//! # Responses
//!
//! By default, if a policy has allowed or denied a request, the response has the headers of
//! [draft-ietf-httpapi-ratelimit-headers-11](https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/):
//!
//! ```text
//! RateLimit-Policy: "per-ip";q=100;w=60
//! RateLimit: "per-ip";r=42;t=17
//! ```
//!
//! `q` is the limit, and `w` its period in seconds. For a funnel, `q` is its capacity, i.e. how
//! much is allowed at once, and `w` is the time that a full funnel needs to empty. With a sliding
//! window, a fixed window or a funnel, a client that does not share its key is not denied if it
//! makes at most `q` requests of cost 1 in any `w` seconds. With a
//! [`WindowCounter`](zset_std::WindowCounter), it may be denied: if it makes 10 requests at the
//! start of a window of 60 seconds, all 10 still count at the start of the next one. `w` is missing if the limiter has
//! several quotas, or does not [return](zset_std::KeyedLimiter::terms) its quota.
//!
//! `r` is the number of requests of cost 1 that are still allowed now. A client that does not share
//! its key is not denied if it makes at most `r` such requests in the next `t` seconds.
//! [`with_partition_key`](Policy::with_partition_key) adds `pk`, which shows a client which
//! requests share a quota.
//!
//! The response to a denied request also has `Retry-After`: the seconds until the same request
//! would be allowed, rounded up. It is 1 if the request is denied only because of units
//! [held](zset_std::Hold) for requests in flight. For example:
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
//! A request whose cost exceeds a limit cannot be allowed. Its response has status 413 and no
//! `Retry-After`, so that clients do not retry. [`with_response`](RateLimitLayer::with_response)
//! replaces the response, e.g. [for gRPC](Rejection::to_grpc).
//!
//! # Coming from `tower_governor`
//!
//! In this example, the service is behind one proxy. Each client address may make two requests a
//! second, and five at once. In `tower_governor`, `per_second(n)` means one request every n
//! seconds.
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
//! | `PeerIpKeyExtractor` | [`PeerIp::from_extension`](key::PeerIp::from_extension); all IPv6 addresses in a /64 count as one |
//! | `SmartIpKeyExtractor`: the first entry, which a client can forge | [`ForwardedFor`](key::ForwardedFor): the entry that a trusted proxy wrote |
//! | `GlobalKeyExtractor`, your own `KeyExtractor` | [`Global`](key::Global), [`from_fn`](key::from_fn) |
//! | an error if there is no key: status 500 | your choice of [`MissingKey`] |
//! | `methods` | [`when`](Policy::when) |
//! | `use_headers`: `x-ratelimit-*` | [`with_legacy_headers`](RateLimitLayer::with_legacy_headers), in addition to those of the draft |
//! | `error_handler` | [`with_response`](RateLimitLayer::with_response) |
//!
//! # State
//!
//! Clones of a layer and of its services share the state of the limiters, e.g. when axum clones the
//! service for each connection. To apply one policy in several places, clone the layer.
//!
//! # Features
//!
//! - `tracing`: emits an event for each policy that does not allow a request, and a warning if a
//!   limiter fails to decide. Events of a policy in [shadow mode](Policy::shadow) have the field
//!   `shadow=true`.
//! - `metrics`: reports the metrics below.
//!
//! # Metrics
//!
//! With the feature `metrics`, policies report through the crate `metrics`. A recorder must be
//! installed before the first request.
//!
//! | name | type | labels | what |
//! |---|---|---|---|
//! | `zset_tower_requests_total` | counter | `policy`, `outcome` | requests |
//! | `zset_tower_decision_seconds` | histogram | `policy`, `outcome` | time the limiter took to decide |
//! | `zset_tower_keys` | gauge | `policy` | keys that the limiter holds |
//! | `zset_tower_keys_swept_total` | counter | `policy` | idle keys that were swept |
//! | `zset_tower_keys_refused_total` | counter | `policy` | requests refused because there was no room for their key |
//!
//! The outcome is `allowed`, `denied`, `failed` or `missing_key`. In shadow mode, it is
//! `shadow_allowed` and so on. If one policy rejects a request, policies that would have allowed it
//! do not report it.
//!
//! The time of a decision includes waiting for a limiter on a server and, if several policies
//! apply, the peek. No time is reported for `missing_key`.
//!
//! The last three metrics exist for [`Policy::window`] and [`Policy::funnel`]. If you create a
//! [`zset_std::Keyed`] yourself, call its `len`, and count its sweeps with an
//! [`Observer`](zset_std::Observer). Read `len`, and the state of the limiter's breaker if it has
//! one, where metrics are collected, such as in the handler of `/metrics`:
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
//! The crate contains no unsafe code. The minimum supported Rust version is the `rust-version` in
//! its `Cargo.toml`.

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
