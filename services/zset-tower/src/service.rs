//! [`RateLimit`]: the service created by the layer, its futures and the bodies of its responses.

use std::fmt;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::admit::admit;
use crate::after::After;
use crate::decide::decide;
use crate::headers::RateHeaders;
use crate::outcome::Outcomes;
use crate::request_head::RequestHead;
use crate::settings::Settings;
use crate::step::{Later, Step};

/// A service whose requests are limited, created by [`RateLimitLayer`](crate::RateLimitLayer).
///
/// Clones share the state of the limiters.
///
/// A request that is rejected, or whose decision is awaited, replaces the inner service by a clone.
/// So anything that `poll_ready` has reserved in the inner service, such as a permit of a
/// concurrency limit, is released with the rejection. The decisions of several policies, and of one
/// whose charges depend on the response, count as awaited. Other allowed requests make no clone.
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
    /// Takes the inner service, which is ready, and leaves a clone, which is not.
    ///
    /// A ready service may hold a permit of a concurrency limit, or a place in a buffer, until it
    /// is called or dropped.
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

    #[inline]
    fn call(&mut self, request: Request<B>) -> ResponseFuture<S, B> {
        let head = RequestHead::from(&request);
        match decide(&self.settings.policies, &head) {
            Step::Ready(ref mut outcomes) => match admit(&self.settings, outcomes, &head) {
                Ok(after) => {
                    let future = self.inner.call(request);
                    ResponseFuture { state: State::Calling { future, after } }
                }
                Err(response) => {
                    drop(self.take_ready());
                    ResponseFuture { state: State::Rejected { response: Some(response) } }
                }
            },
            Step::Later(decision) => {
                let (service, settings) = (self.take_ready(), Arc::clone(&self.settings));
                let waiting = Waiting { decision, request, service, settings };
                ResponseFuture { state: State::Waiting { waiting: Some(Box::new(waiting)) } }
            }
        }
    }
}

impl<S: fmt::Debug> fmt::Debug for RateLimit<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit").field("inner", &self.inner).finish_non_exhaustive()
    }
}

pin_project! {
    /// The future of a response of [`RateLimit`](crate::RateLimit).
    pub struct ResponseFuture<S, B>
    where
        S: Service<Request<B>>,
    {
        #[pin]
        state: State<S, B>,
    }
}

pin_project! {
    #[project = StateProjection]
    enum State<S, B>
    where
        S: Service<Request<B>>,
    {
        // Everything except the inner service's future is boxed. This enum is moved several times,
        // so it must be small.
        Waiting { waiting: Option<Box<Waiting<S, B>>> },
        Calling { #[pin] future: S::Future, after: Option<After> },
        Settling { settling: Option<Box<Settling<S::Response>>> },
        Rejected { response: Option<Box<Response<Bytes>>> },
    }
}

/// A request that awaits its decision.
struct Waiting<S, B> {
    decision: Later<Outcomes>,
    request: Request<B>,
    service: S,
    settings: Arc<Settings>,
}

/// A response that awaits refunds.
struct Settling<R> {
    headers: Later<Option<Box<RateHeaders>>>,
    response: R,
}

impl<S, B, R> Future for ResponseFuture<S, B>
where
    S: Service<Request<B>, Response = Response<R>>,
{
    type Output = Result<Response<ResponseBody<R>>, S::Error>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        const COMPLETED: &str = "a future is not polled after it has completed";
        let mut state = self.project().state;
        loop {
            let next = match state.as_mut().project() {
                StateProjection::Waiting { waiting } => {
                    let decision = &mut waiting.as_mut().expect(COMPLETED).decision;
                    let mut outcomes = ready!(decision.as_mut().poll(context));
                    let Waiting { request, mut service, settings, .. } =
                        *waiting.take().expect(COMPLETED);
                    match admit(&settings, &mut outcomes, &RequestHead::from(&request)) {
                        Ok(after) => State::Calling { future: service.call(request), after },
                        Err(response) => State::Rejected { response: Some(response) },
                    }
                }
                StateProjection::Calling { future, after } => {
                    let result = ready!(future.poll(context));
                    match (after.take(), result) {
                        (Some(After::Settle(unsettled)), Ok(response)) => {
                            let (parts, body) = response.into_parts();
                            let head = Response::from_parts(parts, ());
                            let headers = unsettled.settle(&head);
                            let settling = Settling { headers, response: head.map(|()| body) };
                            State::Settling { settling: Some(Box::new(settling)) }
                        }
                        // If the service has failed, its units are charged when `after` is dropped.
                        (after, mut result) => {
                            if let (Some(After::Headers(headers)), Ok(response)) =
                                (after, &mut result)
                            {
                                headers.add_to(response.headers_mut());
                            }
                            let result = result.map(|response| response.map(ResponseBody::inner));
                            return Poll::Ready(result);
                        }
                    }
                }
                StateProjection::Settling { settling } => {
                    let waiting = &mut settling.as_mut().expect(COMPLETED).headers;
                    let headers = ready!(waiting.as_mut().poll(context));
                    let Settling { mut response, .. } = *settling.take().expect(COMPLETED);
                    if let Some(headers) = headers {
                        headers.add_to(response.headers_mut());
                    }
                    return Poll::Ready(Ok(response.map(ResponseBody::inner)));
                }
                StateProjection::Rejected { response } => {
                    let response = response.take().expect(COMPLETED);
                    return Poll::Ready(Ok(response.map(ResponseBody::rejection)));
                }
            };
            state.set(next);
        }
    }
}

impl<S: Service<Request<B>>, B> fmt::Debug for ResponseFuture<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseFuture")
    }
}

pin_project! {
    /// The body of a response: the inner service's, or the content of a rejection.
    ///
    /// It is a body of [`Bytes`] if the inner body is one, as in axum, hyper and tonic.
    #[derive(Debug)]
    pub struct ResponseBody<B> {
        #[pin]
        content: Content<B>,
    }
}

pin_project! {
    #[project = ContentProjection]
    #[derive(Debug)]
    enum Content<B> {
        Inner { #[pin] body: B },
        Rejection { bytes: Option<Bytes> },
    }
}

impl<B> ResponseBody<B> {
    pub(crate) fn inner(body: B) -> Self {
        ResponseBody { content: Content::Inner { body } }
    }

    pub(crate) fn rejection(bytes: Bytes) -> Self {
        let bytes = Some(bytes).filter(|bytes| !bytes.is_empty());
        ResponseBody { content: Content::Rejection { bytes } }
    }
}

/// The default body of the inner service: layers such as tower-http's `CorsLayer` and
/// `TimeoutLayer` answer some requests themselves with the default body.
impl<B: Default> Default for ResponseBody<B> {
    fn default() -> Self {
        ResponseBody::inner(B::default())
    }
}

impl<B: Body<Data = Bytes>> Body for ResponseBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        match self.project().content.project() {
            ContentProjection::Inner { body } => body.poll_frame(context),
            ContentProjection::Rejection { bytes } => {
                Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.content {
            Content::Inner { body } => body.is_end_stream(),
            Content::Rejection { bytes } => bytes.is_none(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Inner { body } => body.size_hint(),
            Content::Rejection { bytes } => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
        }
    }
}
