//! Tuples of keys. A request has the key if it has all of them.

use super::{Found, Key};
use crate::request_head::RequestHead;

macro_rules! tuple {
    ($($name:ident $place:tt),*) => {
        impl<$($name: Key),*> Key for ($($name,)*) {
            type Key = ($($name::Key,)*);

            #[allow(non_snake_case, reason = "the fields are named for their types")]
            fn key(&self, head: &RequestHead<'_>) -> Found<Self::Key> {
                match ($(self.$place.key(head),)*) {
                    ($(Found::Ready($name),)*) => {
                        Found::Ready((|| Some(($($name?,)*)))())
                    }
                    ($($name,)*) => Found::Later(Box::pin(async move {
                        Some(($($name.wait().await?,)*))
                    })),
                }
            }
        }
    };
}

tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
