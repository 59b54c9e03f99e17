//! Metrics: a page for Prometheus, available over HTTP and through METRICS.

mod http;
mod page;
mod request;

use std::net::SocketAddr;
use std::rc::Rc;

use tokio::task::JoinSet;
use tracing::info;

use crate::command::State;
use crate::server::{Options, ServeError, is_exposed, listen};

pub(crate) use page::page;
pub(crate) use request::Answer;

/// A listening socket for the metrics page.
#[derive(Debug)]
pub(crate) struct Metrics {
    listener: std::net::TcpListener,
    pub(crate) address: SocketAddr,
}

impl Metrics {
    /// Starts listening if the options say so. An address reachable from other machines requires a
    /// password, which HTTP requests must then contain.
    pub(crate) fn bind(options: &Options) -> Result<Option<Metrics>, ServeError> {
        let Some(address) = options.metrics else { return Ok(None) };
        if options.password.is_empty() && is_exposed(&address) {
            return Err(ServeError::NoPassword(address));
        }
        let (listener, address) = listen(address)
            .map_err(|error| ServeError::Listen { place: address.to_string(), error })?;
        Ok(Some(Metrics { listener, address }))
    }

    /// Starts answering requests with `answer`, until the returned value is dropped.
    pub(crate) fn serve(
        self,
        answer: impl Fn(&[u8]) -> Answer + 'static,
    ) -> Result<JoinSet<()>, ServeError> {
        let listener =
            tokio::net::TcpListener::from_std(self.listener).map_err(ServeError::Runtime)?;
        info!(address = %self.address, "metrics");
        let mut tasks = JoinSet::new();
        tasks.spawn_local(http::accept(listener, Rc::new(answer), http::Patience::default()));
        Ok(tasks)
    }
}

/// Answers an HTTP request, which may be incomplete.
pub(crate) fn answer(state: &mut State, request: &[u8]) -> Answer {
    // An empty password is correct if none is required.
    Answer::to(request, state, |state, password| state.config.is_password(password), page)
}
