//! [`Operation`]: a call of a script, and how its reply is read.

use std::time::Duration;

use redis::{FromRedisValue, Value};

use crate::Error;
use crate::blocking::{Connect, Pool};
use crate::script::Call;

/// One operation of a board or a queue, whatever the connection.
pub(crate) struct Operation<T> {
    call: Call,
    read: Box<dyn FnOnce(Value) -> Result<T, Error> + Send>,
}

impl<T> Operation<T> {
    pub(crate) fn new(
        call: Call,
        read: impl FnOnce(Value) -> Result<T, Error> + Send + 'static,
    ) -> Operation<T> {
        Operation { call, read: Box::new(read) }
    }

    pub(crate) fn run_blocking<M: Connect>(
        self,
        pool: &Pool<M>,
        deadline: Duration,
    ) -> Result<T, Error> {
        (self.read)(pool.run(&self.call, deadline)?)
    }

    #[cfg(feature = "tokio")]
    pub(crate) async fn run(
        self,
        link: &crate::run::Link<impl redis::aio::ConnectionLike + Clone>,
        deadline: Duration,
    ) -> Result<T, Error> {
        (self.read)(link.run(&self.call, crate::run::end(deadline)).await?)
    }
}

/// Reads a reply that is a plain value.
pub(crate) fn read<T: FromRedisValue>(reply: Value) -> Result<T, Error> {
    T::from_redis_value(reply).map_err(|_| Error::UnexpectedReply)
}
