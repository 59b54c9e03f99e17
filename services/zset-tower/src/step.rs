//! [`Step`]: a result that is ready, or must be awaited.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// A boxed future.
pub(crate) type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A result that is ready, or must be awaited. A decision of a limiter in this process is ready,
/// which saves an allocation.
pub(crate) enum Step<T> {
    Ready(T),
    Later(Later<T>),
}

impl<T> Step<T> {
    pub(crate) fn later(future: impl Future<Output = T> + Send + 'static) -> Self {
        Step::Later(Box::pin(future))
    }

    pub(crate) fn map<U>(self, convert: impl FnOnce(T) -> U + Send + 'static) -> Step<U>
    where
        T: 'static,
    {
        match self {
            Step::Ready(result) => Step::Ready(convert(result)),
            Step::Later(future) => Step::later(async move { convert(future.await) }),
        }
    }

    pub(crate) async fn wait(self) -> T {
        match self {
            Step::Ready(result) => result,
            Step::Later(future) => future.await,
        }
    }
}

/// Awaits all steps concurrently, and returns their results in order.
pub(crate) async fn all<T>(steps: impl IntoIterator<Item = Step<T>>) -> Vec<T> {
    let mut steps: Vec<Step<T>> = steps.into_iter().collect();
    poll_fn(|context| {
        let mut is_ready = true;
        for step in &mut steps {
            if let Step::Later(future) = step {
                match future.as_mut().poll(context) {
                    Poll::Ready(result) => *step = Step::Ready(result),
                    Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let mut results = Vec::with_capacity(steps.len());
    for step in steps {
        results.push(step.wait().await);
    }
    results
}
