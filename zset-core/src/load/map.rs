//! Loading maps: only sets that allocate are serialized as maps.

use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::Elements;
use crate::TryReserveError;

/// Like [`load_seq`](super::load_seq), but loads the entries of a map.
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

struct Entries<C, E, F>(Elements<C, E, F>);

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
