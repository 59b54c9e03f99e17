//! [`Operation`]: a script call, and how its reply is read; and [`operations`], which defines two
//! methods for each: a blocking one and an awaited one.

use std::time::Duration;

use redis::{FromRedisValue, Value};

use crate::Error;
use crate::blocking::{Connect, Pool};
use crate::link::Link;
use crate::script::Call;

/// Implements the operations of a type as methods: over a [`Pool`] they block, over an asynchronous
/// connection of `redis` they are awaited.
///
/// An operation is written once, with its docs, as a function that returns it:
///
/// ```text
/// operations! {
///     impl<C: ConnectionLike + Clone> Leaderboard<C> {
///         /// Returns the number of members.
///         pub fn len(&self) -> Operation<u64> {
///             self.board.call(&scripts::LEN).read(read)
///         }
///     }
/// }
/// ```
///
/// That becomes an `impl` for each kind of connection:
///
/// ```text
/// impl<M: Connect> Leaderboard<Pool<M>> {
///     /// Returns the number of members.
///     pub fn len(&self) -> Result<u64, Error> {
///         self.run(self.board.call(&scripts::LEN).read(read))
///     }
/// }
///
/// impl<C: ConnectionLike + Clone> Leaderboard<C> {
///     /// Returns the number of members.
///     pub async fn len(&self) -> Result<u64, Error> {
///         self.run(self.board.call(&scripts::LEN).read(read)).await
///     }
/// }
/// ```
///
/// The type has a method `run` for each kind of connection, and its docs say that each call can
/// fail. A body must not use `return`.
macro_rules! operations {
    (
        impl<
            $C:ident: $first:ident $(+ $bound:ident)* $(+ $static:lifetime)?
            $(, $L:ident: $($Kind:ident +)* $l:lifetime)?
        >
        $Type:ident<$_C:ident $(, $of:ty)?> {
            $(
                $(#[$attribute:meta])*
                pub fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)* $(,)?)
                -> Operation<$T:ty> $body:block
            )*
        }
    ) => {
        /// Over a [`Pool`](crate::blocking::Pool): calls block the thread.
        impl<M: crate::blocking::Connect $(, $L: $($Kind +)* $l)?> $Type<crate::blocking::Pool<M> $(, $of)?> {
            $(
                $(#[$attribute])*
                #[allow(clippy::missing_errors_doc, reason = "the type says when calls fail")]
                pub fn $name(&$self $(, $argument: $type)*) -> Result<$T, crate::Error> {
                    $self.run($body)
                }
            )*
        }

        /// Over an asynchronous connection: calls are awaited.
        #[cfg(feature = "tokio")]
        impl<$C: $first $(+ $bound)* $(+ $static)? $(, $L: $($Kind +)* $l)?> $Type<$C $(, $of)?> {
            $(
                $(#[$attribute])*
                #[allow(clippy::missing_errors_doc, reason = "the type says when calls fail")]
                pub async fn $name(&$self $(, $argument: $type)*) -> Result<$T, crate::Error> {
                    $self.run($body).await
                }
            )*
        }
    };
}

pub(crate) use operations;

/// How the reply to a call is read.
type Read<T> = Box<dyn Fn(Value) -> Result<Reply<T>, Error> + Send>;

/// The meaning of a reply.
pub(crate) enum Reply<T> {
    Done(T),
    /// The script has done as much as one call may: call it again.
    Again,
}

/// One operation of a board or a queue, whatever the connection.
pub(crate) enum Operation<T> {
    Call(Call, Read<T>),
    /// The result is known without the server.
    Known(T),
}

impl<T: 'static> Operation<T> {
    /// Returns an operation that maps the result of this one.
    pub(crate) fn map<U>(self, f: impl Fn(T) -> U + Send + 'static) -> Operation<U> {
        match self {
            Operation::Known(result) => Operation::Known(f(result)),
            Operation::Call(call, read) => call.read_or_again(move |reply| {
                Ok(match read(reply)? {
                    Reply::Done(result) => Reply::Done(f(result)),
                    Reply::Again => Reply::Again,
                })
            }),
        }
    }
}

impl<T> Operation<T> {
    pub(crate) fn run_blocking<M: Connect>(
        self,
        link: &Link<Pool<M>>,
        deadline: Duration,
    ) -> Result<T, Error> {
        match self {
            Operation::Known(result) => Ok(result),
            Operation::Call(call, read) => loop {
                if let Reply::Done(result) = read(link.run(&call, deadline)?)? {
                    return Ok(result);
                }
            },
        }
    }

    #[cfg(feature = "tokio")]
    pub(crate) async fn run(
        self,
        link: &Link<impl redis::aio::ConnectionLike + Clone>,
        deadline: Duration,
    ) -> Result<T, Error> {
        match self {
            Operation::Known(result) => Ok(result),
            Operation::Call(call, read) => loop {
                let reply = link.run(&call, crate::link::end(deadline)).await?;
                if let Reply::Done(result) = read(reply)? {
                    return Ok(result);
                }
            },
        }
    }
}

impl Call {
    /// Returns an operation for the call; `read` reads its reply.
    pub(crate) fn read<T>(
        self,
        read: impl Fn(Value) -> Result<T, Error> + Send + 'static,
    ) -> Operation<T> {
        self.read_or_again(move |reply| read(reply).map(Reply::Done))
    }

    /// Like [`read`](Self::read), for a script that may have to be called repeatedly.
    pub(crate) fn read_or_again<T>(
        self,
        read: impl Fn(Value) -> Result<Reply<T>, Error> + Send + 'static,
    ) -> Operation<T> {
        Operation::Call(self, Box::new(read))
    }
}

/// Reads a reply that is a plain value.
pub(crate) fn read<T: FromRedisValue>(reply: Value) -> Result<T, Error> {
    T::from_redis_value(reply).map_err(|_| Error::UnexpectedReply)
}
