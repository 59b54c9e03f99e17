//! Serialization of a set as a map from members to scores, for serde's `with` attribute.
//!
//! By default, a [`SortedSet`] serializes as a sequence of pairs, which accepts all members that
//! serialize. In JSON, a map is an object, so the members must be strings, integers or the like.
//! The entries are serialized in order, lowest score first, and may be deserialized in any order. A
//! repeated member is an error.
//!
//! # Examples
//!
//! ```
//! use serde::{Deserialize, Serialize};
//! use zset_core::SortedSet;
//!
//! #[derive(Serialize, Deserialize)]
//! struct Game {
//!     #[serde(with = "zset_core::sorted_set::serde_map")]
//!     board: SortedSet<String, u32>,
//! }
//!
//! let game = Game { board: [("ann".to_string(), 120), ("bob".to_string(), 85)].into() };
//! let json = serde_json::to_string(&game)?;
//! assert_eq!(json, r#"{"board":{"bob":85,"ann":120}}"#);
//! assert_eq!(serde_json::from_str::<Game>(&json)?.board, game.board);
//! # Ok::<(), serde_json::Error>(())
//! ```

use core::hash::{BuildHasher, Hash};
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

use crate::serde::load_map;
use crate::{SortedSet, TieOrder};

/// Serializes a set as a map from members to scores, lowest score first. **O(n)**.
///
/// # Errors
///
/// Returns the format's error, such as for a key that is not a string.
///
/// # Examples
///
/// ```
/// let set = zset_core::SortedSet::from([("ann", 120), ("bob", 85)]);
/// let mut json = Vec::new();
/// let mut serializer = serde_json::Serializer::new(&mut json);
/// zset_core::sorted_set::serde_map::serialize(&set, &mut serializer)?;
/// assert_eq!(json, br#"{"bob":85,"ann":120}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn serialize<M, S, H, T>(set: &SortedSet<M, S, H>, serializer: T) -> Result<T::Ok, T::Error>
where
    M: Serialize,
    S: Serialize,
    T: Serializer,
{
    serializer.collect_map(set)
}

/// Deserializes a map from members to scores, in any order. **O(n log n)**.
///
/// # Errors
///
/// Returns an error if a member repeats, if the set is too large for memory or for 32-bit
/// handles, or if the format reports one.
pub fn deserialize<'de, M, S, H, D>(deserializer: D) -> Result<SortedSet<M, S, H>, D::Error>
where
    M: Deserialize<'de> + TieOrder + Hash,
    S: Deserialize<'de> + Ord + Clone,
    H: BuildHasher + Default,
    D: Deserializer<'de>,
{
    load_map(
        deserializer,
        "a map from members to scores",
        |set: &mut SortedSet<M, S, H>, (member, score)| {
            Ok(set.try_insert(member, score)?.is_none())
        },
    )
}
