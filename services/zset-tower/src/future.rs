//! [`ResponseFuture`]: the future of a response.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Response};
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::after::After;
use crate::body::ResponseBody;
use crate::decide::Outcomes;
use crate::headers::RateHeaders;
use crate::layer::{Admitted, Settings};
use crate::request_head::RequestHead;
use crate::step::Later;

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
        // Everything but the inner service's future is boxed, since a future is moved several
        // times.
        Waiting { waiting: Option<Box<Waiting<S, B>>> },
        Calling { #[pin] future: S::Future, admitted: Admitted },
        Settling { settling: Option<Box<Settling<S::Response>>> },
        Rejected { response: Option<Box<Response<Bytes>>> },
    }
}

/// A request that awaits its decision.
pub(crate) struct Waiting<S, B> {
    pub(crate) decision: Later<Outcomes>,
    pub(crate) request: Request<B>,
    pub(crate) service: S,
    pub(crate) settings: Arc<Settings>,
}

/// A response that awaits refunds.
pub(crate) struct Settling<R> {
    headers: Later<Option<Box<RateHeaders>>>,
    response: R,
}

impl<S: Service<Request<B>>, B> ResponseFuture<S, B> {
    pub(crate) fn waiting(waiting: Waiting<S, B>) -> Self {
        ResponseFuture { state: State::Waiting { waiting: Some(Box::new(waiting)) } }
    }

    pub(crate) fn calling(future: S::Future, admitted: Admitted) -> Self {
        ResponseFuture { state: State::Calling { future, admitted } }
    }

    pub(crate) fn rejected(response: Box<Response<Bytes>>) -> Self {
        ResponseFuture { state: State::Rejected { response: Some(response) } }
    }
}

impl<R> Settling<Response<R>> {
    fn new(after: Box<After>, response: Response<R>) -> Self {
        let (parts, body) = response.into_parts();
        let head = Response::from_parts(parts, ());
        let headers = after.settle(&head);
        Settling { headers, response: head.map(|()| body) }
    }
}

impl<S, B, R> Future for ResponseFuture<S, B>
where
    S: Service<Request<B>, Response = Response<R>>,
{
    type Output = Result<Response<ResponseBody<R>>, S::Error>;

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
                    match settings.admit(&mut outcomes, &RequestHead::from(&request)) {
                        Ok(admitted) => State::Calling { future: service.call(request), admitted },
                        Err(response) => State::Rejected { response: Some(response) },
                    }
                }
                StateProjection::Calling { future, admitted } => {
                    let mut result = ready!(future.poll(context));
                    let after = admitted.after.take();
                    if let (Some(headers), Ok(response)) = (admitted.headers.take(), &mut result) {
                        headers.add_to(response.headers_mut());
                    }
                    match (after, result) {
                        (Some(after), Ok(response)) => State::Settling {
                            settling: Some(Box::new(Settling::new(after, response))),
                        },
                        // An error drops the state that depends on the response.
                        (_, result) => {
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
