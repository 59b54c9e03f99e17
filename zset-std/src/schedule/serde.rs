//! Serialization as a sequence of pairs, ordered by time, then by arrival.

use alloc::vec::Vec;
use core::hash::Hash;

use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

use super::Schedule;
use crate::Timestamp;

/// Serializes as a sequence of id-time pairs, in order.
impl<Id: Serialize> Serialize for Schedule<Id> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        serializer.collect_seq(self)
    }
}

/// Deserializes a sequence of id-time pairs. A repeated id is an error.
///
/// Pairs may be in any order; equal times keep the order of the sequence.
impl<'de, Id: Deserialize<'de> + Ord + Hash> Deserialize<'de> for Schedule<Id> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut schedule = Schedule::new();
        let pairs = Vec::<(Id, Timestamp)>::deserialize(deserializer)?;
        for (index, (id, at)) in pairs.into_iter().enumerate() {
            if !schedule.queue.try_insert(id, (), at).map_err(D::Error::custom)? {
                return Err(D::Error::custom(format_args!(
                    "element {index} repeats an earlier one"
                )));
            }
        }
        Ok(schedule)
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn a_schedule_round_trips_in_order() {
        let at = Timestamp::from_nanos;
        let ids = [((2, "b"), at(7)), ((1, "a"), at(7)), ((0, "c"), at(0)), ((1, "z"), at(7))];
        let schedule = Schedule::from(ids);
        let text = serde_json::to_string(&schedule).unwrap();
        assert_eq!(text, r#"[[[0,"c"],0],[[2,"b"],7],[[1,"a"],7],[[1,"z"],7]]"#);
        let mut back: Schedule<(u32, &str)> = serde_json::from_str(&text).unwrap();
        assert_eq!(back, schedule);
        back.check_invariants();
        back.schedule((0, "y"), at(7));
        back.check_invariants();
        assert_eq!(back.iter().last(), Some((&(0, "y"), at(7))));
    }

    #[test]
    fn a_repeated_id_is_an_error() {
        let error = serde_json::from_str::<Schedule<u32>>("[[1,2],[1,3]]").unwrap_err();
        assert!(error.to_string().contains("element 1 repeats"), "{error}");
    }
}
