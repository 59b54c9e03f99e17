//! Serialization of a [`SortedMap`] as a map from keys to `(value, score)`, for serde's `with`
//! attribute.
//!
//! By default, a [`SortedMap`] serializes as a sequence of triples, which accepts all keys that
//! serialize. In JSON, a map is an object, so its keys must be strings, integers or the like.
//! Entries are serialized in order, lowest score first, and deserialized in any order. A repeated
//! key is an error.
//!
//! # Examples
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use zset_core::SortedMap;
//!
//! #[derive(Serialize, Deserialize)]
//! struct Queue {
//!     #[serde(with = "zset_core::sorted_map::serde_map")]
//!     jobs: SortedMap<String, String, u32>,
//! }
//!
//! let json = r#"{"jobs":{"backup":["disk 1",100],"mail":["to: ann",200]}}"#;
//! let queue: Queue = serde_json::from_str(json)?;
//! assert_eq!(queue.jobs.get("mail"), Some(&"to: ann".to_string()));
//! assert_eq!(serde_json::to_string(&queue)?, json);
//! # Ok::<(), serde_json::Error>(())
//! ```

use core::hash::{BuildHasher, Hash};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::serde::load_map;
use crate::{SortedMap, TieOrder};

/// Serializes as a map from keys to `(value, score)`, lowest score first. **O(n)**.
///
/// # Errors
///
/// Returns the format's error, such as for a key that is not a string.
///
/// # Examples
///
/// ```
/// let map = zset_core::SortedMap::from([("mail", 'm', 200), ("backup", 'b', 100)]);
/// let mut json = Vec::new();
/// let mut serializer = serde_json::Serializer::new(&mut json);
/// zset_core::sorted_map::serde_map::serialize(&map, &mut serializer)?;
/// assert_eq!(json, br#"{"backup":["b",100],"mail":["m",200]}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn serialize<K, V, S, H, T>(
    map: &SortedMap<K, V, S, H>,
    serializer: T,
) -> Result<T::Ok, T::Error>
where
    K: Serialize,
    V: Serialize,
    S: Serialize,
    T: Serializer,
{
    serializer.collect_map(map.iter().map(|(key, value, score)| (key, (value, score))))
}

/// Deserializes a map from keys to `(value, score)`, in any order. **O(n log n)**.
///
/// # Errors
///
/// Returns an error if a key repeats, if the map is too large for memory or for 32-bit
/// handles, or if the format reports an error.
pub fn deserialize<'de, K, V, S, H, D>(deserializer: D) -> Result<SortedMap<K, V, S, H>, D::Error>
where
    K: Deserialize<'de> + TieOrder + Hash,
    V: Deserialize<'de>,
    S: Deserialize<'de> + Ord + Clone,
    H: BuildHasher + Default,
    D: Deserializer<'de>,
{
    let expected = "a map from keys to values and scores";
    load_map(deserializer, expected, |map: &mut SortedMap<K, V, S, H>, (key, (value, score))| {
        Ok(map.try_insert(key, value, score)?.is_none())
    })
}
