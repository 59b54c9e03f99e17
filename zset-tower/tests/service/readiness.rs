//! Inner services that have to be ready before a call.

use std::convert::Infallible;
use std::future;
use std::task::{Context, Poll};

use http::{Request, Response, StatusCode};
use pollster::block_on;
use tower::{Layer, Service, ServiceExt};
use zset_std::FakeClock;
use zset_tower::{OnFailure, RateLimitLayer};

use crate::limiters_on_a_server::OnServer;
use crate::{ANN, per_minute, per_user, request};

/// A service that is ready once, as a concurrency limit may be.
struct ReadyOnce {
    is_ready: bool,
}

impl Clone for ReadyOnce {
    fn clone(&self) -> Self {
        ReadyOnce { is_ready: false }
    }
}

impl Service<Request<String>> for ReadyOnce {
    type Response = Response<String>;
    type Error = Infallible;
    type Future = future::Ready<Result<Response<String>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.is_ready = true;
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<String>) -> Self::Future {
        assert!(self.is_ready, "a clone that is not ready is called");
        self.is_ready = false;
        future::ready(Ok(Response::new(String::new())))
    }
}

#[test]
fn the_service_that_was_ready_is_called() {
    let policy = OnServer::new(per_minute(9), u32::MAX).policy("user", OnFailure::Pass);
    for policy in [policy, per_user("user", per_minute(9), &FakeClock::new())] {
        let mut service = RateLimitLayer::new(policy).layer(ReadyOnce { is_ready: false });
        block_on(async {
            for _ in 0..3 {
                let response = service.ready().await.unwrap().call(request(ANN)).await.unwrap();
                assert_eq!(response.status(), StatusCode::OK);
            }
        });
    }
}
