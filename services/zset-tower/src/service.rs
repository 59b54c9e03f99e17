//! [`RateLimit`]: the service created by the layer.

use std::fmt;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll};

use http::{Request, Response};
use tower_service::Service;

use crate::body::ResponseBody;
use crate::decide::decide;
use crate::future::{ResponseFuture, Waiting};
use crate::layer::Settings;
use crate::request_head::RequestHead;
use crate::step::Step;

/// A service whose requests are limited, created by [`RateLimitLayer`](crate::RateLimitLayer).
///
/// Clones share the state of the limiters.
///
/// A request that is rejected, or whose decision is awaited, replaces the inner service by a clone.
/// So anything that `poll_ready` has reserved in the inner service, such as a place in a
/// concurrency limit, is released with the rejection. A request that is allowed without waiting
/// makes no clone.
#[derive(Clone)]
pub struct RateLimit<S> {
    inner: S,
    settings: Arc<Settings>,
}

impl<S> RateLimit<S> {
    pub(crate) fn new(inner: S, settings: Arc<Settings>) -> Self {
        RateLimit { inner, settings }
    }
}

impl<S: Clone> RateLimit<S> {
    /// Replaces the inner service, which is ready, by a clone, which is not.
    ///
    /// A ready service may hold a place in a concurrency limit or a buffer until it is called or
    /// dropped.
    fn take_ready(&mut self) -> S {
        let clone = self.inner.clone();
        mem::replace(&mut self.inner, clone)
    }
}

impl<S, B, R> Service<Request<B>> for RateLimit<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
{
    type Response = Response<ResponseBody<R>>;
    type Error = S::Error;
    type Future = ResponseFuture<S, B>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture<S, B> {
        let head = RequestHead::from(&request);
        match decide(&self.settings.policies, &head) {
            Step::Ready(ref mut outcomes) => match self.settings.admit(outcomes, &head) {
                Ok(admitted) => ResponseFuture::calling(self.inner.call(request), admitted),
                Err(response) => {
                    drop(self.take_ready());
                    ResponseFuture::rejected(response)
                }
            },
            Step::Later(decision) => {
                let service = self.take_ready();
                let settings = Arc::clone(&self.settings);
                ResponseFuture::waiting(Waiting { decision, request, service, settings })
            }
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for RateLimit<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit").field("inner", &self.inner).finish_non_exhaustive()
    }
}
