//! The [`settings`] macro, which defines the methods that set how a limiter, a board or a queue
//! calls the server.

/// Defines the settings of a type, whose field `$field` has `names` and a `deadline`. `$shared` is
/// the state of the keys that the clones of a limiter share.
macro_rules! settings {
    (limiter: $(#[$attribute:meta])* $shared:ident) => {
        crate::settings::settings! {
            "limiter", policy, $(#[$attribute])* shared: $shared;
            /// Returns the limiter with hashed keys: the server stores a hash of each key, keyed
            /// with `secret`, instead of the key. **O(n)** for n bytes of the secret.
            ///
            /// Use it for keys such as tokens and addresses. All machines must use the same secret:
            /// another secret means another state. [Hashed keys](crate#hashed-keys) lists the
            /// stored data.
            with_hashed_keys
            with_deadline
        }

        /// Returns the limiter with a breaker: while the server is down, calls to it fail
        /// immediately. By default there is none. **O(1)**.
        pub fn with_breaker(mut self, breaker: crate::Breaker) -> Self {
            self.policy.breaker = Some(breaker);
            self
        }

        /// Returns the limiter without a breaker: all calls are sent. **O(1)**.
        ///
        /// Use it for a clone whose calls must reach the server, such as refunds.
        pub fn without_breaker(mut self) -> Self {
            self.policy.breaker = None;
            self
        }

        /// Returns the limiter with an observer that receives each failure, including those of
        /// calls that then succeed by [`OnFailure`](crate::OnFailure), and of leases that were not
        /// returned. **O(1)**.
        ///
        /// The observer runs on the caller's thread or task, or on the task that returns leases,
        /// without holding a lock. It should not block.
        pub fn with_failure_observer(
            mut self,
            observer: impl Fn(&crate::Failure) + Send + Sync + 'static,
        ) -> Self {
            self.policy.observer = Some(std::sync::Arc::new(observer));
            self
        }
    };
    (
        $noun:literal, $field:ident $(, $(#[$attribute:meta])* shared: $shared:ident)?;
        $(#[$hashed:meta])*
        with_hashed_keys
        $(#[$deadline:meta])*
        with_deadline
    ) => {
        $(#[$hashed])*
        pub fn with_hashed_keys(mut self, secret: impl AsRef<[u8]>) -> Self {
            self.$field.names.hash_keys(secret.as_ref());
            $(
                // A clone with hashed keys must not share the state of keys that are not hashed.
                $(#[$attribute])*
                {
                    self.$shared = std::sync::Arc::default();
                }
            )?
            self
        }

        #[doc = concat!(
            "Returns the ", $noun,
            " with a different deadline for each call; the default is one second."
        )]
        /// Awaited calls use the clock of `tokio`, which tests can pause. **O(1)**.
        $(#[$deadline])*
        pub fn with_deadline(mut self, deadline: std::time::Duration) -> Self {
            self.$field.deadline = deadline;
            self
        }
    };
}

pub(crate) use settings;
