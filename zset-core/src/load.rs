//! Loading elements one at a time, shared by the `Deserialize` impls of all sets.
//!
//! Length hints of the format are ignored: a set grows as elements arrive, so its memory is bounded by
//! the actual input.

#[cfg(feature = "alloc")]
mod map;

use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

#[cfg(feature = "alloc")]
pub(crate) use map::load_map;

use crate::TryReserveError;

/// Loads a sequence of elements into a collection.
///
/// `insert` returns whether the element's member is new. A repeated member or a failed allocation is an
/// error.
pub(crate) fn load_seq<'de, C, E, D>(
    deserializer: D,
    expected: &'static str,
    insert: impl FnMut(&mut C, E) -> Result<bool, TryReserveError>,
) -> Result<C, D::Error>
where
    C: Default,
    E: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(Elements { expected, insert, types: PhantomData })
}

struct Elements<C, E, F> {
    expected: &'static str,
    insert: F,
    types: PhantomData<(C, E)>,
}

impl<C, E, F> Elements<C, E, F>
where
    C: Default,
    F: FnMut(&mut C, E) -> Result<bool, TryReserveError>,
{
    /// Collects the elements that `next` returns.
    fn collect<X: Error>(mut self, mut next: impl FnMut() -> Result<Option<E>, X>) -> Result<C, X> {
        let mut collection = C::default();
        let mut index = 0_usize;
        while let Some(element) = next()? {
            if !(self.insert)(&mut collection, element).map_err(X::custom)? {
                return Err(X::custom(format_args!("element {index} repeats an earlier one")));
            }
            index += 1;
        }
        Ok(collection)
    }
}

impl<'de, C, E, F> Visitor<'de> for Elements<C, E, F>
where
    C: Default,
    E: Deserialize<'de>,
    F: FnMut(&mut C, E) -> Result<bool, TryReserveError>,
{
    type Value = C;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<C, A::Error> {
        self.collect(|| elements.next_element())
    }
}
