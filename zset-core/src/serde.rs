//! Serialization of scores as numbers, and of sets as ordered sequences of pairs or as maps.
//!
//! Sets are loaded one element at a time. Length hints of the format are ignored: a set grows as
//! elements arrive, so its memory is bounded by the actual input.

use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{Score, TryReserveError};

/// Loads a sequence of elements into a collection.
///
/// `insert` returns whether the element's member is new. A repeated member or a failed allocation
/// is an error.
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
/// string in the form of [`FromStr`](core::str::FromStr). Strings represent infinities, and numbers
/// where a format has only text, such as the keys of a JSON map.
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

/// With the feature `arbitrary_precision`, `serde_json` represents a number as a map with only this
/// key.
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

/// Like [`load_seq`], but loads the entries of a map.
#[cfg(feature = "alloc")]
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
    deserializer.deserialize_map(MapLoader(Loader { expected, insert, types: PhantomData }))
}

#[cfg(feature = "alloc")]
struct MapLoader<C, E, F>(Loader<C, E, F>);

#[cfg(feature = "alloc")]
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

/// Implements `Serialize` and `Deserialize` for a type that is serialized as the sequence of its
/// elements.
macro_rules! serialize_elements {
    (
        $(#[$doc:meta])*
        [$($parameters:tt)*] $type:ty,
        [$($serialized:tt)*], [$($deserialized:tt)*],
        $expected:literal, $insert:expr
    ) => {
        /// Serializes as a sequence of elements, lowest score first.
        impl<$($parameters)*> ::serde::Serialize for $type where $($serialized)* {
            fn serialize<T: ::serde::Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
                serializer.collect_seq(self)
            }
        }

        $(#[$doc])*
        impl<'de, $($parameters)*> ::serde::Deserialize<'de> for $type where $($deserialized)* {
            fn deserialize<D: ::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                crate::serde::load_seq(deserializer, $expected, $insert)
            }
        }
    };
}

pub(crate) use serialize_elements;

#[cfg(test)]
mod tests {
    use super::*;
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as ValueError, F64Deserializer};
    use std::collections::BTreeMap;
    use std::string::{String, ToString};

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
            let error = number(value).unwrap_err();
            assert!(error.contains("a score: a number"), "{error}");
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
}
