//! Stacks our layer with tower-http's layers, both outside and inside them, in axum and in tonic.

use std::convert::Infallible;
use std::error::Error;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, RETRY_AFTER};
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use tonic::server::NamedService;
use tonic::service::Routes;
use tower::{Layer, Service, ServiceBuilder, ServiceExt};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::cors::CorsLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;
use zset_tower::key::Global;
use zset_tower::{MissingKey, Policy, RateLimitLayer};

use crate::{minute, per_minute};

type BoxError = Box<dyn Error + Send + Sync>;

/// A layer that allows two requests.
fn limit() -> RateLimitLayer {
    let policy = Policy::window("all", per_minute(2), Global::new(), MissingKey::Allow).unwrap();
    RateLimitLayer::new(policy)
}

fn timeout() -> TimeoutLayer {
    TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, minute())
}

/// Calls a limited service: two requests are answered, and the third is denied. The trait bounds
/// are those that the servers of axum and tonic require.
async fn expect_limit<S, B, R>(service: S)
where
    S: Service<Request<B>, Response = Response<R>, Future: Send> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    B: Default,
    R: Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    for status in [StatusCode::OK, StatusCode::OK, StatusCode::TOO_MANY_REQUESTS] {
        let request = Request::builder().uri("/test.Service/Hello").header(ACCEPT_ENCODING, "gzip");
        let request = request.body(B::default()).unwrap();
        let response = service.clone().oneshot(request).await.map_err(Into::into).unwrap();
        assert_eq!(response.status(), status);
        assert_eq!(response.headers().contains_key(RETRY_AFTER), !status.is_success());
        assert!(response.headers().contains_key("ratelimit"));
        let is_compressed = response.headers().contains_key(CONTENT_ENCODING);
        let body = response.into_body().collect().await.map_err(Into::into).unwrap().to_bytes();
        assert!(
            is_compressed || body.starts_with(if status.is_success() { b"hello" } else { b"{" })
        );
    }
}

/// Checks each layer around a service, first outside and then inside our layer, and finally all
/// layers together.
macro_rules! expect_limits {
    ($inner:expr, $body:ty) => {
        expect_limits!(@each $inner, $body, [
            CorsLayer::permissive(),
            timeout(),
            TraceLayer::new_for_http(),
            CompressionLayer::new(),
            CatchPanicLayer::new()
        ]);
        let all = || {
            ServiceBuilder::new()
                .layer(TraceLayer::new_for_http())
                .layer(CorsLayer::permissive())
                .layer(timeout())
        };
        let layers = all().layer(limit()).layer(CompressionLayer::new());
        let service = layers.layer(CatchPanicLayer::new()).service($inner);
        expect_limit::<_, $body, _>(service).await;
        let layers = all().layer(CompressionLayer::new()).layer(CatchPanicLayer::new());
        expect_limit::<_, $body, _>(layers.layer(limit()).service($inner)).await;
    };
    (@each $inner:expr, $body:ty, [$($layer:expr),*]) => {$(
        let outside = ServiceBuilder::new().layer($layer).layer(limit()).service($inner);
        expect_limit::<_, $body, _>(outside).await;
        let inside = ServiceBuilder::new().layer(limit()).layer($layer).service($inner);
        expect_limit::<_, $body, _>(inside).await;
    )*};
}

fn router() -> Router {
    Router::new().route("/test.Service/Hello", get(async || "hello"))
}

/// A gRPC service. Its response is text instead of a message, so that all stacks return the same.
#[derive(Clone)]
struct Grpc;

impl NamedService for Grpc {
    const NAME: &'static str = "test.Service";
}

impl Service<Request<tonic::body::Body>> for Grpc {
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<tonic::body::Body>) -> Self::Future {
        let body = tonic::body::Body::new("hello".to_owned().map_err(|never| match never {}));
        ready(Ok(Response::new(body)))
    }
}

#[tokio::test]
async fn the_usual_layers_of_axum_compose_in_both_orders() {
    expect_limits!(router(), axum::body::Body);
}

#[tokio::test]
async fn the_usual_layers_of_tonic_compose_in_both_orders() {
    expect_limits!(Grpc, tonic::body::Body);
    expect_limits!(Routes::new(Grpc), tonic::body::Body);
}

/// `Router::layer` has its own trait bounds.
#[tokio::test]
async fn stacks_are_layers_of_a_router() {
    let outside =
        router().layer(ServiceBuilder::new().layer(CorsLayer::permissive()).layer(limit()));
    expect_limit::<_, axum::body::Body, _>(outside.layer(timeout())).await;
    let inside = router().layer(timeout()).layer(limit()).layer(CompressionLayer::new());
    expect_limit::<_, axum::body::Body, _>(inside.layer(CatchPanicLayer::new())).await;
    let inside = router().layer(CatchPanicLayer::new()).layer(CorsLayer::permissive());
    expect_limit::<_, axum::body::Body, _>(inside.layer(limit()).layer(TraceLayer::new_for_http()))
        .await;
}

#[tokio::test]
async fn layers_outside_of_the_limit_answer_with_the_default_body() {
    let slow = tower::service_fn(async |_: Request<String>| {
        std::future::pending::<()>().await;
        Ok::<_, Infallible>(Response::new(String::from("hello")))
    });
    let timeout = TimeoutLayer::with_status_code(StatusCode::REQUEST_TIMEOUT, minute() / 60_000);
    let service = timeout.layer(limit().layer(slow));
    let response = service.oneshot(Request::new(String::new())).await.unwrap();
    assert_eq!(response.status(), StatusCode::REQUEST_TIMEOUT);
    assert!(response.into_body().collect().await.unwrap().to_bytes().is_empty());
}
