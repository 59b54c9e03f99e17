//! [`Map`]: a converted key.

use std::fmt;

use super::{Found, Key};
use crate::request_head::RequestHead;

/// A key converted by a function; see [`Key::map`].
#[derive(Clone, Copy)]
pub struct Map<E, F> {
    key: E,
    convert: F,
}

impl<E, F> Map<E, F> {
    pub(super) fn new(key: E, convert: F) -> Self {
        Map { key, convert }
    }
}

impl<E, F, K> Key for Map<E, F>
where
    E: Key,
    F: Fn(E::Key) -> K + Clone + Send + Sync + 'static,
    K: Clone + Send + Sync + 'static,
{
    type Key = K;

    fn key(&self, head: &RequestHead<'_>) -> Found<K> {
        match self.key.key(head) {
            Found::Ready(key) => Found::Ready(key.map(&self.convert)),
            Found::Later(future) => {
                let convert = self.convert.clone();
                Found::Later(Box::pin(async move { future.await.map(convert) }))
            }
        }
    }
}

impl<E: fmt::Debug, F> fmt::Debug for Map<E, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("key", &self.key).finish_non_exhaustive()
    }
}
