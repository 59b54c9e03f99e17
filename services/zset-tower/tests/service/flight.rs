//! Calls of a service that stay in flight until the test answers them.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use http::{Request, Response, StatusCode};
use tower::Service;
use zset_tower::{RateLimit, ResponseBody};

/// How the test makes the service answer a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    Success,
    Failure,
    Error,
    Panic,
}

type Reply = Result<Response<ResponseBody<String>>, &'static str>;

/// A call that stays in flight until the test answers it.
pub(crate) struct Flight {
    future: Pin<Box<dyn Future<Output = Reply>>>,
    answer: Arc<Mutex<Option<Answer>>>,
}

impl Flight {
    pub(crate) fn start<S>(service: &RateLimit<S>, mut request: Request<String>) -> Self
    where
        S: Service<Request<String>, Response = Response<String>, Error = &'static str>,
        S: Clone + 'static,
    {
        let answer = Arc::<Mutex<Option<Answer>>>::default();
        request.extensions_mut().insert(Arc::clone(&answer));
        Flight { future: Box::pin(service.clone().call(request)), answer }
    }

    pub(crate) fn poll(&mut self) -> Poll<Reply> {
        let mut context = Context::from_waker(Waker::noop());
        // Each call to a limiter on a server needs two polls, and a request may need several calls.
        for _ in 0..12 {
            if let Poll::Ready(result) = self.future.as_mut().poll(&mut context) {
                return Poll::Ready(result);
            }
        }
        Poll::Pending
    }

    /// Returns the status of the response, if the request was rejected.
    pub(crate) fn rejected(&mut self) -> Option<StatusCode> {
        match self.poll() {
            Poll::Ready(result) => result.ok().map(|response| response.status()),
            Poll::Pending => None,
        }
    }

    /// Answers the call; returns the response, if there is one.
    pub(crate) fn end(mut self, answer: Answer) -> Option<Response<ResponseBody<String>>> {
        *self.answer.lock().unwrap() = Some(answer);
        let polled = catch_unwind(AssertUnwindSafe(|| self.poll()));
        assert_eq!(polled.is_err(), answer == Answer::Panic);
        match polled.ok()? {
            Poll::Ready(result) => result.ok(),
            Poll::Pending => panic!("the call is answered"),
        }
    }
}

/// The inner service, which waits until the test answers the call.
pub(crate) async fn answer(request: Request<String>) -> Result<Response<String>, &'static str> {
    let answer = request.extensions().get::<Arc<Mutex<Option<Answer>>>>().unwrap();
    let answer = poll_fn(|_| match *answer.lock().unwrap() {
        Some(answer) => Poll::Ready(answer),
        None => Poll::Pending,
    });
    let mut response = Response::new(String::new());
    match answer.await {
        Answer::Success => {}
        Answer::Failure => *response.status_mut() = StatusCode::NOT_FOUND,
        Answer::Error => return Err("the service has failed"),
        // `resume_unwind` panics without printing a message and a backtrace.
        Answer::Panic => resume_unwind(Box::new("a handler panics")),
    }
    Ok(response)
}
