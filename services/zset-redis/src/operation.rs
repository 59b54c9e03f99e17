//! [`Operation`], a call to a board or a queue, and the macro [`operations`], which defines a
//! blocking and an async method for each of them.

use redis::{FromRedisValue, Value};

use crate::Failure;
use crate::script::Call;

/// Implements the operations of a type as methods: over a [`Pool`](crate::blocking::Pool) they
/// block, over an `AsyncConnection` they are awaited.
///
/// An operation is written once, with its docs, as a function that returns it:
///
/// ```text
/// operations! {
///     LeaderboardError:
///     impl<C> Leaderboard<C> {
///         /// Returns the number of members.
///         pub fn len(&self) -> Operation<u64> {
///             self.board.call(&scripts::LEN).value()
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
///     pub fn len(&self) -> Result<u64, LeaderboardError> {
///         now(self.run(self.board.call(&scripts::LEN).value()))
///     }
/// }
///
/// impl<C: AsyncConnection> Leaderboard<C> {
///     /// Returns the number of members.
///     pub async fn len(&self) -> Result<u64, LeaderboardError> {
///         self.run(self.board.call(&scripts::LEN).value()).await
///     }
/// }
/// ```
///
/// The type must have an asynchronous method `run`, and its docs must say that each call can fail.
/// A body must not use `return`.
macro_rules! operations {
    (
        $Error:ty:
        impl<C $(, $L:ident: $($Kind:ident +)* $l:lifetime)?> $Type:ident<C $(, $of:ty)?> {
            $(
                $(#[$attribute:meta])*
                pub fn $name:ident(&$self:ident $(, $argument:ident: $type:ty)* $(,)?)
                -> Operation<$T:ty> $body:block
            )*
        }
    ) => {
        /// Calls over a [`Pool`](crate::blocking::Pool) block the thread.
        impl<M: crate::blocking::Connect $(, $L: $($Kind +)* $l)?> $Type<crate::blocking::Pool<M> $(, $of)?> {
            $(
                $(#[$attribute])*
                #[allow(clippy::missing_errors_doc, reason = "the type says when calls fail")]
                pub fn $name(&$self $(, $argument: $type)*) -> Result<$T, $Error> {
                    crate::blocking::now($self.run($body))
                }
            )*
        }

        /// Calls over an [`AsyncConnection`](crate::AsyncConnection) are awaited.
        #[cfg(feature = "tokio")]
        impl<C: crate::AsyncConnection $(, $L: $($Kind +)* $l)?> $Type<C $(, $of)?> {
            $(
                $(#[$attribute])*
                #[allow(clippy::missing_errors_doc, reason = "the type says when calls fail")]
                pub async fn $name(&$self $(, $argument: $type)*) -> Result<$T, $Error> {
                    $self.run($body).await
                }
            )*
        }
    };
}

pub(crate) use operations;

/// An operation of a board or a queue.
pub(crate) struct Operation<'a, T, E> {
    /// The call, or the result if it is known without the server.
    pub(crate) call: Result<Call<E>, Result<T, E>>,
    /// Reads the reply. Returns `None` if the script has reached the cap of one call and must be
    /// called again.
    pub(crate) read: Box<dyn Fn(Value) -> Result<Option<T>, E> + Send + 'a>,
}

impl<'a, T: 'a, E: 'a> Operation<'a, T, E> {
    pub(crate) fn new(
        call: Call<E>,
        read: impl Fn(Value) -> Result<Option<T>, E> + Send + 'a,
    ) -> Self {
        Operation { call: call.checked().map_err(Err), read: Box::new(read) }
    }

    /// Returns an operation whose result is known without the server.
    pub(crate) fn known(result: T) -> Self {
        Operation { call: Err(Ok(result)), read: Box::new(|_| Ok(None)) }
    }

    /// Returns an operation that maps the result of this one.
    pub(crate) fn map<U: 'a>(self, map: impl Fn(T) -> U + Copy + Send + 'a) -> Operation<'a, U, E> {
        let Operation { call, read } = self;
        let call = call.map_err(|known| known.map(map));
        Operation { call, read: Box::new(move |reply| Ok(read(reply)?.map(map))) }
    }
}

impl<'a, E: From<Failure> + 'a> Call<E> {
    /// Returns an operation for the call; `read` reads its reply.
    pub(crate) fn read<T: 'a>(
        self,
        read: impl Fn(Value) -> Result<T, E> + Send + 'a,
    ) -> Operation<'a, T, E> {
        Operation::new(self, move |reply| read(reply).map(Some))
    }

    /// Returns an operation for the call, whose reply is a plain value.
    pub(crate) fn value<T: FromRedisValue + 'a>(self) -> Operation<'a, T, E> {
        self.read(|reply| Ok(read(reply)?))
    }
}

/// Reads a reply that is a plain value.
pub(crate) fn read<T: FromRedisValue>(reply: Value) -> Result<T, Failure> {
    T::from_redis_value(reply).map_err(|_| Failure::UnexpectedReply)
}
