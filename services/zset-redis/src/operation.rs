//! [`Operation`]: a script call, and how its reply is read; and [`operations`], which defines two
//! methods for each: a blocking one and an awaited one.

use redis::{FromRedisValue, Value};
use zset_std::Decision;

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
/// The type has an asynchronous method `run`, and its docs say that each call can fail. A body must
/// not use `return`.
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
        /// Over a [`Pool`](crate::blocking::Pool): calls block the thread.
        impl<M: crate::blocking::Connect $(, $L: $($Kind +)* $l)?> $Type<crate::blocking::Pool<M> $(, $of)?> {
            $(
                $(#[$attribute])*
                #[allow(clippy::missing_errors_doc, reason = "the type says when calls fail")]
                pub fn $name(&$self $(, $argument: $type)*) -> Result<$T, $Error> {
                    crate::blocking::now($self.run($body))
                }
            )*
        }

        /// Over an [`AsyncConnection`](crate::AsyncConnection): calls are awaited.
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

/// The reply to a call.
pub(crate) enum Reply {
    /// The value returned by the script.
    Script(Value),
    /// The decision of an awaited check, which may have shared its script with others.
    #[cfg_attr(not(feature = "tokio"), expect(dead_code, reason = "only awaited checks share"))]
    Decision(Decision),
}

/// What a call has received, or why it has failed.
pub(crate) type Received = Result<Reply, Failure>;

impl Reply {
    pub(crate) fn script(self) -> Result<Value, Failure> {
        match self {
            Reply::Script(reply) => Ok(reply),
            Reply::Decision(_) => Err(Failure::UnexpectedReply),
        }
    }
}

/// One operation of a limiter, a board or a queue, whatever the connection.
pub(crate) trait Operation {
    type Output;
    type Error;

    /// Makes the call, or returns the result if it is known without the server.
    fn call(&mut self) -> Result<Call<Self::Error>, Result<Self::Output, Self::Error>>;

    /// Reads the reply to the call, or replaces a failure. `None` if the script has done as much as
    /// one call may: call it again.
    fn read(&self, reply: Received) -> Result<Option<Self::Output>, Self::Error>;
}

/// How a reply is read.
type Read<'a, T, E> = Box<dyn Fn(Value) -> Result<Option<T>, E> + Send + 'a>;

/// An operation of a board or a queue.
pub(crate) struct ScriptOperation<'a, T, E> {
    /// The call, or a known result. `None` once it was made.
    call: Option<Result<Call<E>, Result<T, E>>>,
    read: Read<'a, T, E>,
}

impl<T, E: From<Failure>> Operation for ScriptOperation<'_, T, E> {
    type Output = T;
    type Error = E;

    fn call(&mut self) -> Result<Call<E>, Result<T, E>> {
        self.call.take().unwrap_or_else(|| Err(Err(Failure::UnexpectedReply.into())))
    }

    fn read(&self, reply: Received) -> Result<Option<T>, E> {
        (self.read)(reply?.script()?)
    }
}

impl<'a, T: 'a, E: 'a> ScriptOperation<'a, T, E> {
    pub(crate) fn new(
        call: Call<E>,
        read: impl Fn(Value) -> Result<Option<T>, E> + Send + 'a,
    ) -> Self {
        ScriptOperation { call: Some(call.checked().map_err(Err)), read: Box::new(read) }
    }

    /// Returns an operation whose result is known without the server.
    pub(crate) fn known(result: T) -> Self {
        ScriptOperation { call: Some(Err(Ok(result))), read: Box::new(|_| Ok(None)) }
    }

    /// Returns an operation that maps the result of this one.
    pub(crate) fn map<U: 'a>(
        self,
        map: impl Fn(T) -> U + Copy + Send + 'a,
    ) -> ScriptOperation<'a, U, E> {
        let ScriptOperation { call, read } = self;
        let call = call.map(|call| call.map_err(|known| known.map(map)));
        ScriptOperation { call, read: Box::new(move |reply| Ok(read(reply)?.map(map))) }
    }
}

impl<'a, E: From<Failure> + 'a> Call<E> {
    /// Returns an operation for the call; `read` reads its reply.
    pub(crate) fn read<T: 'a>(
        self,
        read: impl Fn(Value) -> Result<T, E> + Send + 'a,
    ) -> ScriptOperation<'a, T, E> {
        ScriptOperation::new(self, move |reply| read(reply).map(Some))
    }

    /// Returns an operation for the call, whose reply is a plain value.
    pub(crate) fn value<T: FromRedisValue + 'a>(self) -> ScriptOperation<'a, T, E> {
        self.read(|reply| Ok(read(reply)?))
    }
}

/// Reads a reply that is a plain value.
pub(crate) fn read<T: FromRedisValue>(reply: Value) -> Result<T, Failure> {
    T::from_redis_value(reply).map_err(|_| Failure::UnexpectedReply)
}
