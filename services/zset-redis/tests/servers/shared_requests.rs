//! Requests that callers share, over a connection without a server.

use std::future::{Future, pending, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use redis::{Arg, Cmd, Value};
use tokio::runtime::{Builder, Runtime};
use tokio::task::yield_now;
use zset_redis::{AsyncConnection, Connection, Failure, Keyed, LeasedWindow, OnFailure};
use zset_std::{FixedWindow, Quota};

/// A connection that never gets a reply.
#[derive(Clone, Default)]
struct Fake {
    /// The keys of all requests.
    keys: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    fn keyed(&self) -> Keyed<Fake, FixedWindow> {
        let limiter = FixedWindow::new(quota());
        Keyed::new(self.clone(), "fake", limiter, OnFailure::Error).unwrap()
    }

    fn leased(&self) -> LeasedWindow<Fake> {
        LeasedWindow::new(self.clone(), "fake", quota(), OnFailure::Error).unwrap()
    }

    fn keys(&self) -> Vec<String> {
        self.keys.lock().unwrap().clone()
    }
}

impl Connection for Fake {
    type Shared = ();

    async fn query(&self, (): &(), command: Cmd, _deadline: Instant) -> Result<Value, Failure> {
        let Some(Arg::Simple(key)) = command.args_iter().nth(3) else { panic!("{command:?}") };
        self.keys.lock().unwrap().push(String::from_utf8(key.into()).unwrap());
        pending().await
    }
}

impl AsyncConnection for Fake {}

fn quota() -> Quota {
    Quota::new(10, Duration::from_secs(3600)).unwrap()
}

fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().build().unwrap()
}

/// Polls a future once, and then all tasks.
async fn start(mut future: Pin<&mut impl Future>) {
    poll_fn(|context| {
        assert!(future.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
    yield_now().await;
}

#[test]
fn a_clone_with_hashed_keys_shares_no_request_with_the_original() {
    let fake = Fake::default();
    let (keyed, leased) = (fake.keyed(), fake.leased());
    let (keyed_hashed, leased_hashed) =
        (keyed.clone().hashed_keys("secret"), leased.clone().hashed_keys("secret"));
    let hashed = || fake.keys().iter().filter(|key| key.contains(":hashed:")).count();
    runtime().block_on(async {
        let (mut alone, mut flight) = (pin!(keyed.check("ann")), pin!(keyed.check("ann")));
        start(alone.as_mut()).await;
        start(flight.as_mut()).await;
        let mut draw = pin!(leased.check("ann"));
        start(draw.as_mut()).await;
        assert_eq!((fake.keys().len(), hashed()), (3, 0));
        let mut checked = pin!(keyed_hashed.check("ann"));
        start(checked.as_mut()).await;
        assert_eq!((fake.keys().len(), hashed()), (4, 1));
        let mut drawn = pin!(leased_hashed.check("ann"));
        start(drawn.as_mut()).await;
        assert_eq!((fake.keys().len(), hashed()), (5, 2));
    });
}
