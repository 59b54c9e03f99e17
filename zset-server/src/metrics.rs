//! Metrics: the numbers of a server as a page that Prometheus reads, over HTTP and by METRICS.

mod calls;
mod http;
mod page;
mod request;

use std::net::SocketAddr;
use std::rc::Rc;

use tokio::task::JoinSet;
use tracing::info;

use crate::engine::State;
use crate::server::{Options, ServeError, is_exposed, listen};

pub(crate) use calls::Calls;
pub(crate) use page::page;
pub(crate) use request::Answer;

/// A socket that listens to those who want the page.
#[derive(Debug)]
pub(crate) struct Metrics {
    listener: std::net::TcpListener,
    pub(crate) address: SocketAddr,
}

impl Metrics {
    /// Begins to listen, if the options say so. An address that others can reach needs a password, which
    /// is then asked for here too.
    pub(crate) fn bind(options: &Options) -> Result<Option<Metrics>, ServeError> {
        let Some(address) = options.metrics else { return Ok(None) };
        if options.password.is_empty() && is_exposed(&address) {
            return Err(ServeError::NoPassword(address));
        }
        let (listener, address) = listen(address)
            .map_err(|error| ServeError::Listen { place: address.to_string(), error })?;
        Ok(Some(Metrics { listener, address }))
    }

    /// Begins to answer with what `answer` makes of a request, until what is returned is dropped.
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

/// Answers a request of HTTP, as far as it has come.
pub(crate) fn answer(state: &mut State, request: &[u8]) -> Answer {
    // Without a password, none is the one.
    Answer::to(request, state, |state, password| state.config.is_password(password), page)
}
