//! Running a script over an asynchronous connection.

use std::time::Duration;

use redis::Value;
use redis::aio::ConnectionLike;
use tokio::time::timeout;

use crate::Error;
use crate::script::{Call, is_unknown};

/// Runs a script within a deadline, and returns its reply.
///
/// After the deadline the call is dropped, but what was sent may still be run.
pub(crate) async fn run(
    connection: &(impl ConnectionLike + Clone),
    call: &Call,
    deadline: Duration,
) -> Result<Value, Error> {
    let mut connection = connection.clone();
    let reply = timeout(deadline, async {
        match call.by_hash().query_async(&mut connection).await {
            Err(error) if is_unknown(&error) => call.by_source().query_async(&mut connection).await,
            reply => reply,
        }
    });
    let reply = reply.await.map_err(|_| Error::Timeout)?;
    reply.map_err(|error| call.explained(error.into()))
}
