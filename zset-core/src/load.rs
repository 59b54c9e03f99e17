//! Loading elements one by one, which the `Deserialize` of every set shares.
//!
//! The lengths that a format announces are ignored: a set grows as its elements come, so what is loaded bounds
//! the memory it takes.

use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::TryReserveError;

/// Loads a sequence of elements into a set.
///
/// `insert` returns whether the element's member is new. One that is not is an error, and so is a failed
/// allocation.
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

/// Does what [`load_seq`] does with the entries of a map.
pub(crate) fn load_map<'de, C, K, V, D>(
    deserializer: D,
    expected: &'static str,
    insert: impl FnMut(&mut C, (K, V)) -> Result<bool, TryReserveError>,
) -> Result<C, D::Error>
where
    C: Default,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_map(Entries(Elements { expected, insert, types: PhantomData }))
}

struct Elements<C, E, F> {
    expected: &'static str,
    insert: F,
    types: PhantomData<(C, E)>,
}

struct Entries<C, E, F>(Elements<C, E, F>);

impl<C, E, F> Elements<C, E, F>
where
    C: Default,
    F: FnMut(&mut C, E) -> Result<bool, TryReserveError>,
{
    /// Collects what `next` returns.
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

impl<'de, C, K, V, F> Visitor<'de> for Entries<C, (K, V), F>
where
    C: Default,
    K: Deserialize<'de>,
    V: Deserialize<'de>,
    F: FnMut(&mut C, (K, V)) -> Result<bool, TryReserveError>,
{
    type Value = C;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.expected)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<C, A::Error> {
        self.0.collect(|| entries.next_entry())
    }
}
