//! Serialization: of scores as numbers, of byte strings as bytes, of sets as sequences of pairs, in
//! order, or as maps.
//!
//! Sets are loaded one element at a time. Length hints of the format are ignored: a set grows as
//! elements arrive, so its memory is bounded by the actual input.

use core::fmt;
use core::hash::{BuildHasher, Hash};
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::fixed_sorted_set::{FixedSortedSet, SlotNumber};
use crate::{Score, TryReserveError};

#[cfg(feature = "alloc")]
pub use allocated::{serde_map_of_map, serde_map_of_set};

/// Loads a sequence of elements into a collection.
///
/// `insert` returns whether the element's member is new. A repeated member or a failed allocation
/// is an error.
fn load_seq<'de, C, E, D>(
    deserializer: D,
    expected: &'static str,
    insert: impl FnMut(&mut C, E) -> Result<bool, TryReserveError>,
) -> Result<C, D::Error>
where
    C: Default,
    E: Deserialize<'de>,
    D: Deserializer<'de>,
{
    deserializer.deserialize_seq(Loader { expected, insert, types: PhantomData })
}

struct Loader<C, E, F> {
    expected: &'static str,
    insert: F,
    types: PhantomData<(C, E)>,
}

impl<C, E, F> Loader<C, E, F>
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

impl<'de, C, E, F> Visitor<'de> for Loader<C, E, F>
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

/// Serializes as an `f64`. In human-readable formats, infinities are the strings `"inf"` and
/// `"-inf"`.
impl Serialize for Score {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        if self.get().is_infinite() && serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_f64(self.get())
        }
    }
}

/// Deserializes an `f64` that is not NaN. Human-readable formats also accept an integer, or a
/// string in the form of [`FromStr`](core::str::FromStr): infinities, and numbers where a format
/// has only text, such as the keys of a JSON map.
impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(AnyNumber)
        } else {
            Score::new(f64::deserialize(deserializer)?).map_err(Error::custom)
        }
    }
}

/// Visits a number or its text.
struct AnyNumber;

/// The only key of the map that represents a number in `serde_json` with the feature
/// `arbitrary_precision`.
const JSON_NUMBER: &str = "$serde_json::private::Number";

impl<'de> Visitor<'de> for AnyNumber {
    type Value = Score;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a score: a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Score, E> {
        Score::new(number).map_err(E::custom)
    }

    #[expect(clippy::cast_precision_loss, reason = "as for every `f64` that is loaded")]
    fn visit_i64<E: Error>(self, number: i64) -> Result<Score, E> {
        self.visit_f64(number as f64)
    }

    #[expect(clippy::cast_precision_loss, reason = "as for every `f64` that is loaded")]
    fn visit_u64<E: Error>(self, number: u64) -> Result<Score, E> {
        self.visit_f64(number as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Score, E> {
        text.parse().map_err(|_| E::invalid_value(Unexpected::Str(text), &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut number: A) -> Result<Score, A::Error> {
        if number.next_key::<&str>()? != Some(JSON_NUMBER) {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        number.next_value::<Text>().map(|Text(score)| score)
    }
}

/// A score that is written as text.
struct Text(Score);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        struct OnlyText;

        impl Visitor<'_> for OnlyText {
            type Value = Text;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                AnyNumber.expecting(f)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Text, E> {
                AnyNumber.visit_str(text).map(Text)
            }
        }

        deserializer.deserialize_str(OnlyText)
    }
}

/// Implements both traits for a type that is serialized as the sequence of its elements.
macro_rules! serialize_elements {
    (
        $(#[$doc:meta])*
        [$($parameters:tt)*] $type:ty,
        [$($serialized:tt)*], [$($deserialized:tt)*],
        $expected:literal, $insert:expr
    ) => {
        /// Serializes as a sequence of elements, lowest score first.
        impl<$($parameters)*> Serialize for $type where $($serialized)* {
            fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
                serializer.collect_seq(self)
            }
        }

        $(#[$doc])*
        impl<'de, $($parameters)*> Deserialize<'de> for $type where $($deserialized)* {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                load_seq(deserializer, $expected, $insert)
            }
        }
    };
}

serialize_elements! {
    /// Deserializes a sequence of `(member, score)` in any order. A repeated member is an error,
    /// and so are more elements than the capacity.
    [M, S, const N: usize, I: SlotNumber, H] FixedSortedSet<M, S, N, I, H>,
    [M: Serialize, S: Serialize + Copy],
    [
        M: Deserialize<'de> + Ord + Hash,
        S: Deserialize<'de> + Ord + Copy,
        H: BuildHasher + Default
    ],
    "a sequence of members and scores",
    |set: &mut Self, (member, score)| {
        let old = set.try_insert(member, score);
        Ok(old.map_err(|_| TryReserveError::BufferFull)?.is_none())
    }
}

/// Types that allocate, and maps, which only these are serialized as.
#[cfg(feature = "alloc")]
mod allocated {
    use core::fmt;
    use core::hash::{BuildHasher, Hash};
    use core::marker::PhantomData;
    use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    use super::{Loader, load_seq};
    use crate::{SkipList, SortedMap, SortedSet, TieOrder, TryReserveError, Unordered};

    /// Like [`load_seq`](super::load_seq), but loads the entries of a map.
    fn load_map<'de, C, K, V, D>(
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
        deserializer.deserialize_map(MapLoader(Loader { expected, insert, types: PhantomData }))
    }

    struct MapLoader<C, E, F>(Loader<C, E, F>);

    impl<'de, C, K, V, F> Visitor<'de> for MapLoader<C, (K, V), F>
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

    serialize_elements! {
        /// Deserializes a sequence of `(member, score)` in any order; the list sorts them. Elements
        /// may repeat.
        ///
        /// Returns an error, rather than panicking, if the list is too large for memory or for
        /// 32-bit handles.
        [M, S] SkipList<M, S>,
        [M: Serialize, S: Serialize + Copy],
        [M: Deserialize<'de> + Ord, S: Deserialize<'de> + Ord + Copy],
        "a sequence of members and scores",
        |list: &mut Self, (member, score)| list.try_insert(member, score).map(|()| true)
    }

    serialize_elements! {
        /// Deserializes a sequence of `(member, score)` in any order; the set sorts them. A
        /// repeated member is an error. For a map, see
        /// [`serde_map`](crate::sorted_set::serde_map).
        ///
        /// Returns an error, rather than panicking, if the set is too large for memory or for
        /// 32-bit handles.
        [M, S, H] SortedSet<M, S, H>,
        [M: Serialize, S: Serialize + Copy],
        [
            M: Deserialize<'de> + TieOrder + Hash,
            S: Deserialize<'de> + Ord + Copy,
            H: BuildHasher + Default
        ],
        "a sequence of members and scores",
        |set: &mut Self, (member, score)| Ok(set.try_insert(member, score)?.is_none())
    }

    serialize_elements! {
        /// Deserializes a sequence of `(key, value, score)` in any order. A repeated key is an
        /// error. For a map, see [`serde_map`](crate::sorted_map::serde_map).
        ///
        /// A map that is too large for memory or for 32-bit handles is an error, not a panic.
        [K, V, S, H] SortedMap<K, V, S, H>,
        [K: Serialize, V: Serialize, S: Serialize + Copy],
        [
            K: Deserialize<'de> + TieOrder + Hash,
            V: Deserialize<'de>,
            S: Deserialize<'de> + Ord + Copy,
            H: BuildHasher + Default
        ],
        "a sequence of keys, values and scores",
        |map: &mut Self, (key, value, score)| Ok(map.try_insert(key, value, score)?.is_none())
    }

    /// Serializes like the inner value.
    impl<T: Serialize> Serialize for Unordered<T> {
        fn serialize<R: Serializer>(&self, serializer: R) -> Result<R::Ok, R::Error> {
            self.0.serialize(serializer)
        }
    }

    impl<'de, T: Deserialize<'de>> Deserialize<'de> for Unordered<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            T::deserialize(deserializer).map(Unordered)
        }
    }

    pub mod serde_map_of_set {
        //! Serialization of a set as a map from members to scores, for serde's `with` attribute.
        //!
        //! By default, a [`SortedSet`] serializes as a sequence of pairs, which works for every
        //! format and all members. A map is an object in JSON, which requires members that are
        //! strings, numbers or booleans. The entries are serialized in order, lowest score first,
        //! and may be deserialized in any order. A repeated member is an error.
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

        use super::load_map;
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
        pub fn serialize<M, S, H, T>(
            set: &SortedSet<M, S, H>,
            serializer: T,
        ) -> Result<T::Ok, T::Error>
        where
            M: Serialize,
            S: Serialize + Copy,
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
            S: Deserialize<'de> + Ord + Copy,
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
    }

    pub mod serde_map_of_map {
        //! Serialization of a map from keys to `(value, score)`, for use with serde's attribute
        //! `with`.
        //!
        //! By default, a [`SortedMap`] serializes as a sequence of triples, which works in every
        //! format and for all keys. With this module it serializes as a map, in JSON an object,
        //! which requires keys that are strings, numbers or booleans. Entries are serialized in
        //! order, lowest score first, and deserialized in any order. A repeated key is an error.
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

        use super::load_map;
        use crate::{SortedMap, TieOrder};

        /// Serializes as a map from keys to `(value, score)`, lowest score first. **O(n)**.
        ///
        /// # Errors
        ///
        /// The error of the format, such as for a key that is not a string.
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
            S: Serialize + Copy,
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
        pub fn deserialize<'de, K, V, S, H, D>(
            deserializer: D,
        ) -> Result<SortedMap<K, V, S, H>, D::Error>
        where
            K: Deserialize<'de> + TieOrder + Hash,
            V: Deserialize<'de>,
            S: Deserialize<'de> + Ord + Copy,
            H: BuildHasher + Default,
            D: Deserializer<'de>,
        {
            let expected = "a map from keys to values and scores";
            load_map(
                deserializer,
                expected,
                |map: &mut SortedMap<K, V, S, H>, (key, (value, score))| {
                    Ok(map.try_insert(key, value, score)?.is_none())
                },
            )
        }
    }
}

/// The types of Redis.
#[cfg(all(feature = "alloc", feature = "zset"))]
mod redis {
    use alloc::vec::Vec;
    use core::fmt;
    use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{Serialize, Serializer};

    use super::load_seq;
    use crate::{ByteString, Score, TryReserveError, ZSet};

    /// Serializes as bytes. Formats without bytes, such as JSON, use a sequence of numbers.
    impl Serialize for ByteString {
        fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
            serializer.serialize_bytes(self)
        }
    }

    /// Deserializes bytes, text, or a sequence of numbers below 256.
    ///
    /// A failed allocation is an error, not a panic.
    impl<'de> Deserialize<'de> for ByteString {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_byte_buf(Bytes)
        }
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = ByteString;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes or text")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<ByteString, E> {
            ByteString::try_from_slice(bytes).map_err(E::custom)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<ByteString, E> {
            self.visit_bytes(text.as_bytes())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut numbers: A) -> Result<ByteString, A::Error> {
            // The size hint may be too large: do not allocate for it.
            let mut bytes: Vec<u8> = Vec::new();
            while let Some(byte) = numbers.next_element()? {
                bytes.try_reserve(1).map_err(TryReserveError::from).map_err(A::Error::custom)?;
                bytes.push(byte);
            }
            self.visit_bytes(&bytes)
        }
    }

    serialize_elements! {
        /// Deserializes a sequence of `(member, score)` in any order. Members are deserialized as
        /// [`ByteString`]s: from bytes, text, or a sequence of numbers below 256. A repeated member
        /// is an error.
        ///
        /// The set has Redis's limits; they are not serialized. A set that is too large for memory
        /// or for 32-bit handles is an error, not a panic.
        [] ZSet, [], [],
        "a sequence of members and scores",
        |set: &mut Self, (member, score): (ByteString, Score)| {
            Ok(set.try_insert(member, score)?.is_none())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ByteString, ZSet};
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as ValueError, F64Deserializer};
    use std::collections::BTreeMap;
    use std::string::{String, ToString};
    use std::vec::Vec;

    fn score(number: f64) -> Score {
        Score::new(number).unwrap()
    }

    fn read(json: &str) -> Result<Score, String> {
        serde_json::from_str(json).map_err(|error| error.to_string())
    }

    #[test]
    fn json_scores_are_numbers_and_infinities_are_strings() {
        for (number, json) in [
            (1.5, "1.5"),
            (-0.0, "0.0"),
            (5e-324, "5e-324"),
            (f64::INFINITY, r#""inf""#),
            (f64::NEG_INFINITY, r#""-inf""#),
        ] {
            assert_eq!(serde_json::to_string(&score(number)).unwrap(), json);
            assert_eq!(read(json), Ok(score(number)), "{json}");
        }
    }

    #[test]
    fn integers_and_strings_deserialize() {
        for (json, number) in [
            ("0", 0.0),
            ("-7", -7.0),
            ("18446744073709551615", 18_446_744_073_709_551_615.0),
            ("-9223372036854775808", -9_223_372_036_854_775_808.0),
            ("100000000000000000000000", 1e23),
            ("1e300", 1e300),
            (r#""1.5""#, 1.5),
            (r#""+inf""#, f64::INFINITY),
            (r#""-infinity""#, f64::NEG_INFINITY),
        ] {
            assert_eq!(read(json), Ok(score(number)), "{json}");
        }
    }

    #[test]
    fn values_that_are_not_scores_are_rejected() {
        for json in ["null", "true", "[]", "[1]", "{}", r#"{"a":1}"#, r#""""#, r#""one""#, "1e400"]
        {
            assert!(read(json).is_err(), "{json}");
        }
        for json in [r#""nan""#, r#""NaN""#, r#""1e400""#] {
            let error = read(json).unwrap_err();
            assert!(error.contains("a score: a number, \"inf\" or \"-inf\""), "{error}");
        }
    }

    #[test]
    fn a_score_can_be_a_json_key() {
        let map = BTreeMap::from([(score(f64::NEG_INFINITY), 1), (score(0.5), 2)]);
        let json = serde_json::to_string(&map).unwrap();
        assert_eq!(json, r#"{"-inf":1,"0.5":2}"#);
        assert_eq!(serde_json::from_str::<BTreeMap<Score, u8>>(&json).unwrap(), map);
    }

    #[test]
    fn an_arbitrary_precision_number_deserializes() {
        let number = |value| read(&std::format!(r#"{{"{JSON_NUMBER}":{value}}}"#));
        assert_eq!(number(r#""2.5""#), Ok(score(2.5)));
        assert_eq!(number(r#""-1e3""#), Ok(score(-1000.0)));
        for value in [r#""one""#, r#""NaN""#, "7", "null", r#"{"a":1}"#] {
            assert!(number(value).is_err(), "{value}");
        }
    }

    #[test]
    fn nan_is_an_error_in_every_format() {
        let nan: F64Deserializer<ValueError> = f64::NAN.into_deserializer();
        assert_eq!(Score::deserialize(nan).unwrap_err().to_string(), "score is not a number");
        let mut bytes = postcard::to_allocvec(&f64::NAN).unwrap();
        assert!(postcard::from_bytes::<Score>(&bytes).is_err());
        bytes.clear();
        ciborium::into_writer(&f64::NAN, &mut bytes).unwrap();
        assert!(ciborium::from_reader::<Score, _>(bytes.as_slice()).is_err());
    }

    #[test]
    fn binary_formats_store_the_float() {
        for number in [0.0, 1.5, -1e300, f64::INFINITY, f64::NEG_INFINITY] {
            let bytes = postcard::to_allocvec(&score(number)).unwrap();
            assert_eq!(bytes, number.to_le_bytes());
            assert_eq!(postcard::from_bytes(&bytes), Ok(score(number)));
        }
    }

    #[test]
    fn bytes_text_and_numbers_deserialize() {
        let long = "x".repeat(100);
        for text in ["", "ann", &long] {
            let string = ByteString::from(text);
            let json = serde_json::to_string(&string).unwrap();
            assert!(json.starts_with('['), "{json}");
            assert_eq!(serde_json::from_str::<ByteString>(&json).unwrap(), string);
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(serde_json::from_str::<ByteString>(&json).unwrap(), string);
            let bytes = postcard::to_allocvec(&string).unwrap();
            assert_eq!(postcard::from_bytes::<ByteString>(&bytes).unwrap(), string);
            let mut bytes = Vec::new();
            ciborium::into_writer(&string, &mut bytes).unwrap();
            assert_eq!(ciborium::from_reader::<ByteString, _>(bytes.as_slice()).unwrap(), string);
        }
        for json in ["[256]", "[-1]", "[0.5]", "7", "null", "{}"] {
            assert!(serde_json::from_str::<ByteString>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_set_round_trips_in_the_same_encoding() {
        let len = if cfg!(miri) { 3 } else { 200_u16 };
        let many = (0..len).map(|i| (i.to_le_bytes(), Score::from(i / 2))).collect();
        let long = ZSet::from([("x".repeat(70), Score::ZERO)]);
        for set in [ZSet::new(), many, long] {
            let json = serde_json::to_string(&set).unwrap();
            let back: ZSet = serde_json::from_str(&json).unwrap();
            assert_eq!(back, set);
            assert_eq!(back.encoding(), set.encoding());
        }
    }

    #[test]
    fn members_may_be_text_but_scores_must_be_numbers() {
        let set: ZSet = serde_json::from_str(r#"[["b", 2], ["a", 1.5]]"#).unwrap();
        assert_eq!(
            set,
            ZSet::from([("b", Score::new(2.0).unwrap()), ("a", Score::new(1.5).unwrap())])
        );
        for json in [r#"[["a"]]"#, r#"[["a", "x"]]"#, r#"{"a": 1}"#, "[[[256], 1]]", "[[1, 2]]"] {
            assert!(serde_json::from_str::<ZSet>(json).is_err(), "{json}");
        }
    }
}
